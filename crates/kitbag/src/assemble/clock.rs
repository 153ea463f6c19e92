//! The clocks of a request: how long its stages take, and when it has to be done.

use crate::report::Timing;
use kitbag_core::{Observer, Stage};
use std::time::{Duration, Instant};

/// Of the time until the deadline, so much is for collecting; the rest is for packing.
const COLLECTING: f64 = 0.7;

/// Of the time until the deadline, so much is for opening the document, and so much for making the
/// repository ready; what is not ready then is done without.
const OPENING: f64 = 0.3;
const PREPARING: f64 = 0.5;

/// When a pack has to be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    /// When it was asked for.
    began: Instant,
    limit: Option<Duration>,
}

impl Deadline {
    pub fn new(began: Instant, limit_ms: Option<u64>) -> Self {
        Self { began, limit: limit_ms.map(Duration::from_millis) }
    }

    /// When the document has to be open.
    pub fn opening(&self) -> Option<Instant> {
        self.after(OPENING)
    }

    /// When the repository has to be ready.
    pub fn preparing(&self) -> Option<Instant> {
        self.after(PREPARING)
    }

    /// When collecting has to end.
    pub fn collecting(&self) -> Option<Instant> {
        self.after(COLLECTING)
    }

    /// When all of it has to be done.
    pub fn end(&self) -> Option<Instant> {
        self.limit.map(|limit| self.began + limit)
    }

    fn after(&self, share: f64) -> Option<Instant> {
        self.limit.map(|limit| self.began + limit.mul_f64(share))
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// How long there still is; `None` where there is no deadline.
    pub fn left(&self) -> Option<Duration> {
        self.end().map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The limit in milliseconds, where there is one.
    pub fn ms(&self) -> Option<u128> {
        self.limit.map(|limit| limit.as_millis())
    }
}

/// Times the stages.
pub(super) struct Clock {
    stage: &'static str,
    since: Instant,
    timings: Vec<Timing>,
}

impl Clock {
    pub fn start(stage: &'static str) -> Self {
        Self { stage, since: Instant::now(), timings: Vec::new() }
    }

    pub fn next(&mut self, stage: &'static str) {
        let ms = self.since.elapsed().as_secs_f64() * 1_000.0;
        match self.timings.iter_mut().find(|timing| timing.stage == self.stage) {
            Some(timing) => timing.ms += ms,
            None => self.timings.push(Timing { stage: self.stage, ms }),
        }
        self.stage = stage;
        self.since = Instant::now();
    }

    pub fn stop(mut self) -> Vec<Timing> {
        self.next("done");
        let ms = self.timings.iter().map(|timing| timing.ms).sum();
        self.timings.push(Timing { stage: "total", ms });
        self.timings
    }
}

impl Observer for Clock {
    fn begins(&mut self, stage: Stage) {
        self.next(stage.name());
    }
}
