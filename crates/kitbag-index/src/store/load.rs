//! Loads a snapshot from a folder.

use super::Store;
use super::folder::{IndexFolder, MANIFEST};
use super::manifest::IndexManifest;
use super::snapshot::Snapshot;
use super::table::TableRow;
use crate::content_index::SegmentHandle;
use crate::envelope::{self, FileDigest, FileType, FormatError};
use crate::segment::Segment;
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// How often loading is retried while another process replaces the index.
const MAX_ATTEMPTS: usize = 5;

const MAX_MANIFEST_BYTES: u64 = 1 << 30;

/// A snapshot loaded from a folder.
#[derive(Debug, Default)]
pub struct LoadedIndex {
    /// The index, empty if there is none that can be used.
    pub snapshot: Snapshot,
    /// Why all or part of the index was not loaded, for the user.
    pub problem: Option<String>,
}

impl Store {
    /// Loads the index from the folder and marks it as used. Damaged files and files of another
    /// version are left out and reported.
    pub fn load(&self) -> LoadedIndex {
        if let Err(error) = self.folder.check() {
            return LoadedIndex { problem: Some(error.to_string()), ..LoadedIndex::default() };
        }
        self.folder.touch();
        self.load_unmarked()
    }

    /// Loads the index without marking it as used.
    pub fn load_unmarked(&self) -> LoadedIndex {
        let mut loader = Loader::default();
        for _ in 0..MAX_ATTEMPTS {
            loader = self.try_load();
            // A missing file may have been replaced together with the manifest.
            if !loader.is_file_missing || manifest_digest(&self.folder) == loader.snapshot.origin {
                break;
            }
        }
        let mut snapshot = loader.snapshot;
        snapshot.is_modified = loader.problem.is_some();
        LoadedIndex { snapshot, problem: loader.problem }
    }

    fn try_load(&self) -> Loader {
        let mut loader = Loader::default();
        let bytes = match self.folder.read(MANIFEST, MAX_MANIFEST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return loader,
            Err(error) => {
                return loader.with_problem(format!("its manifest cannot be read: {error}"));
            }
        };
        loader.snapshot.origin = Some(FileDigest::of(&bytes));
        match IndexManifest::from_bytes(&bytes) {
            Ok(manifest) if manifest.fingerprint == self.fingerprint => {
                loader.read_files(&self.folder, manifest)
            }
            Ok(_) => loader
                .with_problem("it was built by another version or with other settings".to_owned()),
            Err(error) => loader.with_problem(format!("its manifest is invalid: {error}")),
        }
    }
}

/// Returns the digest of the manifest that is in the folder now.
pub(super) fn manifest_digest(folder: &IndexFolder) -> Option<FileDigest> {
    folder.read(MANIFEST, MAX_MANIFEST_BYTES).ok().map(|bytes| FileDigest::of(&bytes))
}

/// A snapshot that is being loaded.
#[derive(Default)]
struct Loader {
    snapshot: Snapshot,
    /// The first problem.
    problem: Option<String>,
    is_file_missing: bool,
}

impl Loader {
    fn with_problem(mut self, problem: String) -> Self {
        self.problem.get_or_insert(problem);
        self
    }

    fn read_files(mut self, folder: &IndexFolder, manifest: IndexManifest) -> Self {
        for digest in manifest.segments {
            let segment = self.read(folder, &digest.segment_name(), digest, Segment::from_bytes);
            if let Some(segment) = segment {
                let handle = SegmentHandle { segment: Arc::new(segment), file: Some(digest) };
                self.snapshot.index.segments.push(handle);
            }
        }
        let Some(digest) = manifest.table else {
            self.snapshot.changes = manifest.changes;
            return self;
        };
        // The changes mean nothing without the table that they apply to.
        if let Some(table) = self.read(folder, &digest.table_name(), digest, decode_table) {
            self.snapshot.table = Arc::new(table);
            self.snapshot.table_file = Some(digest);
            self.snapshot.changes = manifest.changes;
        }
        self
    }

    fn read<T>(
        &mut self,
        folder: &IndexFolder,
        file: &str,
        digest: FileDigest,
        parse: impl Fn(Vec<u8>) -> Result<T, FormatError>,
    ) -> Option<T> {
        let read = folder.read(file, digest.size);
        match read.and_then(|bytes| parse(bytes).map_err(io::Error::other)) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.is_file_missing |= error.kind() == ErrorKind::NotFound;
                self.problem.get_or_insert(format!("cannot use its file `{file}`: {error}"));
                None
            }
        }
    }
}

fn decode_table(bytes: Vec<u8>) -> Result<Vec<TableRow>, FormatError> {
    let (rows, _): (Vec<TableRow>, _) = envelope::decode(FileType::Table, &bytes)?;
    rows.is_sorted_by(|a, b| a.0 < b.0).then_some(rows).ok_or(FormatError::Layout)
}
