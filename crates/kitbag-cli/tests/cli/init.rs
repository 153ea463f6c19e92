//! `kitbag init`.

use crate::fixture::{Fixture, Run};
use serde_json::Value;
use std::path::Path;

/// Runs the program without the clients that are installed on this machine.
fn kitbag<const N: usize>(fixture: &Fixture, arguments: [&str; N]) -> Run {
    let mut command = fixture.command();
    command.args(arguments).env("PATH", fixture.path("../home/bin"));
    Run::from(command.stdin(std::process::Stdio::null()).output().unwrap())
}

fn json<const N: usize>(fixture: &Fixture, arguments: [&str; N]) -> Value {
    let run = kitbag(fixture, arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn an_entry_is_previewed_written_once_and_removed() {
    let fixture = Fixture::project();
    let text = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    fixture.write("../home/.cursor/mcp.json", text);
    let run = kitbag(&fixture, ["init", "cursor", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.stderr_contains(&["+    \"kitbag\": {", "would change"]);
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), text);
    kitbag(&fixture, ["init", "cursor"])
        .stderr_contains(&["+    \"kitbag\": {", "Cursor: wrote the entry"]);
    let written = fixture.read("../home/.cursor/mcp.json");
    assert!(written.contains("// mine") && written.contains("\"args\": [\"mcp\"]"), "{written}");
    let run = kitbag(&fixture, ["init", "cursor"]);
    assert!(run.stderr.starts_with("Cursor: ") && run.stderr.contains("entry already in"));
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), written);
    kitbag(&fixture, ["init", "cursor", "--undo"])
        .stderr_contains(&["-    \"kitbag\": {", "removed the entry"]);
    assert!(fixture.read("../home/.cursor/mcp.json").contains("// mine"));
    kitbag(&fixture, ["init", "cursor", "--undo"]).stderr_contains(&["no entry in"]);
}

#[test]
fn all_installed_clients_are_connected() {
    let fixture = Fixture::project();
    kitbag(&fixture, ["init", "--all"]).fails(2, &["no client found", "kitbag init claude-code"]);
    fixture.write("../home/.codex/config.toml", "model = \"o\"\n");
    fixture.write("../home/.gemini/settings.json", "{}\n");
    let report = json(&fixture, ["init", "--all", "--json"]);
    let clients = report["clients"].as_array().unwrap();
    let done: Vec<_> =
        clients.iter().map(|it| (it["client"].as_str(), it["action"].as_str())).collect();
    assert_eq!(done, [(Some("Codex"), Some("added")), (Some("Gemini CLI"), Some("added"))]);
    assert!(fixture.read("../home/.codex/config.toml").contains("[mcp_servers.kitbag]"));
    let report = json(&fixture, ["init", "--all", "--json"]);
    assert_eq!(report["clients"][0]["action"], "unchanged");
    let report = json(&fixture, ["init", "codex", "--command", "/elsewhere", "--json"]);
    assert_eq!(report["clients"][0]["action"], "changed");
    let report = json(&fixture, ["init", "--all", "--undo", "--json"]);
    assert_eq!(report["clients"][1]["action"], "removed");
    assert_eq!(fixture.read("../home/.codex/config.toml"), "model = \"o\"\n");
}

#[test]
fn a_project_gets_an_entry_that_others_can_use() {
    let fixture = Fixture::project();
    kitbag(&fixture, ["init", "claude-code", "vscode", "--project"]);
    let entry = fixture.read(".mcp.json");
    assert!(entry.contains("\"command\": \"kitbag\""), "{entry}");
    assert!(fixture.read(".vscode/mcp.json").contains("\"servers\""));
    kitbag(&fixture, ["init", "claude-code", "vscode", "--project", "--undo"]);
    assert!(!fixture.path(".mcp.json").exists() && !fixture.path(".vscode/mcp.json").exists());
}

#[test]
fn an_invalid_file_changes_no_client() {
    let fixture = Fixture::project();
    fixture.write("../home/.cursor/mcp.json", "{}");
    fixture.write("../home/.gemini/settings.json", "{\n  \"a\": ]\n}\n");
    let run = kitbag(&fixture, ["init", "cursor", "gemini"]);
    run.fails(2, &[".gemini/settings.json`, line 2, column 8: ", "fix the file first"]);
    assert_eq!(fixture.read("../home/.cursor/mcp.json"), "{}");
    kitbag(&fixture, ["init", "emacs"]).fails(2, &["'emacs'", "claude-code"]);
}

