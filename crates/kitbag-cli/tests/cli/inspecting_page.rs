//! docs/inspecting.md shows what the program prints: every command in it is run here.
//!
//! With KITBAG_BLESS=1 in the environment the page is written anew.

use crate::fixture::Fixture;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/inspecting.md");

/// The repository that the page looks into.
fn repository() -> Fixture {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.write("src/session.rs", SESSION);
    fixture.commit(1, "all");
    fixture.write(".env", "TOKEN=1\n");
    fixture
}

/// The page, with the output of each command in place of what stands under it.
fn page_again(fixture: &Fixture, page: &str) -> String {
    let mut text = String::new();
    let mut is_output = false;
    for line in page.lines() {
        let Some(command) = line.strip_prefix("    $ ") else {
            is_output &= line.starts_with("    ") || line.is_empty();
            if !is_output {
                let _ = writeln!(text, "{line}");
            }
            continue;
        };
        let run = shell(fixture, command);
        let _ = writeln!(text, "{line}");
        for line in run.lines() {
            let line = format!("    {line}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push('\n');
        is_output = true;
    }
    text
}

/// What a command prints, on standard output and then on standard error, without what differs from
/// run to run.
fn shell(fixture: &Fixture, line: &str) -> String {
    let mut command = std::process::Command::new("sh");
    let program = fixture.command();
    let kitbag = Path::new(program.get_program());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", kitbag.parent().unwrap().display()));
    command.env("COLUMNS", "100").current_dir(fixture.path(""));
    let output = command.args(["-c", line]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    steady(&String::from_utf8(said).unwrap())
}

/// Ids, times and durations as they are in the page.
fn steady(text: &str) -> String {
    let word = |whole: &str| {
        let word = whole.trim_end_matches(':');
        let is_id = word.len() == 8 && word.bytes().all(|it| it.is_ascii_hexdigit());
        let has_both = word.bytes().any(|it| it.is_ascii_digit());
        if is_id && has_both {
            whole.replace(word, "5b633569")
        } else if word.len() == 20 && word.ends_with('Z') && word.contains('T') {
            "2026-11-16T08:00:00Z".to_owned()
        } else {
            whole.to_owned()
        }
    };
    let line = |line: &str| {
        let line = if line.ends_with(" ms") { "..." } else { line };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_about_inspecting_shows_what_the_program_prints() {
    let page = fs::read_to_string(PAGE).unwrap();
    let again = page_again(&repository(), &page);
    if std::env::var_os("KITBAG_BLESS").is_some() {
        fs::write(PAGE, &again).unwrap();
        return;
    }
    assert!(page.matches("    $ kitbag").count() > 8);
    assert_eq!(again.trim_end(), page.trim_end(), "KITBAG_BLESS=1 writes the page anew");
}

const SESSION: &str = "/// Keeps a user logged in.
pub struct Session {
    user: String,
    token: String,
}

impl Session {
    /// Begins a session for a user whose login went well.
    pub fn begin(user: &str, token: &str) -> Self {
        Self { user: user.to_owned(), token: token.to_owned() }
    }

    /// Whether the login still holds.
    pub fn holds(&self) -> bool {
        !self.user.is_empty() && !self.token.is_empty()
    }
}
";
