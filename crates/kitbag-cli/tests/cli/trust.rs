//! `kitbag trust`.

use crate::fixture::{Fixture, Run};

fn output(run: &Run) -> String {
    format!("status {}\n{}{}", run.code.unwrap_or(-1), run.stdout, run.stderr)
}

#[test]
fn trust_is_shown_granted_and_revoked() {
    let fixture = Fixture::with(&[(
        ".agent/config.yml",
        "judge:\n  endpoint: http://localhost:1/v1\n  model: m\n",
    )]);
    let piece = "  judge.endpoint: \"http://localhost:1/v1\"\n  judge.model: m\n";
    let show = || output(&fixture.run(["trust", "--show"]));
    let model = || output(&fixture.run(["config", "show", "judge.model"]));
    assert_eq!(
        show(),
        format!("status 0\njudge: not trusted\n{piece}trust it with `kitbag trust`\n")
    );
    let untrusted = model();
    assert!(untrusted.starts_with("status 0\njudge.model: null  # default\n"), "{untrusted}");
    assert!(
        untrusted.contains("`judge.endpoint` is ignored because you have not trusted it"),
        "{untrusted}"
    );
    let recorded = "trusted; changes will require trust again";
    assert_eq!(
        output(&fixture.run(["trust"])),
        format!("status 0\njudge: trusted\n{piece}{recorded}\n")
    );
    assert_eq!(model(), "status 0\njudge.model: m  # .agent/config.yml:3:10\n");
    fixture.write(".agent/config.yml", "judge:\n  endpoint: http://evil\n  model: m\n");
    assert!(show().starts_with("status 0\njudge: changed since it was trusted\n"), "{}", show());
    let revoke = || output(&fixture.run(["trust", "--revoke"]));
    assert_eq!(revoke(), "status 0\ntrust revoked\n");
    assert_eq!(revoke(), "status 0\nnothing in this repository was trusted\n");
}

#[test]
fn a_repository_without_a_judge_requires_no_trust() {
    let fixture = Fixture::project();
    let nothing = "nothing in this repository requires trust";
    assert_eq!(output(&fixture.run(["trust"])), format!("status 0\n{nothing}\n"));
    assert_eq!(fixture.json(["trust", "--json"])["wants"], serde_json::json!([]));
}
