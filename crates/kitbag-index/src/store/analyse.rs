//! Reads and analyses the files that are not known, some at a time, so that memory stays bounded
//! however many there are. Results are merged in the order of the files: nothing depends on which
//! thread was first.

use super::identity::{blob_key, content_key};
use super::refresh::{MOST_BYTES, Refresh, RefreshError, Standing};
use crate::backend::IndexBackend;
use crate::record::Record;
use crate::segment::Key;
use kitbag_repo::{FileEntry, Tree};
use kitbag_text::{Cancelled, Text, decode};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much is read before it is analysed and let go.
const BATCH_BYTES: u64 = 16 << 20;

/// Records of this size together are handed to the index.
const RECORDS_BYTES: usize = 96 << 20;

/// The files of a tree that are not known.
pub(super) struct Unknown<'a> {
    tree: &'a dyn Tree,
    refresh: &'a Refresh<'a>,
    index: &'a mut dyn IndexBackend,
    /// What was analysed and the index does not have yet.
    pending: Pending,
    /// The contents that were not analysed, since nobody waited for it.
    left: FxHashSet<Key>,
    /// How many contents were analysed, and how many files brought nothing new.
    pub analysed: usize,
    pub known: usize,
}

/// Records that wait for others.
#[derive(Default)]
struct Pending {
    keys: FxHashSet<Key>,
    records: Vec<(Key, Option<Record>)>,
    bytes: usize,
}

/// A file's content, and what it is known by.
type Content = (Key, Vec<u8>);

/// What reading a file came to.
enum Read {
    Content(Content),
    Unreadable,
    /// Nobody waited for it.
    Left,
}

impl<'a> Unknown<'a> {
    pub fn new(
        tree: &'a dyn Tree,
        refresh: &'a Refresh<'a>,
        index: &'a mut dyn IndexBackend,
    ) -> Self {
        let (pending, left) = (Pending::default(), FxHashSet::default());
        Self { tree, refresh, index, pending, left, analysed: 0, known: 0 }
    }

    /// Analyses what is unknown, and sets how it stands.
    pub fn analyse(&mut self, standings: &mut [Standing]) -> Result<(), RefreshError> {
        let files: Vec<usize> =
            (0..standings.len()).filter(|&file| standings[file] == Standing::Unknown).collect();
        let done = AtomicUsize::new(0);
        let progress = self.refresh.progress;
        let count = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, files.len());
        let mut rest = files.as_slice();
        while !rest.is_empty() && !self.refresh.cancel.is_cancelled() {
            let (batch, later) = rest.split_at(batch_length(self.tree.files(), rest));
            rest = later;
            let contents = self.read(batch);
            for (&file, content) in batch.iter().zip(&contents) {
                standings[file] = match content {
                    Read::Content((key, _)) => Standing::Known { key: *key, was_read: true },
                    Read::Unreadable => Standing::Unreadable,
                    Read::Left => Standing::Unknown,
                };
            }
            let new = self.new_ones(batch, contents, &count)?;
            self.add(new, &count)?;
        }
        self.hand_over()?;
        self.forget_left(standings);
        Ok(())
    }

    /// The contents of some files.
    fn read(&self, batch: &[usize]) -> Vec<Read> {
        let (tree, cancel) = (self.tree, self.refresh.cancel);
        let read = |&file: &usize| {
            if cancel.is_cancelled() {
                return Read::Left;
            }
            let entry = &tree.files()[file];
            let Ok(bytes) = tree.read(entry, MOST_BYTES) else { return Read::Unreadable };
            let key = blob_key(entry).unwrap_or_else(|| content_key(&entry.path, &bytes));
            Read::Content((key, bytes))
        };
        batch.par_iter().map(read).collect()
    }

    /// Files whose content was not analysed, since nobody waited for it, are not known.
    fn forget_left(&self, standings: &mut [Standing]) {
        let is_left = |standing: &Standing| match standing {
            Standing::Known { key, was_read: true } => self.left.contains(key),
            _ => false,
        };
        standings.iter_mut().filter(|it| is_left(it)).for_each(|it| *it = Standing::Unknown);
    }

    /// The contents that nobody knows, each once, with a file that has it.
    fn new_ones(
        &mut self,
        batch: &[usize],
        contents: Vec<Read>,
        count: &(dyn Fn() + Sync),
    ) -> Result<Vec<(usize, Key, Vec<u8>)>, RefreshError> {
        let key = |read: &Read| match read {
            Read::Content((key, _)) => Some(*key),
            Read::Unreadable | Read::Left => None,
        };
        let keys: Vec<Key> = contents.iter().filter_map(key).collect();
        let mut known = self.index.find(&keys)?.into_iter();
        let mut new = Vec::new();
        for (&file, content) in batch.iter().zip(contents) {
            let (key, bytes) = match content {
                Read::Content(content) => content,
                Read::Unreadable => {
                    count();
                    continue;
                }
                Read::Left => continue,
            };
            let is_known = known.next().is_some_and(|known| known.is_some());
            if is_known || !self.pending.keys.insert(key) {
                self.known += 1;
                count();
            } else {
                new.push((file, key, bytes));
            }
        }
        Ok(new)
    }

    /// Analyses contents.
    fn add(
        &mut self,
        new: Vec<(usize, Key, Vec<u8>)>,
        count: &(dyn Fn() + Sync),
    ) -> Result<(), RefreshError> {
        let (tree, refresh) = (self.tree, self.refresh);
        let analyse = |(file, key, bytes): (usize, Key, Vec<u8>)| {
            let record = record(&tree.files()[file], bytes, refresh);
            if record.is_ok() {
                count();
            }
            (key, record)
        };
        let records: Vec<_> = new.into_par_iter().map(analyse).collect();
        for (key, record) in records {
            let Ok(record) = record else {
                self.pending.keys.remove(&key);
                self.left.insert(key);
                continue;
            };
            self.analysed += usize::from(record.is_some());
            self.pending.bytes += record.as_ref().map_or(0, size);
            self.pending.records.push((key, record));
            if self.pending.bytes > RECORDS_BYTES {
                self.hand_over()?;
            }
        }
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), RefreshError> {
        let Pending { records, .. } = std::mem::take(&mut self.pending);
        Ok(self.index.upsert(records)?)
    }
}

/// What the index keeps of a content; `None` where it is not text.
fn record(
    entry: &FileEntry,
    bytes: Vec<u8>,
    refresh: &Refresh<'_>,
) -> Result<Option<Record>, Cancelled> {
    refresh.cancel.check()?;
    let Ok(decoded) = decode(bytes) else { return Ok(None) };
    let (text, analysis) = (Text::new(decoded.content), refresh.analysis);
    let how = (&analysis.limits, analysis.counting);
    Record::until(&entry.path, &text, how, refresh.cancel).map(Some)
}

/// How many bytes a record takes, roughly.
fn size(record: &Record) -> usize {
    let words: usize = record.words.iter().map(Vec::len).sum();
    let lines = record.chunks.last().map_or(0, |chunk| chunk.span.end as usize);
    12 * words + 300 * record.chunks.len() + 9 * lines
}

/// How many of the files come next: as many as may be in memory at once, and one at least.
fn batch_length(entries: &[FileEntry], files: &[usize]) -> usize {
    let mut bytes = 0;
    let fits = |&&file: &&usize| {
        bytes += entries[file].size;
        bytes <= BATCH_BYTES
    };
    files.iter().take_while(fits).count().max(1)
}
