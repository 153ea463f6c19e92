//! The settings of what runs around the engine: logs and servers.

use super::resolve::Resolved;
use std::time::Duration;

/// What is logged, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggingSettings {
    /// How much.
    pub level: LogLevel,
    /// Whether somebody said so, and it is not the default.
    pub is_set: bool,
    /// How it is written.
    pub format: LogFormat,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// What was left out, and what somebody should look at.
    Warn,
    /// The beginning and the end of every pack.
    Info,
    /// What became of every chunk.
    Debug,
    /// Everything.
    Trace,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people, a line an event.
    Text,
    /// For programs, a JSON object an event.
    Json,
}

/// How a server serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The address that it listens on.
    pub listen: String,
    /// The environment variable with the token that requests must carry.
    pub token_env: Option<String>,
    /// The most bytes that a request may have.
    pub request_bytes: usize,
    /// How many requests are worked on at the same time.
    pub concurrency: usize,
    /// How many more may wait.
    pub queue: usize,
    /// How long a request may take, waiting included.
    pub timeout: Duration,
}

impl Default for LoggingSettings {
    fn default() -> Self {
        Self::new(&Resolved::defaults())
    }
}

impl LoggingSettings {
    pub(super) fn new(resolved: &Resolved) -> Self {
        let key = "logging.context_packer";
        let level = match resolved.text(key) {
            Some("off") => LogLevel::Off,
            Some("error") => LogLevel::Error,
            Some("info") => LogLevel::Info,
            Some("debug") => LogLevel::Debug,
            Some("trace") => LogLevel::Trace,
            _ => LogLevel::Warn,
        };
        let format = match resolved.text("logging.format") {
            Some("json") => LogFormat::Json,
            _ => LogFormat::Text,
        };
        Self { level, is_set: resolved.is_set(key), format }
    }
}

impl ServerSettings {
    pub(super) fn new(resolved: &Resolved) -> Self {
        let limit = |name: &str| resolved.whole(&format!("server.limits.{name}"));
        let size = |name: &str| limit(name).unwrap_or_default() as usize;
        Self {
            listen: resolved.text("server.listen").unwrap_or_default().to_owned(),
            token_env: resolved.text("server.token_env").map(str::to_owned),
            request_bytes: size("request_bytes"),
            concurrency: size("concurrency"),
            queue: size("queue"),
            timeout: Duration::from_millis(limit("timeout_ms").unwrap_or_default()),
        }
    }
}
