//! The server on standard input and output, or on any pair of streams.

use crate::client::Client;
use crate::error::Error;
use crate::lines::Lines;
use crate::state::State;
use rmcp::ServiceExt;
use rmcp::service::QuitReason;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// Serves one client on standard input and output, until it is gone. Standard output belongs to the
/// protocol: nothing else may be written there.
pub async fn serve_stdio(state: Arc<State>) -> Result<(), Error> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve_on(state, read, write).await
}

/// Serves one client on a pair of streams, until it is gone.
pub async fn serve_on(
    state: Arc<State>,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), Error> {
    let transport = Lines::new(read, write, state.options.limits.request_bytes);
    let running = match Client::alone(state).serve(transport).await {
        Ok(running) => running,
        // A client that never said anything has merely looked.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Error::Handshake(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Handshake(error.to_string())),
        Ok(_) => Ok(()),
    }
}
