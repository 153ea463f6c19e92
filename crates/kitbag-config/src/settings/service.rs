//! Settings of logging and of the HTTP server.

use crate::resolved::ResolvedConfig;
use std::time::Duration;

/// Settings of logging.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let key = "logging.context_packer";
        let level = match config.text(key) {
            Some("off") => LogLevel::Off,
            Some("error") => LogLevel::Error,
            Some("info") => LogLevel::Info,
            Some("debug") => LogLevel::Debug,
            Some("trace") => LogLevel::Trace,
            _ => LogLevel::Warn,
        };
        let format = match config.text("logging.format") {
            Some("json") => LogFormat::Json,
            _ => LogFormat::Text,
        };
        Self { level, is_set: config.is_set(key), format }
    }
}

impl From<&ResolvedConfig> for ServerSettings {
    fn from(config: &ResolvedConfig) -> Self {
        let limit =
            |name: &str| config.integer(&format!("server.limits.{name}")).unwrap_or_default();
        Self {
            listen: config.text("server.listen").unwrap_or_default().to_owned(),
            token_env: config.text("server.token_env").map(str::to_owned),
            request_bytes: limit("request_bytes") as usize,
            concurrency: limit("concurrency") as usize,
            queue: limit("queue") as usize,
            timeout: Duration::from_millis(limit("timeout_ms")),
        }
    }
}
