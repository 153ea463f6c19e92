//! Runs the commands of a page as in a terminal.
//!
//! KITBAG_BLESS=1 in the environment updates the page.

use crate::console::{Console, is_shown, normalized};
use crate::fixture::Fixture;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Prefixes of commands that are not run, with the reason.
pub const NOT_RUN: [(&str, &str); 6] = [
    ("cargo install ", "builds the program"),
    ("cargo run ", "builds the program"),
    ("scripts/test", "runs all tests, including this one"),
    ("kitbag serve", "runs until Ctrl-C; the tests of `serve` run it"),
    (
        "kitbag pack --all --repos DIR",
        "needs a folder of repositories; the tests of `--all` make one",
    ),
    ("kitbag index push --store URL", "needs a store; the tests of shared indexes make one"),
];

/// Runs commands in sequence, like a shell.
pub struct Terminal {
    pub fixture: Fixture,
    folder: PathBuf,
}

impl Terminal {
    /// Starts in the work folder of a fixture.
    pub fn new(fixture: Fixture) -> Self {
        let folder = fixture.path("").canonicalize().unwrap();
        Self { fixture, folder }
    }

    /// Starts in a clone of Kitbag, as the tutorial does.
    pub fn at_a_clone() -> Self {
        let fixture = Fixture::empty();
        let clone = fixture.path("kitbag");
        fs::create_dir(&clone).unwrap();
        std::os::unix::fs::symlink(Path::new(ROOT).join("docs"), clone.join("docs")).unwrap();
        Self { fixture, folder: clone }
    }

    /// Starts in the project of the tutorial, after its commit.
    pub fn in_the_shop() -> Self {
        let mut terminal = Self::at_a_clone();
        for command in [
            "cp -R docs/example ../shop",
            "cd ../shop",
            "git init --quiet",
            "git add .",
            "git commit --quiet --message 'A shop'",
        ] {
            terminal.run(command);
        }
        terminal
    }

    /// Runs a command, which must succeed, and returns its normalized output and errors.
    pub fn run(&mut self, line: &str) -> String {
        if let Some(folder) = line.strip_prefix("cd ") {
            self.folder = self.folder.join(folder).canonicalize().unwrap();
            return String::new();
        }
        assert!(!is_raced(line), "`{line}` has no defined order of output");
        let output = self.shell().args(["-c", &format!("exec 2>&1\n{line}")]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "`{line}` ended with {}: {printed}", output.status);
        let home = self.fixture.path("").canonicalize().unwrap();
        normalized(&printed.replace(home.to_str().unwrap().trim_end_matches('/'), "~"))
    }

    /// A shell with the program in its path, isolated from the machine.
    fn shell(&self) -> Command {
        let mut shell = Command::new("sh");
        let program = self.fixture.command();
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let programs = Path::new(program.get_program()).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        shell
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("HOME", self.fixture.path("").canonicalize().unwrap())
            .env_remove("XDG_CONFIG_HOME")
            .env("COLUMNS", "100")
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        for who in ["AUTHOR", "COMMITTER"] {
            shell
                .env(format!("GIT_{who}_NAME"), "A")
                .env(format!("GIT_{who}_EMAIL"), "a@example.org")
                .env(format!("GIT_{who}_DATE"), "2024-01-01T12:00:00Z");
        }
        shell
    }
}

/// Whether the order of messages and piped output is undefined.
fn is_raced(line: &str) -> bool {
    line.split("&&").flat_map(|it| it.split(';')).any(|it| {
        let it = it.replace("||", "");
        it.split_once('|').is_some_and(|(from, _)| from.contains("kitbag ") && !from.contains("2>"))
    })
}

pub fn why_not_run(command: &str) -> Option<&'static str> {
    NOT_RUN.iter().find(|(begins, _)| command.starts_with(begins)).map(|(_, why)| *why)
}

/// Runs the console blocks of a page, compares the outputs, and returns the number of commands.
#[track_caller]
pub fn check_page(path: &str, mut terminal: Terminal) -> usize {
    let file = Path::new(ROOT).join(path);
    let page = fs::read_to_string(&file).unwrap();
    let mut commands = 0;
    let updated = Console::read(&page).rewrite(|command, shown| {
        commands += 1;
        if why_not_run(command).is_some() {
            return None;
        }
        let printed = terminal.run(command);
        (!is_shown(shown, &printed)).then_some(printed)
    });
    assert!(commands > 0, "{path} has no commands");
    if std::env::var_os("KITBAG_BLESS").is_some() {
        fs::write(&file, updated).unwrap();
        return commands;
    }
    assert!(updated == page, "{path} differs from the output of the program:\n{updated}");
    commands
}
