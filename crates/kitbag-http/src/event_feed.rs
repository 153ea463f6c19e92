//! The live feed of packs. Recent events are kept, so that a client can resume after a disconnect.
//!
//! An event id is `EPOCH-NUMBER`. Each server start has a new epoch: a client that resumes with an id
//! of another epoch receives `restarted` and then all recent events.

use crate::recent_packs::StoredPack;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// Number of events kept for clients that resume or lag.
const MAX_RECENT_EVENTS: usize = 256;

/// Kind of a feed event, the `event` field of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedEventKind {
    ContextAssembled,
    /// The server restarted since the event the client resumes from.
    Restarted,
    /// Events were lost.
    Missed,
}

impl FeedEventKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ContextAssembled => kitbag::ContextAssembled::NAME,
            Self::Restarted => "restarted",
            Self::Missed => "missed",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct FeedEvent {
    pub kind: FeedEventKind,
    /// Id to resume after; `None` for an event that describes a gap.
    pub id: Option<String>,
    pub json: Arc<str>,
    number: u64,
}

impl FeedEvent {
    fn new(kind: FeedEventKind, id: Option<String>, data: &Value, number: u64) -> Self {
        Self { kind, id, json: data.to_string().into(), number }
    }
}

#[derive(Debug)]
pub(crate) struct EventFeed {
    epoch: String,
    recent: Mutex<RecentEvents>,
    sender: broadcast::Sender<FeedEvent>,
}

#[derive(Debug, Default)]
struct RecentEvents {
    last_number: u64,
    events: VecDeque<FeedEvent>,
}

impl Default for EventFeed {
    fn default() -> Self {
        let epoch = uuid::Uuid::new_v4().simple().to_string();
        let (sender, _) = broadcast::channel(MAX_RECENT_EVENTS);
        Self { epoch: epoch[..12].to_owned(), recent: Mutex::default(), sender }
    }
}

impl EventFeed {
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    pub fn publish(&self, pack: &StoredPack) {
        self.send(FeedEventKind::ContextAssembled, &json!(pack.summary));
    }

    /// Publishes that `count` packs of other interfaces were lost.
    pub fn publish_missed(&self, count: u64) {
        self.send(FeedEventKind::Missed, &json!({ "missed": count }));
    }

    fn send(&self, kind: FeedEventKind, data: &Value) {
        let mut recent = self.lock();
        recent.last_number += 1;
        let number = recent.last_number;
        let event = FeedEvent::new(kind, Some(format!("{}-{number}", self.epoch)), data, number);
        recent.events.push_back(event.clone());
        if recent.events.len() > MAX_RECENT_EVENTS {
            recent.events.pop_front();
        }
        // Sent under the lock, so that a new subscriber gets the event exactly once. Sending
        // fails without subscribers.
        let _ = self.sender.send(event);
    }

    /// Subscribes to events from now on, or from after the event with the id `last_id`.
    pub fn subscribe(&self, last_id: Option<&str>) -> FeedSubscriber {
        let recent = self.lock();
        let receiver = self.sender.subscribe();
        let mut pending = VecDeque::new();
        if let Some(last_id) = last_id {
            let own_id = last_id.rsplit_once('-').filter(|(epoch, _)| *epoch == self.epoch);
            let number = own_id.and_then(|(_, number)| number.parse().ok());
            if number.is_none() {
                pending.push_back(self.restarted());
            }
            pending.extend(recent.after(number.unwrap_or(0).min(recent.last_number)));
        }
        FeedSubscriber { pending, receiver, last_number: recent.last_number }
    }

    fn restarted(&self) -> FeedEvent {
        let id = Some(format!("{}-0", self.epoch));
        FeedEvent::new(FeedEventKind::Restarted, id, &json!({ "epoch": self.epoch }), 0)
    }

    fn lock(&self) -> MutexGuard<'_, RecentEvents> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecentEvents {
    /// Returns the events after `number`, preceded by a `missed` event if some are gone.
    fn after(&self, number: u64) -> Vec<FeedEvent> {
        let first = self.events.front().map_or(self.last_number + 1, |event| event.number);
        let missed = first.saturating_sub(number + 1);
        let gap = (missed > 0).then(|| {
            FeedEvent::new(FeedEventKind::Missed, None, &json!({ "missed": missed }), number)
        });
        let rest = self.events.iter().filter(|event| event.number > number).cloned();
        gap.into_iter().chain(rest).collect()
    }
}

/// A client of the feed.
pub(crate) struct FeedSubscriber {
    /// Events to deliver before those of the channel.
    pending: VecDeque<FeedEvent>,
    receiver: broadcast::Receiver<FeedEvent>,
    last_number: u64,
}

impl FeedSubscriber {
    /// Returns the next event, or `None` once the feed is closed.
    pub async fn next(&mut self, feed: &EventFeed) -> Option<FeedEvent> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                self.last_number = self.last_number.max(event.number);
                return Some(event);
            }
            match self.receiver.recv().await {
                Ok(event) if event.number > self.last_number => self.pending.push_back(event),
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    self.pending.extend(feed.lock().after(self.last_number));
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
