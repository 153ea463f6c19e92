//! The worker: answers requests on standard input until it is closed.

use crate::protocol::{Confinement, Reply, Request, TextToParse, read_frame, write_frame};
use crate::sandbox;
use crate::wire::FlatStructure;
use kitbag_text::syntax::{
    FindSplitPoints, InProcessParser, ParseFailure, ParseRequest, SyntaxParser,
};
use kitbag_text::{Cancel, Fallback, Language};
use std::io::{self, Read, Write};
use std::process::ExitCode;

/// Requests come from the program itself, which has checked their size.
const MAX_REQUEST_BYTES: usize = u32::MAX as usize;

/// Runs this process as a worker: confines it, and answers requests until standard input is closed.
pub fn run_worker() -> ExitCode {
    let confinement = sandbox::confine();
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    match (Server { confinement, input, output, scratch: Vec::new() }).run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

struct Server<R, W> {
    confinement: Confinement,
    input: R,
    output: W,
    scratch: Vec<u8>,
}

impl<R: Read, W: Write> Server<R, W> {
    fn run(&mut self) -> io::Result<()> {
        let mut next = self.read()?;
        while let Some(frame) = next {
            next = match decode(&frame)? {
                Request::Parse(text) => self.parse(text)?,
                Request::Comments(text) => self.comments(text)?,
                Request::Start => {
                    self.write(&Reply::Ready(self.confinement)).and_then(|()| self.read())?
                }
                Request::SplitPoints(_) => return Err(io::ErrorKind::InvalidData.into()),
            };
        }
        Ok(())
    }

    /// Answers with the structure of a text and then with its split points. Returns the first request
    /// that is about something else.
    fn parse(&mut self, text: TextToParse<'_>) -> io::Result<Option<Vec<u8>>> {
        let mut next = Ok(None);
        let outcome = with_request(text, |request| {
            InProcessParser.parse(&request, &mut |structure, find_split_points| {
                let reply = Reply::Structure(FlatStructure::flatten(structure));
                next = self.write(&reply).and_then(|()| self.split_points(find_split_points));
            })
        });
        match outcome {
            Ok(()) => next,
            Err(failure) => self.write(&fallback(failure)).and_then(|()| self.read()),
        }
    }

    fn split_points(&mut self, find: &mut FindSplitPoints<'_>) -> io::Result<Option<Vec<u8>>> {
        loop {
            let frame = self.read()?;
            let Some(Request::SplitPoints(rows)) = frame.as_deref().map(decode).transpose()? else {
                return Ok(frame);
            };
            self.write(&Reply::SplitPoints(find(rows).depths().to_vec()))?;
        }
    }

    fn comments(&mut self, text: TextToParse<'_>) -> io::Result<Option<Vec<u8>>> {
        let outcome = with_request(text, |request| InProcessParser.comments(&request));
        self.write(&outcome.map_or_else(fallback, Reply::Comments))?;
        self.read()
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut frame = Vec::new();
        Ok(read_frame(&mut self.input, MAX_REQUEST_BYTES, &mut frame)?.then_some(frame))
    }

    fn write(&mut self, reply: &Reply) -> io::Result<()> {
        write_frame(&mut self.output, reply, &mut self.scratch)
    }
}

fn decode(frame: &[u8]) -> io::Result<Request<'_>> {
    postcard::from_bytes(frame).map_err(io::Error::other)
}

fn with_request<T>(
    text: TextToParse<'_>,
    run: impl FnOnce(ParseRequest<'_>) -> Result<T, ParseFailure>,
) -> Result<T, ParseFailure> {
    let TextToParse { language, content, limits } = text;
    let language = Language::named(language).ok_or(Fallback::NoGrammar)?;
    sandbox::limit_cpu_for(content.len());
    run(ParseRequest { language, content, limits, cancel: &Cancel::default() })
}

/// The program kills a worker to cancel a call, so the worker itself never sees a cancelled one.
fn fallback(failure: ParseFailure) -> Reply {
    match failure {
        ParseFailure::Fallback(fallback) => Reply::Fallback(fallback),
        ParseFailure::Cancelled(_) => Reply::Fallback(Fallback::ParseTooLong),
    }
}
