//! Folders that are refused: the root of the file system, the home folder, and huge folders without git.

use crate::fixture::{Fixture, Run, text};
use crate::mcp::StdioServer;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Commands that would index the current folder.
const COMMANDS: [&[&str]; 4] =
    [&["pack", "login"], &["search", "login"], &["symbol", "login"], &["map"]];

fn run_in(fixture: &Fixture, folder: &Path, arguments: &[&str]) -> Run {
    let mut command = fixture.command();
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    Run::from(command.output().unwrap())
}

/// Checks that commands and calls of an agent are refused, with what to do, and that nothing is indexed.
fn check(fixture: &Fixture, folder: &Path, reason: &str) {
    for arguments in COMMANDS {
        let run = run_in(fixture, folder, arguments);
        run.fails(2, &["is not a project", reason, "--repo DIR"]);
    }
    let mut server = StdioServer::start(fixture, &["--repo", text(folder)]);
    for (tool, arguments) in
        [("pack_context", json!({ "task": "login" })), ("repo_overview", json!({}))]
    {
        let (text, is_error) = server.call(tool, arguments);
        assert!(is_error && text.contains("is not a project") && text.contains(reason), "{text}");
        assert!(text.contains("open the folder of a project"), "{text}");
    }
    assert!(!fixture.cache().exists(), "nothing is indexed");
}

#[test]
fn the_root_of_the_file_system_is_refused() {
    check(&Fixture::empty(), Path::new("/"), "it is the root of the file system");
}

#[test]
fn the_home_folder_is_refused_unless_it_is_a_repository() {
    let fixture = Fixture::empty();
    fixture.write("../home/notes.rs", "pub fn login() {}\n");
    let home = fixture.path("../home").canonicalize().unwrap();
    check(&fixture, &home, "it is the home folder");
    // A project inside it, and the home folder itself if it is one.
    fixture.write("../home/project/a.rs", "pub fn login() {}\n");
    assert_eq!(run_in(&fixture, &home.join("project"), &["pack", "login"]).code, Some(0));
    fs::create_dir_all(home.join(".git/refs")).unwrap();
    fs::create_dir_all(home.join(".git/objects")).unwrap();
    fs::write(home.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let run = run_in(&fixture, &home, &["pack", "login"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("pub fn login"), "{}", run.stdout);
}

#[test]
fn more_than_a_hundred_thousand_files_without_git_are_refused() {
    let fixture = Fixture::empty();
    let folder = fixture.path("../huge");
    fs::create_dir_all(&folder).unwrap();
    for part in 0..101 {
        let first = folder.join(format!("{part}/a.rs"));
        fs::create_dir_all(first.parent().unwrap()).unwrap();
        fs::write(&first, "pub fn login() {}\n").unwrap();
        // Links are made faster than files.
        for number in 1..1_000 {
            fs::hard_link(&first, folder.join(format!("{part}/{number}.rs"))).unwrap();
        }
    }
    check(&fixture, &folder, "it has more than 100,000 files and is not a git repository");
}

/// Neither is ignored by a rule, and each has many more matches than the project.
#[test]
fn installed_packages_do_not_come_first() {
    let fixture = Fixture::project();
    fixture.git(&["init", "-q"]);
    for package in 0..30 {
        let code = "export function login(user) {\n  // why does login fail for oauth users\n}\n";
        fixture.write(&format!("node_modules/login-{package}/index.js"), code);
        let code = "def login(user):\n    \"\"\"Why does login fail for OAuth users?\"\"\"\n";
        fixture.write(&format!("env/lib/python3.12/site-packages/login_{package}.py"), code);
    }
    fixture.write("env/pyvenv.cfg", "home = /usr/bin\n");
    for command in [["pack", "why does login fail?"], ["search", "why does login fail?"]] {
        let report = fixture.json(command.iter().copied().chain(["--json"]));
        let list = report["included"].as_array().or(report["results"].as_array()).unwrap();
        let paths: Vec<&str> = list.iter().map(|it| it["path"].as_str().unwrap()).collect();
        assert_eq!(paths[0], "src/auth.rs", "{paths:?}");
        let is_package = |it: &&str| it.starts_with("node_modules/") || it.starts_with("env/");
        assert!(!paths.iter().any(is_package), "{paths:?}");
    }
    let named = fixture.json(["search", "login", "--include", "node_modules/**", "--json"]);
    assert!(named["results"][0]["path"].as_str().unwrap().starts_with("node_modules/"), "{named}");
}
