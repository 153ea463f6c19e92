//! The clients: where each keeps its servers, and in which form. Each line follows the client's own
//! documentation, which it names.

use super::Entry;
use super::ours::Fields;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A program that speaks the Model Context Protocol to servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code: <https://code.claude.com/docs/en/mcp>.
    ClaudeCode,
    /// Cursor: <https://cursor.com/docs/mcp>.
    Cursor,
    /// Visual Studio Code: <https://code.visualstudio.com/docs/agents/reference/mcp-configuration>.
    VsCode,
    /// Zed: <https://zed.dev/docs/ai/mcp>.
    Zed,
    /// Codex: <https://developers.openai.com/codex/mcp>.
    Codex,
    /// Gemini CLI: <https://geminicli.com/docs/tools/mcp-server>.
    Gemini,
    /// opencode: <https://opencode.ai/docs/mcp-servers>.
    Opencode,
}

/// Whose file is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The user's own, for all projects.
    User,
    /// A repository's, which others may share.
    Project(PathBuf),
}

/// Where the user's programs keep their settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The user's folder.
    pub home: PathBuf,
    /// The folder for settings, `~/.config` on Linux.
    pub config: PathBuf,
    /// The folder for settings of graphical programs, where the system has another.
    pub applications: PathBuf,
    /// Codex's folder, where `CODEX_HOME` moves it.
    pub codex: Option<PathBuf>,
    /// Claude Code's folder, where `CLAUDE_CONFIG_DIR` moves it.
    pub claude: Option<PathBuf>,
}

impl Places {
    /// The user's places, by the environment; `None` where the user has no folder.
    pub fn of_user() -> Option<Self> {
        let folder = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
        };
        let home = folder("HOME").or_else(|| folder("USERPROFILE"))?;
        let config = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let applications = if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else {
            folder("APPDATA").unwrap_or_else(|| config.clone())
        };
        let (codex, claude) = (folder("CODEX_HOME"), folder("CLAUDE_CONFIG_DIR"));
        Some(Self { home, config, applications, codex, claude })
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// JSON, in most clients with comments.
    Json,
    /// TOML.
    Toml,
}

impl Client {
    /// All clients.
    pub const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
    ];

    /// Its name, as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
        }
    }

    /// Whether there is a sign of it on this machine.
    pub fn is_found(self, places: &Places) -> bool {
        let signs = match self {
            Self::ClaudeCode => {
                let folder = places.claude.clone().unwrap_or_else(|| places.home.join(".claude"));
                vec![folder, places.home.join(".claude.json")]
            }
            Self::Cursor => vec![places.home.join(".cursor")],
            Self::VsCode => vec![places.applications.join("Code")],
            Self::Zed => vec![zed(places)],
            Self::Codex => vec![codex(places)],
            Self::Gemini => vec![places.home.join(".gemini")],
            Self::Opencode => vec![places.config.join("opencode")],
        };
        signs.iter().any(|sign| sign.exists())
    }

    /// The file that has its servers.
    pub fn file(self, places: &Places, scope: &Scope) -> PathBuf {
        let home = &places.home;
        match (self, scope) {
            (Self::ClaudeCode, Scope::User) => {
                places.claude.as_ref().unwrap_or(home).join(".claude.json")
            }
            (Self::ClaudeCode, Scope::Project(root)) => root.join(".mcp.json"),
            (Self::Cursor, Scope::User) => home.join(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project(root)) => root.join(".cursor/mcp.json"),
            (Self::VsCode, Scope::User) => places.applications.join("Code/User/mcp.json"),
            (Self::VsCode, Scope::Project(root)) => root.join(".vscode/mcp.json"),
            (Self::Zed, Scope::User) => zed(places).join("settings.json"),
            (Self::Zed, Scope::Project(root)) => root.join(".zed/settings.json"),
            (Self::Codex, Scope::User) => codex(places).join("config.toml"),
            (Self::Codex, Scope::Project(root)) => root.join(".codex/config.toml"),
            (Self::Gemini, Scope::User) => home.join(".gemini/settings.json"),
            (Self::Gemini, Scope::Project(root)) => root.join(".gemini/settings.json"),
            (Self::Opencode, Scope::User) => opencode(&places.config.join("opencode")),
            (Self::Opencode, Scope::Project(root)) => opencode(root),
        }
    }

    pub(super) fn syntax(self) -> Syntax {
        if self == Self::Codex { Syntax::Toml } else { Syntax::Json }
    }

    /// The keys that lead to the list of servers. `has` tells whether the file has an object there.
    pub(super) fn keys(self, has: impl Fn(&[&str]) -> bool) -> &'static [&'static str] {
        match self {
            Self::VsCode => &["servers"],
            Self::Zed => &["context_servers"],
            // The second version of opencode has its servers a level below the first's.
            Self::Opencode if has(&["mcp", "servers"]) => &["mcp", "servers"],
            Self::Opencode => &["mcp"],
            Self::ClaudeCode | Self::Cursor | Self::Codex | Self::Gemini => &["mcpServers"],
        }
    }

    /// The entry in the client's form.
    pub(super) fn entry(self, keys: &[&str], entry: &Entry) -> Fields {
        let Entry { command, arguments } = entry;
        let (program, list) = (Value::from(command.as_str()), Value::from(arguments.clone()));
        let whole: Value = std::iter::once(command).chain(arguments).cloned().collect();
        let fields = match self {
            Self::ClaudeCode | Self::Cursor | Self::VsCode => {
                vec![("type", "stdio".into()), ("command", program), ("args", list)]
            }
            Self::Zed | Self::Codex | Self::Gemini => vec![("command", program), ("args", list)],
            // The second version of opencode starts what it has an entry for.
            Self::Opencode if keys.len() == 2 => vec![("type", "local".into()), ("command", whole)],
            Self::Opencode => {
                vec![("type", "local".into()), ("command", whole), ("enabled", true.into())]
            }
        };
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn codex(places: &Places) -> PathBuf {
    places.codex.clone().unwrap_or_else(|| places.home.join(".codex"))
}

/// Zed keeps to `~/.config` on macOS too.
fn zed(places: &Places) -> PathBuf {
    if cfg!(windows) { places.applications.join("Zed") } else { places.config.join("zed") }
}

/// opencode reads its file under two names.
fn opencode(folder: &Path) -> PathBuf {
    let commented = folder.join("opencode.jsonc");
    if commented.exists() { commented } else { folder.join("opencode.json") }
}
