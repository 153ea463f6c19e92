//! The server on standard input and output, or on any pair of streams.

use crate::error::McpError;
use crate::session::ClientSession;
use crate::state::McpState;
use crate::transport::LineTransport;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// Serves one client on standard input and output until it disconnects. Nothing else may be written
/// to standard output.
pub async fn serve_stdio(state: Arc<McpState>) -> Result<(), McpError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve_on(state, read, write).await
}

/// Serves one client on a pair of streams until it disconnects.
pub async fn serve_on(
    state: Arc<McpState>,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), McpError> {
    let transport = LineTransport::new(read, write, &state.options.limits);
    let running = match ClientSession::exclusive(state).serve(transport).await {
        Ok(running) => running,
        // A client may disconnect without sending anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Protocol(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(McpError::Protocol(error.to_string())),
        Ok(_) => Ok(()),
    }
}
