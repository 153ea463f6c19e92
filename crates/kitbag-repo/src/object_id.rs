//! Ids of git objects.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The id of a git object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ObjectId {
    /// A SHA-1 hash.
    Sha1([u8; 20]),
    /// A SHA-256 hash, in repositories with that object format.
    Sha256([u8; 32]),
}

impl ObjectId {
    /// Returns the bytes of the hash.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(hash) => hash,
            Self::Sha256(hash) => hash,
        }
    }
}

/// A text that is not the hexadecimal id of a git object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a git object id: `{text}`")]
pub struct ObjectIdError {
    text: String,
}

impl FromStr for ObjectId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, ObjectIdError> {
        let id = match text.len() {
            40 => parse_hex(text).map(Self::Sha1),
            64 => parse_hex(text).map(Self::Sha256),
            _ => None,
        };
        id.ok_or_else(|| ObjectIdError { text: text.to_owned() })
    }
}

fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().as_chunks::<2>().0) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        *byte = (high? * 16 + low?) as u8;
    }
    Some(bytes)
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_through_hexadecimal() {
        for text in ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned(), "ab".repeat(32)] {
            let id: ObjectId = text.parse().unwrap();
            assert_eq!(id.to_string(), text);
        }
        for text in ["", "e69de29", &"g".repeat(40), &"é".repeat(20)] {
            assert!(text.parse::<ObjectId>().is_err(), "{text}");
        }
    }
}
