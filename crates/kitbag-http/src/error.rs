//! Errors that keep a server from starting, or end it.

use crate::options::MIN_TOKEN_CHARS;
use std::net::SocketAddr;
use std::path::PathBuf;

/// An error that keeps a server from starting, or ends it.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The list of repositories is empty.
    #[error("no repository to serve")]
    NoRepositories,
    /// A repository is listed twice.
    #[error("duplicate repository `{}`", path.display())]
    DuplicateRepository {
        /// The folder as it was given.
        path: PathBuf,
    },
    /// The address is reachable from other machines, and no token is set.
    #[error("listening on `{address}` requires a token: other machines can reach it")]
    TokenRequired {
        /// The address to listen on.
        address: SocketAddr,
    },
    /// The token is too short to be secret.
    #[error("the token has fewer than {MIN_TOKEN_CHARS} characters")]
    ShortToken,
    /// Binding the listener failed.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address to listen on.
        address: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// The connection failed.
    #[error("connection error: {0}")]
    Io(#[from] std::io::Error),
}

impl ServeError {
    /// Returns whether the arguments are wrong, as opposed to the run having failed.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NoRepositories
            | Self::DuplicateRepository { .. }
            | Self::TokenRequired { .. }
            | Self::ShortToken => true,
            Self::Engine(error) => error.is_usage(),
            Self::Listen { .. } | Self::Io(_) => false,
        }
    }

    /// Returns advice on how to fix the error.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoRepositories => Some("pass --repo DIR".to_owned()),
            Self::TokenRequired { .. } => Some(
                "set `server.token_env` to the name of an environment variable that holds a token"
                    .to_owned(),
            ),
            Self::ShortToken => Some("use a random one: `openssl rand -hex 32`".to_owned()),
            Self::Listen { .. } => Some("choose another address: --listen 127.0.0.1:0".to_owned()),
            Self::Engine(error) => error.hint(),
            Self::DuplicateRepository { .. } | Self::Io(_) => None,
        }
    }
}
