//! The server over streamable HTTP.

use crate::error::McpError;
use crate::lru_sessions::LruSessionManager;
use crate::session::ClientSession;
use crate::state::McpState;
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The path that clients connect to.
pub const PATH: &str = "/mcp";

/// Which requests a server accepts over HTTP.
#[derive(Debug, Clone, Default)]
pub struct HttpAccess {
    /// The bearer token that every request must have.
    pub token: Option<String>,
    /// The allowed values of `Host` and `Origin`, in addition to those of the loopback.
    pub hosts: Vec<String>,
}

/// Returns the routes of a server. `Host` and `Origin` are checked against DNS rebinding.
pub fn app(state: Arc<McpState>, access: &HttpAccess) -> Router {
    app_until(state, access, CancellationToken::new())
}

/// Listens on `address` for a server with these rules. An address other than the loopback requires a
/// token. The accept loop, with its limits on connections and bodies, is the caller's.
pub async fn listen(address: SocketAddr, access: &HttpAccess) -> Result<TcpListener, McpError> {
    if !address.ip().is_loopback() && access.token.is_none() {
        return Err(McpError::TokenRequired { address });
    }
    let listener = TcpListener::bind(address).await;
    listener.map_err(|source| McpError::Listen { address, source })
}

/// Returns the routes of a server. Cancelling `stop` ends their streams.
pub fn app_until(state: Arc<McpState>, access: &HttpAccess, stop: CancellationToken) -> Router {
    let limits = state.options.limits;
    let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let hosts: Vec<String> = loopback.into_iter().chain(access.hosts.iter().cloned()).collect();
    let origin = |host: &String| [format!("http://{host}:*"), format!("https://{host}:*")];
    let origins: Vec<String> = hosts.iter().flat_map(origin).collect();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .with_max_request_body_bytes(limits.request_bytes)
        .with_cancellation_token(stop);
    let sessions = Arc::new(LruSessionManager::new(limits.sessions));
    let session = move || Ok(ClientSession::shared(Arc::clone(&state)));
    let service = StreamableHttpService::new(session, sessions, config);
    let token = access.token.as_deref().map(digest);
    let check = move |request: Request, next: Next| authorize(token, request, next);
    Router::new()
        .route_service(PATH, service)
        .layer(middleware::from_fn(confirm_session_end))
        .layer(middleware::from_fn(check))
}

/// Answers the end of a session with 204 instead of 202, which some clients warn about.
async fn confirm_session_end(request: Request, next: Next) -> Response {
    let is_delete = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if is_delete && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

async fn authorize(token: Option<[u8; 32]>, request: Request, next: Next) -> Response {
    let Some(token) = token else { return next.run(request).await };
    let given = request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    let given = given.and_then(bearer_token);
    // The time to compare hashes does not reveal the token.
    if given.map(digest) == Some(token) {
        return next.run(request).await;
    }
    let headers = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, headers, "missing token: Authorization: Bearer ...\n")
        .into_response()
}

/// Returns the token of an `Authorization` header. The case of the scheme does not matter.
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
