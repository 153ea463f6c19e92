//! The bytes of an object: a header with the format version, then a hash and the compressed content, or
//! the encrypted compressed content.

use crate::encryption::{StoreKey, sha256};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{self, Read, Write};

/// Version of the format of every object, and part of every name.
pub(crate) const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"kitbagST";
const HEADER_BYTES: usize = MAGIC.len() + 2;
const HASH_BYTES: usize = 32;
const LENGTH_BYTES: usize = 8;

/// Higher levels compress segments by at most 3 % more, in twice the time.
const LEVEL: Compression = Compression::new(5);

/// Reason why an object cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EnvelopeError {
    Version { found: u32 },
    Damaged(&'static str),
}

/// Encodes an object. `None` if there is no randomness to encrypt with.
pub(crate) fn encode(name: &str, content: &[u8], key: Option<&StoreKey>) -> Option<Vec<u8>> {
    let compressed = compress(content).ok()?;
    let mut object = MAGIC.to_vec();
    object.extend([FORMAT as u8, u8::from(key.is_some())]);
    match key {
        Some(key) => object.extend(key.encrypt(name, compressed)?),
        None => {
            object.extend(sha256(&[name.as_bytes(), &compressed]));
            object.extend(compressed);
        }
    }
    Some(object)
}

/// Whether an object is encrypted. `None` if it is not an object of this format.
pub(crate) fn is_encrypted(object: &[u8]) -> Option<bool> {
    let (header, _) = object.split_at_checked(HEADER_BYTES)?;
    let is_known = header.starts_with(MAGIC) && u32::from(header[MAGIC.len()]) == FORMAT;
    is_known.then_some(header[MAGIC.len() + 1] == 1)
}

/// Decodes an object of at most `max` bytes, and checks that it is what was written under this name.
pub(crate) fn decode(
    name: &str,
    object: &[u8],
    key: Option<&StoreKey>,
    max: u64,
) -> Result<Vec<u8>, EnvelopeError> {
    let damaged = EnvelopeError::Damaged;
    let (header, rest) = object.split_at_checked(HEADER_BYTES).ok_or(damaged("it is too short"))?;
    if !header.starts_with(MAGIC) {
        return Err(damaged("Kitbag did not write it"));
    }
    if u32::from(header[MAGIC.len()]) != FORMAT {
        return Err(EnvelopeError::Version { found: u32::from(header[MAGIC.len()]) });
    }
    let compressed = match (header[MAGIC.len() + 1], key) {
        (1, Some(key)) => {
            key.decrypt(name, rest).ok_or(damaged("it cannot be decrypted with this key"))?
        }
        (0, None) => {
            let (hash, rest) =
                rest.split_at_checked(HASH_BYTES).ok_or(damaged("it is too short"))?;
            if hash != sha256(&[name.as_bytes(), rest]) {
                return Err(damaged("its hash does not match"));
            }
            rest.to_vec()
        }
        (1, None) => return Err(damaged("it is encrypted")),
        _ => return Err(damaged("it is not encrypted")),
    };
    decompress(&compressed, max).ok_or(damaged("it cannot be decompressed"))
}

fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let length = (content.len() as u64).to_le_bytes();
    let mut encoder = DeflateEncoder::new(length.to_vec(), LEVEL);
    encoder.write_all(content)?;
    encoder.finish()
}

fn decompress(bytes: &[u8], max: u64) -> Option<Vec<u8>> {
    let (length, rest) = bytes.split_at_checked(LENGTH_BYTES)?;
    let length = u64::from_le_bytes(length.try_into().ok()?);
    if length > max {
        return None;
    }
    let mut content = Vec::new();
    DeflateDecoder::new(rest).take(length + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 == length).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: u64 = 1 << 24;

    fn keys() -> [Option<StoreKey>; 2] {
        [None, Some(StoreKey::from_hex(&"5".repeat(64)).expect("64 digits"))]
    }

    #[test]
    fn every_change_of_bytes_or_name_is_detected() {
        for key in keys() {
            let key = key.as_ref();
            let object = encode("a/b", b"some content, some content", key).expect("encodes");
            assert_eq!(
                decode("a/b", &object, key, MAX).as_deref(),
                Ok(&b"some content, some content"[..])
            );
            assert!(decode("a/c", &object, key, MAX).is_err());
            for at in 0..object.len() {
                for flip in [0x01, 0x80, 0xff] {
                    let mut damaged = object.clone();
                    damaged[at] ^= flip;
                    assert!(decode("a/b", &damaged, key, MAX).is_err(), "byte {at}");
                }
                assert!(decode("a/b", &object[..at], key, MAX).is_err(), "{at} bytes");
            }
            assert!(decode("a/b", &[&object[..], &[0]].concat(), key, MAX).is_err());
        }
    }

    #[test]
    fn encryption_must_be_as_expected() {
        let [none, some] = keys();
        for (with, without) in [(&none, &some), (&some, &none)] {
            let object = encode("a", b"x", with.as_ref()).expect("encodes");
            assert!(decode("a", &object, without.as_ref(), MAX).is_err());
        }
    }

    #[test]
    fn a_newer_format_is_reported() {
        let mut object = encode("a", b"x", None).expect("encodes");
        object[8] = 9;
        assert_eq!(decode("a", &object, None, MAX), Err(EnvelopeError::Version { found: 9 }));
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut bytes = compress(&vec![0; 1 << 20]).expect("compresses");
        bytes[..8].copy_from_slice(&100u64.to_le_bytes());
        assert_eq!(decompress(&bytes, MAX), None);
        bytes[..8].copy_from_slice(&(MAX + 1).to_le_bytes());
        assert_eq!(decompress(&bytes, MAX), None);
    }
}
