//! Reads and analyses files that are not indexed yet, in batches of bounded size. Results are merged
//! in the order of the files, so nothing depends on thread scheduling.

use super::refresh::{FileState, MAX_FILE_BYTES, Refresh};
use crate::backend::{BackendError, IndexBackend};
use crate::content_key::ContentKey;
use crate::record::ContentRecord;
use kitbag_repo::{FileEntry, Tree};
use kitbag_text::{Cancelled, Text, decode};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of files that are read before they are analysed and dropped.
const BATCH_BYTES: u64 = 16 << 20;

/// Approximate size of the records that are collected before they are added to the index.
const PENDING_RECORD_BYTES: usize = 96 << 20;

/// Adds the contents of unknown files to an index.
pub(super) struct Indexer<'a> {
    tree: &'a dyn Tree,
    refresh: &'a Refresh<'a>,
    index: &'a mut dyn IndexBackend,
    pending: PendingRecords,
    /// Keys of contents that were not analysed because of cancellation.
    cancelled: FxHashSet<ContentKey>,
    /// Number of contents that were analysed.
    pub analysed: usize,
    /// Number of files that were read and whose content was already indexed.
    pub known: usize,
}

/// Records that are not in the index yet.
#[derive(Default)]
struct PendingRecords {
    keys: FxHashSet<ContentKey>,
    records: Vec<(ContentKey, Option<ContentRecord>)>,
    bytes: usize,
}

/// A content that is not indexed, with a file that has it.
struct NewContent {
    file: usize,
    key: ContentKey,
    bytes: Vec<u8>,
}

/// The content of a file, or the state of a file that was not read.
type ReadResult = Result<(ContentKey, Vec<u8>), FileState>;

impl<'a> Indexer<'a> {
    pub fn new(
        tree: &'a dyn Tree,
        refresh: &'a Refresh<'a>,
        index: &'a mut dyn IndexBackend,
    ) -> Self {
        let (pending, cancelled) = (PendingRecords::default(), FxHashSet::default());
        Self { tree, refresh, index, pending, cancelled, analysed: 0, known: 0 }
    }

    /// Analyses the files whose state is unknown, and updates their states.
    pub fn run(&mut self, states: &mut [FileState]) -> Result<(), BackendError> {
        let files: Vec<usize> =
            (0..states.len()).filter(|&file| states[file] == FileState::Unknown).collect();
        let done = AtomicUsize::new(0);
        let progress = self.refresh.progress;
        let advance = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, files.len());
        let mut rest = files.as_slice();
        while !rest.is_empty() && !self.refresh.cancel.is_cancelled() {
            let (batch, later) = rest.split_at(batch_length(self.tree.files(), rest));
            rest = later;
            let contents = self.read(batch);
            for (&file, content) in batch.iter().zip(&contents) {
                states[file] = match content {
                    Ok((key, _)) => FileState::Known { key: *key, was_read: true },
                    Err(state) => *state,
                };
            }
            let new = self.select_new(batch, contents, &advance)?;
            self.analyse(new, &advance)?;
        }
        self.flush()?;
        self.reset_cancelled(states);
        Ok(())
    }

    fn read(&self, batch: &[usize]) -> Vec<ReadResult> {
        let (tree, cancel) = (self.tree, self.refresh.cancel);
        let read = |&file: &usize| {
            cancel.check().map_err(|_| FileState::Unknown)?;
            let entry = &tree.files()[file];
            let bytes = tree.read(entry, MAX_FILE_BYTES).map_err(|_| FileState::Unreadable)?;
            let key = ContentKey::of_blob(entry)
                .unwrap_or_else(|| ContentKey::of_content(&entry.path, &bytes));
            Ok((key, bytes))
        };
        batch.par_iter().map(read).collect()
    }

    /// Marks files whose content was not analysed as unknown.
    fn reset_cancelled(&self, states: &mut [FileState]) {
        for state in states {
            if let FileState::Known { key, was_read: true } = state
                && self.cancelled.contains(key)
            {
                *state = FileState::Unknown;
            }
        }
    }

    /// Returns the contents that are neither indexed nor pending, each once.
    fn select_new(
        &mut self,
        batch: &[usize],
        contents: Vec<ReadResult>,
        advance: &(dyn Fn() + Sync),
    ) -> Result<Vec<NewContent>, BackendError> {
        let keys: Vec<ContentKey> = contents.iter().flatten().map(|(key, _)| *key).collect();
        let mut indexed = self.index.find(&keys)?.into_iter();
        let mut new = Vec::new();
        for (&file, content) in batch.iter().zip(contents) {
            match content {
                Ok((key, bytes)) => {
                    let is_indexed = indexed.next().is_some_and(|content| content.is_some());
                    if is_indexed || !self.pending.keys.insert(key) {
                        self.known += 1;
                        advance();
                    } else {
                        new.push(NewContent { file, key, bytes });
                    }
                }
                Err(FileState::Unreadable) => advance(),
                Err(_) => {}
            }
        }
        Ok(new)
    }

    fn analyse(
        &mut self,
        new: Vec<NewContent>,
        advance: &(dyn Fn() + Sync),
    ) -> Result<(), BackendError> {
        let (tree, refresh) = (self.tree, self.refresh);
        let analyse = |NewContent { file, key, bytes }| {
            let record = analyse_content(&tree.files()[file], bytes, refresh);
            if record.is_ok() {
                advance();
            }
            (key, record)
        };
        let records: Vec<_> = new.into_par_iter().map(analyse).collect();
        for (key, record) in records {
            let Ok(record) = record else {
                self.pending.keys.remove(&key);
                self.cancelled.insert(key);
                continue;
            };
            self.analysed += usize::from(record.is_some());
            self.pending.bytes += record.as_ref().map_or(0, approximate_size);
            self.pending.records.push((key, record));
            if self.pending.bytes > PENDING_RECORD_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        self.index.upsert(std::mem::take(&mut self.pending).records)
    }
}

/// Returns the record of a content, or `None` if it is not text.
fn analyse_content(
    entry: &FileEntry,
    bytes: Vec<u8>,
    refresh: &Refresh<'_>,
) -> Result<Option<ContentRecord>, Cancelled> {
    refresh.cancel.check()?;
    let Ok(content) = decode(bytes) else { return Ok(None) };
    let text = Text::new(content);
    ContentRecord::analyse(&entry.path, &text, refresh.settings, refresh.cancel).map(Some)
}

/// Returns roughly how many bytes a record takes.
fn approximate_size(record: &ContentRecord) -> usize {
    let words: usize = record.words.iter().map(Vec::len).sum();
    let lines = record.chunks.last().map_or(0, |chunk| chunk.span.end as usize);
    12 * words + 300 * record.chunks.len() + 9 * lines
}

/// Returns how many of the files fit into a batch, at least one.
fn batch_length(entries: &[FileEntry], files: &[usize]) -> usize {
    let mut bytes = 0;
    let fits = |&&file: &&usize| {
        bytes += entries[file].size;
        bytes <= BATCH_BYTES
    };
    files.iter().take_while(fits).count().max(1)
}
