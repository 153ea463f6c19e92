//! Options of a server.

use kitbag::ServerSettings;
use std::path::PathBuf;
use std::time::Duration;

/// Options of a server.
#[derive(Debug, Clone)]
pub struct McpOptions {
    /// The token budget of calls that do not set one: less than the engine's default, since a pack
    /// becomes part of the conversation.
    pub budget: usize,
    /// Whether the client's roots are served instead of the repositories, if it has any. Only for a
    /// server with a single client, which has started it.
    pub roots: bool,
    /// Folder whose repositories are served too, as they come and go.
    pub repos_folder: Option<PathBuf>,
    /// The tools that are served.
    pub tools: ToolSet,
    /// The limits.
    pub limits: McpLimits,
}

/// A set of tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// The tools that an agent needs. Their descriptions are part of every conversation.
    #[default]
    Basic,
    /// Also those that preview and explain packs and switch providers, and all arguments of packs.
    All,
}

impl Default for McpOptions {
    fn default() -> Self {
        let (limits, tools) = (McpLimits::default(), ToolSet::Basic);
        Self { budget: 8_000, roots: false, repos_folder: None, tools, limits }
    }
}

/// Limits that keep one client from exhausting the machine.
#[derive(Debug, Clone, Copy)]
pub struct McpLimits {
    /// Maximum number of bytes of a message.
    pub request_bytes: usize,
    /// Maximum number of concurrent calls; others wait.
    pub concurrency: usize,
    /// Maximum number of waiting calls; over HTTP others are rejected, and from a single client no more
    /// are read until it has been answered.
    pub queue: usize,
    /// Maximum duration of a call, including the wait.
    pub timeout: Duration,
    /// Maximum number of HTTP sessions; the least recently used one is closed first.
    pub sessions: usize,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            request_bytes: 16 << 20,
            concurrency: 16,
            queue: 128,
            timeout: Duration::from_secs(60),
            sessions: 256,
        }
    }
}

impl From<&ServerSettings> for McpLimits {
    fn from(settings: &ServerSettings) -> Self {
        Self {
            request_bytes: settings.request_bytes,
            concurrency: settings.concurrency,
            queue: settings.queue,
            timeout: settings.timeout,
            ..Self::default()
        }
    }
}
