//! Reads and analyses files that are not indexed yet, in batches of bounded size. Results are merged
//! in the order of the files, so nothing depends on thread scheduling.

use super::refresh_input::{FileState, MAX_FILE_BYTES, Refresh};
use crate::content_index::ContentIndex;
use crate::content_key::ContentKey;
use crate::record::ContentRecord;
use kitbag_repo::{FileEntry, FileId, Tree};
use kitbag_text::{Cancelled, Fallback, Text, decode};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of files that are read before they are analyzed and dropped: of the first batch, and of the
/// largest. Each is twice as large as the one before. The first is small because a deadline may leave
/// time for little more.
const FIRST_BATCH_BYTES: u64 = 1 << 18;
const MAX_BATCH_BYTES: u64 = 16 << 20;

/// Approximate size of the records that are collected before they are added to the index.
const PENDING_RECORD_BYTES: usize = 96 << 20;

/// Adds the contents of unknown files to an index.
pub(super) struct Indexer<'a> {
    tree: &'a dyn Tree,
    refresh: &'a Refresh<'a>,
    index: &'a mut ContentIndex,
    /// Records that are not in the index yet.
    pending: BTreeMap<ContentKey, Option<ContentRecord>>,
    pending_bytes: usize,
    /// Number of files that were analyzed or need not be.
    done: AtomicUsize,
    /// Number of contents that were analyzed.
    pub analyzed: usize,
    /// Number of files that were read and whose content was already indexed.
    pub known: usize,
}

/// A content that was read, with its file.
struct ReadContent<'a> {
    entry: &'a FileEntry,
    key: ContentKey,
    bytes: Vec<u8>,
}

impl<'a> Indexer<'a> {
    pub fn new(tree: &'a dyn Tree, refresh: &'a Refresh<'a>, index: &'a mut ContentIndex) -> Self {
        let (pending, done) = (BTreeMap::new(), AtomicUsize::new(0));
        Self { tree, refresh, index, pending, pending_bytes: 0, done, analyzed: 0, known: 0 }
    }

    /// Analyses the files whose state is unknown, and updates their states.
    pub fn run(&mut self, states: &mut [FileState]) {
        let files: Vec<usize> =
            (0..states.len()).filter(|&file| states[file] == FileState::Unknown).collect();
        let (mut rest, mut batch_bytes) = (files.as_slice(), FIRST_BATCH_BYTES);
        while !rest.is_empty() && !self.refresh.cancel.is_cancelled() {
            let (batch, later) = rest.split_at(batch_length(self.tree.files(), rest, batch_bytes));
            (rest, batch_bytes) = (later, (batch_bytes * 2).min(MAX_BATCH_BYTES));
            let new = self.read_new(batch, states, files.len());
            self.analyze(new, files.len());
        }
        self.flush();
        for state in states {
            if let FileState::Known { key, was_read: true } = state
                && self.index.find(key).is_none()
            {
                // It was not analyzed because of cancellation.
                *state = FileState::Unknown;
            }
        }
    }

    fn advance(&self, total: usize) {
        (self.refresh.progress)(self.done.fetch_add(1, Ordering::Relaxed) + 1, total);
    }

    fn read(&self, file: usize) -> Result<ReadContent<'a>, FileState> {
        self.refresh.cancel.check().map_err(|_| FileState::Unknown)?;
        let entry = &self.tree.files()[file];
        let bytes = self.tree.read(entry, MAX_FILE_BYTES).map_err(|_| FileState::Unreadable)?;
        let key = match entry.id {
            FileId::Stat { .. } => ContentKey::of_content(&entry.path, &bytes),
            // Records are shared by key, so a key must not be that of another content.
            FileId::Blob(id) if !id.matches(&bytes) => return Err(FileState::Unreadable),
            FileId::Blob(_) => ContentKey::of_blob(entry).ok_or(FileState::Unreadable)?,
        };
        Ok(ReadContent { entry, key, bytes })
    }

    /// Reads files, and returns the contents that are neither indexed nor pending, each once.
    fn read_new(
        &mut self,
        batch: &[usize],
        states: &mut [FileState],
        total: usize,
    ) -> Vec<ReadContent<'a>> {
        let contents: Vec<Result<ReadContent<'a>, FileState>> =
            batch.par_iter().map(|&file| self.read(file)).collect();
        let mut keys = FxHashSet::default();
        let mut new = Vec::new();
        for (&file, content) in batch.iter().zip(contents) {
            match content {
                Ok(content) => {
                    let key = content.key;
                    states[file] = FileState::Known { key, was_read: true };
                    let is_pending = self.pending.contains_key(&key) || !keys.insert(key);
                    if is_pending || self.index.find(&key).is_some() {
                        self.known += 1;
                        self.advance(total);
                    } else {
                        new.push(content);
                    }
                }
                Err(state) => {
                    states[file] = state;
                    if state == FileState::Unreadable {
                        self.advance(total);
                    }
                }
            }
        }
        new
    }

    fn analyze(&mut self, new: Vec<ReadContent<'a>>, total: usize) {
        let analyze = |ReadContent { entry, key, bytes }| {
            let record = analyze_content(entry, bytes, self.refresh).ok()?;
            // The next refresh may find a parser. Until then, the file counts as skipped.
            if record.as_ref().and_then(|it| it.parser_failure) == Some(Fallback::ParserUnavailable)
            {
                return None;
            }
            self.advance(total);
            Some((key, record))
        };
        let records: Vec<_> = new.into_par_iter().filter_map(analyze).collect();
        for (key, record) in records {
            self.analyzed += usize::from(record.is_some());
            self.pending_bytes += record.as_ref().map_or(0, approximate_size);
            self.pending.insert(key, record);
            if self.pending_bytes > PENDING_RECORD_BYTES {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        self.index.add(std::mem::take(&mut self.pending));
        self.pending_bytes = 0;
    }
}

/// Returns the record of a content, or `None` if it is not text.
fn analyze_content(
    entry: &FileEntry,
    bytes: Vec<u8>,
    refresh: &Refresh<'_>,
) -> Result<Option<ContentRecord>, Cancelled> {
    refresh.cancel.check()?;
    let Ok(content) = decode(bytes) else { return Ok(None) };
    let text = Text::new(content);
    ContentRecord::analyze(&entry.path, &text, refresh.settings, refresh.cancel).map(Some)
}

/// Returns roughly how many bytes a record takes.
fn approximate_size(record: &ContentRecord) -> usize {
    let words: usize = record.words.iter().map(Vec::len).sum();
    let lines = record.chunks.last().map_or(0, |chunk| chunk.span.end as usize);
    12 * words + 300 * record.chunks.len() + 9 * lines
}

/// Returns how many of the files fit into a batch of `max_bytes`, at least one.
fn batch_length(entries: &[FileEntry], files: &[usize], max_bytes: u64) -> usize {
    let mut bytes = 0;
    let fits = |&&file: &&usize| {
        bytes += entries[file].size;
        bytes <= max_bytes
    };
    files.iter().take_while(fits).count().max(1)
}
