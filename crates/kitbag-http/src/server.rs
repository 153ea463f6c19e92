//! The socket: limits on connections, on slow clients and on the time a shutdown takes.

use crate::api::{app, with_limits};
use crate::error::ServeError;
use crate::follow::{follow_engine, follow_records};
use crate::options::{HttpLimits, MIN_TOKEN_CHARS};
use crate::state::HttpState;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use metrics_exporter_prometheus::PrometheusHandle;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

const MAX_CONNECTIONS: usize = 1_024;

/// Maximum time for a request head to arrive.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time for the last responses on shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

/// Maximum time for the last uploads after that.
const UPLOAD_GRACE: Duration = Duration::from_secs(5);

/// Pause after a failed `accept`, which usually means that the process has no file descriptors left.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

const METRICS_UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Serves until `shutdown` completes, then finishes the running requests. The `extra` routes, such as
/// those of another protocol, are behind the same access checks.
///
/// # Errors
///
/// Fails if the listener is reachable from other machines and no token is set, or if the token is
/// shorter than [`MIN_TOKEN_CHARS`].
pub async fn serve(
    state: Arc<HttpState>,
    listener: TcpListener,
    extra: Router,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() && !state.access.requires_token() {
        return Err(ServeError::TokenRequired { address });
    }
    if state.access.tokens().any(|token| token.chars().count() < MIN_TOKEN_CHARS) {
        return Err(ServeError::ShortToken);
    }
    // Dropping the set aborts its tasks.
    let mut background = JoinSet::new();
    background.spawn(follow_engine(Arc::clone(&state)));
    background.spawn(follow_records(Arc::clone(&state)));
    if let Some(metrics) = state.metrics.clone() {
        background.spawn(run_metrics_upkeep(metrics));
    }
    let app = app(Arc::clone(&state), extra);
    let on_shutdown = async {
        shutdown.await;
        state.shutdown.cancel();
        drop(background);
    };
    serve_connections(listener, &state.limits, &app, on_shutdown).await;
    state.uploads.close();
    let _ = tokio::time::timeout(UPLOAD_GRACE, state.uploads.wait()).await;
    Ok(())
}

/// Serves the routes of another protocol until `shutdown` completes, with the same limits on
/// connections and bodies. Access checks are those of the routes.
pub async fn serve_routes(
    listener: TcpListener,
    routes: Router,
    limits: &HttpLimits,
    shutdown: impl Future<Output = ()>,
) {
    let app = with_limits(routes, limits);
    serve_connections(listener, limits, &app, shutdown).await;
}

/// Accepts connections until `shutdown` completes, then finishes the running requests.
async fn serve_connections(
    listener: TcpListener,
    limits: &HttpLimits,
    app: &Router,
    shutdown: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    tokio::select! {
        () = accept(&listener, limits, app, &connections) => {}
        () = shutdown => {}
    }
    drop(listener);
    tracing::info!("shutting down");
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, connections.shutdown()).await;
}

async fn accept(
    listener: &TcpListener,
    limits: &HttpLimits,
    app: &Router,
    connections: &GracefulShutdown,
) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            continue;
        };
        // At the limit the connection is closed, and the client may retry.
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else { continue };
        let connection = connection(stream, limits.write_timeout, app.clone());
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // An error means that the client disconnected.
            let _ = connection.await;
            drop(permit);
        });
    }
}

type ClientStream = Pin<Box<TimeoutStream<TcpStream>>>;
type Connection = http1::Connection<TokioIo<ClientStream>, TowerToHyperService<Router>>;

fn connection(stream: TcpStream, write_timeout: Duration, app: Router) -> Connection {
    // Events are small and must not wait in the send buffer.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(write_timeout));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(app))
}

/// Drains the samples of histograms, which would grow otherwise.
async fn run_metrics_upkeep(metrics: PrometheusHandle) {
    loop {
        tokio::time::sleep(METRICS_UPKEEP_INTERVAL).await;
        metrics.run_upkeep();
    }
}
