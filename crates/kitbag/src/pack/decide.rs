//! The decision, in a compute pool and under the deadline.

use super::clock::{Clock, Deadline};
use crate::error::Error;
use crate::exec::{ComputePools, Task};
use crate::gather::inputs::Inputs;
use crate::redaction::{Redactions, redact_sources};
use crate::request::{PackMode, Request};
use kitbag_core::{Cancel, Decision, Job, PackError, Settings, decide, pack};
use kitbag_tokens::CachedCounter;
use std::sync::Arc;

/// Everything that the decision depends on.
pub(super) struct DecisionJob {
    pub request: Arc<Request>,
    pub settings: Arc<Settings>,
    pub counting: Arc<CachedCounter>,
    pub redact: bool,
    pub inputs: Inputs,
    pub now: Option<i64>,
    pub budget: usize,
    pub mode: PackMode,
    pub clock: Clock,
}

/// The decision and its text.
pub(super) struct PackOutcome {
    pub decision: Decision,
    pub content: Option<String>,
    pub redactions: Redactions,
    pub clock: Clock,
    /// Whether the deadline passed first; the pack is empty then.
    pub is_late: bool,
}

impl PackOutcome {
    fn late(mode: PackMode) -> Self {
        Self {
            decision: Decision::default(),
            content: (mode == PackMode::Pack).then(String::new),
            redactions: Redactions::default(),
            clock: Clock::start("late"),
            is_late: true,
        }
    }
}

impl DecisionJob {
    /// Decides in a pool of `pools`, until `deadline`.
    pub fn run_until(
        mut self,
        pools: &ComputePools,
        deadline: &Deadline,
        cancel: &Cancel,
    ) -> Result<PackOutcome, Error> {
        let mode = self.mode;
        self.clock.next("redact");
        let Some(pool) = pools.take_until(deadline.end(), cancel)? else {
            return Ok(PackOutcome::late(mode));
        };
        let task = Task::spawn_in(pool, cancel, move |cancel| self.run(cancel));
        Ok(task.wait_until(deadline.end())?.unwrap_or_else(|| PackOutcome::late(mode)))
    }

    fn run(self, cancel: &Cancel) -> Result<PackOutcome, Error> {
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
        let (decision, content) = match self.mode {
            PackMode::Pack => {
                let packed = pack(job, &mut clock)?;
                (packed.decision, Some(packed.text))
            }
            PackMode::Preview => (decide(job, &mut clock)?, None),
        };
        Ok(PackOutcome { decision, content, redactions, clock, is_late: false })
    }
}
