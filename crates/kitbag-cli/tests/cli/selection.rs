//! `--overflow`, `--min-score` and `--min-chunks`.

use crate::fixture::Fixture;

/// A project with a long function.
fn with_a_long_function() -> Fixture {
    let fixture = Fixture::project();
    let body: String = (1..=60).map(|n| format!("    login_step({n}, \"renew\");\n")).collect();
    fixture.write("src/long.rs", format!("pub fn login_slowly() {{\n{body}}}\n"));
    fixture
}

const LONG: [&str; 6] = ["pack", "login", "--include", "src/long.rs", "--budget", "200"];

#[test]
fn a_chunk_that_does_not_fit_can_be_truncated() {
    let fixture = with_a_long_function();
    for overflow in ["truncate", "proportional"] {
        let report = fixture.json([&LONG[..], &["--overflow", overflow, "--json"]].concat());
        let item = &report["included"][0];
        assert_eq!((&item["form"], &item["start_line"]), (&"truncated".into(), &1.into()));
        let shown = item["shown"][0][1].as_u64().unwrap();
        let marker = format!("... {} more lines not shown (truncated) ...\n", 62 - shown);
        assert!(report["content"].as_str().unwrap().ends_with(&marker), "{report}");
        assert!(report["total_tokens"].as_u64().unwrap() <= 200);
    }
    fixture.run([&LONG[..], &["--overflow", "skip"]].concat()).is_empty_for("no chunk fits");
}

#[test]
fn min_chunks_truncates_the_best_chunk_if_none_fits() {
    let fixture = with_a_long_function();
    let least = [&LONG[..], &["--overflow", "skip", "--min-chunks", "1", "--json"]].concat();
    assert_eq!(fixture.json(least)["included"][0]["form"], "truncated");
}

#[test]
fn an_unreached_min_score_is_reported() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "login", "--include", "src/**", "--min-score", "1"]);
    run.is_empty_for("no chunk reaches the minimum score of 1; the best is `src/auth.rs` with 0.");
    for wrong in ["-0.1", "1.5", "high", "NaN"] {
        let run = fixture.run(["pack", "login", "--min-score", wrong]);
        run.fails(2, &["expected a score from 0 to 1", wrong]);
    }
}

#[test]
fn an_unknown_policy_is_an_error_that_lists_all() {
    let run = Fixture::project().run(["pack", "login", "--overflow", "drop"]);
    run.fails(2, &["drop", "skip, outline, truncate, proportional"]);
}

/// Small functions that match less would fill the budget otherwise.
#[test]
fn the_best_chunk_is_truncated_rather_than_replaced() {
    let fixture = with_a_long_function();
    for part in 0..5 {
        let small = format!("pub fn fixture_{part}() {{\n    let renew = {part};\n}}\n");
        fixture.write(&format!("src/fixture_{part}.rs"), small);
    }
    let task = ["pack", "login_slowly renew", "--fill", "--budget", "200", "--json"];
    let report = fixture.json(task);
    let first = &report["included"][0];
    assert_eq!((&first["path"], &first["form"]), (&"src/long.rs".into(), &"truncated".into()));
    let lines = first["shown"][0][1].as_u64().unwrap();
    assert!(lines > 5, "{report:#}");
    assert!(report["content"].as_str().unwrap().contains("more lines not shown (truncated) ..."));
    let larger =
        fixture.json(["pack", "login_slowly renew", "--fill", "--budget", "2000", "--json"]);
    assert_eq!(larger["included"][0]["form"], "full");
}