#[test]
fn an_invalid_file_does_not_stop_other_installed_clients() {
    let fixture = Fixture::project();
    fixture.write("../home/.codex/config.toml", "model = = 1\n");
    fixture.write("../home/.cursor/mcp.json", "{}");
    fixture.write("../home/.gemini/settings.json", "{}");
    let run = kitbag(&fixture, ["init", "--all", "--json"]);
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
    kitbag(&fixture, ["init", "cursor", "--command", "/new"]).stderr_contains(&["wrote the entry"]);
    assert_eq!(fixture.read(path), kept);
    kitbag(&fixture, ["init", "cursor", "--undo"])
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
    kitbag(&fixture, ["init", "vscode", "--project"]).fails(2, &refused);
    kitbag(&fixture, ["init", "vscode", "--project", "--dry-run"]).fails(2, &refused);
    assert_eq!(fixture.read("../home/secret/mcp.json"), outside);
    // The file itself, a folder that does not exist there, and a link that stays inside.
    symlink("../home/secret/mcp.json", fixture.path(".mcp.json")).unwrap();
    kitbag(&fixture, ["init", "claude-code", "--project"])
        .fails(2, &["leads out of the repository"]);
    assert_eq!(fixture.read("../home/secret/mcp.json"), outside);
    symlink("../home/new", fixture.path(".gemini")).unwrap();
    assert_eq!(kitbag(&fixture, ["init", "gemini", "--project"]).code, Some(1));
    assert!(!fixture.path("../home/new").exists());
    fixture.write("real/mcp.json", "{}\n");
    symlink("real", fixture.path(".cursor")).unwrap();
    assert_eq!(kitbag(&fixture, ["init", "cursor", "--project"]).code, Some(0));
    assert!(fixture.read("real/mcp.json").contains("kitbag"));
}

#[test]
fn without_a_client_everything_is_offered_and_nothing_written() {
    let fixture = Fixture::project();
    kitbag(&fixture, ["init"]).fails(2, &["no client found", "kitbag init claude-code"]);
    fixture.write("../home/bin/claude", "");
    fixture.write("../home/.codex/AGENTS.md", "# Mine\n");
    let offer = kitbag(&fixture, ["init"]);
    assert_eq!((offer.code, offer.stdout.as_str()), (Some(0), ""));
    offer.stderr_contains(&[
        "+    \"kitbag\": {",
        "Claude Code: would change",
        ".claude/agents/kitbag-search.md",
        "Codex: would change",
        "nothing was written; add --yes to write this",
    ]);
    assert!(!fixture.path("../home/.claude").exists());
    let report = json(&fixture, ["init", "--json"]);
    assert_eq!(report["dry_run"], true);
    let parts: Vec<_> = report["clients"].as_array().unwrap().iter().collect();
    let parts: Vec<_> =
        parts.iter().map(|it| (it["client"].as_str(), it["part"].as_str())).collect();
    let expected = [
        ("Claude Code", "entry"),
        ("Claude Code", "instructions"),
        ("Claude Code", "sub-agent"),
        ("Codex", "entry"),
        ("Codex", "instructions"),
    ];
    assert_eq!(parts, expected.map(|(client, part)| (Some(client), Some(part))));
    let report = json(&fixture, ["init", "--yes", "--json"]);
    assert_eq!(
        (&report["dry_run"], &report["clients"][2]["action"]),
        (&false.into(), &"added".into())
    );
    assert!(fixture.read("../home/.codex/AGENTS.md").contains("`pack_context`"));
    kitbag(&fixture, ["init"]).stderr_contains(&["nothing to change"]);
    kitbag(&fixture, ["init", "--undo"]).stderr_contains(&["add --yes to remove this"]);
    kitbag(&fixture, ["init", "--undo", "--yes"]).stderr_contains(&["removed the sub-agent from"]);
    assert_eq!(fixture.read("../home/.codex/AGENTS.md"), "# Mine\n");
    let mut left = fixture.names("../home");
    left.retain(|name| !matches!(name.as_str(), "bin" | "cache" | "state" | ".codex"));
    assert_eq!(left, [""; 0], "no file or folder is left");
    assert_eq!(fixture.names("../home/.codex"), ["AGENTS.md"]);
}

