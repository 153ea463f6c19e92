//! The last guard of a deadline: whatever a request does, its answer comes shortly after.
//!
//! Every stage keeps to the deadline by itself, and then there is something in the pack. Should one
//! not, such as a provider that hangs before it is even asked, the answer is an empty pack.

use super::Want;
use crate::config::Configured;
use crate::engine::on_a_thread;
use crate::error::Error;
use crate::redaction::Redactions;
use crate::report::{Circumstances, Report};
use crate::request::Request;
use crate::variables::variables;
use kitbag_core::{Cancel, Decision};
use kitbag_tokens::{Choice, Counting, Estimator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long after its deadline a pack that is nearly done is waited for.
const GRACE: Duration = Duration::from_millis(100);

/// What is told of a pack that is not done by its deadline.
pub(crate) struct Late {
    limit: Option<Duration>,
    warnings: Vec<String>,
    want: Want,
    budget: usize,
    format: &'static str,
    tokenizer: String,
    variables: BTreeMap<&'static str, Value>,
    correlation_id: Option<String>,
}

impl Late {
    pub fn new(
        Configured { settled, warnings, .. }: &Configured,
        request: &Request,
        (want, budget, choice): (Want, usize, &Choice),
    ) -> Self {
        Self {
            limit: request.deadline_ms.or(settled.deadline_ms).map(Duration::from_millis),
            warnings: warnings.clone(),
            want,
            budget,
            format: settled.settings.formatting.name(),
            tokenizer: choice.to_string(),
            variables: variables(request, None),
            correlation_id: request.correlation_id.clone(),
        }
    }

    /// When it is told, of a request that was asked at `began`.
    pub fn comes(&self, began: Instant) -> Option<Instant> {
        self.limit.map(|limit| began + limit + GRACE)
    }

    /// The report of a pack in which nothing is.
    pub fn report(self) -> Report {
        let limit = self.limit.unwrap_or_default().as_millis();
        let mut warnings = self.warnings;
        warnings.push(format!("the deadline of {limit} ms came before anything could be packed"));
        let around = Circumstances {
            content: (self.want == Want::Text).then(String::new),
            budget: self.budget,
            format: self.format,
            rejected: Vec::new(),
            redactions: Redactions::default(),
            files_searched: 0,
            timings: Vec::new(),
            warnings,
            providers: Vec::new(),
            rules: Vec::new(),
            variables: self.variables,
            partial: true,
            correlation_id: self.correlation_id,
        };
        // The tokenizer itself may be what took so long. Nothing was counted with it.
        let nobody = Counting::new(Arc::new(Estimator::Characters), 0);
        let mut report = Report::new(Decision::default(), around, &nobody);
        report.tokenizer.name = self.tokenizer;
        report
    }
}

/// Does the work of a request that was asked at `began`; where it has a deadline, not for longer.
pub(crate) fn in_time(
    began: Instant,
    late: Late,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<Report, Error> + Send + 'static,
) -> Result<Report, Error> {
    let Some(until) = late.comes(began) else { return work(cancel) };
    let own = cancel.child();
    let (flag, (sender, receiver)) = (own.clone(), channel());
    on_a_thread(move || {
        let answer = catch_unwind(AssertUnwindSafe(|| work(&flag)));
        // Whoever gave up waiting misses nothing.
        let _ = sender.send(answer.unwrap_or(Err(Error::Lost)));
    })?;
    match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Disconnected) => Err(Error::Lost),
        Err(RecvTimeoutError::Timeout) => {
            own.cancel();
            Ok(late.report())
        }
    }
}
