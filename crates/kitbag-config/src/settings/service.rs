//! Settings of logging and of the HTTP server.

use crate::resolved::ResolvedConfig;
use serde::Deserialize;
use std::time::Duration;

/// The keys of `logging`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggingSettings {
    /// Maximum level that is logged.
    pub level: LogLevel,
    /// Whether the level is set explicitly.
    pub is_set: bool,
    /// Format of log lines.
    pub format: LogFormat,
}

/// A log level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// Failures.
    Error,
    /// Omissions and other warnings.
    Warn,
    /// Start and end of every pack.
    Info,
    /// The outcome of every chunk.
    Debug,
    /// Everything.
    Trace,
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Readable text, one event per line.
    Text,
    /// JSON objects, one event per line.
    Json,
}

/// Settings of the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// Address to listen on.
    pub listen: String,
    /// Environment variable that holds the token requests must carry.
    pub token_env: Option<String>,
    /// Tokens for some of the repositories: an environment variable and patterns, such as `TEAM_TOKEN=acme/*`.
    pub tokens: Vec<String>,
    /// How long the server still accepts requests after it was asked to stop.
    pub drain: Duration,
    /// Maximum size of a request.
    pub request_bytes: usize,
    /// Maximum number of requests handled concurrently.
    pub concurrency: usize,
    /// Maximum number of requests that wait.
    pub queue: usize,
    /// Maximum duration of a request, waiting included.
    pub timeout: Duration,
}

impl Default for LoggingSettings {
    fn default() -> Self {
        Self::from(&ResolvedConfig::defaults())
    }
}

impl From<&ResolvedConfig> for LoggingSettings {
    fn from(config: &ResolvedConfig) -> Self {
        let level = "logging.context_packer";
        let format = config.get("logging.format");
        Self { level: config.get(level), is_set: config.is_set(level), format }
    }
}

impl From<&ResolvedConfig> for ServerSettings {
    fn from(config: &ResolvedConfig) -> Self {
        let limit = |name: &str| config.get(&format!("server.limits.{name}"));
        Self {
            listen: config.get("server.listen"),
            token_env: config.get("server.token_env"),
            tokens: config.get("server.tokens"),
            drain: Duration::from_millis(config.get("server.drain_ms")),
            request_bytes: limit("request_bytes"),
            concurrency: limit("concurrency"),
            queue: limit("queue"),
            timeout: Duration::from_millis(config.get("server.limits.timeout_ms")),
        }
    }
}
