//! What tools say is wrong with the code: reading their output, finding the files that they mean,
//! and putting the places in order.
//!
//! Everything here is a function of text: no file is opened, no tool is started. [`read`] tells the
//! formats apart by what is in them, [`frames`] reads stack traces, [`locate`] finds the file of the
//! repository that a path from another machine means, and [`order`] puts the nearest first.

mod cargo;
mod collect;
mod error;
mod eslint;
mod frames;
mod gcc;
mod json;
mod junit;
mod locate;
mod order;
mod places;
mod pyright;
mod recognise;
mod ruff;
mod sarif;
#[cfg(test)]
mod tests;
mod text;
mod trace;

pub use error::DiagnosticsError;
pub use frames::{Frame, TraceLanguage, frames};
pub use locate::{KnownFiles, Placed, in_repository, locate};
pub use order::{limit, order};
pub use recognise::Format;

use collect::Collector;

/// More than this is not read.
pub const MOST_BYTES: usize = 20_000_000;

/// Of one text, only so many diagnostics are kept: errors before warnings before notes.
pub const MOST_DIAGNOSTICS: usize = 10_000;

/// How bad it is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It does not compile, does not pass, or the tool calls it an error.
    Error,
    /// The tool warns.
    Warning,
    /// A remark, or a place that belongs to another diagnostic.
    Note,
}

impl Severity {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One thing that a tool says about one place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The file as the tool wrote it, joined with its base where the output names one. After
    /// [`in_repository`], a path of the repository.
    pub path: String,
    /// The line, from 1; 1 where the tool means the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The last line, where the tool names it.
    pub end_line: Option<u32>,
    /// How bad it is.
    pub severity: Severity,
    /// The rule or the number of the error.
    pub code: Option<String>,
    /// What the tool says.
    pub message: String,
    /// The tool, in lower case: `rustc`, `tsc`; for text in the form that many compilers share,
    /// `compiler`; for traces, their language.
    pub tool: String,
    /// 0 for the place itself; in a stack trace, the number of calls that lie between.
    pub depth: u32,
}

/// What a text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The format that it is in; `None` where there is nothing to read, and for a task.
    pub format: Option<Format>,
    /// What it says, in its own order.
    pub diagnostics: Vec<Diagnostic>,
    /// How many were left out, because they were more than [`MOST_DIAGNOSTICS`].
    pub left_out: usize,
    /// How many name no file, and so have no place.
    pub without_place: usize,
}

/// Reads the output of a tool; `name` is what errors call it.
///
/// ```
/// use kitbag::diagnostics::{Severity, read};
///
/// let text = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n";
/// let reading = read("tsc.txt", text)?;
/// assert_eq!(reading.diagnostics[0].line, 3);
/// assert_eq!(reading.diagnostics[0].severity, Severity::Error);
/// # Ok::<(), kitbag::diagnostics::DiagnosticsError>(())
/// ```
pub fn read(name: &str, text: &str) -> Result<Reading, DiagnosticsError> {
    if text.len() > MOST_BYTES {
        let (name, bytes) = (name.to_owned(), text.len());
        return Err(DiagnosticsError::TooLarge { name, bytes, most: MOST_BYTES });
    }
    let input = Input { name, text: text.trim_start_matches('\u{feff}') };
    let mut into = Collector::new(MOST_DIAGNOSTICS);
    let Some(format) = recognise::recognise(&input)? else { return Ok(into.finish(None)) };
    match format {
        Format::Sarif => sarif::read(&input, &mut into)?,
        Format::Cargo => cargo::read(&input, &mut into)?,
        Format::Eslint => eslint::read(&input, &mut into)?,
        Format::Ruff => ruff::read(&input, &mut into)?,
        Format::Pyright => pyright::read(&input, &mut into)?,
        Format::Gcc => gcc::read(&input, &mut into)?,
        Format::Junit => junit::read(&input, &mut into)?,
        // What a build prints can end with the trace of a test.
        Format::Text | Format::Trace => read_text(&input, &mut into),
    }
    Ok(into.finish(Some(format)))
}

/// Reads what people paste into a task: lines of compilers and stack traces, with anything around
/// them, and the places that it names (`src/a.py:12`, addresses with a line). A task without any is
/// no error.
pub fn read_task(task: &str) -> Reading {
    let end = task.floor_char_boundary(MOST_BYTES);
    let input = Input { name: "task", text: &task[..end] };
    let mut into = Collector::new(MOST_DIAGNOSTICS);
    read_text(&input, &mut into);
    let mut reading = into.finish(None);
    let places = places::read(input.text, &reading.diagnostics);
    reading.diagnostics.extend(places);
    reading
}

fn read_text(input: &Input<'_>, into: &mut Collector) {
    text::read(input, into);
    trace::read(input, into);
}

/// A text to read, and what errors call it.
struct Input<'a> {
    name: &'a str,
    text: &'a str,
}
