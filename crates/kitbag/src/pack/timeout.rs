//! The last guard of a deadline: the answer arrives shortly after it, whatever a request does.
//!
//! Every stage observes the deadline itself and packs what it has. If one does not, such as a provider
//! that hangs before it is even asked, the answer is an empty pack.

use super::variables::variables;
use crate::error::Error;
use crate::exec::Task;
use crate::report::{Report, ReportInputs};
use crate::request::{PackMode, Request};
use kitbag_config::RequestConfig;
use kitbag_core::{Cancel, Decision};
use kitbag_tokens::{CachedCounter, Estimator, TokenizerChoice};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long after its deadline a nearly finished pack is waited for.
const GRACE: Duration = Duration::from_millis(100);

/// The report of a pack that missed its deadline.
pub(crate) struct TimeoutReport {
    limit: Option<Duration>,
    inputs: ReportInputs,
    tokenizer: String,
}

impl TimeoutReport {
    pub fn new(
        configured: &RequestConfig,
        request: &Request,
        mode: PackMode,
        budget: usize,
        tokenizer: &TokenizerChoice,
    ) -> Self {
        let settled = &configured.settings;
        let format = settled.settings.formatting.name();
        let inputs = ReportInputs {
            warnings: configured.warnings.clone(),
            variables: variables(request, None),
            partial: true,
            ..ReportInputs::empty(request, mode, budget, format)
        };
        Self {
            limit: request.deadline_ms.or(settled.deadline_ms).map(Duration::from_millis),
            inputs,
            tokenizer: tokenizer.to_string(),
        }
    }

    /// When a request that was made at `started` is given up.
    pub fn due(&self, started: Instant) -> Option<Instant> {
        self.limit.map(|limit| started + limit + GRACE)
    }

    pub fn report(mut self) -> Report {
        let limit = self.limit.unwrap_or_default().as_millis();
        let warning = format!("nothing was packed before the deadline of {limit} ms");
        self.inputs.warnings.push(warning);
        // Loading the tokenizer may be what took too long, and nothing was counted with it.
        let unused = CachedCounter::new(Arc::new(Estimator::Characters), 0);
        let mut report = Report::new(Decision::default(), self.inputs, &unused);
        report.tokenizer.name = self.tokenizer;
        report
    }
}

/// Runs the work of a request that was made at `started`, no longer than its deadline.
pub(crate) fn run_until(
    started: Instant,
    timeout: TimeoutReport,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<Report, Error> + Send + 'static,
) -> Result<Report, Error> {
    let Some(due) = timeout.due(started) else { return work(cancel) };
    let report = Task::spawn(cancel, work)?.wait_until(Some(due))?;
    Ok(report.unwrap_or_else(|| timeout.report()))
}
