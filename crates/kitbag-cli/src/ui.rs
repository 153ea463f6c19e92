//! What people read: standard error, and tables.

use crate::layout;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Whether notes and warnings are kept back, and whether more is wanted.
static QUIET: AtomicBool = AtomicBool::new(false);
static VERBOSE: AtomicU8 = AtomicU8::new(0);

/// How much is said, from the command line.
pub fn set_loudness(quiet: bool, verbose: u8) {
    QUIET.store(quiet, Ordering::Relaxed);
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// Whether more is wanted.
pub fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed) > 0
}

/// A line for the person on standard error, unless they asked for none.
pub fn note(message: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        say(message);
    }
}

/// A line on standard error. If that is gone, nobody can be told.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// What a person should know, though all went well.
pub fn warning(message: &str) {
    note(&format!("{}: {}", on_stderr("warning", Paint::Warn), visible(message)));
}

/// The same, for each of several.
pub fn warnings(messages: &[String]) {
    messages.iter().for_each(|message| warning(message));
}

/// An error and what to do about it.
pub fn error(message: &str, hint: Option<&str>) {
    say(&format!("{}: {}", on_stderr("error", Paint::Bad), visible(message)));
    if let Some(hint) = hint {
        say(&format!("{}: {hint}", on_stderr("hint", Paint::Strong)));
    }
}

/// A text that may hold a file's name, on one line: what would move the cursor, change the colour
/// or turn the direction of writing is spelled out.
pub fn visible(text: &str) -> Cow<'_, str> {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
    };
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let spell = |c: char| if odd(c) { c.escape_default().collect() } else { c.to_string() };
    Cow::Owned(text.chars().map(spell).collect())
}

/// How a text stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Strong,
    Faint,
    /// Green: it is in, it holds.
    Good,
    /// Yellow: look at it.
    Warn,
    /// Red: it is out, it failed.
    Bad,
}

/// Whether standard output shows colours: on a terminal that can, unless NO_COLOR says no.
pub fn has_colours() -> bool {
    io::stdout().is_terminal() && may_colour()
}

fn may_colour() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_set("NO_COLOR") && !is_dumb
}

/// A text in a colour.
pub fn painted(text: String, paint: Paint) -> String {
    let code = match paint {
        Paint::Plain => return text,
        Paint::Strong => "1",
        Paint::Faint => "2",
        Paint::Good => "32",
        Paint::Warn => "33",
        Paint::Bad => "31",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// A text for standard output, in a colour where it shows colours.
pub fn paint_out(text: &str, paint: Paint) -> String {
    painted(text.to_owned(), if has_colours() { paint } else { Paint::Plain })
}

fn on_stderr(text: &str, paint: Paint) -> String {
    let shows = io::stderr().is_terminal() && may_colour();
    painted(text.to_owned(), if shows { paint } else { Paint::Plain })
}

/// The title of what follows on standard output.
pub fn heading(text: &str) -> String {
    format!("{}\n", paint_out(text, Paint::Strong))
}

/// A line of words for standard output, wrapped to the width there is.
pub fn line(text: &str) -> String {
    let width = layout::width().unwrap_or(usize::MAX);
    format!("{}\n", layout::wrapped(text, width, 2))
}

/// Rows with aligned columns, numbers to the right, no wider than the terminal.
pub fn table(rows: &[Vec<String>]) -> String {
    painted_table(rows, &[])
}

/// The same, with the column at `name` standing out where there are colours.
pub fn table_of_results(rows: &[Vec<String>], name: usize) -> String {
    let mut paints = vec![Paint::Plain; name];
    paints.push(Paint::Strong);
    painted_table(rows, if has_colours() { &paints } else { &[] })
}

/// The same, each column painted in its way; those without one are plain.
pub fn painted_table(rows: &[Vec<String>], paints: &[Paint]) -> String {
    layout::table(rows, paints, layout::width())
}

/// A number with thousands apart: `12,345`.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes: `812 bytes`, `4.2 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => counted(bytes as usize, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A time that something took: `35 ms`, `1.2 s`.
pub fn duration(ms: f64) -> String {
    if ms < 1_000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1_000.0) }
}

/// A number of things: `1 file`, `1,200 files`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn a_name_cannot_write_lines_of_its_own() {
        assert_eq!(visible("a\nb\u{1b}[31m\u{202e}"), "a\\nb\\u{1b}[31m\\u{202e}");
        assert_eq!(visible("naïve 日本"), "naïve 日本");
        assert_eq!(table(&[vec!["a\nb".into()]]), "a\\nb\n");
    }

    #[test]
    fn things_are_counted_in_one_or_many() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(1_200, "chunk"), "1,200 chunks");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["a".into(), "10".into()], vec!["long".into(), "9".into()]];
        assert_eq!(table(&rows), "a     10\nlong   9\n");
    }
}
