//! `GET /v1/events`: packs as they are made.

use crate::body;
use crate::feed::{Listener, Told};
use crate::meters::{self, Counted};
use crate::problem::Problem;
use crate::state::State;
use axum::extract::State as Shared;
use axum::http::{HeaderMap, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// How long a client waits before it comes back.
const RETRY: Duration = Duration::from_secs(1);

/// How often something is sent, so that both sides know that the other one lives.
const ALIVE: Duration = Duration::from_secs(15);

/// Where to begin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct From {
    /// The id of the last event that was seen, for clients that cannot send `Last-Event-ID`.
    last_event_id: Option<String>,
}

/// Tells of packs, from now on or from after the last event that the client saw.
pub(crate) async fn events(
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let From { last_event_id } = body::query(&uri)?;
    let place = Arc::clone(&state.streams).try_acquire_owned();
    let place = place.map_err(|_| Problem::busy("too many clients listen to events"))?;
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let last = header.or(last_event_id);
    let listener = state.feed.listen(last.as_deref());
    let streaming = Streaming { state, listener, _place: place, _counted: meters::streaming() };
    let alive = KeepAlive::new().interval(ALIVE).text("alive");
    Ok(Sse::new(streaming.events()).keep_alive(alive).into_response())
}

/// A client that listens. It has its place until it goes.
struct Streaming {
    state: Arc<State>,
    listener: Listener,
    _place: OwnedSemaphorePermit,
    _counted: Counted,
}

impl Streaming {
    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        let hello = format!("epoch {}", self.listener.epoch());
        let first = stream::iter([Ok(Event::default().retry(RETRY).comment(hello))]);
        let rest = stream::unfold(self, |mut it| async move {
            let told = tokio::select! {
                told = it.listener.next(&it.state.feed) => told,
                () = it.state.stop.cancelled() => None,
            };
            Some((Ok(event(&told?)), it))
        });
        futures_util::StreamExt::chain(first, rest)
    }
}

fn event(told: &Told) -> Event {
    let event = Event::default().event(told.name).data(&*told.data);
    match &told.id {
        Some(id) => event.id(id),
        None => event,
    }
}
