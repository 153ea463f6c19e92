//! Trust: what a repository may only do if the user allows it. Its settings could redirect a judge,
//! disclose secrets, or change what the caller gets and how it is counted; its git data could lead out of it.
//!
//! Each root has a record in a folder of the user. It identifies trusted items by hash, so a changed
//! item is no longer trusted. A record that other users could have written is ignored.

use kitbag_repo::Root;
use kitbag_tokens::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Version of [`TrustRecord`]; changes when older records cannot be read.
pub const TRUST_VERSION: u32 = 2;

/// Maximum size of a record.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// A group of settings that is trusted as a whole: some of them without the others would mean
/// something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustFeature {
    /// The model that judges conditions of rules.
    Judge,
    /// The redaction of secrets, which a repository disables.
    Redaction,
    /// All other settings that a repository may not choose by itself, such as the tokenizer, the text
    /// around a pack, and its providers.
    Settings,
    /// Git data outside of the work tree that does not point back to it.
    Git,
}

/// Something in a repository that requires trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustItem {
    /// The feature that the settings affect.
    pub feature: TrustFeature,
    /// The exact settings, or where git data leads.
    pub detail: String,
}

/// Whether the user trusts an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    /// The item is trusted as it is.
    Trusted,
    /// Another version of the item is trusted.
    Changed,
    /// No version of the item is trusted.
    NotTrusted,
}

/// The trusted items of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// Version of this format.
    pub version: u32,
    /// Root folder of the repository.
    pub root: String,
    /// Trusted items.
    pub trusted: Vec<TrustedItem>,
}

/// A trusted item and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedItem {
    /// The settings, as they were when the user trusted them.
    #[serde(flatten)]
    pub item: TrustItem,
    /// SHA-256 of the item, in hexadecimal.
    pub sha256: String,
}

/// A failure to change trust.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// No folder for trust records is configured.
    #[error("no folder for trust records; set `XDG_STATE_HOME` or `HOME`")]
    NoFolder,
    /// The record cannot be written or removed.
    #[error("cannot change the trust record `{}`: {source}", path.display())]
    Io {
        /// Path of the record.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

/// The trust records of a user.
#[derive(Debug, Clone)]
pub struct TrustStore {
    folder: PathBuf,
}

impl TrustFeature {
    /// Returns the feature of a key that requires trust.
    pub(crate) fn of_key(key: &str) -> Self {
        match key {
            "security.redact" => Self::Redaction,
            key if key.starts_with("judge.") => Self::Judge,
            _ => Self::Settings,
        }
    }

    /// Returns the name of the feature.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Redaction => "redaction",
            Self::Settings => "settings",
            Self::Git => "git",
        }
    }
}

impl TrustItem {
    /// Creates an item.
    pub fn new(feature: TrustFeature, detail: impl Into<String>) -> Self {
        Self { feature, detail: detail.into() }
    }

    /// Hashes both fields with their lengths, so that no two items collide.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for part in [self.feature.as_str(), self.detail.as_str()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hex(&hash.finalize())
    }
}

impl TrustStore {
    /// Opens the records in a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Whether exactly this item is trusted in a repository.
    pub fn allows(&self, root: &Root, item: &TrustItem) -> bool {
        self.state(root, item) == TrustState::Trusted
    }

    /// Returns whether an item, or another version of it, is trusted in a repository.
    pub fn state(&self, root: &Root, item: &TrustItem) -> TrustState {
        let trusted = self.record(root).map(|record| record.trusted).unwrap_or_default();
        let hash = item.hash();
        if trusted.iter().any(|it| it.sha256 == hash && it.item == *item) {
            TrustState::Trusted
        } else if trusted.iter().any(|it| it.item.feature == item.feature) {
            TrustState::Changed
        } else {
            TrustState::NotTrusted
        }
    }

