//! The clients: where each keeps its servers, and in which form, as its documentation says.

use super::ServerEntry;
use super::fields::EntryFields;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// An MCP client.
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

/// Which file of a client is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The user's file, for all projects.
    User,
    /// The file in a repository, which its contributors share.
    Project(PathBuf),
}

/// The folders that clients keep their configuration in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigDirs {
    /// The home folder.
    pub home: PathBuf,
    /// The configuration folder, `~/.config` on Linux.
    pub config: PathBuf,
    /// The configuration folder of graphical applications, which differs on macOS and Windows.
    pub applications: PathBuf,
    /// The folder of Codex, if `CODEX_HOME` sets it.
    pub codex: Option<PathBuf>,
    /// The folder of Claude Code, if `CLAUDE_CONFIG_DIR` sets it.
    pub claude: Option<PathBuf>,
}

impl ConfigDirs {
    /// Reads the environment; `None` if it does not have a home folder.
    pub fn from_env() -> Option<Self> {
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

/// The syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// JSON; most clients allow comments.
    Json,
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

    /// The name of the client, for people.
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

    /// Whether the client has left a file on this machine.
    pub fn is_installed(self, dirs: &ConfigDirs) -> bool {
        let file = self.config_file(dirs, &Scope::User);
        let folder = match self {
            Self::ClaudeCode => {
                Some(dirs.claude.clone().unwrap_or_else(|| dirs.home.join(".claude")))
            }
            _ => file.parent().map(Path::to_owned),
        };
        file.exists() || folder.is_some_and(|folder| folder.exists())
    }

    /// Returns the file that its servers are in.
    pub fn config_file(self, dirs: &ConfigDirs, scope: &Scope) -> PathBuf {
        let home = &dirs.home;
        match (self, scope) {
            (Self::ClaudeCode, Scope::User) => {
                dirs.claude.as_ref().unwrap_or(home).join(".claude.json")
            }
            (Self::ClaudeCode, Scope::Project(root)) => root.join(".mcp.json"),
            (Self::Cursor, Scope::User) => home.join(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project(root)) => root.join(".cursor/mcp.json"),
            (Self::VsCode, Scope::User) => dirs.applications.join("Code/User/mcp.json"),
            (Self::VsCode, Scope::Project(root)) => root.join(".vscode/mcp.json"),
            (Self::Zed, Scope::User) => zed(dirs).join("settings.json"),
            (Self::Zed, Scope::Project(root)) => root.join(".zed/settings.json"),
            (Self::Codex, Scope::User) => codex(dirs).join("config.toml"),
            (Self::Codex, Scope::Project(root)) => root.join(".codex/config.toml"),
            (Self::Gemini, Scope::User) => home.join(".gemini/settings.json"),
            (Self::Gemini, Scope::Project(root)) => root.join(".gemini/settings.json"),
            (Self::Opencode, Scope::User) => opencode(&dirs.config.join("opencode")),
            (Self::Opencode, Scope::Project(root)) => opencode(root),
        }
    }

    pub(super) fn syntax(self) -> Syntax {
        if self == Self::Codex { Syntax::Toml } else { Syntax::Json }
    }

    /// Returns the keys of the object that its servers are in. `has_object` looks one up in the file.
    pub(super) fn server_keys(
        self,
        has_object: impl Fn(&[&str]) -> bool,
    ) -> &'static [&'static str] {
        match self {
            Self::VsCode => &["servers"],
            Self::Zed => &["context_servers"],
            // opencode 2 has its servers a level deeper.
            Self::Opencode if has_object(&["mcp", "servers"]) => &["mcp", "servers"],
            Self::Opencode => &["mcp"],
            Self::Codex => &["mcp_servers"],
            Self::ClaudeCode | Self::Cursor | Self::Gemini => &["mcpServers"],
        }
    }

    /// Returns the entry in the client's form.
    pub(super) fn entry_fields(self, keys: &[&str], entry: &ServerEntry) -> EntryFields {
        let ServerEntry { command, arguments } = entry;
        let (program, args) = (Value::from(command.as_str()), Value::from(arguments.clone()));
        let command_line: Value = std::iter::once(command).chain(arguments).cloned().collect();
        let fields = match self {
            Self::ClaudeCode | Self::Cursor | Self::VsCode => {
                vec![("type", "stdio".into()), ("command", program), ("args", args)]
            }
            Self::Zed | Self::Codex | Self::Gemini => vec![("command", program), ("args", args)],
            // opencode 2 has no `enabled`.
            Self::Opencode if keys.len() == 2 => {
                vec![("type", "local".into()), ("command", command_line)]
            }
            Self::Opencode => {
                vec![("type", "local".into()), ("command", command_line), ("enabled", true.into())]
            }
        };
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn codex(dirs: &ConfigDirs) -> PathBuf {
    dirs.codex.clone().unwrap_or_else(|| dirs.home.join(".codex"))
}

/// Zed uses `~/.config` on macOS, too.
fn zed(dirs: &ConfigDirs) -> PathBuf {
    if cfg!(windows) { dirs.applications.join("Zed") } else { dirs.config.join("zed") }
}

/// opencode reads either of two names.
fn opencode(folder: &Path) -> PathBuf {
    let commented = folder.join("opencode.jsonc");
    if commented.exists() { commented } else { folder.join("opencode.json") }
}
