//! The requests that the server behind has not answered yet.

use super::enrich::Context;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// What becomes of an answer.
pub(super) enum Fate {
    /// It is passed on.
    Pass,
    /// It is passed on, and tells which tools there are.
    Tools,
    /// It gets a context that is being made.
    Append(JoinHandle<Result<Context, String>>),
    /// The call has its context already, and its result is to tell.
    Note(Context),
}

/// The requests that are open, by their numbers as JSON.
#[derive(Default)]
pub(super) struct Pending {
    open: BTreeMap<String, (Value, Fate)>,
    /// When the server was last heard of, or last asked while it had nothing else to do.
    heard: Option<Instant>,
}

impl Pending {
    pub fn add(&mut self, id: Value, fate: Fate) {
        if self.open.is_empty() {
            self.heard = Some(Instant::now());
        }
        self.open.insert(id.to_string(), (id, fate));
    }

    /// The server has said something.
    pub fn hear(&mut self) {
        self.heard = Some(Instant::now());
    }

    /// Takes out a request that is answered, or that nobody waits for any more.
    pub fn take(&mut self, id: &Value) -> Option<Fate> {
        let (_, fate) = self.open.remove(&id.to_string())?;
        Some(fate)
    }

    /// Takes out all, and gives their numbers in order.
    pub fn drain(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.open).into_values().map(|(id, _)| id).collect()
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
        Some(self.heard? + timeout?)
    }
}
