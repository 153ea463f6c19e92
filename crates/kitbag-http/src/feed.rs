//! The live feed of packs: events with growing ids, the last of which are kept, so that a client that
//! was away goes on where it stopped.
//!
//! An id is `EPOCH-NUMBER`. The epoch is new with every start of the server, so a client that comes
//! back with another one's is told that the server began anew, and gets all that there is.

use crate::packs::Kept;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// So many events are kept.
const KEPT: usize = 256;

/// An event of the stream.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// `context_assembled`, `restarted` or `missed`.
    pub name: &'static str,
    /// What a client resumes after; nothing where there is nothing to resume.
    pub id: Option<String>,
    /// JSON.
    pub data: Arc<str>,
    number: u64,
}

/// The feed.
#[derive(Debug)]
pub(crate) struct Feed {
    epoch: String,
    recent: Mutex<Recent>,
    sender: broadcast::Sender<Told>,
}

#[derive(Debug, Default)]
struct Recent {
    /// The number of the last event.
    last: u64,
    events: VecDeque<Told>,
}

impl Default for Feed {
    fn default() -> Self {
        let epoch = uuid::Uuid::new_v4().simple().to_string();
        let sender = broadcast::channel(KEPT).0;
        Self { epoch: epoch[..12].to_owned(), recent: Mutex::default(), sender }
    }
}

/// A client's place in the feed.
pub(crate) struct Listener {
    feed_epoch: String,
    /// What is told first.
    before: VecDeque<Told>,
    receiver: broadcast::Receiver<Told>,
    /// The last number that was told.
    seen: u64,
}

impl Feed {
    /// Tells of a pack.
    pub fn publish(&self, kept: &Kept) {
        let data = serde_json::to_string(&kept.summary).unwrap_or_default();
        self.tell(kitbag::ContextAssembled::NAME, data);
    }

    /// Tells that so many packs of other interfaces came too fast to be told.
    pub fn missed(&self, missed: u64) {
        self.tell("missed", json!({ "missed": missed }).to_string());
    }

    fn tell(&self, name: &'static str, data: String) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.last += 1;
        let number = recent.last;
        let id = Some(format!("{}-{number}", self.epoch));
        let told = Told { name, id, data: data.into(), number };
        recent.events.push_back(told.clone());
        if recent.events.len() > KEPT {
            recent.events.pop_front();
        }
        // Nobody may be listening: then nobody misses it. It is sent under the lock, so that a new
        // listener gets it once.
        let _ = self.sender.send(told);
    }

    /// A listener, from now on or from after the event that it saw last.
    pub fn listen(&self, last: Option<&str>) -> Listener {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = self.sender.subscribe();
        let (mut before, mut seen) = (VecDeque::new(), recent.last);
        if let Some(last) = last {
            let own = last.rsplit_once('-').filter(|(epoch, _)| *epoch == self.epoch);
            let after = own.and_then(|(_, number)| number.parse().ok());
            if after.is_none() {
                before.push_back(self.restarted());
            }
            seen = after.unwrap_or(0).min(recent.last);
            before.extend(recent.since(seen));
            seen = recent.last;
        }
        Listener { feed_epoch: self.epoch.clone(), before, receiver, seen }
    }

    /// What came after an event, for a listener that was too slow.
    fn since(&self, seen: u64) -> Vec<Told> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).since(seen)
    }

    fn restarted(&self) -> Told {
        let data = json!({ "epoch": self.epoch }).to_string().into();
        Told { name: "restarted", id: Some(format!("{}-0", self.epoch)), data, number: 0 }
    }
}

impl Recent {
    /// The events after a number, and before them how many are not kept any more.
    fn since(&self, seen: u64) -> Vec<Told> {
        let first = self.events.front().map_or(self.last + 1, |told| told.number);
        let missed = first.saturating_sub(seen + 1);
        let gap = (missed > 0).then(|| Told {
            name: "missed",
            id: None,
            data: json!({ "missed": missed }).to_string().into(),
            number: seen,
        });
        let rest = self.events.iter().filter(|told| told.number > seen).cloned();
        gap.into_iter().chain(rest).collect()
    }
}

impl Listener {
    /// The epoch of the feed.
    pub fn epoch(&self) -> &str {
        &self.feed_epoch
    }

    /// The next event; `None` once the feed is gone.
    pub async fn next(&mut self, feed: &Feed) -> Option<Told> {
        loop {
            if let Some(told) = self.before.pop_front() {
                self.seen = self.seen.max(told.number);
                return Some(told);
            }
            match self.receiver.recv().await {
                Ok(told) if told.number > self.seen => self.before.push_back(told),
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    self.before.extend(feed.since(self.seen));
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
