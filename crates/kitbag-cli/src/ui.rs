//! Messages on standard error, and the text of results.

use crate::table;
use crate::terminal::{self, TextStyle, escaped, stderr_styled, stdout_has_colors, stdout_styled};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);
static VERBOSE: AtomicU8 = AtomicU8::new(0);

/// Applies `--quiet` and `--verbose`.
pub fn set_verbosity(quiet: bool, verbose: u8) {
    QUIET.store(quiet, Ordering::Relaxed);
    VERBOSE.store(verbose, Ordering::Relaxed);
}

pub fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed) > 0
}

/// Whether `--quiet` is given.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a line on standard error, unless `--quiet` is given.
pub fn note(message: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        eprint_line(message);
    }
}

fn eprint_line(message: &str) {
    // If standard error is closed, there is no other place for the message.
    let _ = writeln!(io::stderr(), "{message}");
}

pub fn warning(message: &str) {
    note(&format!("{}: {}", stderr_styled("warning", TextStyle::Yellow), escaped(message)));
}

pub fn warnings(messages: &[String]) {
    messages.iter().for_each(|message| warning(message));
}

pub fn error(message: &str, hint: Option<&str>) {
    eprint_line(&format!("{}: {}", stderr_styled("error", TextStyle::Red), escaped(message)));
    if let Some(hint) = hint {
        eprint_line(&format!("{}: {hint}", stderr_styled("hint", TextStyle::Bold)));
    }
}

/// Prints which repositories were chosen from many.
pub fn searched(repositories: &[kitbag::ChosenRepository]) {
    if !repositories.is_empty() {
        let names: Vec<_> = repositories.iter().map(|it| escaped(&it.name)).collect();
        note(&format!(
            "searched {}: {}",
            kitbag::plural(names.len(), "repository"),
            names.join(", ")
        ));
    }
}

pub fn heading(text: &str) -> String {
    format!("{}\n", stdout_styled(text, TextStyle::Bold))
}

/// A line for standard output, wrapped to the terminal's width.
pub fn line(text: &str) -> String {
    let width = terminal::width().unwrap_or(usize::MAX);
    format!("{}\n", table::wrap(text, width, "  "))
}

/// A table for standard output, no wider than the terminal.
pub fn table(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    styled_table(rows, &[])
}

/// A table with one column in bold.
pub fn table_with_bold(rows: impl IntoIterator<Item = Vec<String>>, column: usize) -> String {
    let mut styles = vec![TextStyle::Plain; column];
    styles.push(TextStyle::Bold);
    styled_table(rows, &styles)
}

/// A table with a style for each column; columns without one are plain.
pub fn styled_table(rows: impl IntoIterator<Item = Vec<String>>, styles: &[TextStyle]) -> String {
    let styles = if stdout_has_colors() { styles } else { &[] };
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    table::render(&rows, styles, terminal::width())
}

/// Formats why a search found a chunk, and the lines that match best, indented below it.
pub fn reasons(why: &[String], lines: &[kitbag::MatchedLine]) -> String {
    let mut text = String::new();
    if !why.is_empty() {
        let width = terminal::width().unwrap_or(usize::MAX);
        text.push_str(&table::wrap(&format!("      {}", why.join("; ")), width, "      "));
        text.push('\n');
    }
    let width = lines.iter().map(|it| it.line.to_string().len()).max().unwrap_or_default();
    for it in lines {
        let matched = format!("{:8}{:>width$}: {}", "", it.line, escaped(&it.text));
        let matched: String =
            matched.chars().take(terminal::width().unwrap_or(usize::MAX)).collect();
        text.push_str(&format!("{}\n", stdout_styled(&matched, TextStyle::Dim)));
    }
    text
}

/// Formats a range of lines: `src/a.rs:10-40`.
pub fn place(path: &str, start_line: u32, end_line: u32) -> String {
    format!("{path}:{start_line}-{end_line}")
}

/// Formats a relevance between 0 and 1 with two digits, more if they would be zeros.
pub fn relevance(value: f64) -> String {
    let digits = if (0.0005..0.095).contains(&value) { 3 } else { 2 };
    format!("{value:.digits$}")
}

/// Formats a number with separators: `12,345`.
pub fn thousands(number: usize) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1_000), number % 1_000),
    }
}

/// Formats a number of bytes: `812 bytes`, `4.2 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => counted(bytes as usize, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Formats a duration: `35 ms`, `1.2 s`.
pub fn duration(ms: f64) -> String {
    if ms < 1_000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1_000.0) }
}

/// Formats a number with its noun: `1 file`, `1,200 files`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn nouns_are_singular_or_plural() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(1_200, "chunk"), "1,200 chunks");
    }
}
