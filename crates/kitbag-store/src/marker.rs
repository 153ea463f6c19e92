//! The marker of a store: one readable object that names its format, and whether it is encrypted.

use crate::encryption::{StoreKey, hex};
use crate::envelope::FORMAT;
use crate::error::StoreError;
use serde::{Deserialize, Serialize};

/// Name of the marker.
pub(crate) const MARKER: &str = "kitbag-store.json";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    kitbag_store: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_check: Option<String>,
}

fn key_check(key: &StoreKey) -> String {
    hex(&key.hash(b"key check")[..16])
}

/// Returns the marker of a store with this key. It is the same for all writers, so replacing it
/// changes nothing.
pub(crate) fn encode(key: Option<&StoreKey>) -> Vec<u8> {
    let marker = Marker { kitbag_store: FORMAT, key_check: key.map(key_check) };
    serde_json::to_vec(&marker).unwrap_or_default()
}

/// Checks that a store can be used with this key.
pub(crate) fn check(url: &str, bytes: &[u8], key: Option<&StoreKey>) -> Result<(), StoreError> {
    let url = url.to_owned();
    let version = |bytes| {
        let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        value.get("kitbag_store")?.as_u64()?.try_into().ok()
    };
    match version(bytes) {
        Some(FORMAT) => {}
        Some(found) => {
            return Err(StoreError::Version { place: url, found, expected: FORMAT });
        }
        None => return Err(StoreError::Foreign { url, example: MARKER.to_owned() }),
    }
    let Ok(marker) = serde_json::from_slice::<Marker>(bytes) else {
        return Err(StoreError::Foreign { url, example: MARKER.to_owned() });
    };
    match (marker.key_check, key) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(StoreError::KeyMissing { url }),
        (None, Some(_)) => Err(StoreError::NotEncrypted { url }),
        (Some(check), Some(key)) if check == key_check(key) => Ok(()),
        (Some(_), Some(_)) => Err(StoreError::WrongKey { url }),
    }
}
