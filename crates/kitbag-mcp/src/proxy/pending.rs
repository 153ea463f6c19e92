//! The requests that the server behind has not answered yet.

use super::enrich::{Context, Making};
use super::frame::Id;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What becomes of an answer.
pub(super) enum Fate {
    /// It is passed on.
    Pass,
    /// It is passed on, and tells which tools there are.
    Tools,
    /// It gets a context that is being made.
    Append(Making),
    /// The call has its context already, and its result is to tell.
    Note(Context),
}

/// The requests that are open, by their numbers.
#[derive(Default)]
pub(super) struct Pending {
    open: BTreeMap<Id, Fate>,
    /// When the server was last heard of, or last asked while it had nothing else to do.
    heard: Option<Instant>,
}

impl Pending {
    pub fn add(&mut self, id: Id, fate: Fate) {
        if self.open.is_empty() {
            self.heard = Some(Instant::now());
        }
        self.open.insert(id, fate);
    }

    /// The server has said something, or could not be listened to.
    pub fn hear(&mut self) {
        self.heard = Some(Instant::now());
    }

    /// Takes out a request that is answered.
    pub fn take(&mut self, id: &Id) -> Option<Fate> {
        self.open.remove(id)
    }

    /// Takes out a request that nobody waits for any more.
    pub fn cancel(&mut self, id: &Id) {
        if let Some(Fate::Append(making)) = self.take(id) {
            making.abort();
        }
    }

    /// Takes out all, and gives their numbers in order.
    pub fn drain(&mut self) -> Vec<Id> {
        let ids: Vec<Id> = self.open.keys().cloned().collect();
        ids.iter().for_each(|id| self.cancel(id));
        ids
    }

    /// Whether nothing is waited for.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// When the server has hung, if nothing is heard of it until then.
    pub fn deadline(&self, timeout: Option<Duration>) -> Option<Instant> {
        if self.open.is_empty() {
            return None;
        }
        self.heard?.checked_add(timeout?)
    }
}
