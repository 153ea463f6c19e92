//! The names that git gives to contents.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A git object's name: a SHA-1 or a SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId {
    length: u8,
    bytes: [u8; 32],
}

impl ObjectId {
    /// Its bytes: 20 or 32.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The name with these bytes, if they are 20 or 32.
    pub fn from_bytes(name: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        let is_known = matches!(name.len(), 20 | 32);
        is_known.then(|| bytes[..name.len()].copy_from_slice(name))?;
        Some(Self { length: name.len() as u8, bytes })
    }
}

/// A text that is not the hexadecimal name of a git object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an object name: `{text}`")]
pub struct ObjectIdError {
    text: String,
}

impl FromStr for ObjectId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, ObjectIdError> {
        let bad = || ObjectIdError { text: text.to_owned() };
        let digits = text.as_bytes();
        if digits.len() != 40 && digits.len() != 64 {
            return Err(bad());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).ok_or_else(bad);
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
    fn names_are_read_and_written_in_hexadecimal() {
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
