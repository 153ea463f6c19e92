//! SARIF features that the standard allows but the recorded tools do not use.

use super::super::{KnownFiles, locate};
use super::check;

/// Builds a log with one run that contains `parts`, such as its `results`.
fn log(parts: &str) -> String {
    let rules = r#"[{"id": "R1", "defaultConfiguration": {"level": "error"}}, {"id": "R2"}]"#;
    format!(
        r#"{{"version": "2.1.0", "runs": [{{"tool": {{"driver": {{"name": "Checker", "rules": {rules}}}}}, {parts}}}]}}"#
    )
}

fn result(more: &str) -> String {
    let place =
        r#"{"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": {"startLine": 3}}}"#;
    format!(r#"{{"message": {{"text": "m"}}, "locations": [{place}]{more}}}"#)
}

// gcc 13 and later write paths relative to the working directory and repeat the level as the rule.
#[test]
fn gcc_sarif_with_relative_paths_is_read() {
    let text = log(
        r#""originalUriBaseIds": {"PWD": {"uri": "file:///srv/my%20shop/"}}, "results": [
        {"ruleId": "error", "level": "error", "message": {"text": "undeclared"}, "locations": [{"physicalLocation":
        {"artifactLocation": {"uri": "c/cart.c", "uriBaseId": "PWD"}, "region": {"startLine": 2, "startColumn": 10, "endColumn": 20}},
        "logicalLocations": [{"name": "total"}]}]},
        {"ruleId": "-Wunused-variable", "level": "warning", "message": {"text": "unused"}, "locations": [{"physicalLocation":
        {"artifactLocation": {"uri": "c/cart.c", "uriBaseId": "PWD"}, "region": {"startLine": 3}}}]}]"#,
    );
    let reading = check(
        "gcc",
        &text,
        "file:///srv/my%20shop/c/cart.c:2:10 error - checker: undeclared
        file:///srv/my%20shop/c/cart.c:3 warning -Wunused-variable checker: unused",
    );
    let files = KnownFiles::new(["c/cart.c".to_owned(), "other/cart.c".to_owned()]);
    let found = locate(&reading.diagnostics[0].path, &files);
    assert_eq!(found.as_deref(), Some("c/cart.c"));
}

#[test]
fn level_falls_back_to_the_rule_and_then_to_warning() {
    let results = [
        result(r#", "ruleId": "R1""#),
        result(r#", "ruleIndex": 0"#),
        result(r#", "rule": {"index": 0}"#),
        result(r#", "ruleId": "R2""#),
        result(r#", "ruleId": "R1", "level": "note""#),
        result(r#", "kind": "open""#),
        result(r#", "level": "none""#),
        result(r#", "ruleIndex": -1"#),
    ];
    check(
        "levels",
        &log(&format!(r#""results": [{}]"#, results.join(","))),
        "a.c:3 error R1 checker: m
        a.c:3 error R1 checker: m
        a.c:3 error R1 checker: m
        a.c:3 warning R2 checker: m
        a.c:3 note R1 checker: m
        a.c:3 note - checker: m
        a.c:3 note - checker: m
        a.c:3 warning - checker: m",
    );
}

#[test]
fn passed_suppressed_and_absent_results_are_omitted() {
    let results = [
        result(r#", "kind": "pass""#),
        result(r#", "kind": "notApplicable""#),
        result(r#", "suppressions": [{"kind": "inSource"}]"#),
        result(r#", "suppressions": [{"kind": "external", "status": "accepted"}]"#),
        result(r#", "baselineState": "absent""#),
        result(
            r#", "ruleId": "kept", "suppressions": [{"kind": "external", "status": "rejected"}]"#,
        ),
        result(r#", "ruleId": "kept", "suppressions": [], "baselineState": "new""#),
    ];
    check(
        "suppressed",
        &log(&format!(r#""results": [{}]"#, results.join(","))),
        "a.c:3 warning kept checker: m
        a.c:3 warning kept checker: m",
    );
}

#[test]
fn artifacts_are_resolved_by_index_and_results_without_a_location_counted() {
    let text = log(
        r#""artifacts": [{"location": {"uri": "src/a.c", "uriBaseId": "ROOT"}}], "results": [
        {"message": {"text": "by number"}, "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}}}]},
        {"message": {"text": "of nothing"}, "locations": []},
        {"message": {"text": "of no file"}, "locations": [{"physicalLocation": {"artifactLocation": {"index": 7}}}]},
        {"message": {"text": "of all"}}]"#,
    );
    let reading = check("places", &text, "src/a.c:1 warning - checker: by number");
    assert_eq!(reading.without_place, 3);
    assert_eq!(check("no results", &log(r#""results": null"#), "").without_place, 0);
}
