//! The socket: connections are bounded in number, in the time that their heads may take and in the time
//! that a client may take to read, and end in good order.

use crate::api::app_with;
use crate::error::Error;
use crate::state::State;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// The most connections at the same time.
const MOST_CONNECTIONS: usize = 1_024;

/// How long the head of a request may take to arrive.
const HEAD: Duration = Duration::from_secs(10);

/// How long the last answers may take when the server ends.
const LAST: Duration = Duration::from_secs(10);

/// How long to wait when the system has no more sockets.
const PAUSE: Duration = Duration::from_millis(50);

/// How often histograms are tidied.
const UPKEEP: Duration = Duration::from_secs(5);

/// Serves until `ended`, and then until the last answers are out. Listening elsewhere than on the
/// loopback needs a token.
pub async fn serve(
    state: Arc<State>,
    listener: TcpListener,
    ended: impl Future<Output = ()>,
) -> Result<(), Error> {
    serve_with(state, listener, Router::new(), ended).await
}

/// The same with more routes, such as those of another protocol, behind the same guards.
pub async fn serve_with(
    state: Arc<State>,
    listener: TcpListener,
    more: Router,
    ended: impl Future<Output = ()>,
) -> Result<(), Error> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() && state.guard.token.is_none() {
        return Err(Error::Unguarded { address });
    }
    let following = tokio::spawn(Arc::clone(&state).follow());
    let recorded = tokio::spawn(Arc::clone(&state).follow_records());
    let tidying = tokio::spawn(tidy(Arc::clone(&state)));
    let app = app_with(Arc::clone(&state), more);
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    tokio::pin!(ended);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut ended => break,
        };
        let Ok((stream, _)) = stream else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Where there is no room, the connection is closed: whoever wants may try again.
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        let connection = connection(stream, state.limits.write, app.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is its own affair.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    state.stop.cancel();
    following.abort();
    recorded.abort();
    tidying.abort();
    tracing::info!("the server ends");
    let _ = tokio::time::timeout(LAST, graceful.shutdown()).await;
    Ok(())
}

type Stream = Pin<Box<TimeoutStream<TcpStream>>>;
type Connection = http1::Connection<TokioIo<Stream>, TowerToHyperService<Router>>;

fn connection(stream: TcpStream, write: Duration, app: Router) -> Connection {
    // What is small must not wait for more.
    let _ = stream.set_nodelay(true);
    // A client that reads nothing of what it is sent gives up its place.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(write));
    let stream = Box::pin(stream);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
}

async fn tidy(state: Arc<State>) {
    loop {
        tokio::time::sleep(UPKEEP).await;
        state.recorded.tidy();
    }
}
