//! Decoding of file contents.

use std::string::FromUtf8Error;
use thiserror::Error;

/// Reason why bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotText {
    /// The bytes contain a NUL.
    #[error("binary file")]
    Binary,
}

/// Decodes the bytes of a file: UTF-16 with a byte order mark, otherwise UTF-8. Invalid sequences, which
/// never include line ends, are replaced by U+FFFD. Byte order marks and carriage returns are kept.
pub fn decode(bytes: Vec<u8>) -> Result<String, NotText> {
    let utf16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => Some(decode_utf16(&bytes, u16::from_le_bytes)),
        Some([0xfe, 0xff]) => Some(decode_utf16(&bytes, u16::from_be_bytes)),
        _ => None,
    };
    if memchr::memchr(0, utf16.as_ref().map_or(bytes.as_slice(), String::as_bytes)).is_some() {
        return Err(NotText::Binary);
    }
    let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
    Ok(utf16.unwrap_or_else(|| String::from_utf8(bytes).unwrap_or_else(lossy)))
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let decoded = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    let replaced_end = (!odd.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
    decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).chain(replaced_end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn byte_order_marks_and_line_ends_are_kept() {
        assert_eq!(content(b"\xef\xbb\xbfa\r\nb"), "\u{feff}a\r\nb");
        assert_eq!(content(b""), "");
    }

    // Shows: AC-028, NFR-016-44
    #[test]
    fn nul_bytes_are_binary_unless_there_is_a_utf16_mark() {
        assert_eq!(decode(b"a\0b".to_vec()), Err(NotText::Binary));
        assert_eq!(content(b"\xff\xfea\0\n\0"), "\u{feff}a\n");
        assert_eq!(content(b"\xfe\xff\0a\0\n"), "\u{feff}a\n");
        assert_eq!(decode(b"\xff\xfe\0\0".to_vec()), Err(NotText::Binary));
    }

    // Shows: AC-132, NFR-016-43
    #[test]
    fn invalid_bytes_are_replaced_without_changing_lines() {
        assert_eq!(content(b"a\xff\xfeb\n\xc3\nc"), "a\u{fffd}\u{fffd}b\n\u{fffd}\nc");
        assert_eq!(content(b"\xff\xfe\0\xd8\n"), "\u{feff}\u{fffd}\u{fffd}");
    }
}
