//! `kitbag preview`.

use crate::fixture::Fixture;
use serde_json::Value;

#[test]
fn preview_makes_the_decision_of_pack() {
    let fixture = Fixture::project();
    for budget in ["30", "80", "8k"] {
        let mut packed = fixture.json(["pack", "login token", "--budget", budget, "--json"]);
        let mut previewed = fixture.json(["preview", "login token", "--budget", budget, "--json"]);
        for item in previewed["included"].as_array_mut().unwrap() {
            assert!(item.as_object_mut().unwrap().remove("lines").is_some(), "{item}");
        }
        assert_eq!(previewed["content"], Value::Null);
        packed["content"].take();
        packed["stats"]["cache_hit_rate"] = previewed["stats"]["cache_hit_rate"].clone();
        assert_eq!(packed, previewed);
    }
}

#[test]
fn preview_lists_the_chunks() {
    let run = Fixture::project().run(["preview", "login", "--include", "src/**"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let words: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(words[1..], ["58", "full", "src/auth.rs:1-10", "login"]);
    assert_eq!(
        lines[1..],
        ["      defines `login`", "        2: pub fn login(user: &str) -> bool {"]
    );
    assert_eq!(run.stderr, "74 of 90,000 tokens (o200k_base), 1 chunk of 1 file, 0 left out\n");
}

#[test]
fn preview_has_the_errors_of_pack() {
    let fixture = Fixture::project();
    assert_eq!(fixture.run(["preview", ""]), fixture.run(["pack", ""]));
    let wrong = ["--model", "gpt-4p"];
    assert_eq!(
        fixture.run(["preview", "login"].into_iter().chain(wrong)),
        fixture.run(["pack", "login"].into_iter().chain(wrong)),
    );
}
