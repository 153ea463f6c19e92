//! `kitbag search`.

use crate::fixture::Fixture;
use serde_json::Value;

fn results(report: &Value) -> &Vec<Value> {
    report["results"].as_array().unwrap()
}

#[test]
fn results_are_ranked_with_lines_and_symbols() {
    let fixture = Fixture::project();
    let run = fixture.run(["search", "login", "--include", "src/**"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let words: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(words[1..], ["src/auth.rs:1-10", "login", "58", "tokens"]);
    assert_eq!(
        lines[1..],
        ["      defines `login`", "        2: pub fn login(user: &str) -> bool {"]
    );
    assert!(!run.stdout.contains('\u{1b}'), "no colors where there is no terminal");
}

#[test]
fn the_report_is_stable_and_has_reasons() {
    let fixture = Fixture::project();
    let report = fixture.json(["search", "login", "--json"]);
    let fields: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["version", "results", "files_searched", "warnings"]);
    assert_eq!((&report["version"], &report["files_searched"]), (&1.into(), &3.into()));
    assert_eq!(results(&report).len(), 2);
    let found = results(&report).iter().find(|it| it["path"] == "src/auth.rs").unwrap();
    let fields: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "path",
            "start_line",
            "end_line",
            "symbol",
            "kind",
            "tokens",
            "relevance",
            "score",
            "factors",
            "file_score",
            "file_factors",
            "why",
            "lines"
        ]
    );
    assert_eq!((&found["start_line"], &found["end_line"]), (&1.into(), &10.into()));
    assert_eq!((&found["symbol"], &found["kind"]), (&"login".into(), &"function".into()));
    for factor in ["factors", "file_factors"].iter().flat_map(|it| found[it].as_array().unwrap()) {
        assert!(factor["name"].is_string() && factor["value"].is_number());
        assert!(factor["contribution"].as_f64().unwrap() != 0.0, "{factor}");
    }
    let scores = results(&report).iter().map(|it| it["score"].as_f64().unwrap());
    assert!(scores.is_sorted_by(|a, b| a >= b));
}

#[test]
fn results_can_be_files() {
    let fixture = Fixture::project();
    let report = fixture.json(["search", "login", "--files", "--json"]);
    let mut paths: Vec<(&str, &str)> = results(&report)
        .iter()
        .map(|it| (it["path"].as_str().unwrap(), it["kind"].as_str().unwrap()))
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, [("README.md", "documentation"), ("src/auth.rs", "code")]);
    assert!(results(&report).iter().all(|it| it["symbol"].is_null() && it["start_line"] == 1));
    let run = fixture.run(["search", "login", "--files"]);
    assert!(run.stdout.contains("src/auth.rs") && !run.stdout.contains("src/auth.rs:"));
}

#[test]
fn the_limit_applies_and_is_at_least_1() {
    let fixture = Fixture::project();
    let limited = ["search", "login", "--limit", "1", "--lines", "0"];
    assert_eq!(fixture.run(limited).stdout.lines().count(), 2, "a result and its reasons");
    for wrong in ["0", "-1", "many", ""] {
        fixture.run(["search", "login", "--limit", wrong]).fails(2, &["--limit <N>"]);
    }
}

#[test]
fn matching_lines_are_limited() {
    let fixture = Fixture::project();
    let lines = |number: &str| {
        let report = fixture.json(["search", "token user", "--lines", number, "--json"]);
        results(&report)[0]["lines"].as_array().map_or(0, Vec::len)
    };
    assert_eq!((lines("0"), lines("1"), lines("3"), lines("100")), (0, 1, 3, 7));
    for wrong in ["101", "-1", "many", ""] {
        fixture.run(["search", "login", "--lines", wrong]).fails(2, &["--lines <N>"]);
    }
}

#[test]
fn the_factors_of_a_chunk_sum_to_its_score() {
    let fixture = Fixture::project();
    let report = fixture.json(["search", "login token", "--json"]);
    assert!(!results(&report).is_empty());
    for result in report["results"].as_array().unwrap() {
        let factors = result["factors"].as_array().unwrap();
        let sum: f64 = factors.iter().map(|it| it["contribution"].as_f64().unwrap()).sum();
        assert!((sum - result["score"].as_f64().unwrap()).abs() < 0.001, "{result}");
    }
}

#[test]
fn explain_prints_every_factor() {
    let fixture = Fixture::project();
    let run = fixture.run(["search", "login", "--explain"]);
    assert_eq!(run.code, Some(0));
    let heads = |name: &str| run.stdout.lines().filter(|it| it.starts_with(name)).count();
    assert_eq!((heads("    chunk "), heads("    file ")), (2, 2), "{}", run.stdout);
    assert_eq!(heads("      file_probability "), 2, "{}", run.stdout);
    let run = fixture.run(["search", "login", "--explain", "--files"]);
    assert!(!run.stdout.contains("    chunk "), "{}", run.stdout);
}

#[test]
fn a_task_is_read_from_a_file_or_standard_input() {
    let fixture = Fixture::project();
    fixture.write("../task.md", "login\n");
    let typed = fixture.run(["search", "login"]);
    assert_eq!(fixture.run(["search", "--query-file", "../task.md"]), typed);
    assert_eq!(fixture.feed(["search", "--query-file", "-"], "login\n"), typed);
}

#[test]
fn an_empty_task_is_an_error_with_an_example() {
    let fixture = Fixture::project();
    for arguments in [&["search"][..], &["search", ""], &["search", " \n"]] {
        let run = fixture.run(arguments);
        run.fails(2, &["nothing to search for", "hint: describe the task: kitbag search"]);
    }
    fixture.run(["search", "x", "--repo", "nope"]).fails(2, &["no such folder: `nope`"]);
    fixture.run(["search", "x", "--include", "[a"]).fails(2, &["[a"]);
}

#[test]
fn a_search_without_results_succeeds_with_a_warning() {
    let fixture = Fixture::project();
    for (task, why) in [
        ("zyzzyva", "no word of the task occurs in the 3 files searched; use words from the code"),
        ("?!", "the task has no word to search for"),
    ] {
        let run = fixture.run(["search", task]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
        run.stderr_contains(&[&format!("warning: nothing was found: {why}")]);
    }
    let run = fixture.run(["search", "login", "--include", "nothing/**"]);
    run.stderr_contains(&["no file matches the include and exclude globs"]);
    assert!(results(&fixture.json(["search", "zyzzyva", "--json"])).is_empty());
}
