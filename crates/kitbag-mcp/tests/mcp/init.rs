//! The entries in clients' configuration files.

use kitbag_mcp::init::{
    Client, ConfigDirs, ConfigEdit, InitError, Scope, ServerEntry, Setup, SetupPart,
};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn dirs(&self) -> ConfigDirs {
        let home = self.dir.path().to_owned();
        let config = home.join(".config");
        let (applications, state) = (config.clone(), home.join(".local/state/kitbag"));
        let programs = vec![home.join("bin")];
        ConfigDirs { applications, config, home, codex: None, claude: None, state, programs }
    }

    fn setup(&self, scope: Scope, undo: bool) -> Setup {
        Setup { dirs: self.dirs(), scope, entry: entry(), undo }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn plan(&self, client: Client, undo: bool) -> Result<ConfigEdit, InitError> {
        let edit = self.setup(Scope::User, undo).plan(client, SetupPart::Entry)?;
        Ok(edit.expect("every client has an entry of the user"))
    }

    /// Writes the entry and returns the text. Checks that writing it again changes nothing.
    fn written(&self, client: Client) -> String {
        self.plan(client, false).unwrap().apply().unwrap();
        let again = self.plan(client, false).unwrap();
        assert!(again.is_noop(), "{}", again.diff());
        assert_eq!(again.diff(), "");
        fs::read_to_string(&again.path).unwrap()
    }
}

fn entry() -> ServerEntry {
    ServerEntry { command: "/opt/kitbag".into(), arguments: vec!["mcp".into()] }
}

/// Checks that writing the entry into `text` gives `expected`, and removing it gives `text` again.
#[track_caller]
fn check(client: Client, path: &str, text: &str, expected: &str) {
    let home = Home::new();
    let path = home.write(path, text);
    assert_eq!(home.written(client), expected);
    home.plan(client, true).unwrap().apply().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}

#[test]
fn a_missing_file_is_created_and_removed_again() {
    let expected = [
        (Client::ClaudeCode, ".claude.json", "mcpServers"),
        (Client::Cursor, ".cursor/mcp.json", "mcpServers"),
        (Client::VsCode, ".config/Code/User/mcp.json", "servers"),
        (Client::Zed, ".config/zed/settings.json", "context_servers"),
        (Client::Codex, ".codex/config.toml", "mcp_servers"),
        (Client::Gemini, ".gemini/settings.json", "mcpServers"),
        (Client::Opencode, ".config/opencode/opencode.json", "mcp"),
        (Client::Windsurf, ".codeium/windsurf/mcp_config.json", "mcpServers"),
        (Client::ClaudeDesktop, ".config/Claude/claude_desktop_config.json", "mcpServers"),
    ];
    assert_eq!(expected.len(), Client::ALL.len());
    for (client, path, key) in expected {
        let home = Home::new();
        let text = home.written(client);
        let path = home.dir.path().join(path);
        assert!(path.is_file(), "{client:?}");
        assert!(
            text.contains(key) && text.contains("/opt/kitbag") && text.ends_with('\n'),
            "{text}"
        );
        let undo = home.plan(client, true).unwrap();
        assert!(undo.diff().contains("-"), "{}", undo.diff());
        undo.apply().unwrap();
        assert!(!path.exists(), "{client:?}");
        assert!(home.plan(client, true).unwrap().is_noop());
        let left: Vec<PathBuf> = files_below(home.dir.path());
        assert_eq!(left, [""; 0].map(PathBuf::from), "{client:?}");
    }
}

/// Returns the files below a folder, and the folders that are empty.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let below = |path: PathBuf| match path.is_dir() && fs::read_dir(&path).unwrap().count() > 0 {
        true => files_below(&path),
        false => vec![path],
    };
    entries.into_iter().flat_map(below).collect()
}

#[test]
fn removing_the_entry_restores_every_byte() {
    let json = [
        "{}",
        "{}\n",
        "\n",
        "{\"a\":1}",
        "{ \"a\": 1, \"b\": 2 }",
        "{\"mcpServers\":{}}",
        "{\n  \"mcpServers\": {\n  }\n}\n",
        "{\"mcpServers\": {\"o\": {\"command\": \"x\"}, }}",
        "{\n\t\"a\": [1,\n 2]\n}\r\n",
        "{\n\n  \"\u{e9}\": 1 // c\n\n}\n",
        "// x\n",
    ];
    let toml = ["a = 1", "a=1\n[b]\nc=1", "a = 1\r\n[b]\r\nc=2\r\n", "mcp_servers = {}\n"];
    let json = json.map(|text| (Client::Cursor, ".cursor/mcp.json", text));
    let toml = toml.map(|text| (Client::Codex, ".codex/config.toml", text));
    for (client, path, text) in json.into_iter().chain(toml) {
        let home = Home::new();
        let path = home.write(path, text);
        home.written(client);
        // Renewing the entry with another program does not lose the original.
        let other = ServerEntry { command: "/elsewhere".into(), arguments: vec!["mcp".into()] };
        let renew = Setup { entry: other, ..home.setup(Scope::User, false) };
        renew.plan(client, SetupPart::Entry).unwrap().unwrap().apply().unwrap();
        home.plan(client, true).unwrap().apply().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{client:?}");
        // After an edit by someone else, only the entry is removed.
        home.written(client);
        let edited = format!("{}\n", fs::read_to_string(&path).unwrap());
        fs::write(&path, edited).unwrap();
        home.plan(client, true).unwrap().apply().unwrap();
        assert!(!fs::read_to_string(&path).unwrap_or_default().contains("kitbag"), "{text:?}");
    }
}

