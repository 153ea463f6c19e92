//! The marker of a store: one readable object that names its format, and whether it is encrypted.

use crate::encryption::{StoreKey, hex};
use crate::envelope::FORMAT;
use crate::error::StoreError;
use crate::layout::MARKER;
use serde::{Deserialize, Serialize};

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
    let damaged = |reason| {
        let object = MARKER.to_owned();
        Err(StoreError::Damaged { url: url.clone(), object, reason })
    };
    if bytes.is_empty() {
        return damaged("it is empty");
    }
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return damaged("it is not valid JSON");
    };
    let Some(version) = value.get("kitbag_store") else {
        return damaged("it has no version");
    };
    match version.as_u64().and_then(|version| u32::try_from(version).ok()) {
        None | Some(0) => return damaged("its version is invalid"),
        Some(FORMAT) => {}
        Some(found) => {
            return Err(StoreError::Version { place: url, found, expected: FORMAT });
        }
    }
    let Ok(marker) = serde_json::from_slice::<Marker>(bytes) else {
        return damaged("its layout is invalid");
    };
    match (marker.key_check, key) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(StoreError::KeyMissing { url }),
        (None, Some(_)) => Err(StoreError::NotEncrypted { url }),
        (Some(check), Some(key)) if check == key_check(key) => Ok(()),
        (Some(_), Some(_)) => Err(StoreError::WrongKey { url }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_without_a_valid_version_are_damaged() {
        let error = |text: &str| check("s3://b", text.as_bytes(), None).expect_err(text);
        for version in ["0", "-1", "1.5", "\"2\"", "null", "4294967296", "1e300"] {
            let error = error(&format!("{{\"kitbag_store\": {version}}}"));
            assert!(matches!(error, StoreError::Damaged { .. }), "{version}: {error}");
            assert!(!error.is_of_object());
        }
        let layout = error(r#"{"kitbag_store": 1, "key_check": 7}"#);
        assert!(matches!(layout, StoreError::Damaged { .. }), "{layout}");
        let reasons = [
            ("", "it is empty"),
            ("{}", "it has no version"),
            ("[1]", "it has no version"),
            (r#"{"kitbag_store""#, "it is not valid JSON"),
        ];
        for (text, expected) in reasons {
            let StoreError::Damaged { reason, .. } = error(text) else { panic!("{text}") };
            assert_eq!(reason, expected, "{text}");
        }
        let newer = error(r#"{"kitbag_store": 2}"#);
        assert!(matches!(newer, StoreError::Version { found: 2, .. }), "{newer}");
    }
}
