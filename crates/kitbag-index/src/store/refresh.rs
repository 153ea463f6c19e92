//! Brings an index up to date with a tree: what is known is used, what is not is read and analysed.
//!
//! A file on disk is known if it has the size and the times of its last change that it had when it
//! was read, and was not read within moments of that: it might have changed again since and look the
//! same. A file of a commit is known by the name of its content.

use super::analyse::Unknown;
use super::identity::{Analysis, blob_key};
use super::snapshot::Snapshot;
use super::table::{Row, join};
use crate::backend::{BackendError, IndexBackend, Known};
use crate::segment::Key;
use crate::view::View;
use kitbag_repo::{FileEntry, FileId, Tree};
use kitbag_text::Cancel;
use std::sync::Arc;
use std::time::SystemTime;
use thiserror::Error;

/// The largest file that is searched.
pub const MOST_BYTES: u64 = 10 << 20;

/// A file that changed so shortly before it was read may change again unnoticed. Some file systems
/// count in steps of two seconds.
const SETTLING: i64 = 2_000_000_000;

/// How an index is brought up to date.
pub struct Refresh<'a> {
    /// How contents are analysed.
    pub analysis: &'a Analysis<'a>,
    /// Whether the tree was asked for some of the files only, so that a file which it does not show
    /// may still be there.
    pub is_partial: bool,
    /// The time, in nanoseconds since 1970.
    pub now: i64,
    /// Once it is up, what was analysed is kept, and the rest is left for the next time.
    pub cancel: &'a Cancel,
    /// Is called with how many files were read, of how many that have to be.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Why an index was not brought up to date.
#[derive(Debug, Error)]
pub enum RefreshError {
    /// The index does not answer.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// What bringing an index up to date took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefreshStats {
    /// The files of the tree.
    pub files: usize,
    /// Those that were not even read.
    pub unread: usize,
    /// Those that were read and whose content was known.
    pub known: usize,
    /// Those whose content was analysed.
    pub analysed: usize,
    /// Those that are not text.
    pub not_text: usize,
    /// Those that are too large to be searched.
    pub too_large: usize,
    /// Those that could not be read.
    pub unreadable: usize,
    /// Those that were not looked at, since the caller wanted no more.
    pub left: usize,
}

/// An index that is up to date with a tree, as far as the caller waited for it.
pub struct Refreshed {
    /// The tree's files over their contents.
    pub view: View,
    /// The index, to be published and to go on from.
    pub snapshot: Snapshot,
    /// What it took.
    pub stats: RefreshStats,
}

/// How a file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has to be read.
    Unknown,
    TooLarge,
    Unreadable,
    Known {
        key: Key,
        /// Whether it was read to know that.
        was_read: bool,
    },
}

