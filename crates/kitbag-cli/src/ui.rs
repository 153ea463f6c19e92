//! What people read: standard error, and tables.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

/// A line for the person on standard error. If that is gone, nobody can be told.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// What a person should know, though all went well.
pub fn warning(message: &str) {
    note(&format!("warning: {}", visible(message)));
}

/// An error and what to do about it.
pub fn error(message: &str, hint: Option<&str>) {
    note(&format!("error: {}", visible(message)));
    if let Some(hint) = hint {
        note(&format!("hint: {hint}"));
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
}

/// Whether standard output shows colours: on a terminal that can, unless NO_COLOR says no.
pub fn has_colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

fn painted(text: String, paint: Paint) -> String {
    match paint {
        Paint::Plain => text,
        Paint::Strong => format!("\u{1b}[1m{text}\u{1b}[0m"),
        Paint::Faint => format!("\u{1b}[2m{text}\u{1b}[0m"),
    }
}

/// Rows with aligned columns, numbers to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    painted_table(rows, &[])
}

/// The same, each column painted in its way; those without one are plain.
pub fn painted_table(rows: &[Vec<String>], paints: &[Paint]) -> String {
    let seen = |row: &Vec<String>| row.iter().map(|cell| visible(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(seen).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width - cell.chars().count());
            let number = cell.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
            let paint = paints.get(column).copied().unwrap_or(Paint::Plain);
            let cell = painted(cell.clone(), if cell.is_empty() { Paint::Plain } else { paint });
            let cell = if number { format!("{gap}{cell}") } else { format!("{cell}{gap}") };
            line.push_str(&cell);
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
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
