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
    /// Windsurf: <https://docs.windsurf.com/windsurf/cascade/mcp>.
    Windsurf,
    /// Claude Desktop: <https://modelcontextprotocol.io/docs/develop/connect-local-servers>.
    ClaudeDesktop,
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
    /// The folder of Kitbag's own state, which has the journal.
    pub state: PathBuf,
    /// The folders that programs are looked up in.
    pub programs: Vec<PathBuf>,
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
        let state = folder("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let state = state.join("kitbag");
        Some(Self { home, config, applications, codex, claude, state, programs })
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
    pub const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Windsurf,
        Self::ClaudeDesktop,
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
            Self::Windsurf => "Windsurf",
            Self::ClaudeDesktop => "Claude Desktop",
        }
    }

    /// The program that starts the client; `None` if it is not started from a shell.
    fn program(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("claude"),
            Self::Cursor => Some("cursor"),
            Self::VsCode => Some("code"),
            Self::Zed => Some("zed"),
            Self::Codex => Some("codex"),
            Self::Gemini => Some("gemini"),
            Self::Opencode => Some("opencode"),
            Self::Windsurf => Some("windsurf"),
            Self::ClaudeDesktop => None,
        }
    }

    /// Whether the client has left a file on this machine, or its program is found.
    pub fn is_installed(self, dirs: &ConfigDirs) -> bool {
        let file = self.config_file(dirs, &Scope::User);
        let folder = match self {
            Self::ClaudeCode => Some(claude(dirs)),
            _ => file.as_deref().and_then(Path::parent).map(Path::to_owned),
        };
        let has_program = || {
            let mut names = self.program().into_iter().flat_map(program_files);
            names.any(|name| dirs.programs.iter().any(|folder| folder.join(&name).is_file()))
        };
        file.into_iter().chain(folder).any(|path| path.exists()) || has_program()
    }

    /// Returns the file that its servers are in; `None` if it has none in this scope.
    pub fn config_file(self, dirs: &ConfigDirs, scope: &Scope) -> Option<PathBuf> {
        let home = &dirs.home;
        Some(match (self, scope) {
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
            (Self::Windsurf, Scope::User) => home.join(".codeium/windsurf/mcp_config.json"),
            (Self::ClaudeDesktop, Scope::User) => {
                dirs.applications.join("Claude/claude_desktop_config.json")
            }
            (Self::Windsurf | Self::ClaudeDesktop, Scope::Project(_)) => return None,
        })
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
            Self::ClaudeCode
            | Self::Cursor
            | Self::Gemini
            | Self::Windsurf
            | Self::ClaudeDesktop => &["mcpServers"],
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
            Self::Zed | Self::Codex | Self::Gemini | Self::Windsurf | Self::ClaudeDesktop => {
                vec![("command", program), ("args", args)]
            }
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

/// Returns the names that a program can have in a folder of programs.
fn program_files(program: &str) -> Vec<String> {
    let extensions: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    extensions.iter().map(|extension| format!("{program}{extension}")).collect()
}

pub(super) fn claude(dirs: &ConfigDirs) -> PathBuf {
    dirs.claude.clone().unwrap_or_else(|| dirs.home.join(".claude"))
}

pub(super) fn codex(dirs: &ConfigDirs) -> PathBuf {
    dirs.codex.clone().unwrap_or_else(|| dirs.home.join(".codex"))
}

/// Zed uses `~/.config` on macOS, too.
pub(super) fn zed(dirs: &ConfigDirs) -> PathBuf {
    if cfg!(windows) { dirs.applications.join("Zed") } else { dirs.config.join("zed") }
}

/// opencode reads either of two names.
fn opencode(folder: &Path) -> PathBuf {
    let commented = folder.join("opencode.jsonc");
    if commented.exists() { commented } else { folder.join("opencode.json") }
}
