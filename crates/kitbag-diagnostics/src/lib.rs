//! Reads the output of compilers, linters and tests, locates the files it refers to, and orders the
//! places by relevance.
//!
//! Everything here is a function of text: no file is opened and no tool is started. [`read`]
//! detects the format from the content, [`frames`] reads stack traces, [`locate`] finds the file of
//! the repository that a path from another machine refers to, and [`order`] sorts the nearest
//! diagnostics first.

/// Declares a regular expression that is compiled on first use.
macro_rules! pattern {
    ($name:ident, $expression:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new($expression).expect("the tests compile it")
        });
    };
}

mod cargo;
mod collect;
mod detect;
mod error;
mod frames;
mod json;
mod junit;
mod linters;
mod locate;
mod mentions;
mod order;
mod sarif;
#[cfg(test)]
mod tests;
mod text;

pub use detect::ToolFormat;
pub use error::DiagnosticsError;
pub use frames::{StackFrame, TraceLanguage, frames};
pub use locate::{KnownFiles, Placed, in_repository, locate};
pub use order::{limit, order};

use collect::Collector;

/// Maximum size of an input, in bytes.
pub const MAX_INPUT_BYTES: usize = 20_000_000;

/// Maximum number of diagnostics per input. Errors are kept before warnings, and warnings before
/// notes.
pub const MAX_DIAGNOSTICS: usize = 10_000;

/// The severity of a diagnostic, most severe first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A compiler error, a failed test, or anything else that the tool reports as an error.
    #[default]
    Error,
    /// A warning.
    Warning,
    /// A remark, or a place related to another diagnostic.
    Note,
}

impl Severity {
    /// Returns the severity for a level as tools name it. Unknown levels are errors.
    fn of_level(level: &str) -> Self {
        match level {
            "warning" => Self::Warning,
            "note" | "none" | "remark" | "info" | "information" | "anachronism" => Self::Note,
            "help" | "failure-note" | "message" => Self::Note,
            _ => Self::Error,
        }
    }
}

/// A message of a tool about one place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The path as printed by the tool, joined with its base if the output names one. After
    /// [`in_repository`], a path relative to the repository root.
    pub path: String,
    /// The line, counted from 1; 1 if the message is about the entire file.
    pub line: u32,
    /// The column, counted from 1.
    pub column: Option<u32>,
    /// The last line, if the tool reports it.
    pub end_line: Option<u32>,
    /// The severity, as reported by the tool or implied by the format.
    pub severity: Severity,
    /// The rule or error code.
    pub code: Option<String>,
    /// The text of the message.
    pub message: String,
    /// The name of the tool in lower case, such as `rustc` or `tsc`; `compiler` for the text format
    /// that many compilers share; the language for stack traces.
    pub tool: String,
    /// Number of calls between this place and the innermost frame of a stack trace; 0 otherwise.
    pub depth: u32,
}

/// The diagnostics read from a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedOutput {
    /// The detected format; `None` for a task or if there is nothing to read.
    pub format: Option<ToolFormat>,
    /// The diagnostics, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics omitted because there were more than [`MAX_DIAGNOSTICS`].
    pub left_out: usize,
    /// Number of diagnostics that do not refer to a file.
    pub without_place: usize,
}

/// Reads the output of a tool; `name` is used in errors.
///
/// ```
/// use kitbag_diagnostics::{Severity, read};
///
/// let text = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n";
/// let reading = read("tsc.txt", text)?;
/// assert_eq!(reading.diagnostics[0].line, 3);
/// assert_eq!(reading.diagnostics[0].severity, Severity::Error);
/// # Ok::<(), kitbag_diagnostics::DiagnosticsError>(())
/// ```
pub fn read(name: &str, text: &str) -> Result<ParsedOutput, DiagnosticsError> {
    if text.len() > MAX_INPUT_BYTES {
        return Err(DiagnosticsError::TooLarge { name: name.to_owned(), bytes: text.len() });
    }
    let input = Input { name, text: text.trim_start_matches('\u{feff}') };
    let mut into = Collector::new(MAX_DIAGNOSTICS);
    let Some(format) = detect::detect(&input)? else { return Ok(into.finish(None)) };
    match format {
        ToolFormat::Sarif => sarif::read(&input, &mut into)?,
        ToolFormat::Cargo => cargo::read(&input, &mut into)?,
        ToolFormat::Eslint => linters::eslint(&input, &mut into)?,
        ToolFormat::Ruff => linters::ruff(&input, &mut into)?,
        ToolFormat::Pyright => linters::pyright(&input, &mut into)?,
        ToolFormat::Gcc => linters::gcc(&input, &mut into)?,
        ToolFormat::Junit => junit::read(&input, &mut into)?,
        // Build output can end with the stack trace of a test.
        ToolFormat::Text | ToolFormat::Trace => read_text(&input, &mut into),
    }
    Ok(into.finish(Some(format)))
}

/// Reads the text of a task: compiler messages and stack traces among other text, and places such
/// as `src/a.py:12` or URLs with a line. A task without any of these is not an error.
pub fn read_task(task: &str) -> ParsedOutput {
    let end = task.floor_char_boundary(MAX_INPUT_BYTES);
    let input = Input { name: "task", text: &task[..end] };
    let mut into = Collector::new(MAX_DIAGNOSTICS);
    read_text(&input, &mut into);
    let mut reading = into.finish(None);
    let mentions = mentions::read(input.text, &reading.diagnostics);
    reading.diagnostics.extend(mentions);
    reading
}

fn read_text(input: &Input<'_>, into: &mut Collector) {
    text::read(input, into);
    for trace in frames::traces(input.text) {
        into.extend(trace.diagnostics(&trace.message, None));
    }
}

/// A text to read, with the name used in errors.
struct Input<'a> {
    name: &'a str,
    text: &'a str,
}

impl Input<'_> {
    fn unknown_format(&self) -> DiagnosticsError {
        DiagnosticsError::UnknownFormat { name: self.name.to_owned() }
    }
}
