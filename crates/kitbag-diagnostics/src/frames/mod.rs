//! Reads stack traces: their frames, innermost first, and the message of the error.
//!
//! The index recognizes traces in tasks by a looser rule, which its trained weights depend on. The
//! rule here is strict because each frame becomes a source.

mod patterns;

use super::{Diagnostic, Severity, collect};
use patterns::Line;
use rustc_hash::FxHashSet;

/// Maximum number of frames per trace. Infinite recursion produces thousands.
const MAX_FRAMES: usize = 100;

/// A frame of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// The path as printed in the trace. For Java and Kotlin, it includes the folders of the
    /// package.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: Option<u32>,
    /// The name of the function.
    pub symbol: Option<String>,
    /// The language whose trace format was matched.
    pub language: TraceLanguage,
}

impl StackFrame {
    fn plain_path(&self) -> &str {
        self.path.trim_start_matches("./")
    }

    fn is_at(&self, other: &Self) -> bool {
        self.plain_path() == other.plain_path() && self.line == other.line
    }
}

/// Languages whose stack traces are supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceLanguage {
    /// Python, including the format of pytest.
    Python,
    /// Java and other JVM languages.
    Java,
    /// Kotlin.
    Kotlin,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// C#, on .NET or Mono.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
}

impl TraceLanguage {
    /// Returns the name in lower case.
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

    /// Returns whether frames of both languages can be in one trace, as for Java and Kotlin.
    fn shares_traces(self, other: Self) -> bool {
        let family = |language| if language == Self::Kotlin { Self::Java } else { language };
        family(self) == family(other)
    }
}

/// Returns the frames of all stack traces in a text. Traces are in the order of the text; within a
/// trace, the innermost frame is first, regardless of the order in which the language prints them.
/// Frames of the language runtime and frames without a file are omitted.
pub fn frames(text: &str) -> Vec<StackFrame> {
    traces(text).into_iter().flat_map(|trace| trace.frames).collect()
}

/// A stack trace with its message.
#[derive(Debug)]
pub(super) struct Trace {
    /// The message of the error; empty if it is not known.
    pub message: String,
    /// The frames, innermost first.
    pub frames: Vec<StackFrame>,
}

impl Trace {
    /// Returns the frames as diagnostics with this message: the innermost is an error, its callers are
    /// notes. The tool defaults to the language of the frames.
    pub fn diagnostics(&self, message: &str, tool: Option<&str>) -> Vec<Diagnostic> {
        let message = collect::message(message);
        let diagnostic = |(frame, depth): (&StackFrame, u32)| Diagnostic {
            path: frame.path.clone(),
            line: frame.line,
            column: frame.column,
            severity: if depth == 0 { Severity::Error } else { Severity::Note },
            message: message.clone(),
            tool: tool.unwrap_or(frame.language.name()).to_owned(),
            depth,
            ..Diagnostic::default()
        };
        self.frames.iter().zip(0..).map(diagnostic).collect()
    }
}

pub(super) fn traces(text: &str) -> Vec<Trace> {
    let mut reader = TraceReader::default();
    for line in text.lines() {
        reader.read(line);
    }
    reader.close();
    reader.traces
}

#[derive(Default)]
struct TraceReader {
    traces: Vec<Trace>,
    /// The trace being read, in the order of the text.
    open: Option<Trace>,
    /// The previous line, trimmed.
    before: String,
    /// The last non-empty line that is not a frame, used as the message of the next trace.
    heading: String,
    /// The last line in which Go reported a panic or a fatal error.
    panic: String,
    /// The place that Node prints before the message.
    header: Option<StackFrame>,
    /// Whether the next line is the message of the open trace.
    awaits_message: bool,
}

impl TraceReader {
    fn read(&mut self, line: &str) {
        let plain = super::text::strip_escapes(line);
        // Python indents exception groups with a margin of `|` and `+` characters.
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

    fn push(&mut self, frame: StackFrame) {
        self.awaits_message = false;
        let same = |trace: &Trace| {
            trace.frames.first().is_none_or(|it| it.language.shares_traces(frame.language))
        };
        if !self.open.as_ref().is_some_and(same) {
            self.close();
            self.header = None;
            let message = match frame.language {
                // Python prints the message after the frames.
                TraceLanguage::Python => String::new(),
                TraceLanguage::Go if !self.panic.is_empty() => self.panic.clone(),
                _ => self.heading.clone(),
            };
            self.open = Some(Trace { message, frames: Vec::new() });
        }
        let Some(trace) = &mut self.open else { return };
        match trace.frames.as_mut_slice() {
            // Node and Rust print the innermost place twice, the first time without the function.
            [first] if first.symbol.is_none() && first.is_at(&frame) => *first = frame,
            _ => trace.frames.push(frame),
        }
    }

    /// Processes a line that is not a frame.
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
            // Go prints function names on separate lines.
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

    /// Processes a line after Python frames: indented source code, then the message.
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
        // Python prints the innermost frame last, all other languages print it first.
        if trace.frames.first().is_some_and(|frame| frame.language == TraceLanguage::Python) {
            trace.frames.reverse();
        }
        let mut seen = FxHashSet::default();
        trace.frames.retain(|frame| {
            seen.len() < MAX_FRAMES && seen.insert((frame.plain_path().to_owned(), frame.line))
        });
        self.traces.push(trace);
    }
}

/// Returns whether a line is an exception, such as `TypeError: ...`, `shop.errors.NotFound: ...`,
/// `TypeError [CODE]: ...` or `KeyboardInterrupt`.
fn is_thrown(line: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (name, rest) = line.split_at(line.find(|c| !is_part(c)).unwrap_or(line.len()));
    let class = name.rsplit('.').next().unwrap_or_default().trim_start_matches('_');
    class.starts_with(char::is_uppercase)
        && (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" ["))
}
