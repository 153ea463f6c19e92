//! Bounds on the requests of a client that have not been answered: their number and their bytes.
//!
//! A request is admitted when it is handed to the handler, and released when its response has been
//! written, or when it is cancelled and gets none. A client that does not read its responses is
//! therefore not given more of them.

use crate::options::McpLimits;
use rmcp::model::{ClientRequest, RequestId};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Number of requests other than calls, such as pings, that are admitted while no more calls are.
const RESERVED_REQUESTS: usize = 16;

/// Maximum bytes of the admitted requests, in messages of the maximum size.
const MAX_MESSAGES: usize = 4;

/// What a request takes up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestWeight {
    /// Length of its line.
    pub bytes: usize,
    /// Whether it runs a tool or a prompt, which takes time.
    pub is_call: bool,
}

/// The requests of a client that have not been answered.
#[derive(Debug)]
pub(crate) struct Admission {
    max_calls: usize,
    max_bytes: usize,
    state: Mutex<AdmissionState>,
    /// Signals that a request may be admitted, or that the client is asked something.
    changed: Notify,
}

#[derive(Debug, Default)]
struct AdmissionState {
    admitted: HashMap<RequestId, RequestWeight>,
    calls: usize,
    bytes: usize,
    /// Number of requests to the client that it has not answered.
    questions: usize,
}

impl RequestWeight {
    pub fn new(request: &ClientRequest, bytes: usize) -> Self {
        let is_call = matches!(
            request,
            ClientRequest::CallToolRequest(_) | ClientRequest::GetPromptRequest(_)
        );
        Self { bytes, is_call }
    }
}

impl Admission {
    pub fn new(limits: &McpLimits) -> Self {
        Self {
            max_calls: limits.concurrency.saturating_add(limits.queue).max(1),
            max_bytes: limits.request_bytes.saturating_mul(MAX_MESSAGES),
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Admits a request if it is within the bounds. A request alone always is.
    pub fn try_admit(&self, id: &RequestId, weight: RequestWeight) -> bool {
        let mut state = self.lock();
        let has_room = state.admitted.len() < self.max_calls.saturating_add(RESERVED_REQUESTS)
            && state.bytes.saturating_add(weight.bytes) <= self.max_bytes
            && (!weight.is_call || state.calls < self.max_calls);
        let is_admitted = has_room || state.admitted.is_empty();
        if is_admitted {
            state.calls += usize::from(weight.is_call);
            state.bytes += weight.bytes;
            state.admitted.insert(id.clone(), weight);
        }
        is_admitted
    }

    pub fn is_admitted(&self, id: &RequestId) -> bool {
        self.lock().admitted.contains_key(id)
    }

    /// Releases a request, if it is admitted.
    pub fn release(&self, id: &RequestId) {
        let mut state = self.lock();
        if let Some(weight) = state.admitted.remove(id) {
            state.calls -= usize::from(weight.is_call);
            state.bytes -= weight.bytes;
            self.changed.notify_one();
        }
    }

    /// Notes that the client is asked something. Calls may wait for the answer.
    pub fn ask(&self) {
        self.lock().questions += 1;
        self.changed.notify_one();
    }

    /// Notes an answer of the client.
    pub fn answer(&self) {
        let mut state = self.lock();
        state.questions = state.questions.saturating_sub(1);
    }

    pub fn awaits_client(&self) -> bool {
        self.lock().questions > 0
    }

    /// Waits for a change since the last call.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, AdmissionState> {
        // No code that runs under the lock panics halfway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission() -> Admission {
        let limits =
            McpLimits { concurrency: 1, queue: 1, request_bytes: 100, ..McpLimits::default() };
        Admission::new(&limits)
    }

    fn call(bytes: usize) -> RequestWeight {
        RequestWeight { bytes, is_call: true }
    }

    #[test]
    fn calls_are_bounded_and_others_have_a_reserve() {
        let admission = admission();
        let admit = |id: i64, is_call| {
            admission.try_admit(&RequestId::Number(id), RequestWeight { bytes: 1, is_call })
        };
        assert!(admit(0, true) && admit(1, true) && !admit(2, true));
        let others = (10..100).filter(|id| admit(*id, false)).count();
        assert_eq!(others, RESERVED_REQUESTS);
        admission.release(&RequestId::Number(10));
        assert!(!admit(2, true) && admit(10, false));
        admission.release(&RequestId::Number(0));
        admission.release(&RequestId::Number(0));
        assert!(admit(2, true) && !admit(3, true));
    }

    #[test]
    fn bytes_are_bounded_except_for_a_single_request() {
        let admission = admission();
        let admit = |id: i64, bytes| admission.try_admit(&RequestId::Number(id), call(bytes));
        assert!(admit(0, 1_000) && !admit(1, 1));
        admission.release(&RequestId::Number(0));
        assert!(admit(1, 399) && !admit(2, 2) && admit(3, 1));
    }
}
