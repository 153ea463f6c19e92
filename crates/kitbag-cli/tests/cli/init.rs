//! `kitbag init`.

use crate::fixture::Fixture;

#[test]
fn an_entry_is_shown_written_once_and_taken_out_again() {
    let fixture = Fixture::project();
    let text = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    fixture.write("../home/.cursor/mcp.json", text);
    let run = fixture.run(["init", "cursor", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.says(&["+    \"kitbag\": {", "would be changed"]);
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), text);
    fixture.run(["init", "cursor"]).says(&["+    \"kitbag\": {", "Cursor: the entry was written"]);
    let written = fixture.read("../home/.cursor/mcp.json");
    assert!(written.contains("// mine") && written.contains("\"args\": [\"mcp\"]"), "{written}");
    let run = fixture.run(["init", "cursor"]);
    assert!(run.stderr.starts_with("Cursor: ") && run.stderr.contains("has the entry already"));
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), written);
    fixture.run(["init", "cursor", "--undo"]).says(&["-    \"kitbag\": {", "was taken out"]);
    assert!(fixture.read("../home/.cursor/mcp.json").contains("// mine"));
    fixture.run(["init", "cursor", "--undo"]).says(&["there is no entry"]);
}

#[test]
fn the_clients_that_are_found_are_all_connected() {
    let fixture = Fixture::project();
    fixture.run(["init", "--all"]).fails(2, &["no client was found", "kitbag init claude-code"]);
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
fn one_file_that_cannot_be_understood_leaves_all_as_they_are() {
    let fixture = Fixture::project();
    fixture.write("../home/.cursor/mcp.json", "{}");
    fixture.write("../home/.gemini/settings.json", "{\n  \"a\": ]\n}\n");
    let run = fixture.run(["init", "cursor", "gemini"]);
    run.fails(2, &[".gemini/settings.json`, line 2, column 8: ", "put that right first"]);
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), "{}");
    fixture.run(["init"]).fails(2, &["<CLIENTS>"]);
    fixture.run(["init", "emacs"]).fails(2, &["'emacs'", "claude-code"]);
}
