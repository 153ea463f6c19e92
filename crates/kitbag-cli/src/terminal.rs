//! The terminal: its width, its colors, and text that is safe to print on it.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

/// How a text is emphasized where colors are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    Plain,
    Bold,
    Dim,
    Green,
    Yellow,
    Red,
}

/// Returns the number of columns of a line: `COLUMNS`, else the terminal's width. `None` if the
/// output goes elsewhere.
pub fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    set.or_else(terminal).filter(|&width| width > 0)
}

/// Whether standard output shows colors: a capable terminal, and no `NO_COLOR`.
pub fn stdout_has_colors() -> bool {
    io::stdout().is_terminal() && colors_are_allowed()
}

fn colors_are_allowed() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_set("NO_COLOR") && !is_dumb
}

/// Styles a text for standard output.
pub fn stdout_styled(text: &str, style: TextStyle) -> String {
    styled(text, if stdout_has_colors() { style } else { TextStyle::Plain })
}

/// Styles a text for standard error.
pub fn stderr_styled(text: &str, style: TextStyle) -> String {
    let has_colors = io::stderr().is_terminal() && colors_are_allowed();
    styled(text, if has_colors { style } else { TextStyle::Plain })
}

fn styled(text: &str, style: TextStyle) -> String {
    let code = match style {
        TextStyle::Plain => return text.to_owned(),
        TextStyle::Bold => "1",
        TextStyle::Dim => "2",
        TextStyle::Green => "32",
        TextStyle::Yellow => "33",
        TextStyle::Red => "31",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Escapes control characters and direction marks, so that a file name can neither move the cursor
/// nor change the color or the direction of a line.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
    };
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if is_unsafe(c) { c.escape_default().collect() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(escaped("a\nb\u{1b}[31m\u{202e}"), "a\\nb\\u{1b}[31m\\u{202e}");
        assert_eq!(escaped("naïve 日本"), "naïve 日本");
    }
}
