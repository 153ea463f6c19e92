//! Trust: what a repository wants that could start a program, redirect a judge or show secrets, and
//! whether the user has said that it may.
//!
//! There is a record for each root in a folder of the user's own. It says what was trusted, by hash:
//! a piece that changes is not trusted any more. A record that others could have written is none.

use kitbag_repo::Root;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Changes when a record cannot be read as before.
pub const TRUST_VERSION: u32 = 1;
/// No record is as large as this.
const MOST_BYTES: u64 = 1 << 20;

/// Something that a repository wants and that needs trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustPiece {
    /// What it would do, such as `judge`, `redaction` or `proxy`.
    pub what: String,
    /// Exactly what is trusted: settings with their values, or a command line.
    pub detail: String,
}

/// How a piece stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustStanding {
    /// The user trusts it as it is.
    Trusted,
    /// The user trusted something else in its place.
    Changed,
    /// The user has said nothing.
    NotTrusted,
}

/// What the user trusts in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The version of this shape.
    pub version: u32,
    /// The repository's folder.
    pub root: String,
    /// What is trusted.
    pub trusted: Vec<TrustedPiece>,
}

/// Something that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedPiece {
    /// What it is.
    #[serde(flatten)]
    pub piece: TrustPiece,
    /// The SHA-256 of it, in hexadecimal.
    pub sha256: String,
}

/// Why a record cannot be written or removed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no folder for records.
    #[error("there is no folder for records of trust")]
    NoFolder,
    /// The record cannot be written or removed.
    #[error("the record of trust `{}`: {source}", path.display())]
    Io {
        /// The record.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The records of a user.
#[derive(Debug, Clone)]
pub struct Trust {
    folder: PathBuf,
}

impl TrustPiece {
    /// A piece.
    pub fn new(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { what: what.into(), detail: detail.into() }
    }

    /// What tells it from any other.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.what, &self.detail] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hex(&hash.finalize())
    }
}

impl Trust {
    /// The records in a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Whether the user trusts exactly this in this repository.
    pub fn allows(&self, root: &Root, piece: &TrustPiece) -> bool {
        self.standing(root, piece) == TrustStanding::Trusted
    }

    /// How a piece stands.
    pub fn standing(&self, root: &Root, piece: &TrustPiece) -> TrustStanding {
        let record = self.record(root);
        let mut same = record.iter().flat_map(|record| &record.trusted);
        let hash = piece.hash();
        if same.any(|it| it.sha256 == hash && it.piece == *piece) {
            return TrustStanding::Trusted;
        }
        let mut alike = record.iter().flat_map(|record| &record.trusted);
        match alike.any(|it| it.piece.what == piece.what) {
            true => TrustStanding::Changed,
            false => TrustStanding::NotTrusted,
        }
    }

    /// What the user trusts in a repository. A record that is damaged, of another repository, or
    /// that others may write, is none.
    pub fn record(&self, root: &Root) -> Option<TrustRecord> {
        let path = self.path(root);
        let metadata = fs::symlink_metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > MOST_BYTES || is_open_to_others(&metadata) {
            return None;
        }
        let record: TrustRecord = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        let is_own = record.version == TRUST_VERSION && record.root == name(root);
        is_own.then_some(record)
    }

    /// Trusts these pieces of a repository, and nothing else of it.
    pub fn trust(&self, root: &Root, pieces: &[TrustPiece]) -> Result<TrustRecord, TrustError> {
        let trusted =
            |piece: &TrustPiece| TrustedPiece { piece: piece.clone(), sha256: piece.hash() };
        let record = TrustRecord {
            version: TRUST_VERSION,
            root: name(root),
            trusted: pieces.iter().map(trusted).collect(),
        };
        let path = self.path(root);
        let failed = |source| TrustError::Io { path: path.clone(), source };
        self.write(&path, &record).map_err(failed)?;
        Ok(record)
    }

    /// Trusts nothing of a repository any more; tells whether anything was trusted.
    pub fn revoke(&self, root: &Root) -> Result<bool, TrustError> {
        let path = self.path(root);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(TrustError::Io { path, source }),
        }
    }

    /// The record of a repository: replaced as a whole, or left as it was.
    fn write(&self, path: &Path, record: &TrustRecord) -> io::Result<()> {
        make_private(&self.folder)?;
        let mut text = serde_json::to_string_pretty(record).map_err(io::Error::other)?;
        text.push('\n');
        // A temporary file is its owner's alone from the beginning.
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

/// The repository's folder, as records call it.
fn name(root: &Root) -> String {
    root.path().to_string_lossy().into_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o022 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

/// Makes a folder that only its owner can look into.
#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(endpoint: &str) -> TrustPiece {
        TrustPiece::new("judge", format!("judge.endpoint: {endpoint}"))
    }

    #[test]
    fn only_what_was_trusted_is_and_a_change_is_not() {
        let (state, repo, other) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let trust = Trust::new(state.path().join("kitbag/trust"));
        let root = Root::open(repo.path()).expect("a root");
        let other = Root::open(other.path()).expect("a root");
        let piece = judge("http://localhost:1");
        assert_eq!(trust.standing(&root, &piece), TrustStanding::NotTrusted);
        trust.trust(&root, std::slice::from_ref(&piece)).expect("written");
        assert!(trust.allows(&root, &piece));
        assert!(!trust.allows(&other, &piece), "another repository");
        assert_eq!(trust.standing(&root, &judge("http://evil")), TrustStanding::Changed);
        let proxy = TrustPiece::new("proxy", "node server.js");
        assert_eq!(trust.standing(&root, &proxy), TrustStanding::NotTrusted);
        assert!(trust.revoke(&root).expect("removed"));
        assert!(!trust.revoke(&root).expect("nothing"));
        assert!(!trust.allows(&root, &piece));
    }

    #[cfg(unix)]
    #[test]
    fn a_record_is_the_users_alone_and_none_if_others_could_write_it() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().expect("a folder");
        let repo = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(state.path().join("trust"));
        let root = Root::open(repo.path()).expect("a root");
        let piece = judge("http://localhost:1");
        trust.trust(&root, std::slice::from_ref(&piece)).expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&state.path().join("trust")), 0o700);
        let path = trust.path(&root);
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("changed");
        assert!(!trust.allows(&root, &piece));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
        fs::write(&path, "{}").expect("written");
        assert!(!trust.allows(&root, &piece), "a damaged record is none");
    }
}