impl<'a> Refresh<'a> {
    /// With the system's time, the whole tree, and this flag to stop it.
    pub fn new(analysis: &'a Analysis<'a>, cancel: &'a Cancel) -> Self {
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as i64);
        Self { analysis, is_partial: false, now, cancel, progress: &|_, _| {} }
    }

    /// The index for `tree`, which is `previous` with what it lacks. Where it is stopped, files that
    /// are not known yet are not in the view, and the table does not have them: the next time they
    /// are read, and what was analysed of their contents is known.
    pub fn run(&self, tree: &dyn Tree, previous: &Snapshot) -> Result<Refreshed, RefreshError> {
        let mut snapshot = previous.clone();
        let mut standings = compare(tree, previous, &snapshot.index)?;
        let (analysed, known) = {
            let mut unknown = Unknown::new(tree, self, &mut snapshot.index);
            unknown.analyse(&mut standings)?;
            (unknown.analysed, unknown.known)
        };
        snapshot.is_new |= snapshot.index.has_new();
        self.update_table(tree, &standings, previous, &mut snapshot);
        let index: Arc<dyn IndexBackend> = Arc::new(snapshot.index.clone());
        let (view, stats) = view(tree, &standings, index)?;
        Ok(Refreshed { view, snapshot, stats: RefreshStats { analysed, known, ..stats } })
    }

    /// Writes down how the files on disk stand.
    fn update_table(
        &self,
        tree: &dyn Tree,
        standings: &[Standing],
        previous: &Snapshot,
        snapshot: &mut Snapshot,
    ) {
        let files = tree.files();
        if files.first().is_some_and(|entry| matches!(entry.id, FileId::Blob(_))) {
            return;
        }
        let seen = files.iter().zip(standings);
        let seen = seen.map(|(entry, standing)| (entry.path.as_bytes(), (entry, standing)));
        let rows = join(previous.rows(), seen).filter_map(|(path, old, new)| {
            let row = match new {
                // What was known of it is not known to be wrong, and its content not to be dead.
                Some((_, Standing::Unknown)) => old,
                Some((entry, standing)) => self.row(entry, standing),
                None => old.filter(|_| self.is_partial),
            };
            row.map(|row| (path, row))
        });
        snapshot.changes = previous.table.changes_to(rows);
        snapshot.is_new |= snapshot.changes != previous.changes;
    }

    /// What the table says of a file; nothing where it has to be looked at again each time.
    fn row(&self, entry: &FileEntry, standing: &Standing) -> Option<Row> {
        let Standing::Known { key, was_read } = *standing else { return None };
        let FileId::Stat { modified, changed, size } = entry.id else { return None };
        let settled = !was_read || modified.max(changed).saturating_add(SETTLING) <= self.now;
        Some(Row { size, modified, changed, key, settled })
    }
}

/// Holds the files of the tree against the table and the index.
fn compare(
    tree: &dyn Tree,
    previous: &Snapshot,
    index: &dyn IndexBackend,
) -> Result<Vec<Standing>, BackendError> {
    let files = tree.files().iter().map(|entry| (entry.path.as_bytes(), entry));
    let joined = join(files, previous.rows());
    let mut standings: Vec<Standing> =
        joined.filter_map(|(_, entry, row)| entry.map(|entry| standing(entry, row))).collect();
    let known = index.find(&keys(&standings))?;
    let guessed = standings.iter_mut().filter(|it| matches!(it, Standing::Known { .. }));
    for (standing, known) in guessed.zip(known) {
        if known.is_none() {
            *standing = Standing::Unknown;
        }
    }
    Ok(standings)
}

/// How a file stands if the index has its content.
fn standing(entry: &FileEntry, row: Option<Row>) -> Standing {
    if entry.size > MOST_BYTES {
        return Standing::TooLarge;
    }
    let key = match entry.id {
        FileId::Blob(_) => blob_key(entry),
        FileId::Stat { modified, changed, size } => row
            .filter(|row| row.settled && row.size == size)
            .filter(|row| (row.modified, row.changed) == (modified, changed))
            .map(|row| row.key),
    };
    key.map_or(Standing::Unknown, |key| Standing::Known { key, was_read: false })
}

fn keys(standings: &[Standing]) -> Vec<Key> {
    let key = |standing: &Standing| match standing {
        Standing::Known { key, .. } => Some(*key),
        _ => None,
    };
    standings.iter().filter_map(key).collect()
}

/// The files that can be searched, over the index; and what became of the others.
fn view(
    tree: &dyn Tree,
    standings: &[Standing],
    index: Arc<dyn IndexBackend>,
) -> Result<(View, RefreshStats), BackendError> {
    let mut known = index.find(&keys(standings))?.into_iter();
    let mut stats = RefreshStats { files: standings.len(), ..RefreshStats::default() };
    let mut files = Vec::with_capacity(standings.len());
    for (entry, standing) in tree.files().iter().zip(standings) {
        match standing {
            Standing::Known { was_read, .. } => {
                stats.unread += usize::from(!was_read);
                match known.next().flatten() {
                    Some(Known::Text(place)) => files.push((entry.path.clone(), place)),
                    Some(Known::NotText) | None => stats.not_text += 1,
                }
            }
            Standing::TooLarge => stats.too_large += 1,
            Standing::Unreadable => stats.unreadable += 1,
            Standing::Unknown => stats.left += 1,
        }
    }
    Ok((View::over(index, files), stats))
}
