//! Escaping of paths in headers, so that a file name cannot imitate a header or a fence.

/// Escapes characters that could break or disguise a header line as `\u{..}`: control characters,
/// line separators, and bidirectional and invisible formatting characters. Backslashes are doubled, so
/// that [`unescape_path`] can restore the path.
pub fn escape_path(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            _ if is_deceptive(c) => {
                escaped.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Reverses [`escape_path`]; `None` if `escaped` is not one of its results.
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

    // Shows: THREAT-4
    #[test]
    fn a_name_cannot_break_or_reorder_its_line() {
        let path = "a\n### b (lines 1-2)\u{202e}c\\d";
        let escaped = escape_path(path);
        assert_eq!(escaped, "a\\u{a}### b (lines 1-2)\\u{202e}c\\\\d");
        assert_eq!(unescape_path(&escaped).as_deref(), Some(path));
    }

    #[test]
    fn only_canonical_escapes_are_unescaped() {
        for invalid in ["a\\", "\\n", "\\u{61}", "\\u{+a}", "\\u{0a}", "\\u{d800}", "\\u{a", "a\nb"]
        {
            assert_eq!(unescape_path(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn ordinary_names_are_unchanged() {
        for path in ["src/größe (1).rs", "a b/日本.py", "#x/`y`.md"] {
            assert_eq!(escape_path(path), path);
        }
    }
}
