//! Lone surrogates in JSON. JSON may escape a character as a pair of surrogates, and a program that
//! truncates a string between the two writes one alone, which serde_json rejects.

/// The escaped replacement character.
const REPLACEMENT: &[u8] = br"\ufffd";

/// Replaces every escaped lone surrogate; `None` if there is none. Valid JSON has backslashes in
/// strings only, so nothing else has to be parsed.
pub(crate) fn replace_lone(json: &[u8]) -> Option<Vec<u8>> {
    let mut replaced = Vec::with_capacity(json.len());
    let mut is_changed = false;
    let mut rest = json;
    while let Some(backslash) = rest.iter().position(|byte| *byte == b'\\') {
        replaced.extend_from_slice(&rest[..backslash]);
        rest = &rest[backslash..];
        let escape_length = match (code_unit(rest), rest.get(6..).and_then(code_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                is_changed = true;
                replaced.extend_from_slice(REPLACEMENT);
                rest = &rest[6..];
                continue;
            }
            _ => 2.min(rest.len()),
        };
        replaced.extend_from_slice(&rest[..escape_length]);
        rest = &rest[escape_length..];
    }
    replaced.extend_from_slice(rest);
    is_changed.then_some(replaced)
}

/// Returns the code unit of an escape such as `\ud83d` at the start of `text`.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (json, expected) in [
            (r#""cut \ud83d""#, Some(r#""cut \ufffd""#)),
            (r#""\uDE00 cut""#, Some(r#""\ufffd cut""#)),
            (r#""\ud83d\ud83d\ude00\ude00""#, Some(r#""\ufffd\ud83d\ude00\ufffd""#)),
            (r#""\\\ud83d\n""#, Some(r#""\\\ufffd\n""#)),
            (r#""\ud83d\ude00""#, None),
            (r#""\\ud83d""#, None),
            (r#""\u00e9\n""#, None),
            (r#""\ud8"#, None),
            (r#""\"#, None),
        ] {
            let replaced =
                replace_lone(json.as_bytes()).map(|it| String::from_utf8_lossy(&it).into_owned());
            assert_eq!(replaced.as_deref(), expected, "{json}");
        }
    }
}
