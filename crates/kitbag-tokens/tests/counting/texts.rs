//! Random texts of fragments that are hard to count: they split, join or merge with their neighbors.

use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::Range;

/// A text and a range of its rows.
#[derive(Debug, Clone)]
pub struct Excerpt {
    pub content: String,
    pub row_starts: Vec<u32>,
    pub rows: Range<usize>,
}

impl Excerpt {
    /// Returns the text of the rows, terminated by a newline.
    pub fn terminated(&self) -> String {
        let at =
            |row: usize| self.row_starts.get(row).map_or(self.content.len(), |&at| at as usize);
        let mut text = self.content[at(self.rows.start)..at(self.rows.end)].to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// Texts of up to forty lines, terminated or not, with a range of rows.
pub fn excerpt() -> impl Strategy<Value = Excerpt> {
    let content = (vec(line(), 0..40), prop_oneof![2 => Just(true), 1 => Just(false)]).prop_map(
        |(lines, is_terminated)| {
            let content = lines.concat();
            if is_terminated { content } else { content.trim_end_matches('\n').to_owned() }
        },
    );
    (content, any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(
        |(content, one, other)| {
            let row_starts = row_starts(&content);
            let (one, other) = (one.index(row_starts.len() + 1), other.index(row_starts.len() + 1));
            Excerpt { content, row_starts, rows: one.min(other)..one.max(other) }
        },
    )
}

/// A few lines, the last of which is terminated.
pub fn terminated_lines() -> impl Strategy<Value = String> {
    vec(line(), 1..6).prop_map(|lines| lines.concat())
}

/// One line with its newline.
pub fn line() -> impl Strategy<Value = String> {
    let ending =
        prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just(" \n"), 1 => Just("\r\r\n")];
    (indent(), vec(fragment(), 0..6), ending)
        .prop_map(|(indent, fragments, ending)| format!("{indent}{}{ending}", fragments.concat()))
}

/// Offsets of the rows, computed independently of `kitbag_text::Text`.
fn row_starts(content: &str) -> Vec<u32> {
    let mut at = 0;
    content.split_inclusive('\n').map(|line| (at, at += line.len() as u32).0).collect()
}

fn indent() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        3 => " {1,9}",
        1 => "\t{1,3}",
        1 => blanks(),
        1 => Just("/".to_owned()),
        1 => Just("\u{feff}".to_owned()),
    ]
}

/// Whitespace of every kind, including a lone carriage return.
fn blanks() -> impl Strategy<Value = String> {
    let blank = prop::sample::select(
        " ,\t,\r,\u{b},\u{c},\u{85},\u{a0},\u{1680},\u{2003},\u{2028},\u{2029},\u{3000}"
            .split(',')
            .collect::<Vec<_>>(),
    );
    vec(blank, 1..4).prop_map(|blanks| blanks.concat())
}

fn fragment() -> impl Strategy<Value = String> {
    let code = prop::sample::select(vec![
        "fn",
        "let",
        "return",
        "self.",
        "HTTPServer",
        "getUserName",
        "__init__",
        "x1",
        "don't",
        "I'LL",
        "12",
        "3456",
        "0xFF",
        "==",
        "->",
        "();",
        "{",
        "}",
        "});",
        "/*",
        "*/",
        "//",
        "///",
        "/",
        "\\",
        "#",
        "'",
        "'s",
        "\"",
        "...",
        "<|endoftext|>",
        "###",
        "`",
    ]);
    let foreign = prop::sample::select(vec![
        "é",
        "e\u{301}",
        "\u{301}",
        "ß",
        "ǅ",
        "中文",
        "ไทย",
        "नमस्ते",
        "عربي",
        "٣",
        "½",
        "😀",
        "👨\u{200d}👩\u{200d}👧",
        "\u{200b}",
        "\u{fffd}",
        "\u{1c}",
        "\0",
        "\u{10ffff}",
    ]);
    let run =
        (prop::sample::select(vec!["a", "A", "7", "-", "=", " ", "/", "é", "😀"]), 10..200_usize);
    prop_oneof![
        5 => code.prop_map(str::to_owned),
        2 => Just(" ".to_owned()),
        2 => foreign.prop_map(str::to_owned),
        1 => blanks(),
        1 => run.prop_map(|(text, times)| text.repeat(times)),
        1 => "\\PC{0,6}",
    ]
}
