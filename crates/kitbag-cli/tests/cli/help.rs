//! Help texts.

use crate::fixture::Fixture;

const COMMANDS: [&str; 25] = [
    "pack",
    "preview",
    "search",
    "index",
    "watch",
    "config",
    "rules",
    "trust",
    "tokens",
    "chunk",
    "languages",
    "eval",
    "mcp",
    "init",
    "proxy",
    "serve",
    "show",
    "explain",
    "compare",
    "verify",
    "sources",
    "diff",
    "export",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_an_example() {
    let fixture = Fixture::empty();
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let run = fixture.run([command, flag]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
            assert!(run.stdout.contains("Example"), "{command}");
            assert!(run.stdout.contains(&format!("  kitbag {command}")), "{command}");
        }
    }
}

#[test]
fn every_command_has_repo_and_json_flags() {
    let fixture = Fixture::empty();
    // These describe the program itself.
    for command in COMMANDS.iter().filter(|it| !["completions", "man"].contains(it)) {
        let help = fixture.run([command, "--help"]).stdout;
        assert!(help.contains("--repo <DIR") && help.contains("--json"), "{command}");
    }
}

#[test]
fn subcommands_have_examples() {
    let fixture = Fixture::empty();
    for action in [
        "index status",
        "index refresh",
        "index clear",
        "config show",
        "config check",
        "config init",
    ] {
        let run = fixture.run(action.split(' ').chain(["--help"]));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.contains(&format!("  kitbag {action}")), "{action}");
    }
}

#[test]
fn no_arguments_show_the_commands() {
    let run = Fixture::empty().run([""; 0]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    run.stderr_contains(&["Usage: kitbag [OPTIONS] <COMMAND>", "pack ", "eval ", "Example:"]);
}

#[test]
fn typos_are_reported() {
    let fixture = Fixture::empty();
    fixture.run(["pak", "login"]).fails(2, &["'pak'", "a similar subcommand exists: 'pack'"]);
    fixture.run(["pack", "login", "--budgets", "5"]).fails(2, &["'--budgets'", "'--budget'"]);
    fixture.run(["chunk", "why", "this"]).fails(2, &["'this'"]);
}
