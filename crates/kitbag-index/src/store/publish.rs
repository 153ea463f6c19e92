//! Writes a snapshot to its folder. One process writes at a time; the others skip it.

use super::Store;
use super::folder::{FolderLock, MANIFEST, StoreError};
use super::load::manifest_digest;
use super::manifest::IndexManifest;
use super::snapshot::Snapshot;
use super::table::{FileRow, TableRow};
use crate::content_index::MAX_SEGMENTS_ON_DISK;
use crate::content_key::ContentKey;
use crate::envelope::{self, FileDigest, FileType};
use crate::segment::Segment;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The table is rewritten once there are more changes than `MIN_TABLE_CHANGES` plus one in
/// `FILES_PER_CHANGE` files: less often would make the manifest large, more often would write the
/// table for small edits.
const MIN_TABLE_CHANGES: usize = 100;
const FILES_PER_CHANGE: usize = 20;

/// Outcome of publishing a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishOutcome {
    /// The snapshot was written.
    Done {
        /// Number of bytes written.
        written: u64,
    },
    /// The folder already has this snapshot.
    Unchanged,
    /// Another process is writing. Nothing was written.
    Busy,
    /// Another process has published since this snapshot was loaded. Nothing was written.
    Superseded,
}

impl Store {
    /// Replaces the snapshot on disk that this one was loaded from, without waiting for locks. On
    /// success `snapshot` becomes what is on disk.
    pub fn publish(&self, snapshot: &mut Snapshot) -> Result<PublishOutcome, StoreError> {
        if !snapshot.is_modified {
            return Ok(PublishOutcome::Unchanged);
        }
        let Some(lock) = self.folder.lock()? else { return Ok(PublishOutcome::Busy) };
        let on_disk = manifest_digest(&self.folder);
        if on_disk.is_some() && on_disk != snapshot.origin {
            return Ok(PublishOutcome::Superseded);
        }
        let mut next = snapshot.clone();
        if on_disk.is_none() {
            next.forget_files();
        }
        self.tidy(&mut next);
        let written = self.write(&lock, &mut next)?;
        *snapshot = next;
        Ok(PublishOutcome::Done { written })
    }

    /// Merges segments, drops dead contents, and schedules the table for rewriting, each only once
    /// enough has changed: a small edit costs nothing here, however large the index is.
    fn tidy(&self, snapshot: &mut Snapshot) {
        let has_many_segments = snapshot.index.segments.len() > MAX_SEGMENTS_ON_DISK;
        let changes = snapshot.changes.len();
        let many_changes = snapshot.table.len() / FILES_PER_CHANGE;
        if changes > MIN_TABLE_CHANGES + many_changes {
            snapshot.table_file = None;
        }
        if self.keeps_unused {
            let size: usize = snapshot.index.segments().map(Segment::size).sum();
            if size as u64 > self.max_bytes {
                let recent = Arc::clone(&snapshot.recent);
                snapshot.index.drop_dead(|key| recent.contains(key));
            }
            if has_many_segments {
                snapshot.index.compact(|_| true);
            }
        } else if has_many_segments || changes > many_changes {
            let live: FxHashSet<ContentKey> = snapshot.rows().map(|(_, row)| row.key).collect();
            snapshot.index.drop_dead(|key| live.contains(key));
            if snapshot.index.segments.len() > MAX_SEGMENTS_ON_DISK {
                snapshot.index.compact(|key| live.contains(key));
            }
        }
    }

    fn write(&self, lock: &FolderLock<'_>, snapshot: &mut Snapshot) -> Result<u64, StoreError> {
        let mut written = 0;
        let needs_table = snapshot.table_file.is_none() && snapshot.rows().next().is_some();
        let table = needs_table.then(|| {
            let row = |(path, row): (&str, FileRow)| (path.to_owned(), row);
            let rows: Vec<TableRow> = snapshot.rows().map(row).collect();
            (envelope::encode(FileType::Table, &rows, &[]), rows)
        });
        self.check_size(snapshot, table.as_ref().map_or(0, |(bytes, _)| bytes.len()))?;
        for handle in snapshot.index.segments.iter_mut().filter(|handle| handle.file.is_none()) {
            let bytes = handle.segment.to_bytes();
            let digest = FileDigest::of(&bytes);
            lock.write(&digest.segment_name(), &bytes)?;
            written += digest.size;
            handle.file = Some(digest);
        }
        if let Some((bytes, rows)) = table {
            let digest = FileDigest::of(&bytes);
            lock.write(&digest.table_name(), &bytes)?;
            written += digest.size;
            snapshot.table = Arc::new(rows);
            snapshot.table_file = Some(digest);
            snapshot.changes.clear();
        }
        let manifest = self.manifest(snapshot);
        let bytes = envelope::encode(FileType::Manifest, &manifest, &[]);
        lock.write(MANIFEST, &bytes)?;
        let segments = manifest.segments.iter().map(FileDigest::segment_name);
        let names = segments.chain(manifest.table.as_ref().map(FileDigest::table_name));
        lock.keep_only(&names.collect::<Vec<_>>());
        snapshot.origin = Some(FileDigest::of(&bytes));
        snapshot.is_modified = false;
        Ok(written + bytes.len() as u64)
    }

    fn check_size(&self, snapshot: &Snapshot, table: usize) -> Result<(), StoreError> {
        let segments: usize = snapshot.index.segments().map(Segment::size).sum();
        let size = (segments + table) as u64;
        let (folder, max) = (self.folder.path().to_owned(), self.max_bytes);
        if size > max { Err(StoreError::TooLarge { folder, size, max }) } else { Ok(()) }
    }

    fn manifest(&self, snapshot: &Snapshot) -> IndexManifest {
        IndexManifest {
            fingerprint: self.fingerprint.clone(),
            segments: snapshot.index.segments.iter().filter_map(|handle| handle.file).collect(),
            table: snapshot.table_file,
            changes: snapshot.changes.clone(),
        }
    }
}
