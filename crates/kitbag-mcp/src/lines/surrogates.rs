//! Halves of characters. JSON may escape a character as two halves, and a program that cuts a text
//! between them writes one alone, which stands for nothing.

/// What stands in its place: the mark of a character that was lost.
const LOST: &[u8] = br"\ufffd";

/// The JSON with every half that stands alone replaced; `None` where there is none. Backslashes are
/// in texts only, so that nothing else need be understood.
pub(super) fn mended(json: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::with_capacity(json.len());
    let mut is_changed = false;
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        mended.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let taken = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                is_changed = true;
                mended.extend_from_slice(LOST);
                rest = &rest[6..];
                continue;
            }
            _ => 2.min(rest.len()),
        };
        mended.extend_from_slice(&rest[..taken]);
        rest = &rest[taken..];
    }
    mended.extend_from_slice(rest);
    is_changed.then_some(mended)
}

/// The number of an escape such as `\ud83d` that the text begins with.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok().filter(|it| !it.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_alone_are_replaced_and_nothing_else() {
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
            let mended =
                mended(json.as_bytes()).map(|it| String::from_utf8_lossy(&it).into_owned());
            assert_eq!(mended.as_deref(), expected, "{json}");
        }
    }
}
