//! The server over streamable HTTP.

use crate::client::Client;
use crate::error::Error;
use crate::sessions::Sessions;
use crate::state::{Limits, State};
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The path that clients connect to.
pub const PATH: &str = "/mcp";

/// Who may call a server over HTTP.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// What every request must carry as `Authorization: Bearer ...`, if anything.
    pub token: Option<String>,
    /// Names of the server beside those of the loopback, that requests may carry as `Host`, and
    /// pages as `Origin`.
    pub hosts: Vec<String>,
}

/// The routes of a server: one, on which Host and Origin are checked against DNS rebinding.
pub fn app(state: Arc<State>, guard: &Guard) -> Router {
    app_until(state, guard, CancellationToken::new())
}

/// Serves clients on `address` until `ended`. Listening elsewhere than on the loopback needs a token.
pub async fn serve_http(
    state: Arc<State>,
    address: SocketAddr,
    guard: &Guard,
    started: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Error> {
    if !address.ip().is_loopback() && guard.token.is_none() {
        return Err(Error::Unguarded { address });
    }
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|source| Error::Listen { address, source })?;
    started(listener.local_addr()?);
    let stop = CancellationToken::new();
    let app = app_until(state, guard, stop.clone());
    let ended = async move {
        ended.await;
        // Streams that clients hold open end too, so that nobody has to be waited for.
        stop.cancel();
    };
    Ok(axum::serve(listener, app).with_graceful_shutdown(ended).await?)
}

/// The same routes, whose streams end when `stop` is cancelled.
pub fn app_until(state: Arc<State>, guard: &Guard, stop: CancellationToken) -> Router {
    let limits = state.options.limits;
    let client = move || Client::among_others(Arc::clone(&state));
    routes(client, guard, &limits, stop)
}

/// The same routes, with the same guards, for another server of the protocol. `client` makes a
/// handler for each session, and in the revision without sessions for each request.
pub fn app_of<H: ServerHandler>(
    client: impl Fn() -> H + Send + Sync + 'static,
    guard: &Guard,
    request_bytes: usize,
    stop: CancellationToken,
) -> Router {
    routes(client, guard, &Limits { request_bytes, ..Limits::default() }, stop)
}

fn routes<H: ServerHandler>(
    client: impl Fn() -> H + Send + Sync + 'static,
    guard: &Guard,
    limits: &Limits,
    stop: CancellationToken,
) -> Router {
    let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let hosts: Vec<String> = loopback.into_iter().chain(guard.hosts.iter().cloned()).collect();
    let origin = |host: &String| [format!("http://{host}:*"), format!("https://{host}:*")];
    let origins: Vec<String> = hosts.iter().flat_map(origin).collect();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .with_max_request_body_bytes(limits.request_bytes)
        .with_cancellation_token(stop);
    let sessions = Arc::new(Sessions::new(limits.sessions));
    let service = StreamableHttpService::new(move || Ok(client()), sessions, config);
    let token = guard.token.as_deref().map(digest);
    let check = move |request: Request, next: Next| authorised(token, request, next);
    Router::new()
        .route_service(PATH, service)
        .layer(middleware::from_fn(ended))
        .layer(middleware::from_fn(check))
}

/// Says of a session that it has ended, not that it will: some clients warn otherwise.
async fn ended(request: Request, next: Next) -> Response {
    let is_end = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if is_end && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Lets a request through that carries the token.
async fn authorised(token: Option<[u8; 32]>, request: Request, next: Next) -> Response {
    let Some(token) = token else { return next.run(request).await };
    let given = request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    let given = given.and_then(|it| it.strip_prefix("Bearer ")).map(str::trim);
    // Hashes of equal length are compared, so that the time tells nothing of the token.
    if given.map(digest) == Some(token) {
        return next.run(request).await;
    }
    let told = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, told, "a token is needed: Authorization: Bearer ...\n")
        .into_response()
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