#[test]
fn instructions_and_sub_agents_are_written_renewed_and_removed() {
    let home = Home::new();
    let root = home.dir.path().join("project");
    fs::create_dir(&root).unwrap();
    let mine = home.write("project/AGENTS.md", "# Rules\n\nBe brief.");
    for scope in [Scope::User, Scope::Project(root.clone())] {
        let (add, remove) = (home.setup(scope.clone(), false), home.setup(scope, true));
        for (client, part) in every_guide() {
            let Some(edit) = add.plan(client, part).unwrap() else { continue };
            edit.apply().unwrap();
            let text = fs::read_to_string(&edit.path).unwrap();
            assert!(text.contains("`pack_context`"), "{text}");
            assert_eq!(text.matches("kitbag:start").count(), 1, "{text}");
            assert!(add.plan(client, part).unwrap().unwrap().is_noop(), "{client:?} {part:?}");
            // An older text between the markers is renewed, and what the user added stays.
            let older = text.replace("`pack_context`", "`pack`");
            fs::write(&edit.path, format!("{older}\nMine.\n")).unwrap();
            add.plan(client, part).unwrap().unwrap().apply().unwrap();
            let renewed = fs::read_to_string(&edit.path).unwrap();
            assert_eq!(renewed, format!("{text}\nMine.\n"));
            fs::write(&edit.path, &text).unwrap();
        }
        for (client, part) in every_guide().into_iter().rev() {
            let edit = remove.plan(client, part).unwrap();
            edit.map_or(Ok(()), |edit| edit.apply()).unwrap();
        }
    }
    assert!(fs::read_to_string(mine).unwrap().starts_with("# Rules\n\nBe brief."));
    let left = files_below(home.dir.path());
    assert_eq!(left, [root.join("AGENTS.md")], "nothing else is left");
}

fn every_guide() -> Vec<(Client, SetupPart)> {
    let parts =
        |client| [SetupPart::Instructions, SetupPart::Agent].map(|part| (client, part)).into_iter();
    Client::ALL.into_iter().flat_map(parts).collect()
}

#[test]
fn sub_agents_cannot_edit() {
    let home = Home::new();
    let head = |client: Client| -> Option<String> {
        let edit = home.setup(Scope::User, false).plan(client, SetupPart::Agent).unwrap()?;
        let text = edit.after.unwrap();
        Some(text.split("---\n").nth(1).unwrap().to_owned())
    };
    assert!(head(Client::ClaudeCode).unwrap().contains("\ntools: Read, Grep, Glob, mcp__kitbag__"));
    assert!(head(Client::Cursor).unwrap().contains("\nreadonly: true\n"));
    assert!(head(Client::Gemini).unwrap().ends_with("  - mcp_kitbag_*\n"));
    assert!(head(Client::Opencode).unwrap().ends_with("permission:\n  edit: deny\n  bash: deny\n"));
    home.write(".config/opencode/opencode.json", "{\"mcp\": {\"servers\": {}}}");
    assert!(head(Client::Opencode).unwrap().contains("permissions:\n  - { action: edit, "));
    assert_eq!(head(Client::ClaudeDesktop), None);
}

#[test]
fn a_file_that_someone_else_wrote_is_not_changed() {
    let home = Home::new();
    let setup = home.setup(Scope::User, false);
    let text = "---\nname: kitbag-search\n---\nMine.\n";
    let path = home.write(".claude/agents/kitbag-search.md", text);
    let error = setup.plan(Client::ClaudeCode, SetupPart::Agent).unwrap_err();
    assert!(matches!(error, InitError::OtherFile { .. }) && error.is_usage(), "{error}");
    let undo = home.setup(Scope::User, true);
    assert!(undo.plan(Client::ClaudeCode, SetupPart::Agent).unwrap().unwrap().is_noop());
    assert_eq!(fs::read_to_string(path).unwrap(), text);
    home.write(".claude/CLAUDE.md", "# Mine\n<!-- kitbag:start -->\nUnfinished.\n");
    let error = setup.plan(Client::ClaudeCode, SetupPart::Instructions).unwrap_err();
    assert!(error.to_string().contains("CLAUDE.md`, line 2, column 1: expected one"), "{error}");
}

