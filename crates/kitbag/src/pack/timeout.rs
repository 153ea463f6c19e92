//! The last guard of a deadline: the answer arrives shortly after it, whatever a request does.
//!
//! Every stage observes the deadline itself and packs what it has. If one does not, such as a provider
//! that hangs before it is even asked, the answer is an empty pack.

use super::PackJob;
use crate::error::Error;
use crate::exec::Task;
use crate::report::Report;
use kitbag_core::Cancel;
use kitbag_tokens::CachedCounter;
use std::time::{Duration, Instant};

/// How long after its deadline a nearly finished pack is waited for.
const GRACE: Duration = Duration::from_millis(100);

impl PackJob {
    /// Returns the time at which the request is given up.
    pub fn gives_up_at(&self) -> Option<Instant> {
        self.deadline().end().map(|end| end + GRACE)
    }

    /// Returns the report of a pack that missed its deadline.
    pub fn timeout_report(&self) -> Report {
        // Reading a tokenizer file may be what took too long, and nothing was counted with it.
        let counter = self.tokenizer.without_file(self.settings().tokenizer.use_exact);
        let counting = CachedCounter::new(counter, 0);
        let mut report = self.empty_report(self.deadline().missed_warning(), &counting);
        report.partial = true;
        report
    }
}

/// Runs the work of a request, no longer than its deadline.
pub(crate) fn run_until(
    job: &PackJob,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<Report, Error> + Send + 'static,
) -> Result<Report, Error> {
    let Some(end) = job.gives_up_at() else { return work(cancel) };
    let report = Task::spawn(cancel, work)?.wait_until(Some(end))?;
    Ok(report.unwrap_or_else(|| job.timeout_report()))
}
