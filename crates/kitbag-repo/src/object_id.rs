//! Ids of git objects.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The id of a git object: a SHA-1 or SHA-256 hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId {
    length: u8,
    bytes: [u8; 32],
}

impl ObjectId {
    /// Returns the 20 or 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Creates an id from 20 or 32 bytes; `None` for any other number.
    pub fn from_bytes(hash: &[u8]) -> Option<Self> {
        if !matches!(hash.len(), 20 | 32) {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..hash.len()].copy_from_slice(hash);
        Some(Self { length: hash.len() as u8, bytes })
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
        let invalid = || ObjectIdError { text: text.to_owned() };
        let digits = text.as_bytes();
        if digits.len() != 40 && digits.len() != 64 {
            return Err(invalid());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).ok_or_else(invalid);
            *byte = (digit(0)? * 16 + digit(1)?) as u8;
        }
        Ok(Self { length: (digits.len() / 2) as u8, bytes })
    }
}

impl TryFrom<String> for ObjectId {
    type Error = ObjectIdError;

    fn try_from(text: String) -> Result<Self, ObjectIdError> {
        text.parse()
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> String {
        id.to_string()
    }
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
            assert_eq!(ObjectId::from_bytes(id.as_bytes()), Some(id));
        }
        for text in ["", "e69de29", &"g".repeat(40), &"é".repeat(20)] {
            assert!(text.parse::<ObjectId>().is_err(), "{text}");
        }
        assert_eq!(ObjectId::from_bytes(&[0; 21]), None);
    }
}