    /// Returns the record of a repository, unless it is damaged, belongs to another repository or is
    /// writable by other users.
    pub fn record(&self, root: &Root) -> Option<TrustRecord> {
        let path = self.path(root);
        let metadata = fs::symlink_metadata(&path).ok()?;
        let is_plausible = metadata.is_file() && metadata.len() <= MAX_RECORD_BYTES;
        if !is_plausible || is_writable_by_others(&metadata) {
            return None;
        }
        let record: TrustRecord = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        (record.version == TRUST_VERSION && record.root == root_name(root)).then_some(record)
    }

    /// Trusts these items of a repository and no others.
    pub fn trust(&self, root: &Root, items: &[TrustItem]) -> Result<TrustRecord, TrustError> {
        let trusted = |item: &TrustItem| TrustedItem { item: item.clone(), sha256: item.hash() };
        let record = TrustRecord {
            version: TRUST_VERSION,
            root: root_name(root),
            trusted: items.iter().map(trusted).collect(),
        };
        let path = self.path(root);
        self.write(&path, &record).map_err(|source| TrustError::Io { path, source })?;
        Ok(record)
    }

    /// Revokes all trust in a repository. Returns whether anything was trusted.
    pub fn revoke(&self, root: &Root) -> Result<bool, TrustError> {
        let path = self.path(root);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(TrustError::Io { path, source }),
        }
    }

    /// Replaces a record atomically.
    fn write(&self, path: &Path, record: &TrustRecord) -> io::Result<()> {
        create_private(&self.folder)?;
        let mut text = serde_json::to_string_pretty(record).map_err(io::Error::other)?;
        text.push('\n');
        // Temporary files are created with access for their owner only.
        let mut file = tempfile::Builder::new().prefix(".trust-").tempfile_in(&self.folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    fn path(&self, root: &Root) -> PathBuf {
        let hash = Sha256::digest(root.path().as_os_str().as_encoded_bytes());
        self.folder.join(format!("{}.json", hex(&hash)))
    }
}

fn root_name(root: &Root) -> String {
    root.path().to_string_lossy().into_owned()
}

#[cfg(unix)]
fn is_writable_by_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o022 != 0
}

#[cfg(not(unix))]
fn is_writable_by_others(_: &fs::Metadata) -> bool {
    false
}

/// Creates a folder that only its owner can access.
#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(endpoint: &str) -> TrustItem {
        TrustItem::new(TrustFeature::Judge, format!("judge.endpoint: {endpoint}"))
    }

    #[test]
    fn changed_item_is_not_trusted() {
        let (state, repo, other) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let trust = TrustStore::new(state.path().join("kitbag/trust"));
        let root = Root::open(repo.path()).expect("a root");
        let other = Root::open(other.path()).expect("a root");
        let item = judge("http://localhost:1");
        assert_eq!(trust.state(&root, &item), TrustState::NotTrusted);
        trust.trust(&root, std::slice::from_ref(&item)).expect("written");
        assert!(trust.allows(&root, &item));
        assert!(!trust.allows(&other, &item), "another repository");
        assert_eq!(trust.state(&root, &judge("http://evil")), TrustState::Changed);
        let redaction = TrustItem::new(TrustFeature::Redaction, "security.redact: false");
        assert_eq!(trust.state(&root, &redaction), TrustState::NotTrusted);
        assert!(trust.revoke(&root).expect("removed"));
        assert!(!trust.revoke(&root).expect("nothing"));
        assert!(!trust.allows(&root, &item));
    }

    #[cfg(unix)]
    #[test]
    fn record_writable_by_others_is_ignored() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().expect("a folder");
        let repo = tempfile::tempdir().expect("a folder");
        let trust = TrustStore::new(state.path().join("trust"));
        let root = Root::open(repo.path()).expect("a root");
        let item = judge("http://localhost:1");
        trust.trust(&root, std::slice::from_ref(&item)).expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&state.path().join("trust")), 0o700);
        let path = trust.path(&root);
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("changed");
        assert!(!trust.allows(&root, &item));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
        fs::write(&path, "{}").expect("written");
        assert!(!trust.allows(&root, &item), "a damaged record is ignored");
    }
}
