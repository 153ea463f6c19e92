//! `kitbag trust`.

use crate::fixture::{Fixture, Run};

fn told(run: &Run) -> String {
    format!("status {}\n{}{}", run.code.unwrap_or(-1), run.stdout, run.stderr)
}

#[test]
fn what_is_trusted_is_shown_recorded_and_taken_back() {
    let fixture = Fixture::with(&[(
        ".agent/config.yml",
        "judge:\n  endpoint: http://localhost:1/v1\n  model: m\n",
    )]);
    let piece = "  judge.endpoint: \"http://localhost:1/v1\"\n  judge.model: m\n";
    let show = || told(&fixture.run(["trust", "--show"]));
    let model = || told(&fixture.run(["config", "show", "judge.model"]));
    assert_eq!(
        show(),
        format!("status 0\njudge: not trusted\n{piece}trust it with `kitbag trust`\n")
    );
    let untrusted = model();
    assert!(untrusted.starts_with("status 0\njudge.model: null  # default\n"), "{untrusted}");
    assert!(untrusted.contains("`judge.endpoint` of the repository is not used"), "{untrusted}");
    let recorded = "recorded; a change of it will not be trusted";
    assert_eq!(
        told(&fixture.run(["trust"])),
        format!("status 0\njudge: trusted\n{piece}{recorded}\n")
    );
    assert_eq!(model(), "status 0\njudge.model: m  # .agent/config.yml:3:10\n");
    fixture.write(".agent/config.yml", "judge:\n  endpoint: http://evil\n  model: m\n");
    assert!(show().starts_with("status 0\njudge: changed since you trusted it\n"), "{}", show());
    let revoke = || told(&fixture.run(["trust", "--revoke"]));
    assert_eq!(revoke(), "status 0\nnothing of this repository is trusted any more\n");
    assert_eq!(revoke(), "status 0\nnothing of this repository was trusted\n");
}

#[test]
fn a_repository_that_wants_nothing_needs_no_trust() {
    let fixture = Fixture::project();
    let nothing = "this repository wants nothing that needs trust";
    assert_eq!(told(&fixture.run(["trust"])), format!("status 0\n{nothing}\n"));
    assert_eq!(fixture.json(["trust", "--json"])["wants"], serde_json::json!([]));
}
