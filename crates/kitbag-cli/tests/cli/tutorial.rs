//! The book, the README and its picture show what the program prints: every command in them is run
//! here.
//!
//! With KITBAG_BLESS=1 in the environment the outputs of the book are written anew;
//! `scripts/picture` does the same for the picture.

use crate::fixture::{AUTH, Fixture};
use crate::shown::{Console, is_shown, steady};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The guides of the book. They begin in the project of the tutorial.
const GUIDES: [&str; 8] =
    ["bug", "feature", "refactoring", "inline-edit", "rules", "agents", "ci", "tuning"];

/// How commands begin that are not run, and why.
const NOT_RUN: [(&str, &str); 7] = [
    ("cargo install ", "builds the program, which this test has already"),
    ("cargo run ", "builds the program, which this test has already"),
    ("scripts/test", "runs all tests, this one too"),
    ("kitbag watch", "goes on until Ctrl-C; the tests of `watch` run it"),
    ("kitbag serve", "goes on until Ctrl-C; the tests of `serve` run it"),
    ("curl ", "asks the server of the line above; `scripts/test-http` does that"),
    ("kitbag proxy -- npx ", "fetches a server; the tests of `proxy` have one"),
];

/// Runs commands one after the other, as a shell in a terminal would.
struct Terminal {
    fixture: Fixture,
    folder: PathBuf,
}

impl Terminal {
    /// A clone of Kitbag in the home folder, and nothing else: the beginning of the tutorial.
    fn at_a_clone() -> Self {
        let fixture = Fixture::empty();
        let clone = fixture.path("kitbag");
        fs::create_dir(&clone).unwrap();
        std::os::unix::fs::symlink(Path::new(ROOT).join("docs"), clone.join("docs")).unwrap();
        Self { fixture, folder: clone }
    }

    /// The project of the tutorial, committed.
    fn in_the_shop() -> Self {
        let mut terminal = Self::at_a_clone();
        for command in [
            "cp -R docs/book/example ../shop",
            "cd ../shop",
            "git init --quiet",
            "git add .",
            "git commit --quiet --message 'A shop'",
        ] {
            terminal.run(command);
        }
        terminal
    }

    /// What a command prints, on both outputs, without what differs from run to run. It must end
    /// well.
    fn run(&mut self, line: &str) -> String {
        if let Some(folder) = line.strip_prefix("cd ") {
            self.folder = self.folder.join(folder).canonicalize().unwrap();
            return String::new();
        }
        let output = self.shell().args(["-c", &format!("exec 2>&1\n{line}")]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "`{line}` ended with {}: {printed}", output.status);
        let home = self.fixture.path("").canonicalize().unwrap();
        steady(&printed.replace(home.to_str().unwrap().trim_end_matches('/'), "~"))
    }

    /// A shell that finds the program, with nothing of the machine's settings.
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

fn why_not_run(command: &str) -> Option<&'static str> {
    NOT_RUN.iter().find(|(begins, _)| command.starts_with(begins)).map(|(_, why)| *why)
}

/// Runs the console blocks of a page of the book, and holds what they print against the page.
#[track_caller]
fn check_page(path: &str, mut terminal: Terminal) {
    let file = Path::new(ROOT).join("docs/book/src").join(path);
    let page = fs::read_to_string(&file).unwrap();
    let mut commands = 0;
    let again = Console::read(&page).again(|command, shown| {
        commands += 1;
        if why_not_run(command).is_some() {
            return None;
        }
        let printed = terminal.run(command);
        (!is_shown(shown, &printed)).then_some(printed)
    });
    assert!(commands > 0, "{path} has no commands");
    if std::env::var_os("KITBAG_BLESS").is_some() {
        fs::write(&file, again).unwrap();
        return;
    }
    assert!(again == page, "{path} is not what the program prints:\n{again}");
}

/// The commands of the README: the lines of its blocks, without what is said of them.
fn commands_of_the_readme() -> Vec<String> {
    let page = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    let programs = ["kitbag ", "cargo ", "curl ", "scripts/"];
    let is_command = |line: &&str| programs.iter().any(|it| line.starts_with(it));
    let command = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
    lines.filter(is_command).map(command).collect()
}

