//! The decision, on the engine's threads, and only until the deadline.

use super::Want;
use super::clock::{Clock, Deadline};
use crate::error::Error;
use crate::inputs::Inputs;
use crate::pools::Pools;
use crate::redaction::{Redactions, redact_sources};
use crate::request::Request;
use kitbag_core::{Cancel, Decision, Job, PackError, Settings, decide, pack};
use kitbag_tokens::Counting;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};

/// What is to be packed.
pub(super) struct Packing {
    pub request: Arc<Request>,
    pub settings: Arc<Settings>,
    pub counting: Arc<Counting>,
    pub redact: bool,
    pub inputs: Inputs,
    pub now: Option<i64>,
    pub budget: usize,
    pub want: Want,
    pub clock: Clock,
}

/// What it came to.
pub(super) struct Wrapped {
    pub decision: Decision,
    pub content: Option<String>,
    pub redactions: Redactions,
    pub clock: Clock,
    /// Whether the deadline came first: then nothing is in.
    pub is_late: bool,
}

impl Wrapped {
    /// Nothing.
    fn late(want: Want) -> Self {
        Self {
            decision: Decision::default(),
            content: (want == Want::Text).then(String::new),
            redactions: Redactions::default(),
            clock: Clock::start("late"),
            is_late: true,
        }
    }
}

/// Packs.
pub(super) fn wrap(
    packing: Packing,
    pools: &Arc<Pools>,
    deadline: &Deadline,
    cancel: &Cancel,
) -> Result<Wrapped, Error> {
    let want = packing.want;
    let (sender, receiver) = channel();
    let own = cancel.child();
    let Some(pool) = pools.take_until(deadline.end(), cancel)? else {
        return Ok(Wrapped::late(want));
    };
    let (flag, busy) = (own.clone(), Arc::clone(&pool));
    pool.spawn(move || {
        let packed = catch_unwind(AssertUnwindSafe(|| packing.run(&flag)));
        // The threads are nobody else's until this is done.
        drop(busy);
        // Whoever gave up waiting misses nothing.
        let _ = sender.send(packed.unwrap_or(Err(Error::Lost)));
    });
    let waited = match deadline.left() {
        Some(left) => receiver.recv_timeout(left),
        None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
    };
    match waited {
        Ok(packed) => packed,
        Err(RecvTimeoutError::Disconnected) => Err(Error::Lost),
        Err(RecvTimeoutError::Timeout) => {
            own.cancel();
            Ok(Wrapped::late(want))
        }
    }
}

impl Packing {
    fn run(self, cancel: &Cancel) -> Result<Wrapped, Error> {
        let Self { request, settings, counting, mut inputs, mut clock, .. } = self;
        let mut redactions = Redactions::default();
        if self.redact {
            redactions =
                redact_sources(&mut inputs.sources, &counting, cancel).map_err(PackError::from)?;
            for (path, found) in &inputs.redactions {
                redactions.note(path, found);
            }
        }
        let job = Job {
            sources: inputs.sources,
            task: request.task.trim(),
            now: self.now,
            budget: self.budget,
            settings: &settings,
            counting: &counting,
            cancel,
        };
        let (decision, content) = match self.want {
            Want::Text => {
                let packed = pack(job, &mut clock)?;
                (packed.decision, Some(packed.text))
            }
            Want::Decision => (decide(job, &mut clock)?, None),
        };
        Ok(Wrapped { decision, content, redactions, clock, is_late: false })
    }
}