#[test]
fn comments_and_other_entries_are_kept() {
    check(
        Client::VsCode,
        ".config/Code/User/mcp.json",
        "// mine\n{\n\t\"inputs\": [], // none\n\t\"servers\": {\n\t\t/* old */\n\t\t\"other\": { \"command\": \"x\" }\n\t}\n}\n",
        "// mine\n{\n\t\"inputs\": [], // none\n\t\"servers\": {\n\t\t/* old */\n\t\t\"other\": { \"command\": \"x\" },\n\t\t\"kitbag\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/opt/kitbag\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n",
    );
    check(
        Client::Zed,
        ".config/zed/settings.json",
        "{\n  // A theme.\n  \"theme\": \"One Dark\", // dark\n}\n",
        "{\n  // A theme.\n  \"theme\": \"One Dark\", // dark\n  \"context_servers\": {\n    \"kitbag\": {\n      \"command\": \"/opt/kitbag\",\n      \"args\": [\"mcp\"]\n    }\n  },\n}\n",
    );
    check(
        Client::Opencode,
        ".config/opencode/opencode.jsonc",
        "{\n  \"mcp\": {\n    \"servers\": {\n      \"a\": { \"type\": \"local\" }\n    }\n  }\n}\n",
        "{\n  \"mcp\": {\n    \"servers\": {\n      \"a\": { \"type\": \"local\" },\n      \"kitbag\": {\n        \"type\": \"local\",\n        \"command\": [\"/opt/kitbag\", \"mcp\"]\n      }\n    }\n  }\n}\n",
    );
    check(
        Client::Codex,
        ".codex/config.toml",
        "# mine\nmodel = \"o\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n",
        "# mine\nmodel = \"o\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.kitbag]\ncommand = \"/opt/kitbag\"\nargs = [\"mcp\"]\n",
    );
}

#[test]
fn added_fields_are_kept() {
    let home = Home::new();
    home.write(
        ".gemini/settings.json",
        "{\"mcpServers\": {\"kitbag\": {\"command\": \"/old\", \"trust\": true, \"args\": [\"mcp\"]}}}",
    );
    let text = home.written(Client::Gemini);
    assert_eq!(
        text,
        "{\"mcpServers\": {\"kitbag\": {\"command\": \"/opt/kitbag\", \"trust\": true, \"args\": [\"mcp\"]}}}"
    );
    home.write(
        ".codex/config.toml",
        "[mcp_servers.kitbag]\ncommand = \"/old\" # where\nenabled = false\n",
    );
    let text = home.written(Client::Codex);
    assert!(
        text.contains("enabled = false") && text.contains("command = \"/opt/kitbag\""),
        "{text}"
    );
}

#[test]
fn added_arguments_are_kept_and_the_program_is_replaced() {
    let home = Home::new();
    for (client, path, text, expected) in [
        (
            Client::Gemini,
            ".gemini/settings.json",
            "{\"mcpServers\": {\"kitbag\": {\"command\": \"/old\", \"args\": [\"mcp\", \"--repo\", \"/x\"], \"env\": {\"A\": \"1\"}}}}",
            "{\"mcpServers\": {\"kitbag\": {\"command\": \"/opt/kitbag\", \"args\": [\"mcp\", \"--repo\", \"/x\"], \"env\": {\"A\": \"1\"}}}}",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "[mcp_servers.kitbag]\ncommand = \"/old\"\nargs = [\n  \"mcp\", # serve\n  \"--repo\", \"/x\",\n]\n",
            "[mcp_servers.kitbag]\ncommand = \"/opt/kitbag\"\nargs = [\n  \"mcp\", # serve\n  \"--repo\", \"/x\",\n]\n",
        ),
        (
            Client::Opencode,
            ".config/opencode/opencode.json",
            "{\"mcp\": {\"kitbag\": {\"type\": \"local\", \"command\": [\"/old\", \"mcp\", \"-v\"], \"enabled\": false}}}",
            "{\"mcp\": {\"kitbag\": {\"type\": \"local\", \"command\": [\"/opt/kitbag\", \"mcp\", \"-v\"], \"enabled\": false}}}",
        ),
    ] {
        home.write(path, text);
        assert_eq!(home.written(client), expected);
        // An edited entry is not removed.
        let error = home.plan(client, true).unwrap_err();
        assert!(matches!(error, InitError::Edited { .. }), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("by hand")));
    }
}

