//! Stack traces: the places that they go through, the innermost first, and what was thrown.
//!
//! The index tells lines of a task apart by a looser rule of its own, which its learnt weights know;
//! here a line has to be a frame exactly, since what it names becomes a source.

mod patterns;

use super::collect;
use patterns::Line;

/// Only so many frames of one trace are kept: an endless recursion has thousands.
const MOST_FRAMES: usize = 100;

/// A place in a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The file as the trace names it; for Java and Kotlin with the folders of the package.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The function.
    pub symbol: Option<String>,
    /// The language whose form the trace has.
    pub language: TraceLanguage,
}

impl Frame {
    fn plain_path(&self) -> &str {
        self.path.trim_start_matches("./")
    }

    fn is_at(&self, other: &Self) -> bool {
        self.plain_path() == other.plain_path() && self.line == other.line
    }
}

/// The languages whose stack traces are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceLanguage {
    /// Python, and pytest's own form.
    Python,
    /// Java, and what else runs on its machine.
    Java,
    /// Kotlin.
    Kotlin,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// C#, by .NET or Mono.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
}

impl TraceLanguage {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::JavaScript => "javascript",
            Self::Rust => "rust",
            Self::Go => "go",
            Self::CSharp => "c#",
            Self::Ruby => "ruby",
            Self::Php => "php",
        }
    }

    /// Java and Kotlin call each other.
    fn shares_traces(self, other: Self) -> bool {
        let family = |language| if language == Self::Kotlin { Self::Java } else { language };
        family(self) == family(other)
    }
}

/// The frames of all stack traces in a text: trace by trace as they stand there, and in each the
/// innermost first, whichever way the language prints them. Frames of a language's own runtime and
/// those without a file are left out.
pub fn frames(text: &str) -> Vec<Frame> {
    traces(text).into_iter().flat_map(|trace| trace.frames).collect()
}

/// One stack trace.
#[derive(Debug)]
pub(super) struct Trace {
    /// What was thrown; empty where that cannot be told.
    pub message: String,
    /// The innermost first.
    pub frames: Vec<Frame>,
}

pub(super) fn traces(text: &str) -> Vec<Trace> {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.read(line);
    }
    reader.close();
    reader.traces
}

#[derive(Default)]
struct Reader {
    traces: Vec<Trace>,
    /// The trace that is being read, in the order of the text.
    open: Option<Trace>,
    /// The last line, trimmed.
    before: String,
    /// The last line that says something and is no frame: the message of the trace after it.
    heading: String,
    /// The last line in which Go said why it stopped.
    panic: String,
    /// The place that Node names before it says what happened.
    header: Option<Frame>,
    /// The next line is the message of the open trace.
    awaits_message: bool,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let plain = super::text::without_colours(line);
        // Groups of exceptions in Python have a margin.
        let margin = plain.trim_start_matches([' ', '|', '+', '-']);
        let trimmed =
            if plain.trim_start().starts_with(['|', '+']) { margin } else { plain.trim() };
        let trimmed = trimmed.trim_end();
        match patterns::read(trimmed, &self.before) {
            Some(Line::Frame(frame)) => self.push(frame),
            Some(Line::First(frame, message)) => {
                self.close();
                self.awaits_message = message.is_none();
                let message = message.unwrap_or_default();
                self.open = Some(Trace { message, frames: vec![frame] });
            }
            Some(Line::Header(frame)) => {
                self.close();
                self.header = Some(frame);
            }
            Some(Line::Runtime) => {}
            None => self.other(&plain, trimmed),
        }
        trimmed.clone_into(&mut self.before);
    }

    fn push(&mut self, frame: Frame) {
        self.awaits_message = false;
        let same = |trace: &Trace| {
            trace.frames.first().is_none_or(|it| it.language.shares_traces(frame.language))
        };
        if !self.open.as_ref().is_some_and(same) {
            self.close();
            self.header = None;
            let message = match frame.language {
                // Python says what happened after the frames.
                TraceLanguage::Python => String::new(),
                TraceLanguage::Go if !self.panic.is_empty() => self.panic.clone(),
                _ => self.heading.clone(),
            };
            self.open = Some(Trace { message, frames: Vec::new() });
        }
        let Some(trace) = &mut self.open else { return };
        match trace.frames.as_mut_slice() {
            // Node and Rust name the innermost place twice: first without the function.
            [first] if first.symbol.is_none() && first.is_at(&frame) => *first = frame,
            _ => trace.frames.push(frame),
        }
    }

    /// A line that is no frame.
    fn other(&mut self, line: &str, trimmed: &str) {
        if trimmed.is_empty() {
            return;
        }
        if let (true, Some(trace)) = (self.awaits_message, &mut self.open) {
            trimmed.clone_into(&mut trace.message);
            self.awaits_message = false;
            return;
        }
        if let Some(frame) = self.header.take_if(|_| is_thrown(trimmed)) {
            self.open = Some(Trace { message: trimmed.to_owned(), frames: vec![frame] });
            return;
        }
        match self.open.as_ref().and_then(|trace| trace.frames.last()).map(|it| it.language) {
            Some(TraceLanguage::Python) => return self.after_python(line, trimmed),
            Some(TraceLanguage::Rust) if !trimmed.starts_with("note: ") => return,
            // The names of functions stand in lines of their own.
            Some(TraceLanguage::Go) if !trimmed.starts_with("goroutine ") => return,
            Some(TraceLanguage::Php) if trimmed.starts_with(['#', 'S', 't']) => return,
            Some(_) if trimmed.starts_with(['.', '-', '}']) => return,
            _ => {}
        }
        self.close();
        self.heading = collect::message(trimmed);
        if trimmed.starts_with("panic: ") || trimmed.starts_with("fatal error: ") {
            self.panic.clone_from(&self.heading);
        }
    }

    /// Below frames of Python stands the code, indented, and then what was thrown.
    fn after_python(&mut self, line: &str, trimmed: &str) {
        let Some(trace) = &mut self.open else { return };
        if let Some(message) = trimmed.strip_prefix("E ") {
            if trace.message.is_empty() {
                message.trim().clone_into(&mut trace.message);
            }
        } else if trimmed.starts_with("Traceback (most recent") {
            self.close();
        } else if is_thrown(trimmed) && !line.starts_with("    ") {
            trimmed.clone_into(&mut trace.message);
            self.close();
        }
    }

    fn close(&mut self) {
        self.awaits_message = false;
        let Some(mut trace) = self.open.take() else { return };
        // Python's traces end with the innermost frame, all others begin with it.
        if trace.frames.first().is_some_and(|frame| frame.language == TraceLanguage::Python) {
            trace.frames.reverse();
        }
        let mut seen = Vec::new();
        trace.frames.retain(|frame| {
            let place = (frame.plain_path().to_owned(), frame.line);
            let is_new = !seen.contains(&place) && seen.len() < MOST_FRAMES;
            if is_new {
                seen.push(place);
            }
            is_new
        });
        self.traces.push(trace);
    }
}

/// `TypeError: ...`, `shop.errors.NotFound: ...`, `TypeError [CODE]: ...`, `KeyboardInterrupt`.
fn is_thrown(line: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (name, rest) = line.split_at(line.find(|c| !is_part(c)).unwrap_or(line.len()));
    let class = name.rsplit('.').next().unwrap_or_default().trim_start_matches('_');
    class.starts_with(char::is_uppercase)
        && (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" ["))
}
