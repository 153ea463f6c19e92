//! The decision, in a compute pool and under the deadline.

use super::Draft;
use super::clock::Clock;
use super::head::PackHead;
use crate::error::Error;
use crate::exec::Task;
use crate::gather::inputs::Inputs;
use crate::redaction::{Redactions, redact_sources, without_secrets};
use crate::report::BodyFacts;
use crate::request::PackMode;
use crate::search::why::Reasons;
use kitbag_core::{
    Cancel, Decision, HeadWriter, Job, PackError, PackOptions, Packed, pack_with_options,
};
use std::borrow::Cow;
use std::sync::Arc;

/// The decision and its text.
pub(super) struct PackOutcome {
    pub decision: Decision,
    pub content: Option<String>,
    /// The text without its head, if the pack was to have one.
    pub body: Option<BodyFacts>,
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
        reasons: Option<Arc<Reasons>>,
        now: Option<i64>,
        mut clock: Clock,
        cancel: &Cancel,
    ) -> Result<PackOutcome, Error> {
        clock.next("redact");
        let (end, mode) = (self.deadline.end(), self.job.mode);
        let late = || PackOutcome {
            decision: Decision::default(),
            content: (mode == PackMode::Pack).then(String::new),
            body: None,
            redactions: Redactions::default(),
            clock: Clock::start("late"),
            is_late: true,
        };
        let Some(pool) = self.services.pools.take_until(end, cancel)? else { return Ok(late()) };
        let (request, settings) = (Arc::clone(&self.job.request), Arc::clone(&self.frame.settings));
        let (redact, budget) = (self.context.gathering.redact, self.context.gathering.budget);
        let counting = Arc::clone(&self.services.counting);
        let sent = self.job.sent.clone();
        let head = PackHead::of(&request, self.job.settings().contents, budget);
        let warnings = self.context.warnings.clone();
        let head = head.map(|head| PackHead { reasons, warnings, ..head });
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
            let head = head.as_ref().map(|head| head as &dyn HeadWriter);
            let options = PackOptions { sent: sent.as_deref(), head };
            let is_pack = mode == PackMode::Pack;
            let Packed { decision, text, body } =
                pack_with_options(job, options, is_pack, &mut clock)?;
            let content = is_pack.then_some(text);
            let body = body.map(|body| BodyFacts::new(&body));
            Ok(PackOutcome { decision, content, body, redactions, clock, is_late: false })
        };
        let outcome = Task::spawn_in(pool, cancel, work).wait_until(end)?;
        Ok(outcome.unwrap_or_else(late))
    }
}
