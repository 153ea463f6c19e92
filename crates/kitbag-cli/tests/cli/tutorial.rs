//! Runs every command of the book, the README and its picture, and compares the output.
//!
//! KITBAG_BLESS=1 in the environment updates the book; `scripts/picture` updates the picture.

use crate::console::{Console, is_shown};
use crate::fixture::AUTH;
use crate::terminal::{NOT_RUN, ROOT, Terminal, check_page, why_not_run};
use std::fs;
use std::path::Path;

/// Guides of the book. They start in the project of the tutorial.
const GUIDES: [&str; 10] = [
    "bug",
    "feature",
    "refactoring",
    "review",
    "overview",
    "inline-edit",
    "rules",
    "agents",
    "ci",
    "tuning",
];

/// Commands in the blocks of the README, without comments.
fn commands_of_the_readme() -> Vec<String> {
    let page = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    let programs = ["kitbag ", "cargo ", "scripts/"];
    let is_command = |line: &&str| programs.iter().any(|it| line.starts_with(it));
    let command = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
    lines.filter(is_command).map(command).collect()
}

/// A project with the files that the README names.
fn project_of_the_readme() -> Terminal {
    let mut terminal = Terminal::at_a_clone();
    let reason = |it: u32| format!("\n/// Why login may fail.\npub fn reason_{it}() {{}}\n\n\n");
    let auth = format!("{AUTH}{}", (0..8).map(reason).collect::<String>());
    for (path, content) in [
        ("src/auth.rs", auth.as_str()),
        ("src/cache.rs", "/// The cache key.\npub fn key() -> u32 {\n    1\n}\n"),
        ("src/main.rs", "fn main() {}\n"),
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
    check_page("docs/tutorial.md", Terminal::at_a_clone());
}

#[test]
fn the_guides_show_what_the_program_prints() {
    for guide in GUIDES {
        check_page(&format!("docs/guides/{guide}.md"), Terminal::in_the_shop());
    }
}

#[test]
fn every_guide_is_run() {
    let folder = Path::new(ROOT).join("docs/guides");
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
fn the_sample_of_the_readme_is_what_the_program_prints() {
    let commands = check_page("README.md", Terminal::in_the_shop());
    assert_eq!(commands, 1);
}

#[test]
fn every_command_of_the_readme_works() {
    let mut terminal = project_of_the_readme();
    let commands = commands_of_the_readme();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands.iter().filter(|it| why_not_run(it).is_none()) {
        terminal.run(command);
    }
}

#[test]
fn every_skipped_command_is_in_a_page() {
    let tutorial = fs::read_to_string(Path::new(ROOT).join("docs/tutorial.md")).unwrap();
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
    let again = Console::read(&page).rewrite(|command, shown| {
        commands += 1;
        let printed = terminal.run(command);
        (!is_shown(shown, &printed)).then_some(printed)
    });
    assert!(commands >= 3, "{page}");
    assert!(again == page, "run `scripts/picture`; the program prints:\n{again}");
}
