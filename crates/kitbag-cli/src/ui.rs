//! What people read: standard error, and tables.

use std::io::{self, Write};

/// A line for the person on standard error. If that is gone, nobody can be told.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// An error and what to do about it.
pub fn error(message: &str, hint: Option<&str>) {
    note(&format!("error: {message}"));
    if let Some(hint) = hint {
        note(&format!("hint: {hint}"));
    }
}

/// Rows with aligned columns, numbers to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
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
    fn columns_are_aligned() {
        let rows = [vec!["a".into(), "10".into()], vec!["long".into(), "9".into()]];
        assert_eq!(table(&rows), "a     10\nlong   9\n");
    }
}
