//! From a snapshot to a folder. One process writes at a time; the others go on without.

use super::Store;
use super::compact::{MOST_PARTS, compact, drop_dead};
use super::folder::{Lock, MANIFEST, StoreError};
use super::load::origin;
use super::manifest::{FileName, Manifest};
use super::snapshot::Snapshot;
use super::table::Table;
use crate::segment::{Key, Segment};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// With more changes than these, and a share of all files, the table is written anew.
const MOST_CHANGES: usize = 100;
const SHARE_OF_CHANGES: usize = 20;

/// What became of a snapshot that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// The folder has it now.
    Done {
        /// How many bytes were written.
        written: u64,
    },
    /// It was there already.
    Unchanged,
    /// Another process is writing. Nothing was written.
    Busy,
    /// Another process has published since this one was loaded. Nothing was written.
    Superseded,
}

impl Store {
    /// Puts a snapshot in the place of the one that it came from, unless somebody else is doing so
    /// or has. It never waits. The snapshot is afterwards what is in the folder.
    pub fn publish(&self, snapshot: &mut Snapshot) -> Result<Published, StoreError> {
        if !snapshot.is_new {
            return Ok(Published::Unchanged);
        }
        let Some(lock) = self.folder.lock()? else { return Ok(Published::Busy) };
        let there = origin(&self.folder);
        if there.is_some() && there != snapshot.origin {
            return Ok(Published::Superseded);
        }
        let mut next = snapshot.clone();
        if there.is_none() {
            next.forget_files();
        }
        self.tidy(&mut next);
        let written = self.write(&lock, &mut next)?;
        *snapshot = next;
        Ok(Published::Done { written })
    }

    /// Keeps segments few, drops what no file has any more where that is much, and has the table
    /// written anew where much has changed. Most of the time there is nothing to do, and then it
    /// costs nothing however large the index is.
    fn tidy(&self, snapshot: &mut Snapshot) {
        let are_many = snapshot.index.parts.len() > MOST_PARTS;
        let (changes, share) = (snapshot.changes.len(), snapshot.table.len() / SHARE_OF_CHANGES);
        if changes > MOST_CHANGES + share {
            snapshot.table_name = None;
        }
        if self.keeps_all {
            if are_many {
                compact(&mut snapshot.index, |_| true);
            }
        } else if are_many || changes > share {
            let live: FxHashSet<Key> = snapshot.rows().map(|(_, row)| row.key).collect();
            drop_dead(&mut snapshot.index, |key| live.contains(key));
            if snapshot.index.parts.len() > MOST_PARTS {
                compact(&mut snapshot.index, |key| live.contains(key));
            }
        }
    }

    fn write(&self, lock: &Lock<'_>, snapshot: &mut Snapshot) -> Result<u64, StoreError> {
        let mut written = 0;
        let table = new_table(snapshot);
        self.check_size(snapshot, table.as_ref().map_or(0, Vec::len))?;
        for part in snapshot.index.parts.iter_mut().filter(|part| part.name.is_none()) {
            let bytes = part.segment.to_bytes();
            let name = FileName::of(&bytes);
            lock.write(&name.segment(), &bytes)?;
            written += name.size;
            part.name = Some(name);
        }
        if let Some(bytes) = table {
            let name = FileName::of(&bytes);
            lock.write(&name.table(), &bytes)?;
            written += name.size;
            // What was just made fits together; a table without rows would only cost time.
            snapshot.table = Arc::new(Table::from_bytes(bytes).unwrap_or_default());
            snapshot.table_name = Some(name);
            snapshot.changes.clear();
        }
        let (bytes, names) = self.manifest(snapshot);
        lock.write(MANIFEST, &bytes)?;
        lock.keep_only(&names);
        snapshot.origin = Some(FileName::of(&bytes));
        snapshot.is_new = false;
        Ok(written + bytes.len() as u64)
    }

    fn check_size(&self, snapshot: &Snapshot, table: usize) -> Result<(), StoreError> {
        let segments: usize = snapshot.index.segments().map(Segment::size).sum();
        let size = (segments + table) as u64;
        let (folder, most) = (self.folder.path().to_owned(), self.most_bytes);
        if size > most { Err(StoreError::TooLarge { folder, size, most }) } else { Ok(()) }
    }

    /// The manifest's bytes, and the names of the files that it needs.
    fn manifest(&self, snapshot: &Snapshot) -> (Vec<u8>, Vec<String>) {
        let manifest = Manifest {
            fingerprint: self.fingerprint.clone(),
            segments: snapshot.index.parts.iter().filter_map(|part| part.name).collect(),
            table: snapshot.table_name,
            changes: snapshot.changes.clone(),
        };
        let mut names: Vec<String> = manifest.segments.iter().map(FileName::segment).collect();
        names.extend(manifest.table.iter().map(FileName::table));
        (manifest.to_bytes(), names)
    }
}

/// The bytes of a table with all changes, where one is due.
fn new_table(snapshot: &Snapshot) -> Option<Vec<u8>> {
    let is_due = snapshot.table_name.is_none() && snapshot.rows().next().is_some();
    is_due.then(|| Table::file(snapshot.rows()))
}
