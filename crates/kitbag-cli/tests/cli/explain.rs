//! `kitbag explain`.

use crate::fixture::Fixture;

#[test]
fn a_line_that_is_in_is_explained_factor_by_factor() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let run = fixture.run(["explain", "src/auth.rs:3"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for words in ["src/auth.rs:3 is in the pack", "lines 1-10", "relevance", "x 0.5", "rank 1 of"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let json = fixture.json(["explain", "./src/auth.rs:3", "--json"]);
    assert_eq!((&json["verdict"], &json["path"]), (&"shown".into(), &"src/auth.rs".into()));
    let chunk = &json["chunks"][0];
    let adds = chunk["factors"].as_array().unwrap().iter();
    let adds: f64 = adds.map(|it| it["adds"].as_f64().unwrap()).sum();
    assert!((adds - chunk["score"].as_f64().unwrap()).abs() < 1e-9, "the shares make the score");
}

#[test]
fn a_line_that_is_out_says_what_would_bring_it_in() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login paint", "--budget", "40", "--overflow", "skip"]);
    let kept = fixture.json(["show", "--json"]);
    let out = kept["excluded"].as_array().unwrap();
    let out = out.iter().find(|it| it["reason"] == "budget").expect("40 tokens are few");
    let place = format!("{}:{}", out["path"].as_str().unwrap(), out["start_line"]);
    let run = fixture.run(["explain", &place]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("is not in the pack"), "{}", run.stdout);
    assert!(
        run.stdout.contains("budget: does not fit what is left of 40 tokens"),
        "{}",
        run.stdout
    );
    let json = fixture.json(["explain", &place, "--json"]);
    let changes = json["chunks"][0]["changes"].as_array().unwrap();
    let enough = changes[0].as_str().unwrap();
    let budget = enough.split("--budget ").nth(1).unwrap().split(' ').next().unwrap();
    let again =
        fixture.json(["pack", "login paint", "--overflow", "skip", "--json", "--budget", budget]);
    // Headers and fences come on top of the lines, so it is about this much.
    let roomy: usize = budget.parse::<usize>().unwrap() + 60;
    let roomy = fixture.json(["pack", "login paint", "--json", "--budget", &roomy.to_string()]);
    let has = |report: &serde_json::Value| {
        report["included"].as_array().unwrap().iter().any(|it| it["path"] == out["path"])
    };
    assert!(has(&again) || has(&roomy), "{enough}");
}

#[test]
fn a_line_that_nothing_came_up_with_can_be_searched_for() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let run = fixture.run(["explain", "src/colour.rs:2"]);
    assert!(run.stdout.contains("src/colour.rs:2 was no candidate"), "{}", run.stdout);
    assert!(run.stdout.contains("--file src/colour.rs:2"), "{}", run.stdout);
    let run = fixture.run(["explain", "src/auth.rs:2", "--task", "login"]);
    assert!(run.stdout.contains("Search now\nlines 1-10, rank 1"), "{}", run.stdout);
    assert_eq!(run.stderr, "", "it is the task of the pack");
    let other = fixture.run(["explain", "src/auth.rs:2", "--task", "paint"]);
    other.says(&["warning: the task is not that of the pack"]);
    let gone = fixture.run(["explain", "src/gone.rs:2"]);
    gone.says(&["warning: there is no file `src/gone.rs` now"]);
}

#[test]
fn a_place_needs_a_file_and_a_line() {
    let fixture = Fixture::project();
    for place in ["src/auth.rs", "src/auth.rs:0", "src/auth.rs:x", ":3", ""] {
        fixture.run(["explain", place]).fails(2, &["is not a file with a line such as"]);
    }
}
