//! A small repository, and a server for it.

use kitbag::Engine;
use kitbag_mcp::{Options, State};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// A temporary folder with repositories in it.
pub struct Fixture {
    dir: TempDir,
}

impl Fixture {
    /// A repository `app` that has code to log in, and one `paint` that has not.
    pub fn new() -> Self {
        let fixture = Self { dir: tempfile::tempdir().unwrap() };
        fixture.write("app/src/auth.rs", AUTH);
        fixture.write("app/README.md", "# App\n\nUsers login by OAuth.\n");
        fixture.write(
            "paint/src/mix.rs",
            "/// Mixes paint.\npub fn mix(paint: u32) -> u32 {\n    paint + 1\n}\n",
        );
        fixture
    }

    pub fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// A server for one repository.
    pub fn state(&self) -> Arc<State> {
        self.state_of(&["app"], Options::default())
    }

    pub fn state_of(&self, repos: &[&str], options: Options) -> Arc<State> {
        let repos: Vec<PathBuf> = repos.iter().map(|repo| self.path(repo)).collect();
        State::new(Engine::with_threads(2).unwrap(), &repos, options).unwrap()
    }
}

pub const AUTH: &str = "/// Logs a user in.
pub fn login(user: &str) -> bool {
    let token = oauth_token(user);
    !token.is_empty()
}

/// The token of a user.
pub fn oauth_token(user: &str) -> String {
    format!(\"token-{user}\")
}
";
