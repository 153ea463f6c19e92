//! Tables that fit the width there is.
//!
//! A table that is too wide is narrowed where its cells are longest, and what is cut shows it. Where
//! even that does not do, each row is written as lines under each other, wrapped, so that nothing is
//! lost on a terminal of twenty columns.

use crate::ui::{Paint, painted, visible};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands between two columns.
const GAP: usize = 2;

/// A column is not made narrower than this.
const NARROWEST: usize = 12;

/// The columns that a line may have: those of the terminal, or what COLUMNS says; `None` where
/// nobody looks at it.
pub fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    set.or_else(terminal).filter(|&width| width > 0)
}

/// Rows with aligned columns, numbers to the right, each column painted in its way.
pub fn table(rows: &[Vec<String>], paints: &[Paint], width: Option<usize>) -> String {
    let seen = |row: &Vec<String>| row.iter().map(|cell| visible(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(seen).collect();
    let widths = widths(&rows);
    match width.map(|width| narrowed(&widths, width)) {
        None => aligned(&rows, &widths, paints),
        Some(Some(widths)) => aligned(&rows, &widths, paints),
        Some(None) => stacked(&rows, paints, width.unwrap_or(usize::MAX)),
    }
}

/// A text in lines of at most so many columns, cut at spaces where there are any, with `indent`
/// before all but the first.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let width = width.max(8);
    let mut lines: Vec<String> = vec![String::new()];
    let room = |line: usize| if line == 0 { width } else { width - indent.min(width / 2) };
    for word in text.split(' ') {
        let mut word = word.to_owned();
        let last = lines.len() - 1;
        let line = &mut lines[last];
        let space = usize::from(!line.is_empty());
        if line.width() + space + word.width() <= room(last) {
            if space == 1 {
                line.push(' ');
            }
            line.push_str(&word);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        while word.width() > room(lines.len() - 1) {
            let cut = first_columns(&word, room(lines.len() - 1));
            let rest = word.split_off(cut.len());
            let last = lines.len() - 1;
            lines[last] = word;
            lines.push(String::new());
            word = rest;
        }
        let last = lines.len() - 1;
        lines[last].push_str(&word);
    }
    lines.join(&format!("\n{}", " ".repeat(indent.min(width / 2))))
}

/// A bar of `columns` columns that is filled by a share.
pub fn bar(share: f64, columns: usize) -> String {
    let filled = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    format!("[{}{}]", "#".repeat(filled), "-".repeat(columns - filled))
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

/// The same widths, the widest made narrower until all fit; `None` where they cannot.
fn narrowed(widths: &[usize], width: usize) -> Option<Vec<usize>> {
    let mut widths = widths.to_vec();
    let shown = widths.iter().filter(|width| **width > 0).count();
    let gaps = GAP * shown.saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let widest = widths.iter_mut().max()?;
        if *widest <= NARROWEST {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}

fn aligned(rows: &[Vec<String>], widths: &[usize], paints: &[Paint]) -> String {
    let mut text = String::new();
    let numbers: Vec<bool> = (0..widths.len()).map(|column| has_numbers(rows, column)).collect();
    for row in rows {
        let (mut line, mut start) = (String::new(), 0);
        for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
            if width == 0 {
                continue;
            }
            let paint = paints.get(column).copied().unwrap_or(Paint::Plain);
            if column + 1 == widths.len() && cell.width() > width && cell.contains(' ') {
                line.push_str(&hanging(cell, width, start, paint));
                continue;
            }
            let cell = shortened(cell, width);
            let gap = " ".repeat(width - cell.width());
            let cell = painted(cell.clone(), if cell.is_empty() { Paint::Plain } else { paint });
            let is_right = numbers[column];
            line.push_str(&if is_right { format!("{gap}{cell}") } else { format!("{cell}{gap}") });
            line.push_str("  ");
            start += width + GAP;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Whether a column has numbers, under a title or not.
fn has_numbers(rows: &[Vec<String>], column: usize) -> bool {
    let cells = rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
    let cells: Vec<&str> = cells.map(String::as_str).collect();
    match cells.as_slice() {
        [] => false,
        [only] => is_number(only),
        [first, others @ ..] => {
            let is_title = first.bytes().all(|byte| byte.is_ascii_lowercase());
            (is_title || is_number(first)) && others.iter().all(|cell| is_number(cell))
        }
    }
}

/// Whether a cell is a number or a range, with a unit or without: `1,024 tokens`, `+0.3`, `2.`, `10-40`.
fn is_number(cell: &str) -> bool {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, "%"));
    let is_unit = unit == "%" || unit.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_place = number.ends_with('.') && number != cell;
    let is_made_of_digits =
        number.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,%".contains(&byte));
    !number.is_empty() && is_unit && is_made_of_digits && !is_place
}

/// Words in the last column, in as many lines as they need, each under the first.
fn hanging(cell: &str, width: usize, start: usize, paint: Paint) -> String {
    let lines = wrapped(cell, width, 0);
    let lines: Vec<String> = lines.lines().map(|it| painted(it.to_owned(), paint)).collect();
    lines.join(&format!("\n{}", " ".repeat(start)))
}

/// Each row as lines under each other, all but the first set in. As many cells stand on a line as fit.
fn stacked(rows: &[Vec<String>], paints: &[Paint], width: usize) -> String {
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty());
        // The columns that the last line has already; none before the first cell.
        let mut used: Option<usize> = None;
        for (column, cell) in cells {
            let (cell, paint) = (cell.trim(), paints.get(column).copied().unwrap_or(Paint::Plain));
            if let Some(before) = used.filter(|before| before + GAP + cell.width() <= width) {
                text.push_str(&" ".repeat(GAP));
                text.push_str(&painted(cell.to_owned(), paint));
                used = Some(before + GAP + cell.width());
                continue;
            }
            let indent = if used.is_none() { 0 } else { GAP };
            text.push_str(if used.is_none() { "" } else { "\n" });
            let lines = wrapped(cell, width.saturating_sub(indent), GAP);
            let lines: Vec<String> = lines
                .lines()
                .map(|line| " ".repeat(indent) + &painted(line.to_owned(), paint))
                .collect();
            used = Some(
                lines.last().map_or(0, |_| last_width(cell, width.saturating_sub(indent), indent)),
            );
            text.push_str(&lines.join("\n"));
        }
        text.push('\n');
    }
    text
}

/// The columns of the last line of a wrapped cell.
fn last_width(cell: &str, width: usize, indent: usize) -> usize {
    let lines = wrapped(cell, width, GAP);
    indent + lines.lines().last().map_or(0, UnicodeWidthStr::width)
}

/// A cell in so many columns. Of a path the end is what tells it from others.
fn shortened(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    if cell.contains('/') && !cell.contains(' ') {
        let mut kept = String::new();
        for c in cell.chars().rev() {
            if kept.width() + c.width().unwrap_or(0) + 1 > width {
                break;
            }
            kept.insert(0, c);
        }
        return format!("\u{2026}{kept}");
    }
    format!("{}\u{2026}", first_columns(cell, width.saturating_sub(1)))
}

/// The beginning of a text that takes so many columns at the most.
fn first_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    let end = end.map_or(text.len(), |(at, _)| at);
    // One character at the least, however wide, so that every step takes something.
    let first = text.chars().next().map_or(0, char::len_utf8);
    &text[..end.max(first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        vec![
            row(["0.875", "src/authentication/provider.rs:110-170", "handle_callback"]),
            row(["0.1", "a.rs:1-2", "a rather long reason that nobody reads to its end"]),
        ]
    }

    #[test]
    fn a_table_is_as_wide_as_it_needs_to_be_where_nobody_looks() {
        let wide = table(&rows(), &[], None);
        assert!(wide.lines().all(|line| !line.contains('\u{2026}')), "{wide}");
    }

    #[test]
    fn a_table_is_narrowed_to_the_width() {
        for width in [40, 60, 80] {
            let text = table(&rows(), &[], Some(width));
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
            assert!(text.contains("110-170"), "a path keeps its end: {text}");
        }
    }

    #[test]
    fn words_in_the_last_column_are_wrapped_and_not_cut() {
        let row = ["a.rs:1-2", "a reason of several words"].map(str::to_owned).to_vec();
        let text = table(&[row], &[], Some(24));
        assert_eq!(text, "a.rs:1-2  a reason of\n          several words\n");
    }

    #[test]
    fn twenty_columns_lose_nothing() {
        let text = table(&rows(), &[], Some(20));
        assert!(text.lines().all(|line| line.width() <= 20), "{text}");
        let joined: String = text.split_whitespace().collect();
        for cell in rows().concat() {
            let cell: String = cell.split_whitespace().collect();
            assert!(joined.contains(&cell), "{cell}: {text}");
        }
    }

    #[test]
    fn what_fits_on_a_line_stands_on_it() {
        let row =
            ["1.", "0.875", "62 tokens", "src/authentication/provider.rs:110-170", "callback"];
        let row = row.map(str::to_owned).to_vec();
        let text = table(&[row], &[], Some(40));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "1.  0.875  62 tokens");
        assert_eq!(lines[1], "  src/authentication/provider.rs:110-170");
        assert_eq!(lines[2], "  callback");
    }

    #[test]
    fn a_column_is_set_to_the_right_as_a_whole_or_not_at_all() {
        let rows = |cells: &[&str]| -> Vec<Vec<String>> {
            cells.iter().map(|cell| vec![(*cell).to_owned(), "x".to_owned()]).collect()
        };
        let first = |cells: &[&str]| -> Vec<String> {
            table(&rows(cells), &[], None).lines().map(str::to_owned).collect()
        };
        assert_eq!(first(&["score", "0.5", "-"]), ["score  x", "  0.5  x", "    -  x"]);
        assert_eq!(first(&["1 token", "10 tokens"]), ["  1 token  x", "10 tokens  x"]);
        assert_eq!(first(&["1-4", "10-40"]), ["  1-4  x", "10-40  x"]);
        assert_eq!(first(&["Introduction", "2. Tests"]), ["Introduction  x", "2. Tests      x"]);
        assert_eq!(first(&["1. Begin", "10. End it"]), ["1. Begin    x", "10. End it  x"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = vec![vec!["日本語".to_owned(), "x".to_owned()], vec!["ab".into(), "y".into()]];
        assert_eq!(table(&rows, &[], None), "日本語  x\nab      y\n");
        assert_eq!(wrapped("日本語日本語日本語", 8, 0), "日本語日\n本語日本\n語");
    }

    #[test]
    fn a_bar_is_filled_by_its_share() {
        assert_eq!(bar(0.5, 10), "[#####-----]");
        assert_eq!(bar(7.0, 4), "[####]");
        assert_eq!(bar(0.0, 4), "[----]");
    }
}
