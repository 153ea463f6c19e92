//! Runs every command of docs/inspecting.md and compares the output.

use crate::fixture::Fixture;
use crate::terminal::{Terminal, check_page};

/// The repository of the page.
fn repository() -> Fixture {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.write("src/session.rs", SESSION);
    fixture.commit(1, "all");
    fixture.write(".env", "TOKEN=1\n");
    fixture
}

#[test]
fn the_page_about_inspecting_shows_what_the_program_prints() {
    let commands = check_page("docs/inspecting.md", Terminal::new(repository()));
    assert!(commands > 15, "{commands}");
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
