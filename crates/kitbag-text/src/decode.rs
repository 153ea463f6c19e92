//! Decoding of file contents.

use thiserror::Error;

/// Decoded content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// Text, including any byte order mark and carriage returns.
    pub content: String,
    /// Original encoding.
    pub encoding: Encoding,
    /// Number of invalid byte sequences that were replaced by U+FFFD.
    pub replaced: u32,
}

/// Encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, possibly with invalid sequences.
    Utf8,
    /// UTF-16, little-endian, with a byte order mark.
    Utf16Le,
    /// UTF-16, big-endian, with a byte order mark.
    Utf16Be,
}

/// Reason why bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotText {
    /// The bytes contain a NUL.
    #[error("binary file: contains a NUL byte")]
    Binary,
}

/// Decodes the bytes of a file. Valid UTF-8 is not copied.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, NotText> {
    match bytes.get(..2) {
        Some([0xff, 0xfe]) => return decode_utf16(&bytes, u16::from_le_bytes, Encoding::Utf16Le),
        Some([0xfe, 0xff]) => return decode_utf16(&bytes, u16::from_be_bytes, Encoding::Utf16Be),
        _ => {}
    }
    if memchr::memchr(0, &bytes).is_some() {
        return Err(NotText::Binary);
    }
    let (content, replaced) = match String::from_utf8(bytes) {
        Ok(content) => (content, 0),
        Err(error) => decode_lossy(error.as_bytes()),
    };
    Ok(Decoded { content, encoding: Encoding::Utf8, replaced })
}

/// Replaces invalid UTF-8 sequences, which never include line ends, and counts them.
fn decode_lossy(bytes: &[u8]) -> (String, u32) {
    let mut content = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for chunk in bytes.utf8_chunks() {
        content.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            content.push(char::REPLACEMENT_CHARACTER);
            replaced += 1;
        }
    }
    (content, replaced)
}

fn decode_utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    encoding: Encoding,
) -> Result<Decoded, NotText> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut replaced = u32::from(!odd.is_empty());
    let mut content = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        replaced += u32::from(decoded.is_err());
        content.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !odd.is_empty() {
        content.push(char::REPLACEMENT_CHARACTER);
    }
    if content.contains('\0') {
        Err(NotText::Binary)
    } else {
        Ok(Decoded { content, encoding, replaced })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn content(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).map(|decoded| decoded.content).unwrap_or_else(|e| e.to_string())
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
    fn invalid_bytes_are_replaced_and_counted_without_changing_lines() {
        let decoded = decode(b"a\xff\xfeb\n\xc3\nc".to_vec()).unwrap();
        assert_eq!(decoded.content, "a\u{fffd}\u{fffd}b\n\u{fffd}\nc");
        assert_eq!((decoded.replaced, decoded.encoding), (3, Encoding::Utf8));
        assert_eq!(decode(b"\xff\xfe\0\xd8\n".to_vec()).unwrap().replaced, 2);
    }
}
