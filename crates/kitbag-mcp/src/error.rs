//! Why there is no server.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server cannot be started, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine cannot use a repository.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// No repository was named.
    #[error("a server needs a repository to serve")]
    NoRepositories,
    /// The same folder was named twice.
    #[error("the repository `{}` is named twice", path.display())]
    Twice {
        /// The folder.
        path: PathBuf,
    },
    /// An address that others can reach needs a token.
    #[error(
        "`{address}` can be reached from other machines, and there is no token to keep them out"
    )]
    Unguarded {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The connection broke.
    #[error("the connection: {0}")]
    Connection(#[from] std::io::Error),
    /// The client began in a way that the protocol does not know.
    #[error("the client did not begin as the protocol says: {0}")]
    Handshake(String),
}

impl Error {
    /// Whether the request itself is at fault, and not the run.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Engine(error) => error.is_usage(),
            Self::NoRepositories | Self::Twice { .. } | Self::Unguarded { .. } => true,
            Self::Listen { .. } | Self::Connection(_) | Self::Handshake(_) => false,
        }
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::NoRepositories => Some("name one with --repo".into()),
            Self::Unguarded { .. } => Some(
                "put a token into the environment and name its variable with --token-env".into(),
            ),
            Self::Listen { .. } => {
                Some("another program may have it; port 0 takes a free one".into())
            }
            Self::Twice { .. } | Self::Connection(_) | Self::Handshake(_) => None,
        }
    }
}
