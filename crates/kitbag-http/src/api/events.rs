//! `GET /v1/events`: packs as they are made.

use crate::body;
use crate::event_feed::{FeedEvent, FeedSubscriber};
use crate::http_metrics::{self, GaugeGuard};
use crate::problem::{ApiResult, Problem};
use crate::state::{HttpState, SharedState};
use crate::viewer::{OfRequest, Viewer};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Reconnection delay sent to clients.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Query of `/v1/events`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsQuery {
    /// Id of the last received event, for clients that cannot send `Last-Event-ID`.
    last_event_id: Option<String>,
}

/// Streams events from now on, or from after the last one the client received.
pub(crate) async fn events(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    headers: HeaderMap,
    uri: Uri,
) -> ApiResult {
    let EventsQuery { last_event_id } = body::query(&uri)?;
    let permit = Arc::clone(&state.event_streams).try_acquire_owned();
    let permit = permit.map_err(|_| Problem::busy("too many open event streams"))?;
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let subscriber = viewer.feed.subscribe(header.or(last_event_id.as_deref()));
    let stream = EventStream {
        state,
        viewer,
        subscriber,
        _permit: permit,
        _gauge: http_metrics::open_event_stream(),
    };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE_INTERVAL).text("alive");
    Ok(Sse::new(stream.events()).keep_alive(keep_alive).into_response())
}

/// The stream of one client, which holds its permit until it disconnects.
struct EventStream {
    state: Arc<HttpState>,
    viewer: Arc<Viewer>,
    subscriber: FeedSubscriber,
    _permit: OwnedSemaphorePermit,
    _gauge: GaugeGuard,
}

impl EventStream {
    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        let epoch = format!("epoch {}", self.viewer.feed.epoch());
        let first = stream::iter([Ok(Event::default().retry(RECONNECT_DELAY).comment(epoch))]);
        let rest = stream::unfold(self, |mut it| async move {
            let event = tokio::select! {
                event = it.subscriber.next() => event,
                () = it.state.shutdown.cancelled() => None,
            };
            Some((Ok(sse_event(&event?)), it))
        });
        first.chain(rest)
    }
}

fn sse_event(event: &FeedEvent) -> Event {
    let sse = Event::default().event(event.kind.as_str()).data(&*event.json);
    match &event.id {
        Some(id) => sse.id(id),
        None => sse,
    }
}
