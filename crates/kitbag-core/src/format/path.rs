//! Escaping of paths in headers, so that a file name cannot imitate a header or a fence.

/// Escapes characters that could break or disguise a header line as `\u{..}`: control characters,
/// line separators, and bidirectional and invisible formatting characters. Backslashes are doubled, so
/// that the path can be restored.
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
        assert_eq!(escape_path(path), "a\\u{a}### b (lines 1-2)\\u{202e}c\\\\d");
    }

    #[test]
    fn ordinary_names_are_unchanged() {
        for path in ["src/größe (1).rs", "a b/日本.py", "#x/`y`.md"] {
            assert_eq!(escape_path(path), path);
        }
    }
}
