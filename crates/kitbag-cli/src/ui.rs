//! What people read: standard error, and tables.

use std::borrow::Cow;
use std::io::{self, Write};

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

/// Rows with aligned columns, numbers to the right.
pub fn table(rows: &[Vec<String>]) -> String {
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
        for (cell, &width) in row.iter().zip(&widths) {
            let gap = " ".repeat(width - cell.chars().count());
            let number = cell.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
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