#[test]
fn an_entry_of_another_server_is_not_changed() {
    let home = Home::new();
    for (client, path, text) in [
        (
            Client::Cursor,
            ".cursor/mcp.json",
            "{\"mcpServers\": {\"kitbag\": {\"url\": \"http://127.0.0.1:7420/mcp\"}}}",
        ),
        (
            Client::ClaudeCode,
            ".claude.json",
            "{\"mcpServers\": {\"kitbag\": {\"command\": \"npx\", \"args\": [\"kitbag\", \"mcp\"]}}}",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "[mcp_servers.kitbag]\ncommand = \"docker\"\nargs = [\"run\", \"kitbag\"]\n",
        ),
    ] {
        let file = home.write(path, text);
        let error = home.plan(client, false).unwrap_err();
        assert!(matches!(error, InitError::OtherServer { .. }), "{error}");
        assert!(error.to_string().contains(".kitbag` starts another server"), "{error}");
        assert!(matches!(home.plan(client, true), Err(InitError::Edited { .. })));
        assert_eq!(fs::read_to_string(file).unwrap(), text);
    }
}

#[test]
fn line_endings_and_byte_order_marks_are_kept() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "\u{feff}{\r\n  \"mcpServers\": {}\r\n}\r\n");
    let text = home.written(Client::Cursor);
    assert!(text.starts_with("\u{feff}{\r\n"), "{text:?}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
}

#[test]
fn a_malformed_file_is_not_changed_and_the_error_names_the_place() {
    let home = Home::new();
    for (client, path, text, expected) in [
        (
            Client::Cursor,
            ".cursor/mcp.json",
            "{\n  \"a\": 1,,\n}",
            ".cursor/mcp.json`, line 2, column 10: ",
        ),
        (Client::Gemini, ".gemini/settings.json", "{ 'a': 1 }", "line 1, column 3: "),
        (Client::Zed, ".config/zed/settings.json", "[]", "`(root)` must be an object"),
        (
            Client::VsCode,
            ".config/Code/User/mcp.json",
            "{\"servers\": 5}",
            "`servers` must be an object",
        ),
        (Client::Codex, ".codex/config.toml", "a = 1\nb = = 2\n", "line 2, column 5: "),
        (Client::Codex, ".codex/config.toml", "mcp_servers = 5\n", "`mcp_servers` must be a table"),
    ] {
        let file = home.write(path, text);
        for undo in [false, true] {
            let error = match home.plan(client, undo) {
                Err(error) => error,
                // There is nothing to remove.
                Ok(edit) if undo && edit.is_noop() => continue,
                Ok(edit) => panic!("{client:?}: {}", edit.diff()),
            };
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert_eq!(fs::read_to_string(file).unwrap(), text);
    }
}

#[test]
fn a_file_that_was_changed_meanwhile_is_not_written() {
    let home = Home::new();
    let path = home.write(".cursor/mcp.json", "{}");
    let edit = home.plan(Client::Cursor, false).unwrap();
    fs::write(&path, "{\"a\": 1}").unwrap();
    assert!(matches!(edit.apply(), Err(InitError::Changed { .. })));
    assert_eq!(fs::read_to_string(path).unwrap(), "{\"a\": 1}");
}

#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    let real = home.write("dotfiles/claude.json", "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let link = home.dir.path().join(".claude.json");
    symlink(&real, &link).unwrap();
    home.written(Client::ClaudeCode);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&real).unwrap().contains("/opt/kitbag"));
}

#[test]
fn installed_clients_are_found_by_their_files() {
    let home = Home::new();
    let found = |home: &Home| -> Vec<Client> {
        Client::ALL.into_iter().filter(|client| client.is_installed(&home.dirs())).collect()
    };
    assert_eq!(found(&home), []);
    home.write(".cursor/x", "");
    home.write(".codex/x", "");
    home.write(".claude.json", "{}");
    assert_eq!(found(&home), [Client::ClaudeCode, Client::Cursor, Client::Codex]);
    home.write("bin/gemini", "");
    home.write(".codeium/windsurf/x", "");
    home.write(".config/Claude/x", "");
    let more = [Client::Gemini, Client::Windsurf, Client::ClaudeDesktop];
    assert_eq!(found(&home)[3..], more);
}

#[test]
fn a_project_has_its_own_files() {
    let home = Home::new();
    let root = home.dir.path().join("project");
    fs::create_dir(&root).unwrap();
    let scope = Scope::Project(root.clone());
    let file = |client: Client| client.config_file(&home.dirs(), &scope);
    let paths: Vec<PathBuf> = Client::ALL.into_iter().filter_map(file).collect();
    let expected = [
        ".mcp.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".zed/settings.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        "opencode.json",
    ];
    assert_eq!(paths, expected.map(|path| root.join(path)));
}
