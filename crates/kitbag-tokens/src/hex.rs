//! Hexadecimal names of hashes.

use std::fmt::Write;

/// Encodes `bytes` as lowercase hexadecimal digits, two per byte.
///
/// ```
/// assert_eq!(kitbag_tokens::hex(&[0, 10, 255]), "000aff");
/// ```
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
    }
    digits
}
