//! The live feed of packs. Recent events are kept, so that a client can resume after a disconnect.
//!
//! An event id is `EPOCH-NUMBER`. Each server start has a new epoch: a client that resumes with an id
//! of another epoch receives `restarted` and then all recent events.

use crate::recent_packs::{PackChunk, PackEvent, StoredPack};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::watch;

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
}

impl FeedEvent {
    fn new(kind: FeedEventKind, id: Option<String>, data: &Value) -> Self {
        Self { kind, id, json: data.to_string().into() }
    }
}

#[derive(Debug)]
pub(crate) struct EventFeed {
    epoch: String,
    recent: watch::Sender<RecentEvents>,
}

/// The latest events, of which the newest has `last_number`.
#[derive(Debug, Default)]
struct RecentEvents {
    last_number: u64,
    events: VecDeque<FeedEvent>,
}

impl Default for EventFeed {
    fn default() -> Self {
        let epoch = uuid::Uuid::new_v4().simple().to_string();
        Self { epoch: epoch[..12].to_owned(), recent: watch::Sender::default() }
    }
}

impl EventFeed {
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Publishes a pack with what is in it.
    pub fn publish(&self, pack: &StoredPack, chunks: Vec<PackChunk>) {
        let event = PackEvent { summary: pack.summary.clone(), chunks };
        self.send(FeedEventKind::ContextAssembled, &json!(event));
    }

    /// Publishes that `count` packs of other interfaces were lost.
    pub fn publish_missed(&self, count: u64) {
        self.send(FeedEventKind::Missed, &json!({ "missed": count }));
    }

    fn send(&self, kind: FeedEventKind, data: &Value) {
        self.recent.send_modify(|recent| {
            recent.last_number += 1;
            let id = format!("{}-{}", self.epoch, recent.last_number);
            recent.events.push_back(FeedEvent::new(kind, Some(id), data));
            if recent.events.len() > MAX_RECENT_EVENTS {
                recent.events.pop_front();
            }
        });
    }

    /// Subscribes to events from now on, or from after the event with the id `last_id`.
    pub fn subscribe(&self, last_id: Option<&str>) -> FeedSubscriber {
        let receiver = self.recent.subscribe();
        let last_number = receiver.borrow().last_number;
        let mut subscriber = FeedSubscriber { pending: VecDeque::new(), receiver, last_number };
        if let Some(last_id) = last_id {
            let own_id = last_id.rsplit_once('-').filter(|(epoch, _)| *epoch == self.epoch);
            let number: Option<u64> = own_id.and_then(|(_, number)| number.parse().ok());
            if number.is_none() {
                let (id, data) = (format!("{}-0", self.epoch), json!({ "epoch": self.epoch }));
                let restarted = FeedEvent::new(FeedEventKind::Restarted, Some(id), &data);
                subscriber.pending.push_back(restarted);
            }
            subscriber.last_number = number.unwrap_or(0).min(last_number);
            subscriber.receive();
        }
        subscriber
    }
}

/// A client of the feed.
pub(crate) struct FeedSubscriber {
    /// Events to deliver before waiting for others.
    pending: VecDeque<FeedEvent>,
    receiver: watch::Receiver<RecentEvents>,
    /// Number of the last event that was received.
    last_number: u64,
}

impl FeedSubscriber {
    /// Returns the next event, or `None` once the feed is closed.
    pub async fn next(&mut self) -> Option<FeedEvent> {
        while self.pending.is_empty() {
            self.receiver.changed().await.ok()?;
            self.receive();
        }
        self.pending.pop_front()
    }

    /// Adds all new events to the pending ones, preceded by a `missed` event if some are gone.
    fn receive(&mut self) {
        let recent = self.receiver.borrow_and_update();
        let new = recent.last_number - self.last_number;
        let missed = new.saturating_sub(recent.events.len() as u64);
        if missed > 0 {
            let data = json!({ "missed": missed });
            self.pending.push_back(FeedEvent::new(FeedEventKind::Missed, None, &data));
        }
        let seen = recent.events.len().saturating_sub(new as usize);
        self.pending.extend(recent.events.iter().skip(seen).cloned());
        self.last_number = recent.last_number;
    }
}
