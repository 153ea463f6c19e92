//! The argument `ref`, and a folder of repositories.

use crate::fixture::{AUTH, Fixture};
use crate::wire::{Revision, Wire};
use kitbag_mcp::McpOptions;
use serde_json::json;
use std::process::Command;

/// The repository `app`, whose tag `v1` has a function that its work tree lacks.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("app/src/auth.rs", &AUTH.replace("login", "sign_in"));
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "first"],
        &["tag", "v1"],
    ] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
        assert!(git.current_dir(fixture.path("app")).status().unwrap().success());
    }
    fixture.write("app/src/auth.rs", AUTH);
    fixture
}

#[tokio::test]
async fn tools_read_the_commit_that_is_named() {
    let fixture = fixture();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for (tool, arguments) in [
        ("pack_context", json!({ "task": "sign_in" })),
        ("search_code", json!({ "task": "sign_in" })),
        ("find_symbol", json!({ "name": "sign_in" })),
        ("repo_overview", json!({})),
    ] {
        let mut at_v1 = arguments.clone();
        at_v1["ref"] = json!("v1");
        let text = wire.call(tool, at_v1).await["content"][0]["text"].to_string();
        assert!(text.contains("pub fn sign_in"), "{tool}: {text}");
        let now = wire.call(tool, arguments).await["content"][0]["text"].to_string();
        assert!(!now.contains("pub fn sign_in"), "{tool}: {now}");
    }
    let error = wire.fail("pack_context", json!({ "task": "login", "ref": "v11" })).await;
    assert!(error.contains("no such ref: `v11`") && error.contains("`v1`"), "{error}");
}

#[tokio::test]
async fn repositories_of_a_folder_are_named_by_calls() {
    let fixture = fixture();
    let options = McpOptions { repos_folder: Some(fixture.path("")), ..McpOptions::default() };
    let mut wire = Wire::connect(fixture.state_of(&[], options), Revision::Legacy).await;
    let arguments = json!({ "task": "sign_in", "repo": "app", "ref": "v1" });
    let text = wire.call("pack_context", arguments).await["content"][0]["text"].to_string();
    assert!(text.contains("pub fn sign_in"), "{text}");
    for repo in [json!(null), json!("nothing"), json!("../app"), json!("paint")] {
        let error = wire.fail("pack_context", json!({ "task": "login", "repo": repo })).await;
        assert!(error.contains("served repositories: `app`"), "{error}");
    }
    let error = wire.fail("repo_overview", json!({ "repo": "*" })).await;
    assert!(error.contains("`repo` must name one repository"), "{error}");
    let error = wire.fail("find_symbol", json!({ "name": "login", "repo": "*" })).await;
    assert!(error.contains("`repo` must name one repository"), "{error}");
    assert!(error.contains("served repositories: `app`"), "{error}");
}
