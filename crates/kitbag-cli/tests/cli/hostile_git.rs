//! Repositories whose git data is made to hurt: endless trees, data of other repositories, programs.

use crate::fixture::{Fixture, Run, text};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs git in the work folder and returns its trimmed output.
fn git(fixture: &Fixture, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(fixture.path("")).args(["-c", "user.name=A", "-c", "user.email=a@b"]);
    command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Commits the files in the work folder and a tree of 10^10 paths, all of which the commit changes.
fn commit_endless_tree(fixture: &Fixture, content: &str, parent: Option<&str>) -> String {
    let mut object = git(fixture, &["hash-object", "-w", "--stdin"], content);
    let mut kind = "100644 blob";
    for _ in 0..10 {
        let entries = (0..10).map(|name| format!("{kind} {object}\t{name}\n"));
        object = git(fixture, &["mktree"], &entries.collect::<String>());
        kind = "040000 tree";
    }
    git(fixture, &["add", "--all"], "");
    let own = git(fixture, &["write-tree"], "");
    let tree = git(fixture, &["ls-tree", &own], "") + &format!("\n{kind} {object}\tendless\n");
    let tree = git(fixture, &["mktree"], &tree);
    let mut arguments = vec!["commit-tree", &tree, "-m", "Change the login"];
    arguments.extend(parent.into_iter().flat_map(|parent| ["-p", parent]));
    git(fixture, &arguments, "")
}

fn write_program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the program with a search path.
fn run_with_path(fixture: &Fixture, path: &str, arguments: &[&str]) -> Run {
    Run::from(fixture.command().env("PATH", path).args(arguments).output().unwrap())
}

fn search_path() -> String {
    std::env::var("PATH").unwrap()
}

#[test]
fn endless_trees_are_read_within_limits_and_only_once() {
    let fixture = Fixture::project();
    git(&fixture, &["init", "-q"], "");
    let first = commit_endless_tree(&fixture, "1", None);
    let second = commit_endless_tree(&fixture, "2", Some(&first));
    git(&fixture, &["update-ref", "HEAD", &second], "");
    let tools = tempfile::tempdir().unwrap();
    let log = tools.path().join("log");
    let path = search_path();
    let script = format!("echo \"$@\" >> '{}'\nPATH='{path}' exec git \"$@\"", log.display());
    write_program(&tools.path().join("git"), &script);
    let path = format!("{}:{path}", text(tools.path()));
    let mut outputs = Vec::new();
    for logs_expected in [true, false] {
        let run = run_with_path(&fixture, &path, &["pack", "login"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr_contains(&["warning: the changes of 2 commits are unknown: reading them would"]);
        let commands = fs::read_to_string(&log).unwrap();
        assert_eq!(commands.contains(" log "), logs_expected, "{commands}");
        fs::remove_file(&log).unwrap();
        outputs.push(run.stdout);
    }
    assert!(outputs[0].contains("fn login"), "{}", outputs[0]);
    assert_eq!(outputs[0], outputs[1]);
    // A commit on top is read alone.
    fixture.write("src/new.rs", "pub fn login_again() {}\n");
    let own = git(&fixture, &["hash-object", "-w", "src/new.rs"], "");
    let tree = git(&fixture, &["ls-tree", &second], "") + &format!("\n100644 blob {own}\tnew.rs\n");
    let tree = git(&fixture, &["mktree"], &tree);
    let third = git(&fixture, &["commit-tree", &tree, "-p", &second, "-m", "New"], "");
    git(&fixture, &["update-ref", "HEAD", &third], "");
    let run = run_with_path(&fixture, &path, &["pack", "login"]);
    run.stderr_contains(&["warning: the changes of 2 commits are unknown"]);
    let commands = fs::read_to_string(&log).unwrap();
    assert!(commands.contains(" --raw ") && !commands.contains(" --no-patch "), "{commands}");
}

#[test]
fn data_of_another_repository_is_used_only_if_trusted() {
    let (private, fixture) = (Fixture::project(), Fixture::project());
    private.git(&["init", "--quiet"]);
    private.commit(1, "Confidential: change the login");
    fixture.write(".git", format!("gitdir: {}\n", text(&private.path(".git"))));
    let pack = || {
        fixture.run(["pack", "change the login", "--provider", "history", "--provider", "search"])
    };
    let run = pack();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let why = "warning: git is not used here: `.git` leads to `";
    run.stderr_contains(&[why, "which does not point back", "run `kitbag trust`"]);
    assert!(run.stdout.contains("fn login") && !run.stdout.contains("Confidential"), "{run:?}");
    let shown = fixture.run(["trust", "--show"]);
    assert!(shown.stdout.starts_with("git: not trusted\n  `.git` leads to `"), "{shown:?}");
    assert_eq!(fixture.run(["trust"]).code, Some(0));
    let run = pack();
    assert!(run.stdout.contains("Confidential") && !run.stderr.contains(why), "{run:?}");
    let other = Fixture::project();
    other.git(&["init", "--quiet"]);
    fixture.write(".git", format!("gitdir: {}\n", text(&other.path(".git"))));
    pack().stderr_contains(&[why]);
    let shown = fixture.run(["trust", "--show"]);
    assert!(shown.stdout.starts_with("git: changed since it was trusted\n"), "{shown:?}");
}

#[test]
fn linked_work_trees_and_submodules_have_their_history() {
    let fixture = Fixture::empty();
    fixture.write("main/src/auth.rs", "pub fn login() {}\n");
    fixture.git(&["init", "--quiet", "main"]);
    fixture.git(&["-C", "main", "add", "--all"]);
    fixture.git(&["-C", "main", "commit", "--quiet", "--message", "Add the login"]);
    fixture.git(&["-C", "main", "worktree", "add", "--quiet", "../linked"]);
    fixture.git(&["init", "--quiet", "project"]);
    let allow = ["-c", "protocol.file.allow=always"];
    let add = ["-C", "project", "submodule", "--quiet", "add", "../../main", "sub"];
    let url = text(&fixture.path("main")).to_owned();
    let add: Vec<&str> =
        add.iter().map(|it| if *it == "../../main" { &url } else { *it }).collect();
    fixture.git(&[&allow[..], &add].concat());
    for folder in ["linked", "project/sub"] {
        assert!(fixture.path(folder).join(".git").is_file());
        let arguments = [
            "pack",
            "add the login",
            "--provider",
            "history",
            "--provider",
            "search",
            "--repo",
            folder,
        ];
        let run = fixture.run(arguments);
        assert!(run.stdout.contains("Add the login"), "{folder}: {run:?}");
        assert!(!run.stderr.contains("warning"), "{folder}: {run:?}");
        assert_eq!(fixture.run(["trust", "--repo", folder]).stdout, "", "{folder}");
    }
}

#[test]
fn git_is_not_run_from_relative_folders_or_the_repository() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Add the login");
    let mark = fixture.path("../mark");
    for program in ["git", "bin/git"] {
        write_program(&fixture.path(program), &format!("echo > '{}'", text(&mark)));
    }
    let relative = format!(".::bin:{}", text(&fixture.path("bin")));
    let run = run_with_path(&fixture, &relative, &["pack", "login"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stderr_contains(&["cannot start `git`: no `git` in the absolute folders of `PATH`"]);
    assert!(run.stdout.contains("fn login"), "{}", run.stdout);
    let path = format!("{relative}:{}", search_path());
    let run = run_with_path(&fixture, &path, &["pack", "login"]);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert!(!mark.exists(), "a program of the repository ran");
}

#[test]
fn programs_of_a_hostile_configuration_do_not_run() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.write(".gitattributes", "* filter=evil diff=evil\n");
    fixture.commit(1, "Add the login");
    fixture.write("src/auth.rs", "pub fn login() {\n    check();\n}\n");
    let (mark, evil) = (fixture.path("../mark"), fixture.path("../evil"));
    write_program(&evil, &format!("echo > '{}'\ncat", text(&mark)));
    let keys = [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "alias.log",
        "pager.log",
    ];
    for key in keys {
        fixture.git(&["config", key, text(&evil)]);
    }
    fixture.git(&["config", "core.hooksPath", text(&fixture.path("../hooks"))]);
    let mut arguments = vec!["pack", "login", "--provider", "history", "--provider", "search"];
    arguments.extend(["--document", "src/auth.rs", "--now", "2024-02-01T00:00:00Z"]);
    let run = fixture.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("Not committed"), "{}", run.stdout);
    assert!(run.stdout.contains("Add the login"), "{}", run.stdout);
    for command in [&["search", "login"][..], &["index", "refresh"], &["rules"]] {
        assert_eq!(fixture.run(command).code, Some(0), "{command:?}");
    }
    assert!(!mark.exists(), "a program of the configuration ran");
}
