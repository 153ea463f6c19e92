//! The files of a tree over an index: which path has which indexed content.

use crate::backend::{
    BackendError, DocAddress, DocFilter, IndexBackend, IndexedContent, PostingBatch, slot,
};
use crate::content_key::ContentKey;
use crate::file_kind::FileKind;
use crate::segment::{Doc, Posting, StoredDoc};
use crate::terms::for_each_id;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

/// A file of a tree with its indexed content.
#[derive(Debug, Clone)]
pub struct IndexedFile {
    /// Path relative to the root of the tree.
    pub path: String,
    /// Address of the content.
    pub address: DocAddress,
    /// Purpose of the file.
    pub kind: FileKind,
    /// Ids of the words of the path, in order and with repetitions.
    pub path_words: Vec<u32>,
    /// Metadata of the content.
    pub doc: Doc,
    /// Index of the first chunk among the chunks of all files.
    first_chunk: u32,
}

impl IndexedFile {
    /// Returns the indexes of the file's chunks among the chunks of all files.
    pub fn chunk_range(&self) -> Range<usize> {
        let first = self.first_chunk as usize;
        first..first + self.doc.chunks as usize
    }
}

/// The files of a tree over the index that holds their contents.
pub struct IndexView {
    index: Arc<dyn IndexBackend>,
    files: Vec<IndexedFile>,
    /// Lengths of all chunks in words, file by file.
    chunk_lengths: Vec<u32>,
    filter: DocFilter,
    /// The last file with each content, by segment; `NONE` where no file has it.
    owners: Vec<Vec<u32>>,
    /// For each file, an earlier file with the same content, or `NONE`.
    next_owner: Vec<u32>,
    error: OnceLock<BackendError>,
}

const NONE: u32 = u32::MAX;

impl IndexView {
    /// Creates a view of files, which are sorted by path, over an index.
    pub fn new(
        index: Arc<dyn IndexBackend>,
        files: impl IntoIterator<Item = (String, DocAddress)>,
    ) -> Self {
        let (mut paths, addresses): (Vec<String>, Vec<DocAddress>) = files.into_iter().unzip();
        let mut view = Self {
            index: Arc::clone(&index),
            files: Vec::with_capacity(addresses.len()),
            chunk_lengths: Vec::new(),
            filter: DocFilter::default(),
            owners: Vec::new(),
            next_owner: Vec::with_capacity(addresses.len()),
            error: OnceLock::new(),
        };
        let mut next = 0;
        let result = index.for_each_doc(&addresses, &mut |doc, lengths| {
            view.add(std::mem::take(&mut paths[next]), addresses[next], doc, lengths);
            next += 1;
        });
        view.note_error(result);
        view
    }

    fn add(&mut self, path: String, address: DocAddress, doc: &Doc, lengths: &[u32]) {
        let mut path_words = Vec::new();
        for_each_id(&path, |id| path_words.push(id));
        let kind = FileKind::of(&path, doc.flags);
        let first_chunk = self.chunk_lengths.len() as u32;
        self.chunk_lengths.extend_from_slice(lengths);
        self.filter.add(address);
        let file = self.files.len() as u32;
        let owner = slot(&mut self.owners, address, NONE);
        self.next_owner.push(std::mem::replace(owner, file));
        self.files.push(IndexedFile { path, address, kind, path_words, doc: *doc, first_chunk });
    }

    /// Returns the files, sorted by path.
    pub fn files(&self) -> &[IndexedFile] {
        &self.files
    }

    /// Returns the number of chunks of all files.
    pub fn chunk_count(&self) -> usize {
        self.chunk_lengths.len()
    }

    /// Returns the lengths of a file's chunks in words.
    pub fn chunk_lengths(&self, file: &IndexedFile) -> &[u32] {
        self.chunk_lengths.get(file.chunk_range()).unwrap_or_default()
    }

    /// Whether `content` is the content that was indexed for a file.
    pub fn is_current(&self, file: usize, content: &[u8]) -> bool {
        let file = &self.files[file];
        let key = ContentKey::of_content(&file.path, content);
        let found = self.note_error(self.index.find(&[key]));
        found.is_some_and(|found| found == [Some(IndexedContent::Text(file.address))])
    }

    /// Returns the stored chunks of files; `None` where they are damaged.
    pub fn stored_docs(&self, files: &[usize]) -> Vec<Option<StoredDoc>> {
        let addresses: Vec<DocAddress> =
            files.iter().map(|&file| self.files[file].address).collect();
        let mut docs = self.note_error(self.index.stored_docs(&addresses)).unwrap_or_default();
        docs.resize_with(files.len(), || None);
        docs
    }

    /// Calls `visit` with each posting of a word and the file it is in, ordered by segment, content
    /// and chunk.
    pub fn postings(&self, word: u32, mut visit: impl FnMut(u32, Posting)) {
        self.search(&[word], |_, file, posting| visit(file, posting));
    }

    /// Calls `visit` with the index of a word in `words`, a file and a posting: word by word, then
    /// by segment, content and chunk. The order of files depends on how the index was built, so no
    /// result may depend on it.
    pub fn search(&self, words: &[u32], mut visit: impl FnMut(usize, u32, Posting)) {
        let result = self.index.search(words, &self.filter, &mut |batch| {
            self.for_each_file(&batch, |file, posting| visit(batch.word, file, posting));
            ControlFlow::Continue(())
        });
        self.note_error(result);
    }

    /// Returns the postings of a word sorted by file and chunk, or `None` if there are more than
    /// `max`. The cost is bounded for frequent words.
    pub fn postings_up_to(&self, word: u32, max: usize) -> Option<Vec<(u32, Posting)>> {
        let mut found = Vec::new();
        let result = self.index.search(&[word], &self.filter, &mut |batch| {
            self.for_each_file(&batch, |file, posting| found.push((file, posting)));
            if found.len() > max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.note_error(result);
        found.sort_unstable_by_key(|(file, posting)| (*file, posting.chunk));
        (found.len() <= max).then_some(found)
    }

    fn for_each_file(&self, batch: &PostingBatch<'_>, mut visit: impl FnMut(u32, Posting)) {
        let owners = self.owners.get(batch.segment as usize).map_or(&[][..], Vec::as_slice);
        for posting in batch.postings {
            let mut file = owners.get(posting.doc as usize).copied().unwrap_or(NONE);
            while file != NONE {
                visit(file, *posting);
                file = self.next_owner[file as usize];
            }
        }
    }

    /// Returns the first error of the index, if any.
    pub fn error(&self) -> Option<&BackendError> {
        self.error.get()
    }

    fn note_error<T>(&self, result: Result<T, BackendError>) -> Option<T> {
        result.map_err(|error| self.error.set(error)).ok()
    }
}
