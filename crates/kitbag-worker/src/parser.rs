//! Parsing by the workers of a pool.

use crate::pool::WorkerPool;
use crate::protocol::{Reply, Request, TextToParse};
use crate::session::Session;
use crate::worker::CallFailure;
use kitbag_text::syntax::{
    FindSplitPoints, ParseFailure, ParseRequest, SplitPoints, SyntaxParser, TextStructure,
};
use kitbag_text::{Fallback, Language};
use std::ops::Range;
use std::time::{Duration, Instant};

impl WorkerPool {
    /// Has a worker answer the first request about a text.
    fn open<'a>(
        &'a self,
        request: &'a ParseRequest<'a>,
        message: &Request<'_>,
    ) -> Result<(Session<'a>, Reply), ParseFailure> {
        if request.content.len() > request.limits.max_file_bytes {
            return Err(Fallback::FileTooLarge.into());
        }
        if let Some(fallback) = self.failures.find(request.language, request.content) {
            return Err(fallback.into());
        }
        let mut session = Session::begin(self, request)?;
        match session.open(message)? {
            Reply::Fallback(fallback) => {
                session.finish();
                Err(fallback.into())
            }
            reply => Ok((session, reply)),
        }
    }
}

impl SyntaxParser for WorkerPool {
    fn parse(
        &self,
        request: &ParseRequest<'_>,
        visit: &mut dyn FnMut(TextStructure, &mut FindSplitPoints<'_>),
    ) -> Result<(), ParseFailure> {
        let (mut session, reply) = self.open(request, &Request::Parse(text_of(request)))?;
        let structure = match reply {
            Reply::Structure(structure) => structure.build(row_count(request.content)),
            _ => None,
        };
        let structure = structure.ok_or_else(|| session.fail(CallFailure::Crashed))?;
        let (mut failure, mut split_time) = (None, Duration::ZERO);
        let mut find = |rows: Range<u32>| {
            // All split points of a text together have the elapsed time of one call.
            if failure.is_none() && split_time > session.limits.elapsed {
                failure = Some(CallFailure::TimeLimit);
            }
            if failure.is_some() {
                return SplitPoints::none(rows);
            }
            let call_started = Instant::now();
            let reply = session.call(&Request::SplitPoints(rows.clone()));
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
            return Err(session.fail(failure));
        }
        session.finish();
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
        let (session, reply) = self.open(request, &Request::Comments(text_of(request)))?;
        let ranges = match reply {
            Reply::Comments(ranges) if are_inside(&ranges, request.content) => ranges,
            _ => return Err(session.fail(CallFailure::Crashed)),
        };
        session.finish();
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
