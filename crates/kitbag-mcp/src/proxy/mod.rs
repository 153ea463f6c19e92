//! The proxy: any other MCP server, with context for its tools.
//!
//! The lines of both sides are passed on unchanged, and read only to recognize tool calls. A call is
//! enriched with the rules that hold and the code that it is likely about: as the argument `_context` if
//! the tool's schema has it, otherwise as another content block of the result, and as a member of its
//! `structuredContent`, because some clients hand only that to their model. `_meta.contextUsed` of the
//! result says what was added. The upstream server may use any protocol revision.

mod call;
mod enrich;
mod envelope;
mod line_writer;
mod listing;
mod messages;
mod pending;
mod process_group;
mod relay;
mod tools;
mod upstream;

use kitbag::Engine;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// The upstream server, and how its calls are enriched.
#[derive(Debug, Clone)]
pub struct ProxyOptions {
    /// The program and arguments of the upstream server.
    pub command: Vec<String>,
    /// The repository that the context is from.
    pub repo: PathBuf,
    /// Maximum number of tokens of context per call; 0 disables enrichment.
    pub budget: usize,
    /// The profile of the packs.
    pub profile: Option<String>,
    /// The rules context of calls that do not name one.
    pub context: Option<String>,
    /// Minimum relevance of code, from 0 to 1.
    pub min_relevance: f64,
    /// Globs of the tools to enrich; empty for all.
    pub tools: Vec<String>,
    /// Globs of the tools not to enrich.
    pub no_tools: Vec<String>,
    /// How long the upstream server may be silent while a request is open; `None` for no limit.
    pub timeout: Option<Duration>,
    /// How long a call waits for its context.
    pub context_timeout: Duration,
}

/// Why a proxy cannot start, or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The command is empty.
    #[error("no command for the upstream server")]
    NoCommand,
    /// The program cannot be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The program.
        command: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A glob is invalid.
    #[error("invalid glob `{glob}`: {message}")]
    Glob {
        /// The glob.
        glob: String,
        /// The cause.
        message: String,
    },
    /// The minimum relevance is not a probability.
    #[error("the minimum relevance must be from 0 to 1, not {value}")]
    Relevance {
        /// The invalid value.
        value: f64,
    },
    /// The repository cannot be used.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// The client's streams failed.
    #[error("client connection error: {0}")]
    Client(#[from] std::io::Error),
}

impl ProxyError {
    /// Whether the options are invalid, as opposed to a failure at run time.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Engine(error) => error.is_usage(),
            Self::NoCommand | Self::Start { .. } | Self::Glob { .. } | Self::Relevance { .. } => {
                true
            }
            Self::Client(_) => false,
        }
    }
}

/// Runs the program of `options` as the upstream server of the client on `read` and `write`, until the
/// client closes its side or `interrupted` completes. Warnings go to `warn`, one line each.
///
/// The program is shut down with the proxy. On Unix, so are its descendants, unless they have left its
/// process group.
pub async fn run(
    engine: Engine,
    options: ProxyOptions,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    warn: impl Fn(&str) + Send + Sync + 'static,
    interrupted: impl Future<Output = ()>,
) -> Result<(), ProxyError> {
    let relay = relay::Relay::new(engine, options, Box::new(warn), write)?;
    relay.enricher.check().await?;
    relay.run(read, interrupted).await
}
