//! Escaping of texts and paths in XML and JSON, character by character.

use super::path::is_deceptive;

/// Replaces characters that XML cannot represent.
const REPLACEMENT: char = '\u{fffd}';

/// Whether XML 1.0 can represent a character, literally or as a character reference.
pub fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Appends a text as element content. Carriage returns become character references, since XML
/// parsers normalize line endings. `>` is allowed except in `]]>`.
pub fn xml_text(text: &str, into: &mut String) {
    let start = into.len();
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' if into[start..].ends_with("]]") => into.push_str("&gt;"),
            '\r' => into.push_str("&#13;"),
            _ if is_xml_char(c) => into.push(c),
            _ => into.push(REPLACEMENT),
        }
    }
}

/// Appends a text as an attribute value. Characters that could break or disguise the line become
/// character references.
pub fn xml_attribute(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            _ if !is_xml_char(c) => into.push(REPLACEMENT),
            _ if is_deceptive(c) => {
                into.push_str(&format!("&#{};", u32::from(c)));
            }
            _ => into.push(c),
        }
    }
}

/// Appends a text as the content of a JSON string.
pub fn json_text(text: &str, into: &mut String) {
    for c in text.chars() {
        json_character(c, into);
    }
}

/// Appends a path as the content of a JSON string, with deceptive characters as escape sequences.
pub fn json_path(path: &str, into: &mut String) {
    for c in path.chars() {
        if is_deceptive(c) && !c.is_ascii() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                into.push_str(&format!("\\u{unit:04x}"));
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
            into.push_str(&format!("\\u{:04x}", u32::from(c)));
        }
        _ => into.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_escapes_markup_and_replaces_forbidden_characters() {
        let mut text = String::new();
        xml_text("a<b>&\"c\"\r\n]]>\u{0}\u{b}\u{fffe}😀", &mut text);
        assert_eq!(text, "a&lt;b>&amp;\"c\"&#13;\n]]&gt;\u{fffd}\u{fffd}\u{fffd}😀");
        let mut attribute = String::new();
        xml_attribute("a\n\"<\u{202e}\u{1}", &mut attribute);
        assert_eq!(attribute, "a&#10;&quot;&lt;&#8238;\u{fffd}");
    }

    #[test]
    fn json_escapes_control_characters_and_deceptive_ones_in_paths() {
        let mut text = String::new();
        json_text("\"\\\n\r\t\u{1}\u{7f}é\u{202e}", &mut text);
        assert_eq!(text, "\\\"\\\\\\n\\r\\t\\u0001\\u007fé\u{202e}");
        let mut path = String::new();
        json_path("a\n\u{202e}é", &mut path);
        assert_eq!(path, "a\\n\\u202eé");
    }
}
