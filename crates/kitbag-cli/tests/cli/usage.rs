//! `kitbag usage`.

use crate::fixture::Fixture;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// Returns the usage log of the work folder.
fn log(fixture: &Fixture) -> PathBuf {
    let folders = fs::read_dir(fixture.path("../home/cache/kitbag/packs")).unwrap();
    let mut logs =
        folders.map(|it| it.unwrap().path().join("usage.jsonl")).filter(|it| it.exists());
    logs.next().unwrap()
}

#[test]
fn packs_are_summed_with_the_files_that_they_replace() {
    let fixture = Fixture::project();
    fixture.run(["usage"]).stderr_contains(&["no calls are recorded"]);
    let long = format!("{}\n", "/// Mixes paint.\npub fn paint() {}\n\n".repeat(200));
    fixture.write("src/long.rs", long);
    for task in ["why does login fail?", "why does login fail?", "mix paint"] {
        assert_eq!(fixture.run(["pack", task, "--budget", "300"]).code, Some(0));
    }
    let report = fixture.json(["usage", "--json"]);
    assert_eq!((&report["version"], &report["total"]["calls"]), (&json!(2), &json!(3)));
    assert_eq!(report["total"]["tasks"], 2);
    let number = |field: &str| report["total"][field].as_i64().unwrap();
    let (tokens, whole) = (number("tokens"), number("whole_file_tokens"));
    assert!(0 < tokens && tokens <= 900 && whole > 1_000, "{report}");
    assert_eq!(number("saved_tokens"), whole - tokens);
    assert_eq!(report["days"].as_array().unwrap().len(), 1);
    assert_eq!(report["days"][0]["interface"], "cli");
    // The sums have no text of the task, a path or the code.
    let log = fs::read_to_string(log(&fixture)).unwrap();
    assert!(!log.contains("login") && !log.contains("src/"), "{log}");
    let run = fixture.run(["usage"]);
    assert!(run.stdout.contains("cli pack") && run.stdout.contains("total"), "{}", run.stdout);
    let all = fixture.json(["usage", "--all", "--days", "2", "--json"]);
    assert_eq!((&all["total"], all["repos"].as_array().unwrap().len()), (&report["total"], 1));
}

#[test]
fn packs_from_before_the_log_are_counted_and_what_they_saved_is_unknown() {
    let fixture = Fixture::project();
    fixture.run(["pack", "why does login fail?"]);
    fs::remove_file(log(&fixture)).unwrap();
    let report = fixture.json(["usage", "--json"]);
    assert_eq!(
        (&report["total"]["calls"], &report["total"]["saved_tokens"]),
        (&json!(1), &json!(null))
    );
    assert!(fixture.run(["usage"]).stdout.contains(" -"), "unknown, not 0");
    fixture.run(["pack", "why does login fail?"]);
    let path = log(&fixture);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}damaged\n")).unwrap();
    let report = fixture.json(["usage", "--json"]);
    assert_eq!(report["total"]["calls"], 2);
    assert!(report["warnings"][0].as_str().unwrap().contains("skipped 1 line of"), "{report}");
}

#[test]
fn bad_input_is_an_error() {
    let fixture = Fixture::project();
    fixture.run(["usage", "--days", "0"]).fails(2, &["'0'", "1..=36500"]);
    fixture.run(["usage", "--repo", "gone"]).fails(2, &["gone"]);
    fixture.run(["usage", "--all", "--repo", "."]).fails(2, &["cannot be used with"]);
}
