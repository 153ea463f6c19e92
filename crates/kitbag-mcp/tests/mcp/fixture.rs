//! Small repositories, and a server for them.

use kitbag::Engine;
use kitbag_mcp::{McpOptions, McpState, ToolSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// A temporary directory with repositories.
pub struct Fixture {
    dir: TempDir,
}

impl Fixture {
    /// Creates a repository `app` with code about logins, and an unrelated one `paint`.
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

    /// Returns the state of a server for `app`.
    pub fn state(&self) -> Arc<McpState> {
        self.state_of(&["app"], McpOptions::default())
    }

    /// Returns the state of a server for `app` with all tools.
    pub fn state_with_all_tools(&self) -> Arc<McpState> {
        self.state_of(&["app"], McpOptions { tools: ToolSet::All, ..McpOptions::default() })
    }

    pub fn state_of(&self, repos: &[&str], options: McpOptions) -> Arc<McpState> {
        let repos: Vec<PathBuf> = repos.iter().map(|repo| self.path(repo)).collect();
        McpState::new(Engine::with_threads(2).unwrap(), &repos, options).unwrap()
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
