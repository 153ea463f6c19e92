//! The calls about one text.

use crate::limits::{CallLimits, free_cpu, is_large};
use crate::pool::WorkerPool;
use crate::protocol::{Reply, Request};
use crate::slots::Slot;
use crate::usage::is_measured;
use crate::worker::{CallFailure, Worker};
use kitbag_text::syntax::{ParseFailure, ParseRequest};
use kitbag_text::{Fallback, ParseAllowance};
use std::time::{Duration, Instant};

/// Number of times a text is tried. A worker may die for a reason that has nothing to do with the text.
const ATTEMPTS: usize = 2;
/// CPU time that the loss of a worker counts as: another has to be started.
const START_CPU: Duration = Duration::from_millis(20);

/// A worker and what it may still use for a text. When dropped, what the text has cost beyond the
/// ordinary is charged to the budget of the request.
pub(crate) struct Session<'a> {
    pool: &'a WorkerPool,
    request: &'a ParseRequest<'a>,
    allowance: ParseAllowance,
    pub limits: CallLimits,
    started: Instant,
    /// CPU time of the calls so far, including that of workers that died.
    cpu: Duration,
    /// Number of workers that died.
    deaths: u32,
    worker: Option<Worker>,
    _slot: Slot<'a>,
}

impl<'a> Session<'a> {
    /// Waits until the text may be parsed.
    pub fn begin(
        pool: &'a WorkerPool,
        request: &'a ParseRequest<'a>,
    ) -> Result<Self, ParseFailure> {
        let bytes = request.content.len();
        let slot = pool.slots.take(is_large(bytes), request.cancel)?;
        // Texts that were parsed while this one was waiting may have used up the budget.
        let allowance = request.cancel.parse_budget().allowance(request.language);
        if allowance == ParseAllowance::Denied {
            request.cancel.parse_budget().deny(request.content);
            return Err(Fallback::ParserBudgetExceeded.into());
        }
        let limits = CallLimits::for_text(bytes, is_measured()).with_allowance(allowance, bytes);
        let (started, cpu, deaths) = (Instant::now(), Duration::ZERO, 0);
        Ok(Self {
            pool,
            request,
            allowance,
            limits,
            started,
            cpu,
            deaths,
            worker: None,
            _slot: slot,
        })
    }

    /// Has a worker answer the first request about the text.
    pub fn open(&mut self, message: &Request<'_>) -> Result<Reply, ParseFailure> {
        let mut failure = CallFailure::Crashed;
        for attempt in 0..ATTEMPTS {
            self.request.cancel.check()?;
            // An idle worker may have been damaged by an earlier text, so the last attempt gets a new one.
            let idle = if attempt == 0 { self.pool.idle().pop() } else { None };
            let worker = match idle {
                Some(worker) => worker,
                None => self.pool.start()?,
            };
            self.worker = Some(worker);
            match self.call(message) {
                Ok(reply) => return Ok(reply),
                Err(CallFailure::Crashed) => {}
                Err(other) => {
                    failure = other;
                    break;
                }
            }
        }
        Err(self.fail(failure))
    }

    /// Sends a request and waits for the reply. After a failure, there is no worker any more.
    pub fn call(&mut self, message: &Request<'_>) -> Result<Reply, CallFailure> {
        let mut worker = self.worker.take().ok_or(CallFailure::Crashed)?;
        let limits = self.limits.after(self.cpu);
        let answer = worker.call(message, limits, self.request.cancel);
        self.cpu += answer.cpu;
        match answer.reply {
            Ok(_) => self.worker = Some(worker),
            Err(_) => self.deaths += 1,
        }
        answer.reply
    }

    /// Remembers a failure, unless the call was cancelled.
    pub fn fail(&self, failure: CallFailure) -> ParseFailure {
        let is_reduced = self.allowance != ParseAllowance::Full;
        if is_reduced && failure == CallFailure::TimeLimit {
            // With the time of other texts it might have been parsed, so others may try it again.
            self.request.cancel.parse_budget().deny(self.request.content);
            return Fallback::ParserBudgetExceeded.into();
        }
        let failure = failure.into();
        if let ParseFailure::Fallback(fallback) = failure {
            self.pool.failures.add(self.request.language, self.request.content, fallback);
        }
        failure
    }

    /// Keeps the worker for the next text.
    pub fn finish(mut self) {
        if let Some(worker) = self.worker.take()
            && worker.is_reusable(self.request.content.len(), self.started.elapsed())
        {
            self.pool.keep(worker);
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let excess = self.cpu.saturating_sub(free_cpu(self.request.content.len()));
        let excess = excess + START_CPU * self.deaths;
        if !excess.is_zero() {
            self.request.cancel.parse_budget().charge(self.request.language, excess);
        }
    }
}
