//! Brings an index up to date with a tree: reads and analyses only the files that changed.
//!
//! A file on disk is unchanged if its size and times are those of the table, and it was not read
//! shortly after its last change, when another change could have left the same times. A file of a
//! commit is identified by its blob id.

use super::analyze::Indexer;
use super::refresh_input::{FileState, MAX_FILE_BYTES, Refresh};
use super::snapshot::Snapshot;
use super::table::{FileRow, changes_to, join};
use crate::content_index::ContentIndex;
use crate::content_key::ContentKey;
use crate::view::IndexView;
use kitbag_repo::{FileEntry, FileId, Tree};
use std::sync::Arc;
use std::time::Duration;

/// A file read within this time of its last change may change again with the same timestamps: FAT
/// has a resolution of two seconds.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Number of files by outcome of a refresh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefreshStats {
    /// All files of the tree.
    pub files: usize,
    /// Files that are unchanged and were not read.
    pub unchanged: usize,
    /// Files that were read and whose content was already indexed.
    pub known: usize,
    /// Contents that were analyzed.
    pub analyzed: usize,
    /// Files that are not text.
    pub not_text: usize,
    /// Files larger than [`MAX_FILE_BYTES`].
    pub too_large: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Files that were skipped because of cancellation.
    pub skipped: usize,
}

/// An index that is up to date with a tree, except for skipped files.
pub struct RefreshedIndex {
    /// The files of the tree over the index.
    pub view: IndexView,
    /// The new state of the index, to publish and to refresh from.
    pub snapshot: Snapshot,
    /// Number of files by outcome.
    pub stats: RefreshStats,
}

impl Refresh<'_> {
    /// Returns `previous` brought up to date with `tree`. After cancellation, skipped files are
    /// neither in the view nor in the table, so the next refresh reads them; contents that were
    /// analyzed stay indexed.
    pub fn run(&self, tree: &dyn Tree, previous: &Snapshot) -> RefreshedIndex {
        let mut snapshot = previous.clone();
        let mut states = compare(tree, previous);
        let mut indexer = Indexer::new(tree, self, &mut snapshot.index);
        indexer.run(&mut states);
        let (analyzed, known) = (indexer.analyzed, indexer.known);
        snapshot.is_modified |= snapshot.index.segments.iter().any(|it| it.file.is_none());
        self.update_table(tree, &states, previous, &mut snapshot);
        snapshot.recent = Arc::new(states.iter().filter_map(FileState::key).collect());
        let (view, stats) = build_view(tree, &states, &snapshot.index);
        RefreshedIndex { view, snapshot, stats: RefreshStats { analyzed, known, ..stats } }
    }

    /// Records the files of a work tree in the table.
    fn update_table(
        &self,
        tree: &dyn Tree,
        states: &[FileState],
        previous: &Snapshot,
        snapshot: &mut Snapshot,
    ) {
        let files = tree.files();
        if files.first().is_some_and(|entry| matches!(entry.id, FileId::Blob(_))) {
            return;
        }
        let seen = files.iter().zip(states);
        let seen = seen.map(|(entry, state)| (entry.path.as_str(), (entry, state)));
        let rows = join(previous.rows(), seen).filter_map(|(path, old, new)| {
            let row = match new {
                // Keeping the row keeps the content of a skipped file alive.
                Some((_, FileState::Unknown)) => old,
                Some((entry, state)) => self.row(entry, state),
                None => old.filter(|_| self.is_partial),
            };
            row.map(|row| (path, row))
        });
        snapshot.changes = changes_to(&previous.table, rows);
        snapshot.is_modified |= snapshot.changes != previous.changes;
    }

    fn row(&self, entry: &FileEntry, state: &FileState) -> Option<FileRow> {
        let FileState::Known { key, was_read } = *state else { return None };
        let FileId::Stat { modified, changed, size } = entry.id else { return None };
        let settled_at = modified.max(changed).saturating_add(SETTLE_TIME.as_nanos() as i64);
        let is_settled = !was_read || settled_at <= self.now;
        Some(FileRow { size, modified, changed, key, is_settled })
    }
}

/// Compares the files of a tree with the table and the index.
pub(super) fn compare(tree: &dyn Tree, previous: &Snapshot) -> Vec<FileState> {
    let files = tree.files().iter().map(|entry| (entry.path.as_str(), entry));
    let joined = join(files, previous.rows());
    joined
        .filter_map(|(_, entry, row)| entry.map(|entry| state(entry, row, &previous.index)))
        .collect()
}

fn state(entry: &FileEntry, row: Option<FileRow>, index: &ContentIndex) -> FileState {
    if entry.size > MAX_FILE_BYTES {
        return FileState::TooLarge;
    }
    let key = match entry.id {
        FileId::Blob(_) => ContentKey::of_blob(entry),
        FileId::Stat { modified, changed, size } => row
            .filter(|row| row.is_settled && row.size == size)
            .filter(|row| (row.modified, row.changed) == (modified, changed))
            .map(|row| row.key),
    };
    let indexed = key.filter(|key| index.find(key).is_some());
    indexed.map_or(FileState::Unknown, |key| FileState::Known { key, was_read: false })
}

/// Builds a view of the files that can be searched, and counts the others.
fn build_view(
    tree: &dyn Tree,
    states: &[FileState],
    index: &ContentIndex,
) -> (IndexView, RefreshStats) {
    let mut stats = RefreshStats { files: states.len(), ..RefreshStats::default() };
    let mut files = Vec::with_capacity(states.len());
    for (entry, state) in tree.files().iter().zip(states) {
        match state {
            FileState::Known { key, was_read } => {
                stats.unchanged += usize::from(!was_read);
                match index.find(key).filter(|&address| index.doc(address).is_text) {
                    Some(address) => files.push((entry.path.clone(), address)),
                    None => stats.not_text += 1,
                }
            }
            FileState::TooLarge => stats.too_large += 1,
            FileState::Unreadable => stats.unreadable += 1,
            FileState::Unknown => stats.skipped += 1,
        }
    }
    (IndexView::new(index.clone(), files), stats)
}
