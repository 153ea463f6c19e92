//! How a file's shown lines become text.
//!
//! [`block`] lays out one file: its header, its fences, its gaps. The same layout is measured
//! during selection and rendered in the end, so the two cannot disagree. Every line of the frame
//! begins with `#`, `.` or a backtick and ends in a newline: before those, token counts add.

mod path;

use crate::sheet::Sheet;
use kitbag_text::{Part, Span};
use kitbag_tokens::{Counting, Measure};
pub use path::{escape_path, unescape_path};
use std::fmt::Write;
use std::ops::Range;

/// A run of rows that stand in one fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The rows.
    pub rows: Range<usize>,
    /// Whether an outline is among them.
    pub outline: bool,
    /// The parts of split items among them, in order.
    pub parts: Vec<Part>,
    /// How many lines after it were cut off.
    pub cut: usize,
}

/// A piece of a laid-out file.
pub enum Piece {
    /// A line of the frame, newline included.
    Frame(String),
    /// Rows of the file.
    Rows(Range<usize>),
}

/// Lays out one file: pieces in order, without the blank line that separates files.
pub fn block(sheet: &Sheet, runs: &[Run]) -> Vec<Piece> {
    let mut pieces = vec![Piece::Frame(header(sheet, runs))];
    let mut before: Option<&Range<usize>> = None;
    for run in runs {
        pieces.extend(fenced(sheet, before, &run.rows));
        pieces.extend(truncation_marker(run.cut).map(Piece::Frame));
        before = Some(&run.rows);
    }
    pieces
}

/// Lays out one run of rows: the gap to the run before it, if there is one, and its fence.
pub fn fenced(sheet: &Sheet, before: Option<&Range<usize>>, rows: &Range<usize>) -> Vec<Piece> {
    let start = sheet.span(rows).start;
    let gap = before.and_then(|before| gap(sheet.span(before).end, start));
    let mut pieces: Vec<Piece> = gap.map(Piece::Frame).into_iter().collect();
    let fence = fence(sheet.slice(rows.clone()));
    pieces.push(Piece::Frame(format!("{fence}{}\n", sheet.fence)));
    pieces.push(Piece::Rows(rows.clone()));
    pieces.push(Piece::Frame(format!("{fence}\n")));
    pieces
}

/// The line that says how many lines of a chunk were cut off, if any were.
pub fn truncation_marker(lines_left: usize) -> Option<String> {
    let noun = if lines_left == 1 { "line" } else { "lines" };
    (lines_left > 0).then(|| format!("... {lines_left} more {noun} not shown (truncated) ...\n"))
}

/// Appends a laid-out file to `text`.
pub fn render(sheet: &Sheet, pieces: &[Piece], text: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Frame(line) => text.push_str(line),
            Piece::Rows(rows) => {
                text.push_str(sheet.slice(rows.clone()));
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
}

/// What a laid-out file costs, exactly: what [`render`] would append.
pub fn measure(sheet: &Sheet, pieces: &[Piece], counting: &Counting) -> Measure {
    let mut sum = Measure::default();
    let mut before = "";
    for piece in pieces {
        match piece {
            Piece::Frame(line) => {
                sum += counting.counter().measure(line);
                before = line;
            }
            Piece::Rows(rows) => sum += rows_after(before, sheet, rows, counting),
        }
    }
    sum
}

/// What the blank line after a file adds to it, if `pieces` are the file's.
pub fn measure_separator(pieces: &[Piece], counting: &Counting) -> Measure {
    let Some(Piece::Frame(fence)) = pieces.last() else { return Measure::default() };
    let counter = counting.counter();
    counter.measure(&format!("{fence}\n")) - counter.measure(fence)
}

/// What rows add after an opening fence. Where a count might not add between the two, the fence is
/// counted together with the rows up to the next line before which it does.
fn rows_after(fence: &str, sheet: &Sheet, rows: &Range<usize>, counting: &Counting) -> Measure {
    let whole = sheet.measure(counting, rows.clone());
    let counter = counting.counter();
    let line = |row: usize| sheet.slice(row..row + 1);
    if counter.adds_between(fence, line(rows.start)) {
        return whole;
    }
    let next =
        (rows.start + 1..rows.end).find(|&row| counter.adds_between(line(row - 1), line(row)));
    let head = rows.start..next.unwrap_or(rows.end);
    let mut joined = format!("{fence}{}", sheet.slice(head.clone()));
    if !joined.ends_with('\n') {
        joined.push('\n');
    }
    let rest = whole - sheet.measure(counting, head);
    counter.measure(&joined) - counter.measure(fence) + rest
}

/// `### src/auth.rs (lines 10-40, 80-120 part 1 of 2)`.
pub fn header(sheet: &Sheet, runs: &[Run]) -> String {
    let mut header = format!("### {} (", escape_path(&sheet.path));
    for (place, run) in runs.iter().enumerate() {
        let span = sheet.span(&run.rows);
        let single = span.start == span.end;
        header.push_str(match (place, runs.len() == 1 && single) {
            (0, true) => "line ",
            (0, false) => "lines ",
            _ => ", ",
        });
        push_span(&mut header, span);
        if run.outline {
            header.push_str(" outline");
        }
        push_parts(&mut header, &run.parts);
    }
    header.push_str(")\n");
    header
}

fn push_span(text: &mut String, span: Span) {
    let written = if span.start == span.end {
        write!(text, "{}", span.start)
    } else {
        write!(text, "{span}")
    };
    written.expect("writing to a string cannot fail");
}

/// Names the parts of items that are not shown whole: ` part 1 of 2`.
fn push_parts(text: &mut String, parts: &[Part]) {
    let follows = |a: &Part, b: &Part| a.of == b.of && a.number + 1 == b.number;
    let is_whole = |item: &&[Part]| item[0].number == 1 && item.len() == item[0].of as usize;
    let broken = parts.chunk_by(follows).filter(|item| !is_whole(item));
    for part in broken.flatten() {
        write!(text, " part {} of {}", part.number, part.of)
            .expect("writing to a string cannot fail");
    }
}

fn gap(shown_to: u32, next: u32) -> Option<String> {
    match next.saturating_sub(shown_to) {
        0 | 1 => None,
        2 => Some(format!("... line {} not shown ...\n", shown_to + 1)),
        _ => Some(format!("... lines {}-{} not shown ...\n", shown_to + 1, next - 1)),
    }
}

/// A fence that is longer than any run of backticks in `content`.
fn fence(content: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    if content.contains("```") {
        for byte in content.bytes() {
            run = if byte == b'`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
    }
    "`".repeat((longest + 1).max(3))
}
