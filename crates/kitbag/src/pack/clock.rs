//! The deadline of a request and the timings of its stages.

use kitbag_core::{Observer, Stage};
use kitbag_record::Timing;
use std::time::{Duration, Instant};

/// Share of the time that providers may take; the rest is for packing.
const COLLECT_SHARE: f64 = 0.7;

/// Share of the time for opening the document.
const OPEN_SHARE: f64 = 0.3;

/// Share of the time for reading commits that are not known yet: the history provider waits for them.
const HISTORY_SHARE: f64 = 0.25;

/// Share of the time for bringing the index up to date; packing goes on with what is ready then.
const INDEX_SHARE: f64 = 0.5;

/// The time limit of a request, if it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    started: Instant,
    limit: Option<Duration>,
}

impl Deadline {
    pub fn new(started: Instant, limit_ms: Option<u64>) -> Self {
        Self { started, limit: limit_ms.map(Duration::from_millis) }
    }

    /// When opening the document has to end.
    pub fn opening(&self) -> Option<Instant> {
        self.after(OPEN_SHARE)
    }

    /// When reading the history has to end.
    pub fn reading_history(&self) -> Option<Instant> {
        self.after(HISTORY_SHARE)
    }

    /// When indexing has to end.
    pub fn indexing(&self) -> Option<Instant> {
        self.after(INDEX_SHARE)
    }

    /// When collecting has to end.
    pub fn collecting(&self) -> Option<Instant> {
        self.after(COLLECT_SHARE)
    }

    pub fn end(&self) -> Option<Instant> {
        self.limit.map(|limit| self.started + limit)
    }

    fn after(&self, share: f64) -> Option<Instant> {
        self.limit.map(|limit| self.started + limit.mul_f64(share))
    }

    pub fn is_over(&self) -> bool {
        self.end().is_some_and(|end| end <= Instant::now())
    }

    /// Returns the warning of a pack that missed the deadline.
    pub fn missed_warning(&self) -> String {
        let limit = self.limit.unwrap_or_default().as_millis();
        format!("nothing was packed before the deadline of {limit} ms")
    }
}

/// Measures how long each stage takes.
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
            None => self.timings.push(Timing { stage: self.stage.into(), ms }),
        }
        self.stage = stage;
        self.since = Instant::now();
    }

    pub fn stop(mut self) -> Vec<Timing> {
        self.next("done");
        let ms = self.timings.iter().map(|timing| timing.ms).sum();
        self.timings.push(Timing { stage: "total".into(), ms });
        self.timings
    }
}

impl Observer for Clock {
    fn stage_started(&mut self, stage: Stage) {
        self.next(stage.name());
    }
}
