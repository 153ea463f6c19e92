//! Tables and wrapped lines that fit the terminal.

use crate::terminal::{TextStyle, escaped};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};

/// Spaces between two columns.
const COLUMN_GAP: u16 = 2;

/// A table whose columns would be narrower is printed as lines.
const MIN_COLUMN_WIDTH: u16 = 12;

/// Narrowest width that lines are wrapped to.
const MIN_LINE_WIDTH: usize = 8;

/// Aligns rows in columns, numbers to the right. Cells that do not fit `width` are wrapped. Empty
/// columns are left out.
pub fn render(rows: &[Vec<String>], styles: &[TextStyle], width: Option<usize>) -> String {
    let columns: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0))
        .filter(|&column| rows.iter().any(|row| !cell(row, column).is_empty()))
        .collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING).enforce_styling().style_text_only();
    for row in rows {
        table.add_row(columns.iter().map(|&column| {
            let style = styles.get(column).copied().unwrap_or(TextStyle::Plain);
            styled_cell(&escaped(cell(row, column)), style)
        }));
    }
    for (place, &column) in columns.iter().enumerate() {
        let gap = if place + 1 == columns.len() { 0 } else { COLUMN_GAP };
        let Some(settings) = table.column_mut(place) else { continue };
        settings.set_padding((0, gap));
        if is_numeric(rows, column) {
            settings.set_cell_alignment(CellAlignment::Right);
        }
    }
    if let Some(width) = width {
        let gaps = columns.len().saturating_sub(1) * usize::from(COLUMN_GAP);
        let narrowest = table.column_max_content_widths();
        let narrowest = narrowest.iter().map(|&it| usize::from(it.min(MIN_COLUMN_WIDTH)));
        if narrowest.sum::<usize>() + gaps > width {
            return lines(rows, width);
        }
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    if rows.is_empty() { String::new() } else { table.trim_fmt() + "\n" }
}

/// Wraps a text to `width`, with `indent` before all lines but the first.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width.max(MIN_LINE_WIDTH)).subsequent_indent(indent);
    textwrap::fill(text, options)
}

/// A bar of `columns` columns, filled to `share` of 1.
pub fn bar(share: f64, columns: usize) -> String {
    let filled = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    format!("[{}{}]", "#".repeat(filled), "-".repeat(columns - filled))
}

fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

fn styled_cell(text: &str, style: TextStyle) -> Cell {
    let cell = Cell::new(text);
    match style {
        _ if text.is_empty() => cell,
        TextStyle::Plain => cell,
        TextStyle::Bold => cell.add_attribute(Attribute::Bold),
        TextStyle::Dim => cell.add_attribute(Attribute::Dim),
        TextStyle::Green => cell.fg(Color::DarkGreen),
        TextStyle::Yellow => cell.fg(Color::DarkYellow),
        TextStyle::Red => cell.fg(Color::DarkRed),
    }
}

/// Each row as a wrapped line.
fn lines(rows: &[Vec<String>], width: usize) -> String {
    let mut text = String::new();
    for row in rows {
        let cells: Vec<&str> = row.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect();
        text.push_str(&wrap(&escaped(&cells.join("  ")), width, "  "));
        text.push('\n');
    }
    text
}

/// Whether all cells of a column are numbers, apart from a title in lower case.
fn is_numeric(rows: &[Vec<String>], column: usize) -> bool {
    let cells = rows.iter().map(|row| cell(row, column)).filter(|cell| !cell.is_empty());
    match cells.collect::<Vec<_>>().as_slice() {
        [] => false,
        [only] => is_number(only),
        [first, others @ ..] => {
            let is_title = first.bytes().all(|byte| byte.is_ascii_lowercase());
            (is_title || is_number(first)) && others.iter().all(|cell| is_number(cell))
        }
    }
}

/// Whether a cell is a number or a range, with or without a unit: `1,024 tokens`, `+0.3`, `2.`,
/// `10-40`.
fn is_number(cell: &str) -> bool {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, "%"));
    let is_unit = unit == "%" || unit.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_list_item = number.ends_with('.') && number != cell;
    let has_digits_only =
        number.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,%".contains(&byte));
    !number.is_empty() && is_unit && has_digits_only && !is_list_item
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        vec![
            row(["0.875", "src/authentication/provider.rs:110-170", "handle_callback"]),
            row(["0.1", "a.rs:1-2", "a long reason that needs several lines"]),
        ]
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["a".into(), "10".into()], vec!["long".into(), "9".into()]];
        assert_eq!(render(&rows, &[], None), "a     10\nlong   9\n");
        assert_eq!(render(&[vec!["a\nb".into()]], &[], None), "a\\nb\n");
        assert_eq!(render(&[], &[], Some(80)), "");
    }

    #[test]
    fn a_table_without_a_width_is_not_wrapped() {
        assert_eq!(render(&rows(), &[], None).lines().count(), 2);
    }

    #[test]
    fn every_width_is_kept_and_loses_nothing() {
        for width in [20, 30, 40, 60, 80] {
            let text = render(&rows(), &[], Some(width));
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
            let count = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            assert_eq!(count(&text), count(&rows().concat().concat()), "{width}: {text}");
        }
    }

    #[test]
    fn words_are_wrapped_within_their_column() {
        let row = ["a.rs:1-2", "a reason of several words"].map(str::to_owned).to_vec();
        let text = render(&[row], &[], Some(24));
        assert_eq!(text, "a.rs:1-2  a reason of\n          several words\n");
    }

    #[test]
    fn a_narrow_table_is_printed_as_lines() {
        let row =
            ["1.", "0.875", "62 tokens", "src/authentication/provider.rs:110-170", "callback"];
        let text = render(&[row.map(str::to_owned).to_vec()], &[], Some(40));
        let expected =
            "1.  0.875  62 tokens\n  src/authentication/provider.rs:110-170\n  callback\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_column_is_aligned_right_only_if_all_cells_are_numbers() {
        let lines = |cells: &[&str]| -> Vec<String> {
            let row = |cell: &&str| vec![(*cell).to_owned(), "x".to_owned()];
            let rows: Vec<Vec<String>> = cells.iter().map(row).collect();
            render(&rows, &[], None).lines().map(str::to_owned).collect()
        };
        assert_eq!(lines(&["score", "0.5", "-"]), ["score  x", "  0.5  x", "    -  x"]);
        assert_eq!(lines(&["1 token", "10 tokens"]), ["  1 token  x", "10 tokens  x"]);
        assert_eq!(lines(&["1-4", "10-40"]), ["  1-4  x", "10-40  x"]);
        assert_eq!(lines(&["Introduction", "2. Tests"]), ["Introduction  x", "2. Tests      x"]);
        assert_eq!(lines(&["1. Begin", "10. End it"]), ["1. Begin    x", "10. End it  x"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = vec![vec!["日本語".to_owned(), "x".to_owned()], vec!["ab".into(), "y".into()]];
        assert_eq!(render(&rows, &[], None), "日本語  x\nab      y\n");
        assert_eq!(wrap("日本語日本語日本語", 8, ""), "日本語日\n本語日本\n語");
    }

    #[test]
    fn a_bar_is_filled_to_its_share() {
        assert_eq!(bar(0.5, 10), "[#####-----]");
        assert_eq!(bar(7.0, 4), "[####]");
        assert_eq!(bar(0.0, 4), "[----]");
    }
}
