//! The decision, in a compute pool and under the deadline.

use super::Draft;
use super::clock::Clock;
use crate::error::Error;
use crate::exec::Task;
use crate::gather::inputs::Inputs;
use crate::redaction::{Redactions, redact_sources, without_secrets};
use crate::request::PackMode;
use kitbag_core::{Cancel, Decision, Job, PackError, decide, pack};
use std::borrow::Cow;
use std::sync::Arc;

/// The decision and its text.
pub(super) struct PackOutcome {
    pub decision: Decision,
    pub content: Option<String>,
    pub redactions: Redactions,
    pub clock: Clock,
    /// Whether the deadline passed first; the pack is empty then.
    pub is_late: bool,
}

impl Draft<'_> {
    /// Redacts the sources and decides in a compute pool, until the deadline.
    pub fn decide(
        &self,
        mut inputs: Inputs,
        now: Option<i64>,
        mut clock: Clock,
        cancel: &Cancel,
    ) -> Result<PackOutcome, Error> {
        clock.next("redact");
        let (end, mode) = (self.deadline.end(), self.job.mode);
        let late = || PackOutcome {
            decision: Decision::default(),
            content: (mode == PackMode::Pack).then(String::new),
            redactions: Redactions::default(),
            clock: Clock::start("late"),
            is_late: true,
        };
        let Some(pool) = self.services.pools.take_until(end, cancel)? else { return Ok(late()) };
        let (request, settings) = (Arc::clone(&self.job.request), Arc::clone(&self.frame.settings));
        let (redact, budget) = (self.context.gathering.redact, self.context.gathering.budget);
        let counting = Arc::clone(&self.services.counting);
        let work = move |cancel: &Cancel| {
            let mut redactions = Redactions::default();
            if redact {
                let redacted = redact_sources(&mut inputs.sources, &counting, cancel);
                redactions = redacted.map_err(PackError::from)?;
                inputs.redactions.iter().for_each(|(path, found)| redactions.note(path, found));
            }
            // A template may print the task.
            let task = request.task.trim();
            let task = if redact { without_secrets(task) } else { Cow::Borrowed(task) };
            let job = Job {
                sources: inputs.sources,
                task: &task,
                now,
                budget,
                settings: &settings,
                counting: &counting,
                cancel,
            };
            let (decision, content) = match mode {
                PackMode::Pack => {
                    let packed = pack(job, &mut clock)?;
                    (packed.decision, Some(packed.text))
                }
                PackMode::Preview => (decide(job, &mut clock)?, None),
            };
            Ok(PackOutcome { decision, content, redactions, clock, is_late: false })
        };
        let outcome = Task::spawn_in(pool, cancel, work).wait_until(end)?;
        Ok(outcome.unwrap_or_else(late))
    }
}