/// A project that has the files which the README speaks of.
fn project_of_the_readme() -> Terminal {
    let mut terminal = Terminal::at_a_clone();
    let reason = |it: u32| format!("\n/// Why login may fail.\npub fn reason_{it}() {{}}\n\n\n");
    let key =
        |it: u32| format!("/// The cache key.\npub fn key_{it}() -> u32 {{\n    {it}\n}}\n\n");
    let auth = format!("{AUTH}{}", (0..8).map(reason).collect::<String>());
    for (path, content) in [
        ("src/auth.rs", auth.as_str()),
        ("src/cache.rs", &(0..20).map(key).collect::<String>()),
        ("src/main.rs", "fn main() {}\n"),
        ("src/auth/login.rs", "/// OAuth users login here.\npub fn login() {}\n"),
        ("docs/cache.md", "# Cache keys\n\nThey are numbers.\n"),
        ("src/a.rs", &(0..20).map(key).collect::<String>()),
        ("src/b.rs", "pub fn review() {}\n"),
        ("errors.sarif", SARIF),
        ("out.txt", "test login ... FAILED\n"),
        ("issue.md", "Login fails for OAuth users\n"),
        ("sources.jsonl", "{\"path\": \"src/auth.rs\"}\n"),
    ] {
        terminal.fixture.write(&format!("project/{path}"), content);
    }
    for command in [
        "cd ../project",
        "git init --quiet",
        "git add .",
        "git commit --quiet --message all",
        "echo '// Login.' >> src/main.rs",
        "git commit --quiet --all --message 'Login from main'",
    ] {
        terminal.run(command);
    }
    terminal
}

#[test]
fn the_tutorial_shows_what_the_program_prints() {
    check_page("tutorial.md", Terminal::at_a_clone());
}

#[test]
fn the_guides_show_what_the_program_prints() {
    for guide in GUIDES {
        check_page(&format!("guides/{guide}.md"), Terminal::in_the_shop());
    }
}

#[test]
fn every_guide_is_run() {
    let folder = Path::new(ROOT).join("docs/book/src/guides");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().replace(".md", ""))
        .collect();
    let mut expected = GUIDES.to_vec();
    names.sort();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn every_command_of_the_readme_works() {
    let mut terminal = project_of_the_readme();
    let commands = commands_of_the_readme();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands.iter().filter(|it| why_not_run(it).is_none()) {
        terminal.run(command);
    }
}

#[test]
fn what_is_not_run_stands_in_a_page() {
    let tutorial = fs::read_to_string(Path::new(ROOT).join("docs/book/src/tutorial.md")).unwrap();
    let mut commands = commands_of_the_readme();
    commands.extend(tutorial.lines().filter_map(|it| it.strip_prefix("$ ")).map(str::to_owned));
    for (begins, why) in NOT_RUN {
        assert!(commands.iter().any(|it| it.starts_with(begins)), "`{begins}` ({why}) is gone");
    }
}

#[test]
fn the_picture_of_the_readme_shows_what_the_program_prints() {
    let picture = fs::read_to_string(Path::new(ROOT).join("docs/demo.svg")).unwrap();
    let lines: Vec<String> = picture
        .lines()
        .filter_map(|line| line.strip_prefix("<text ")?.strip_suffix("</text>"))
        .filter_map(|line| line.split_once('>'))
        .map(|(_, text)| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        .collect();
    let page = format!("````console\n{}\n````\n", lines.join("\n"));
    let mut terminal = Terminal::in_the_shop();
    let mut commands = 0;
    let again = Console::read(&page).again(|command, shown| {
        commands += 1;
        let printed = terminal.run(command);
        (!is_shown(shown, &printed)).then_some(printed)
    });
    assert!(commands >= 3, "{page}");
    assert!(again == page, "run `scripts/picture`; the program prints:\n{again}");
}

/// What a linter says of `src/a.rs`.
const SARIF: &str = r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}},
    "results": [{"level": "error", "message": {"text": "The key is unused."}, "locations": [{"physicalLocation":
    {"artifactLocation": {"uri": "src/a.rs"}, "region": {"startLine": 42}}}]}]}]}"#;
