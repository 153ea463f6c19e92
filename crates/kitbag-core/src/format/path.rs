//! Paths in headers: a file's name must not be able to imitate the frame.

use std::fmt::Write;

/// `path` with everything that could break or disguise a header line written as `\u{..}`: control
/// characters, line separators, and the characters that turn text around. Backslashes are doubled,
/// so that nothing is lost: [`unescape_path`] gives the path back.
pub fn escape_path(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            _ if is_deceptive(c) => {
                write!(escaped, "\\u{{{:x}}}", u32::from(c))
                    .expect("writing to a string cannot fail");
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The path that [`escape_path`] was given; `None` where the text is not one of its results.
pub fn unescape_path(escaped: &str) -> Option<String> {
    let mut path = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        path.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('\\') {
            path.push('\\');
            rest = after;
        } else {
            let (code, after) = rest.strip_prefix("u{")?.split_once('}')?;
            path.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?);
            rest = after;
        }
    }
    path.push_str(rest);
    (escape_path(&path) == escaped).then_some(path)
}

pub(super) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{61c}' | '\u{180e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_its_line_or_turn_it_around() {
        let path = "a\n### b (lines 1-2)\u{202e}c\\d";
        let escaped = escape_path(path);
        assert_eq!(escaped, "a\\u{a}### b (lines 1-2)\\u{202e}c\\\\d");
        assert_eq!(unescape_path(&escaped).as_deref(), Some(path));
    }

    #[test]
    fn only_what_was_escaped_is_unescaped() {
        for not_ours in
            ["a\\", "\\n", "\\u{61}", "\\u{+a}", "\\u{0a}", "\\u{d800}", "\\u{a", "a\nb"]
        {
            assert_eq!(unescape_path(not_ours), None, "{not_ours}");
        }
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        for path in ["src/größe (1).rs", "a b/日本.py", "#x/`y`.md"] {
            assert_eq!(escape_path(path), path);
        }
    }
}
