//! Why a server does not start, or ends.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server does not start, or ends.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to serve.
    #[error("there is no repository to serve")]
    NoRepositories,
    /// A repository is named twice.
    #[error("the repository is named twice: `{}`", path.display())]
    Twice {
        /// Its folder.
        path: PathBuf,
    },
    /// Another address than the loopback's, and no token.
    #[error("other machines could call `{address}`, and there is no token")]
    Unguarded {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The engine says no.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// The socket is gone.
    #[error("the socket: {0}")]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Whether the caller is at fault, and not the run.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NoRepositories | Self::Twice { .. } | Self::Unguarded { .. } => true,
            Self::Engine(error) => error.is_usage(),
            Self::Listen { .. } | Self::Io(_) => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoRepositories => Some("name one: --repo DIR".to_owned()),
            Self::Unguarded { .. } => Some(
                "set `server.token_env` to the name of an environment variable with a token".into(),
            ),
            Self::Listen { .. } => Some("take another: --listen 127.0.0.1:0".to_owned()),
            Self::Engine(error) => error.hint(),
            Self::Twice { .. } | Self::Io(_) => None,
        }
    }
}
