//! From a folder to a snapshot.

use super::Store;
use super::embedded::Part;
use super::folder::{Folder, MANIFEST};
use super::manifest::{FileName, Manifest};
use super::snapshot::Snapshot;
use super::table::Table;
use crate::segment::Segment;
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// How often an index is read again that was replaced meanwhile.
const ATTEMPTS: usize = 5;

/// No manifest is larger than this.
const MOST_MANIFEST_BYTES: u64 = 1 << 30;

/// What was in the folder.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The index; empty where there is none of use.
    pub snapshot: Snapshot,
    /// What was wrong with it, for the user.
    pub trouble: Option<String>,
}

impl Store {
    /// The index as it is in the folder now. What is damaged, or made by another version, is left
    /// out and told.
    pub fn load(&self) -> Loaded {
        if let Err(error) = self.folder.check() {
            return Loaded { snapshot: Snapshot::default(), trouble: Some(error.to_string()) };
        }
        self.folder.touch();
        self.look()
    }

    /// The same, without a note that the index is in use.
    pub(super) fn look(&self) -> Loaded {
        let mut loading = Loading::default();
        for _ in 0..ATTEMPTS {
            loading = self.try_load();
            // A part that is not there any more may have been replaced together with the manifest.
            if !loading.lacks_a_file || origin(&self.folder) == loading.snapshot.origin {
                break;
            }
        }
        let mut snapshot = loading.snapshot;
        snapshot.is_new = loading.trouble.is_some();
        Loaded { snapshot, trouble: loading.trouble }
    }

    fn try_load(&self) -> Loading {
        let mut loading = Loading::default();
        let bytes = match self.folder.read(MANIFEST, MOST_MANIFEST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return loading,
            Err(error) => return loading.note(format!("its manifest cannot be read: {error}")),
        };
        loading.snapshot.origin = Some(FileName::of(&bytes));
        let manifest = match Manifest::from_bytes(&bytes) {
            Ok(manifest) => manifest,
            Err(error) => return loading.note(format!("its manifest is of no use: {error}")),
        };
        if manifest.fingerprint != self.fingerprint {
            return loading.note("another version made it, or other settings".to_owned());
        }
        loading.read_parts(&self.folder, manifest)
    }
}

/// The manifest that is in the folder now.
pub(super) fn origin(folder: &Folder) -> Option<FileName> {
    folder.read(MANIFEST, MOST_MANIFEST_BYTES).ok().map(|bytes| FileName::of(&bytes))
}

/// A snapshot on its way.
#[derive(Default)]
struct Loading {
    snapshot: Snapshot,
    trouble: Option<String>,
    lacks_a_file: bool,
}

impl Loading {
    /// Notes what is wrong; the first is told.
    fn note(mut self, trouble: String) -> Self {
        self.trouble.get_or_insert(trouble);
        self
    }

    fn read_parts(mut self, folder: &Folder, manifest: Manifest) -> Self {
        for name in manifest.segments {
            match self.read(folder, &name.segment(), name, Segment::from_bytes) {
                Some(segment) => {
                    let segment = Arc::new(segment);
                    self.snapshot.index.parts.push(Part { segment, name: Some(name) });
                }
                None => continue,
            }
        }
        let Some(name) = manifest.table else {
            self.snapshot.changes = manifest.changes;
            return self;
        };
        // Changes say nothing without the table that they change.
        if let Some(table) = self.read(folder, &name.table(), name, Table::from_bytes) {
            self.snapshot.table = Arc::new(table);
            self.snapshot.table_name = Some(name);
            self.snapshot.changes = manifest.changes;
        }
        self
    }

    fn read<T, E: std::fmt::Display>(
        &mut self,
        folder: &Folder,
        file: &str,
        name: FileName,
        parse: impl Fn(Vec<u8>) -> Result<T, E>,
    ) -> Option<T> {
        let read = folder.read(file, name.size).and_then(|bytes| {
            parse(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error.to_string()))
        });
        match read {
            Ok(part) => Some(part),
            Err(error) => {
                self.lacks_a_file |= error.kind() == ErrorKind::NotFound;
                self.trouble.get_or_insert(format!("a part of it is of no use: {error}: `{file}`"));
                None
            }
        }
    }
}
