//! `kitbag trust`.

use crate::fixture::{Fixture, Run};
use insta::assert_snapshot;

fn told(run: &Run) -> String {
    format!("status {}\n{}{}", run.code.unwrap_or(-1), run.stdout, run.stderr)
}

#[test]
fn what_is_trusted_is_shown_recorded_and_taken_back() {
    let fixture = Fixture::with(&[(
        ".agent/config.yml",
        "judge:\n  endpoint: http://localhost:1/v1\n  model: m\n",
    )]);
    assert_snapshot!(told(&fixture.run(["trust", "--show"])), @"");
    assert_snapshot!(told(&fixture.run(["config", "show", "judge.model"])), @"");
    assert_snapshot!(told(&fixture.run(["trust"])), @"");
    assert_snapshot!(told(&fixture.run(["config", "show", "judge.model"])), @"");
    fixture.write(".agent/config.yml", "judge:\n  endpoint: http://evil\n  model: m\n");
    assert_snapshot!(told(&fixture.run(["trust", "--show"])), @"");
    assert_snapshot!(told(&fixture.run(["trust", "--revoke"])), @"");
    assert_snapshot!(told(&fixture.run(["trust", "--revoke"])), @"");
}

#[test]
fn a_repository_that_wants_nothing_needs_no_trust() {
    let fixture = Fixture::project();
    assert_snapshot!(told(&fixture.run(["trust"])), @"");
    assert_eq!(fixture.json(["trust", "--json"])["wants"], serde_json::json!([]));
}
