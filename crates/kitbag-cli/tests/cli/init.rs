//! `kitbag init`.

use crate::fixture::Fixture;

#[test]
fn an_entry_is_previewed_written_once_and_removed() {
    let fixture = Fixture::project();
    let text = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    fixture.write("../home/.cursor/mcp.json", text);
    let run = fixture.run(["init", "cursor", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.stderr_contains(&["+    \"kitbag\": {", "would change"]);
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), text);
    fixture
        .run(["init", "cursor"])
        .stderr_contains(&["+    \"kitbag\": {", "Cursor: wrote the entry"]);
    let written = fixture.read("../home/.cursor/mcp.json");
    assert!(written.contains("// mine") && written.contains("\"args\": [\"mcp\"]"), "{written}");
    let run = fixture.run(["init", "cursor"]);
    assert!(run.stderr.starts_with("Cursor: ") && run.stderr.contains("entry already in"));
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), written);
    fixture
        .run(["init", "cursor", "--undo"])
        .stderr_contains(&["-    \"kitbag\": {", "removed the entry"]);
    assert!(fixture.read("../home/.cursor/mcp.json").contains("// mine"));
    fixture.run(["init", "cursor", "--undo"]).stderr_contains(&["no entry in"]);
}

#[test]
fn all_installed_clients_are_connected() {
    let fixture = Fixture::project();
    fixture.run(["init", "--all"]).fails(2, &["no client found", "kitbag init claude-code"]);
    fixture.write("../home/.codex/config.toml", "model = \"o\"\n");
    fixture.write("../home/.gemini/settings.json", "{}\n");
    let report = fixture.json(["init", "--all", "--json"]);
    let clients = report["clients"].as_array().unwrap();
    let done: Vec<_> =
        clients.iter().map(|it| (it["client"].as_str(), it["action"].as_str())).collect();
    assert_eq!(done, [(Some("Codex"), Some("added")), (Some("Gemini CLI"), Some("added"))]);
    assert!(fixture.read("../home/.codex/config.toml").contains("[mcp_servers.kitbag]"));
    let report = fixture.json(["init", "--all", "--json"]);
    assert_eq!(report["clients"][0]["action"], "unchanged");
    let report = fixture.json(["init", "codex", "--command", "/elsewhere", "--json"]);
    assert_eq!(report["clients"][0]["action"], "changed");
    let report = fixture.json(["init", "--all", "--undo", "--json"]);
    assert_eq!(report["clients"][1]["action"], "removed");
    assert_eq!(fixture.read("../home/.codex/config.toml"), "model = \"o\"\n");
}

#[test]
fn a_project_gets_an_entry_that_others_can_use() {
    let fixture = Fixture::project();
    fixture.run(["init", "claude-code", "vscode", "--project"]);
    let entry = fixture.read(".mcp.json");
    assert!(entry.contains("\"command\": \"kitbag\""), "{entry}");
    assert!(fixture.read(".vscode/mcp.json").contains("\"servers\""));
    fixture.run(["init", "claude-code", "vscode", "--project", "--undo"]);
    assert!(!fixture.path(".mcp.json").exists() && !fixture.path(".vscode/mcp.json").exists());
}

#[test]
fn an_invalid_file_changes_no_client() {
    let fixture = Fixture::project();
    fixture.write("../home/.cursor/mcp.json", "{}");
    fixture.write("../home/.gemini/settings.json", "{\n  \"a\": ]\n}\n");
    let run = fixture.run(["init", "cursor", "gemini"]);
    run.fails(2, &[".gemini/settings.json`, line 2, column 8: ", "fix the file first"]);
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), "{}");
    fixture.run(["init"]).fails(2, &["<CLIENTS>"]);
    fixture.run(["init", "emacs"]).fails(2, &["'emacs'", "claude-code"]);
}

#[test]
fn an_invalid_file_does_not_stop_other_installed_clients() {
    let fixture = Fixture::project();
    fixture.write("../home/.codex/config.toml", "model = = 1\n");
    fixture.write("../home/.cursor/mcp.json", "{}");
    fixture.write("../home/.gemini/settings.json", "{}");
    let run = fixture.run(["init", "--all", "--json"]);
    assert_eq!(run.code, Some(2));
    run.stderr_contains(&[
        "Codex: `",
        ".codex/config.toml`, line 1, column 9: ",
        "fix the file first",
    ]);
    run.stderr_contains(&["1 of 3 clients could not be changed"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let actions: Vec<_> =
        report["clients"].as_array().unwrap().iter().map(|it| &it["action"]).collect();
    assert_eq!(actions, ["added", "failed", "added"]);
    assert!(report["clients"][1]["error"].as_str().unwrap().contains("line 1, column 9"));
    assert_eq!(fixture.read("../home/.codex/config.toml"), "model = = 1\n");
    for path in ["../home/.cursor/mcp.json", "../home/.gemini/settings.json"] {
        assert!(fixture.read(path).contains("\"kitbag\""), "{path}");
    }
}

#[test]
fn user_edits_of_the_entry_are_kept() {
    let fixture = Fixture::project();
    let path = "../home/.cursor/mcp.json";
    let entry = "{\"mcpServers\": {\"kitbag\": {\"type\": \"stdio\", \"command\": \"/old\", \
                 \"args\": [\"mcp\", \"--repo\", \"/x\"], \"env\": {}}}}";
    let kept = entry.replace("/old", "/new");
    fixture.write(path, entry);
    fixture.run(["init", "cursor", "--command", "/new"]).stderr_contains(&["wrote the entry"]);
    assert_eq!(fixture.read(path), kept);
    fixture
        .run(["init", "cursor", "--undo"])
        .fails(2, &["`mcpServers.kitbag.args` was edited by the user", "by hand"]);
    assert_eq!(fixture.read(path), kept);
}

#[cfg(unix)]
#[test]
fn a_project_file_that_leads_out_of_the_repository_is_not_written() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::project();
    let outside = "{\"servers\": {}}\n";
    fixture.write("../home/secret/mcp.json", outside);
    symlink("../home/secret", fixture.path(".vscode")).unwrap();
    let refused = ["leads out of the repository", "home/secret/mcp.json", "hint: "];
    fixture.run(["init", "vscode", "--project"]).fails(2, &refused);
    fixture.run(["init", "vscode", "--project", "--dry-run"]).fails(2, &refused);
    assert_eq!(fixture.read("../home/secret/mcp.json"), outside);
    // The file itself, a folder that does not exist there, and a link that stays inside.
    symlink("../home/secret/mcp.json", fixture.path(".mcp.json")).unwrap();
    fixture.run(["init", "claude-code", "--project"]).fails(2, &["leads out of the repository"]);
    assert_eq!(fixture.read("../home/secret/mcp.json"), outside);
    symlink("../home/new", fixture.path(".gemini")).unwrap();
    assert_eq!(fixture.run(["init", "gemini", "--project"]).code, Some(1));
    assert!(!fixture.path("../home/new").exists());
    fixture.write("real/mcp.json", "{}\n");
    symlink("real", fixture.path(".cursor")).unwrap();
    assert_eq!(fixture.run(["init", "cursor", "--project"]).code, Some(0));
    assert!(fixture.read("real/mcp.json").contains("kitbag"));
}