#[test]
fn instructions_and_sub_agents_are_written_if_asked_for() {
    let fixture = Fixture::project();
    fixture.write("AGENTS.md", "# Rules\n");
    let run_all = ["init", "codex", "opencode", "vscode", "--project", "--instructions", "--agent"];
    let written = kitbag(&fixture, run_all);
    written.stderr_contains(&[
        "Codex: wrote the instructions to",
        "Codex: there is no file for the sub-agent",
        "opencode: instructions already in",
        "opencode: wrote the sub-agent to",
    ]);
    let text = fixture.read("AGENTS.md");
    assert_eq!(text.matches("kitbag:start").count(), 1, "{text}");
    assert!(fixture.read(".opencode/agents/kitbag-search.md").contains("mode: subagent"));
    kitbag(&fixture, ["init", "codex", "opencode", "vscode", "--project", "--undo"]);
    assert_eq!(fixture.read("AGENTS.md"), "# Rules\n");
    assert_eq!(fixture.names(""), ["AGENTS.md", "README.md", "src"]);
    kitbag(&fixture, ["init", "windsurf", "--project"])
        .fails(2, &["Windsurf has no configuration per project", "leave out --project"]);
    fixture.write("CLAUDE.md", "<!-- kitbag:end -->\n");
    kitbag(&fixture, ["init", "claude-code", "--project", "--instructions"])
        .fails(2, &["CLAUDE.md`, line 1, column 1: expected one", "fix the file first"]);
    assert!(!fixture.path(".mcp.json").exists(), "a client is set up as a whole or not at all");
}

/// Runs the program on a terminal, types `input`, and returns what the terminal shows.
#[cfg(target_os = "linux")]
fn on_terminal(fixture: &Fixture, arguments: &str, input: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin!("kitbag");
    let mut command = std::process::Command::new("script");
    fixture.isolate(&mut command);
    let line = format!("PATH= {} {arguments}", program.display());
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.env("SHELL", "/bin/sh").write_stdin(input).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    assert!(output.status.success(), "{text}");
    text
}

/// Returns every file and folder under a folder, with the bytes of files.
fn snapshot(folder: &Path) -> Vec<(std::path::PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshot(&path));
            found.push((path, None));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, Some(bytes)));
        }
    }
    found.sort();
    found
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_asked_about_each_change_and_undo_restores_every_byte() {
    let fixture = Fixture::project();
    fixture
        .write("../home/.claude.json", "{\"n\": 3,   \"mcpServers\": {\"a\":{\"command\":\"x\"}}}");
    fixture.write("../home/.claude/CLAUDE.md", "# Mine\r\n\r\nBe brief.");
    fixture.write(
        "../home/.codex/config.toml",
        "model = \"x\"   # keep\n[mcp_servers.a]\ncommand=\"y\"",
    );
    let home = fixture.path("../home");
    let before = snapshot(&home);
    let shown = on_terminal(&fixture, "init", "q\n");
    assert!(shown.contains("Found Claude Code, Codex.\n"), "{shown}");
    assert!(
        shown.contains("Answers: y yes, n no") && shown.ends_with("Nothing was changed.\n"),
        "{shown}"
    );
    assert_eq!(snapshot(&home), before);
    // The entry, but not the instructions; an unclear answer; then everything.
    let shown = on_terminal(&fixture, "init", "y\n\nmaybe\na\n");
    assert_eq!(shown.matches("[y/N/a/q]").count(), 4, "{shown}");
    assert!(shown.contains("Claude Code: instructions skipped"), "{shown}");
    assert!(shown.contains("Restart the clients to connect them."), "{shown}");
    assert!(fixture.read("../home/.claude.json").contains("\"kitbag\""));
    assert_eq!(fixture.read("../home/.claude/CLAUDE.md"), "# Mine\r\n\r\nBe brief.");
    assert!(fixture.read("../home/.codex/AGENTS.md").contains("kitbag:start"));
    let shown = on_terminal(&fixture, "init --undo", "a\n");
    assert!(shown.contains("Restored "), "{shown}");
    assert_eq!(snapshot(&home), before, "no empty folder, no reformatted file");
}
