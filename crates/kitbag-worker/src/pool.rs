//! A pool of workers that parses for the whole process.

use crate::failures::Failures;
use crate::limits::CallLimits;
use crate::protocol::{Reply, Request, TextToParse};
use crate::worker::{CallFailure, Worker, WorkerCommand};
use kitbag_text::syntax::{
    FindSplitPoints, ParseFailure, ParseRequest, SplitPoints, SyntaxParser, TextStructure,
};
use kitbag_text::{Fallback, Language};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Number of times a text is tried. A worker may die for a reason that has nothing to do with the text.
const ATTEMPTS: usize = 2;

/// Parses in worker processes, which are started when needed and kept for the next text.
pub struct WorkerPool {
    command: WorkerCommand,
    idle: Mutex<Vec<Worker>>,
    max_idle: usize,
    failures: Failures,
}

impl WorkerPool {
    /// Creates a pool of workers that `command` starts.
    pub fn new(command: WorkerCommand) -> Self {
        let max_idle = available_parallelism().map_or(1, usize::from);
        Self { command, idle: Mutex::default(), max_idle, failures: Failures::default() }
    }

    /// Has a worker answer the first request about a text. Returns the worker with its reply.
    fn open(
        &self,
        request: &ParseRequest<'_>,
        message: &Request<'_>,
    ) -> Result<(Worker, Reply), ParseFailure> {
        if request.content.len() > request.limits.max_file_bytes {
            return Err(Fallback::FileTooLarge.into());
        }
        if let Some(fallback) = self.failures.find(request.language, request.content) {
            return Err(fallback.into());
        }
        let limits = CallLimits::for_text(request.content.len());
        let (mut failure, started) = (CallFailure::Crashed, Instant::now());
        for attempt in 0..ATTEMPTS {
            request.cancel.check()?;
            // An idle worker may have been damaged by an earlier text, so the last attempt gets a new one.
            let idle = if attempt == 0 { self.idle().pop() } else { None };
            let mut worker = idle.map_or_else(|| self.start(), Ok)?;
            match worker.call(message, limits, request.cancel) {
                Ok(Reply::Fallback(fallback)) => {
                    self.put_back(worker, request, started);
                    return Err(fallback.into());
                }
                Ok(reply) => return Ok((worker, reply)),
                Err(CallFailure::Crashed) => {}
                Err(other) => {
                    failure = other;
                    break;
                }
            }
        }
        Err(self.fail(request, failure))
    }

    /// Remembers a failure, unless the call was cancelled.
    fn fail(&self, request: &ParseRequest<'_>, failure: CallFailure) -> ParseFailure {
        let failure = failure.into();
        if let ParseFailure::Fallback(fallback) = failure {
            self.failures.add(request.language, request.content, fallback);
        }
        failure
    }

    fn start(&self) -> Result<Worker, Fallback> {
        Worker::start(&self.command).map_err(|error| {
            tracing::warn!(%error, program = %self.command.program.display(), "cannot start a parser process");
            Fallback::ParserUnavailable
        })
    }

    /// Keeps a worker for the next text, unless the last one has made it large.
    fn put_back(&self, worker: Worker, request: &ParseRequest<'_>, started: Instant) {
        let is_bloated = worker.is_bloated(request.content.len(), started.elapsed());
        let mut idle = self.idle();
        if !is_bloated && idle.len() < self.max_idle {
            idle.push(worker);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SyntaxParser for WorkerPool {
    fn parse(
        &self,
        request: &ParseRequest<'_>,
        visit: &mut dyn FnMut(TextStructure, &mut FindSplitPoints<'_>),
    ) -> Result<(), ParseFailure> {
        let started = Instant::now();
        let (mut worker, reply) = self.open(request, &Request::Parse(text_of(request)))?;
        let structure = match reply {
            Reply::Structure(structure) => structure.build(row_count(request.content)),
            _ => None,
        };
        let structure = structure.ok_or_else(|| self.fail(request, CallFailure::Crashed))?;
        let limits = CallLimits::for_text(request.content.len());
        let (mut failure, mut split_time) = (None, Duration::ZERO);
        let mut find = |rows: Range<u32>| {
            // All split points of a text together have the elapsed time of one call.
            if failure.is_none() && split_time > limits.elapsed {
                failure = Some(CallFailure::TimeLimit);
            }
            if failure.is_some() {
                return SplitPoints::none(rows);
            }
            let call_started = Instant::now();
            let reply = worker.call(&Request::SplitPoints(rows.clone()), limits, request.cancel);
            split_time += call_started.elapsed();
            let found = match reply {
                Ok(Reply::SplitPoints(depths)) => {
                    SplitPoints::from_depths(rows.clone(), depths).ok_or(CallFailure::Crashed)
                }
                Ok(_) => Err(CallFailure::Crashed),
                Err(error) => Err(error),
            };
            found.unwrap_or_else(|error| {
                failure = Some(error);
                SplitPoints::none(rows)
            })
        };
        visit(structure, &mut find);
        if let Some(failure) = failure {
            return Err(self.fail(request, failure));
        }
        self.put_back(worker, request, started);
        Ok(())
    }

    fn known_failure(&self, language: &Language, content: &str) -> Option<Fallback> {
        self.failures.find(language, content)
    }

    fn stop(&self) {
        let idle = std::mem::take(&mut *self.idle());
        drop(idle);
    }

    fn comments(&self, request: &ParseRequest<'_>) -> Result<Vec<Range<usize>>, ParseFailure> {
        let started = Instant::now();
        let (worker, reply) = self.open(request, &Request::Comments(text_of(request)))?;
        let ranges = match reply {
            Reply::Comments(ranges) if are_inside(&ranges, request.content) => ranges,
            _ => return Err(self.fail(request, CallFailure::Crashed)),
        };
        self.put_back(worker, request, started);
        Ok(ranges)
    }
}

fn text_of<'a>(request: &ParseRequest<'a>) -> TextToParse<'a> {
    let ParseRequest { language, content, limits, .. } = *request;
    TextToParse { language: language.name(), content, limits }
}

fn row_count(content: &str) -> u32 {
    let breaks = memchr::memchr_iter(b'\n', content.as_bytes()).count();
    u32::try_from(breaks).map_or(u32::MAX, |breaks| breaks.saturating_add(1))
}

/// Whether ranges are in order and slice `content`.
fn are_inside(ranges: &[Range<usize>], content: &str) -> bool {
    let mut end = 0;
    ranges.iter().all(|range| {
        let is_next = range.start >= end && content.get(range.clone()).is_some();
        end = range.end;
        is_next
    })
}
