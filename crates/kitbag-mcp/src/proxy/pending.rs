//! The requests that the upstream server has not answered yet.

use super::enrich::{CallContext, ContextTask};
use super::envelope::MessageId;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The action on the response to a request.
pub(super) enum ResponseAction {
    Forward,
    /// Forward it, and learn from it which tools take a context.
    LearnTools,
    /// Add the context, once it is packed.
    AppendContext {
        context: ContextTask,
        in_structured: bool,
    },
    /// Note which context the call was given.
    NoteContext(CallContext),
}

/// The open requests, by id.
#[derive(Default)]
pub(super) struct PendingRequests {
    open: BTreeMap<MessageId, ResponseAction>,
    /// When the server last sent a line, or was sent a request while none was open.
    last_activity: Option<Instant>,
}

impl PendingRequests {
    pub fn add(&mut self, id: MessageId, action: ResponseAction) {
        if self.open.is_empty() {
            self.touch();
        }
        self.open.insert(id, action);
    }

    /// Restarts the timeout: the server has sent a line, or could not be read from.
    pub fn touch(&mut self) {
        self.last_activity = Some(Instant::now());
    }

    /// Removes a request that has been answered.
    pub fn take(&mut self, id: &MessageId) -> Option<ResponseAction> {
        self.open.remove(id)
    }

    /// Removes a request and stops packing its context.
    pub fn cancel(&mut self, id: &MessageId) {
        if let Some(ResponseAction::AppendContext { context, .. }) = self.take(id) {
            context.abort();
        }
    }

    /// Cancels all requests and returns their ids in order.
    pub fn cancel_all(&mut self) -> Vec<MessageId> {
        let ids: Vec<MessageId> = self.open.keys().cloned().collect();
        ids.iter().for_each(|id| self.cancel(id));
        ids
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns when the server counts as hung unless it sends a line.
    pub fn deadline(&self, timeout: Option<Duration>) -> Option<Instant> {
        if self.open.is_empty() {
            return None;
        }
        self.last_activity?.checked_add(timeout?)
    }
}
