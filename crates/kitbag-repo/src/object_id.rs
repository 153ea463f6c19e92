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

    /// Returns the SHA-1 id that git gives a file with this content; `None` if the content was made to
    /// have the same id as another one.
    pub fn of_content(content: &[u8]) -> Option<Self> {
        use sha1_checked::Digest;
        let mut hash = sha1_checked::Sha1::new();
        hash.update(blob_header(content));
        hash.update(content);
        let result = hash.try_finalize();
        (!result.has_collision()).then(|| Self::Sha1((*result.hash()).into()))
    }

    /// Whether git gives a file with this content this id. A repository that came from elsewhere may have
    /// other contents under an id.
    pub fn matches(&self, content: &[u8]) -> bool {
        use sha2::{Digest, Sha256};
        match self {
            Self::Sha1(_) => Self::of_content(content) == Some(*self),
            Self::Sha256(id) => {
                let mut hash = Sha256::new();
                hash.update(blob_header(content));
                hash.update(content);
                id[..] == hash.finalize()[..]
            }
        }
    }
}

/// Returns what git hashes before the content of a file.
fn blob_header(content: &[u8]) -> String {
    format!("blob {}\0", content.len())
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
    fn contents_have_the_ids_that_git_gives_them() {
        let id = |text: &str| text.parse::<ObjectId>().unwrap();
        let sha1 = id("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(ObjectId::of_content(b""), Some(sha1));
        assert_eq!(
            ObjectId::of_content(b"hello\n"),
            Some(id("ce013625030ba8dba906f756967f9e9ca394464a"))
        );
        let sha256 = id("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
        assert!(sha1.matches(b"") && sha256.matches(b""));
        assert!(!sha1.matches(b"x") && !sha256.matches(b"x"));
    }

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
