//! How texts and paths are written inside XML and JSON. Each character is written by itself.

use super::path::is_deceptive;
use std::fmt::Write;

/// What stands for a character that XML cannot carry.
const REPLACEMENT: char = '\u{fffd}';

/// Whether XML 1.0 can carry a character, as itself or by its number.
pub fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Appends a text as it stands between two tags. A carriage return is written by its number, since
/// readers would make a plain line end of it.
pub fn xml_text(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '\r' => into.push_str("&#13;"),
            _ if is_xml(c) => into.push(c),
            _ => into.push(REPLACEMENT),
        }
    }
}

/// Appends a text as it stands in an attribute. What could break or disguise the line is written by
/// its number.
pub fn xml_attribute(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            _ if !is_xml(c) => into.push(REPLACEMENT),
            _ if is_deceptive(c) => {
                write!(into, "&#{};", u32::from(c)).expect("writing to a string cannot fail");
            }
            _ => into.push(c),
        }
    }
}

/// Appends a text as it stands in a JSON string.
pub fn json_text(text: &str, into: &mut String) {
    for c in text.chars() {
        json_character(c, into);
    }
}

/// Appends a path as it stands in a JSON string: what could disguise it is written by its number.
pub fn json_path(path: &str, into: &mut String) {
    for c in path.chars() {
        if is_deceptive(c) && !c.is_ascii() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(into, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            json_character(c, into);
        }
    }
}

fn json_character(c: char, into: &mut String) {
    match c {
        '"' => into.push_str("\\\""),
        '\\' => into.push_str("\\\\"),
        '\n' => into.push_str("\\n"),
        '\r' => into.push_str("\\r"),
        '\t' => into.push_str("\\t"),
        '\0'..' ' | '\u{7f}' => {
            write!(into, "\\u{:04x}", u32::from(c)).expect("writing to a string cannot fail");
        }
        _ => into.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_has_no_markup_left_and_no_forbidden_character() {
        let mut text = String::new();
        xml_text("a<b>&\"c\"\r\n]]>\u{0}\u{b}\u{fffe}😀", &mut text);
        assert_eq!(text, "a&lt;b&gt;&amp;\"c\"&#13;\n]]&gt;\u{fffd}\u{fffd}\u{fffd}😀");
        let mut attribute = String::new();
        xml_attribute("a\n\"<\u{202e}\u{1}", &mut attribute);
        assert_eq!(attribute, "a&#10;&quot;&lt;&#8238;\u{fffd}");
    }

    #[test]
    fn json_escapes_what_it_must_and_paths_what_deceives() {
        let mut text = String::new();
        json_text("\"\\\n\r\t\u{1}\u{7f}é\u{202e}", &mut text);
        assert_eq!(text, "\\\"\\\\\\n\\r\\t\\u0001\\u007fé\u{202e}");
        let mut path = String::new();
        json_path("a\n\u{202e}é", &mut path);
        assert_eq!(path, "a\\n\\u202eé");
    }
}
