//! The proxy: any other MCP server, with context for its tools.
//!
//! It passes the lines of both sides on as they are, and reads them only to know which are calls of
//! tools. A call is enriched with a pack made from its arguments: as the argument `_context` where
//! the tool's schema names that, else as one more block of the result's content; what was added is
//! told in the result's `_meta.contextUsed`. The server behind may speak any revision.

mod behind;
mod call;
mod enrich;
mod frame;
mod group;
mod lines;
mod outlet;
mod pending;
mod relay;
mod scan;
mod talk;

use kitbag::Engine;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// What is put behind the proxy, and how its calls are enriched.
#[derive(Debug, Clone)]
pub struct ProxyOptions {
    /// The program behind, and its arguments.
    pub command: Vec<String>,
    /// The repository that the context is from.
    pub repo: PathBuf,
    /// The most tokens of context that a call gets; 0 enriches nothing.
    pub budget: usize,
    /// The profile of the packs.
    pub profile: Option<String>,
    /// The current context of the rules, for calls that name none.
    pub context: Option<String>,
    /// Globs of the tools that are enriched; none means all.
    pub tools: Vec<String>,
    /// Globs of the tools that are not.
    pub no_tools: Vec<String>,
    /// How long the server behind may say nothing while it is waited for; `None` is for ever.
    pub timeout: Option<Duration>,
    /// How long a call waits for its context.
    pub patience: Duration,
}

/// Why there is no proxy.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// No program was named.
    #[error("there is no command to put behind the proxy")]
    NoCommand,
    /// The program cannot be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The program.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// A glob is not one.
    #[error("`{glob}` is not a glob: {message}")]
    Glob {
        /// What was given.
        glob: String,
        /// Why.
        message: String,
    },
    /// The repository cannot be used.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// The client's streams broke.
    #[error("the client's streams: {0}")]
    Client(#[from] std::io::Error),
}

impl ProxyError {
    /// Whether the request itself is at fault, and not the run.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Engine(error) => error.is_usage(),
            Self::NoCommand | Self::Start { .. } | Self::Glob { .. } => true,
            Self::Client(_) => false,
        }
    }
}

/// Stands between a client on a pair of streams and the program of `options`, until the client is
/// gone or `ended` is. What a person should know is told to `tell`, a line at a time.
///
/// The program ends with the proxy, and on Unix so does whatever it started, unless that has left
/// its process group.
pub async fn run(
    engine: Engine,
    options: ProxyOptions,
    (read, write): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    tell: impl Fn(&str) + Send + Sync + 'static,
    ended: impl Future<Output = ()>,
) -> Result<(), ProxyError> {
    let relay = relay::Relay::new(engine, options, Box::new(tell), write)?;
    relay.enricher.check().await?;
    relay.run(read, ended).await
}
