//! Errors of the server.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server cannot start, or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The engine cannot use a repository.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// No repository was given.
    #[error("no repository to serve")]
    NoRepositories,
    /// A repository was given more than once.
    #[error("duplicate repository `{}`", path.display())]
    DuplicateRepository {
        /// The repository.
        path: PathBuf,
    },
    /// A non-loopback address requires a token.
    #[error("listening on `{address}` requires a token: other machines can reach it")]
    TokenRequired {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: std::io::Error,
    },
    /// The connection failed.
    #[error("connection error: {0}")]
    Connection(#[from] std::io::Error),
    /// The client violated the protocol.
    #[error("protocol error: {0}")]
    Protocol(String),
}

impl McpError {
    /// Whether the options are invalid, as opposed to a failure at run time.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Engine(error) => error.is_usage(),
            Self::NoRepositories
            | Self::DuplicateRepository { .. }
            | Self::TokenRequired { .. } => true,
            Self::Listen { .. } | Self::Connection(_) | Self::Protocol(_) => false,
        }
    }

    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::NoRepositories => Some("give one with --repo".into()),
            Self::TokenRequired { .. } => {
                Some("put a token into an environment variable and name it with --token-env".into())
            }
            Self::Listen { .. } => {
                Some("another program may use the port; port 0 picks a free one".into())
            }
            Self::DuplicateRepository { .. } | Self::Connection(_) | Self::Protocol(_) => None,
        }
    }
}
