//! Encryption of objects and of their names with a key of the user's.
//!
//! AES-256-GCM with a key of its own for every object, derived by HKDF from the user's key and a random
//! salt, so that nonces never repeat. The name of an object is authenticated with its bytes.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};
use std::fmt;

/// Size of a key in bytes.
const KEY_BYTES: usize = 32;

/// Size of the salt that precedes each encrypted object, in bytes.
pub(crate) const SALT_BYTES: usize = 32;

/// Reason why a text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key must have exactly 64 hexadecimal digits; `openssl rand -hex 32` makes one")]
pub struct KeyError;

/// The key of an encrypted store.
#[derive(Clone)]
pub struct StoreKey {
    secret: [u8; KEY_BYTES],
    names: hmac::Key,
}

impl StoreKey {
    /// Parses 64 hexadecimal digits, which spaces may surround.
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let digits = text.trim().as_bytes();
        let mut secret = [0; KEY_BYTES];
        if digits.len() != 2 * KEY_BYTES {
            return Err(KeyError);
        }
        for (byte, pair) in secret.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).ok_or(KeyError);
            *byte = (digit(0)? << 4 | digit(1)?) as u8;
        }
        let mut names = [0; KEY_BYTES];
        derive(&secret, b"", b"kitbag store names", &mut names);
        Ok(Self { secret, names: hmac::Key::new(hmac::HMAC_SHA256, &names) })
    }

    /// Returns a keyed hash, from which the text cannot be confirmed without the key.
    pub(crate) fn hash(&self, text: &[u8]) -> [u8; 32] {
        to_array(hmac::sign(&self.names, text).as_ref())
    }

    /// Encrypts `bytes`. The result begins with a salt.
    pub(crate) fn encrypt(&self, name: &str, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
        let mut salt = [0; SALT_BYTES];
        SystemRandom::new().fill(&mut salt).ok()?;
        let (key, nonce) = self.of_object(&salt)?;
        let aad = Aad::from(name.as_bytes());
        key.seal_in_place_append_tag(nonce, aad, &mut bytes).ok()?;
        Some([&salt[..], &bytes].concat())
    }

    /// Decrypts what [`Self::encrypt`] returned for the same name.
    pub(crate) fn decrypt(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let (salt, rest) = bytes.split_at_checked(SALT_BYTES)?;
        let (key, nonce) = self.of_object(salt)?;
        let mut rest = rest.to_vec();
        let length = key.open_in_place(nonce, Aad::from(name.as_bytes()), &mut rest).ok()?.len();
        rest.truncate(length);
        Some(rest)
    }

    fn of_object(&self, salt: &[u8]) -> Option<(LessSafeKey, Nonce)> {
        let mut derived = [0; KEY_BYTES + NONCE_LEN];
        derive(&self.secret, salt, b"kitbag store object", &mut derived);
        let (key, nonce) = derived.split_at(KEY_BYTES);
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
        Some((key, Nonce::try_assume_unique_for_key(nonce).ok()?))
    }
}

impl fmt::Debug for StoreKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StoreKey")
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// Fills `derived`, which is far below the most that HKDF can derive.
fn derive(secret: &[u8], salt: &[u8], purpose: &[u8], derived: &mut [u8]) {
    let extracted = Salt::new(HKDF_SHA256, salt).extract(secret);
    let purpose = [purpose];
    let filled = extracted.expand(&purpose, Length(derived.len()));
    filled.and_then(|okm| okm.fill(derived)).expect("fewer than 255 blocks are derived");
}

/// Returns the SHA-256 of the parts.
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = digest::Context::new(&digest::SHA256);
    parts.iter().for_each(|part| context.update(part));
    to_array(context.finish().as_ref())
}

/// Returns random hexadecimal digits for a name that no other object has.
pub(crate) fn fresh_name() -> Option<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(hex(&bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn to_array(bytes: &[u8]) -> [u8; 32] {
    let mut array = [0; 32];
    array.copy_from_slice(bytes);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(digit: &str) -> StoreKey {
        StoreKey::from_hex(&digit.repeat(64)).expect("64 digits")
    }

    #[test]
    fn keys_are_64_hexadecimal_digits() {
        assert!(StoreKey::from_hex(&format!("  {}\n", "0aF".repeat(21) + "b")).is_ok());
        for text in ["", "abc", &"a".repeat(63), &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(StoreKey::from_hex(text).err(), Some(KeyError), "{text}");
        }
        assert_eq!(format!("{:?}", key("7")), "StoreKey");
    }

    #[test]
    fn only_the_same_key_and_name_decrypt() {
        let sealed = key("1").encrypt("a", b"text".to_vec()).expect("randomness");
        assert_eq!(key("1").decrypt("a", &sealed).as_deref(), Some(&b"text"[..]));
        assert_eq!(key("2").decrypt("a", &sealed), None);
        assert_eq!(key("1").decrypt("b", &sealed), None);
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(key("1").decrypt("a", &damaged), None, "byte {at}");
            assert_eq!(key("1").decrypt("a", &sealed[..at]), None, "{at} bytes");
        }
        assert_ne!(key("1").encrypt("a", b"text".to_vec()), Some(sealed));
    }
}
