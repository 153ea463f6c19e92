//! The files of a tree over an index: which path has which indexed content.

use crate::content_index::{ContentIndex, DocAddress};
use crate::content_key::ContentKey;
use crate::file_kind::FileKind;
use crate::segment::{Doc, Posting, StoredDoc};
use crate::terms::for_each_id;
use std::iter::successors;
use std::ops::Range;

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
    index: ContentIndex,
    files: Vec<IndexedFile>,
    /// Lengths of all chunks in words, file by file.
    chunk_lengths: Vec<u32>,
    /// The last file with each content, by segment.
    owners: Vec<Vec<Option<u32>>>,
    /// For each file, an earlier file with the same content.
    next_owner: Vec<Option<u32>>,
}

impl IndexView {
    /// Creates a view of files, which are sorted by path, over an index.
    pub fn new(index: ContentIndex, files: impl IntoIterator<Item = (String, DocAddress)>) -> Self {
        let owners = index.segments().map(|segment| vec![None; segment.keys().len()]).collect();
        let (chunk_lengths, next_owner) = (Vec::new(), Vec::new());
        let mut view = Self { index, files: Vec::new(), chunk_lengths, owners, next_owner };
        files.into_iter().for_each(|(path, address)| view.add(path, address));
        view
    }

    fn add(&mut self, path: String, address: DocAddress) {
        let mut path_words = Vec::new();
        for_each_id(&path, |id| path_words.push(id));
        let doc = *self.index.doc(address);
        let kind = FileKind::of(&path, doc.flags);
        let first_chunk = self.chunk_lengths.len() as u32;
        let lengths = self.index.segment(address).chunk_lengths(address.doc);
        self.chunk_lengths.extend_from_slice(lengths);
        let owner = &mut self.owners[address.segment as usize][address.doc as usize];
        self.next_owner.push(owner.replace(self.files.len() as u32));
        self.files.push(IndexedFile { path, address, kind, path_words, doc, first_chunk });
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
        &self.chunk_lengths[file.chunk_range()]
    }

    /// Whether `content` is the content that was indexed for a file.
    pub fn is_current(&self, file: usize, content: &[u8]) -> bool {
        let file = &self.files[file];
        let key = ContentKey::of_content(&file.path, content);
        self.index.find(&key) == Some(file.address)
    }

    /// Decodes the stored chunks of a file; `None` if they are damaged.
    pub fn stored_doc(&self, file: usize) -> Option<StoredDoc> {
        let address = self.files[file].address;
        self.index.segment(address).stored_doc(address.doc)
    }

    /// Iterates over the postings of a word with the files they are in, ordered by segment, content
    /// and chunk. The order of files depends on how the index was built, so no result may depend on
    /// it.
    pub fn postings(&self, word: u32) -> impl Iterator<Item = (u32, Posting)> {
        self.index.segments().zip(&self.owners).flat_map(move |(segment, owners)| {
            segment.postings(word).flat_map(move |posting| {
                let next = |&file: &u32| self.next_owner[file as usize];
                let files = successors(owners[posting.doc as usize], next);
                files.map(move |file| (file, posting))
            })
        })
    }

    /// Calls `visit` with each word of the files, one of the files that have it, and its postings there, for each
    /// distinct content. A word is visited once per content.
    pub fn for_each_word_of_content(&self, mut visit: impl FnMut(u32, u32, &[Posting])) {
        let mut of_content: Vec<Posting> = Vec::new();
        for (segment, owners) in self.index.segments().zip(&self.owners) {
            for &word in segment.words() {
                let mut postings = segment.postings(word).peekable();
                while let Some(first) = postings.next() {
                    of_content.clear();
                    of_content.push(first);
                    while let Some(next) = postings.next_if(|it| it.doc == first.doc) {
                        of_content.push(next);
                    }
                    if let Some(file) = owners[first.doc as usize] {
                        visit(word, file, &of_content);
                    }
                }
            }
        }
    }

    /// Returns the postings of a word sorted by file and chunk, or `None` if there are more than
    /// `max`. The cost is bounded for frequent words.
    pub fn postings_up_to(&self, word: u32, max: usize) -> Option<Vec<(u32, Posting)>> {
        let mut found: Vec<(u32, Posting)> =
            self.postings(word).take(max.saturating_add(1)).collect();
        found.sort_unstable_by_key(|(file, posting)| (*file, posting.chunk));
        (found.len() <= max).then_some(found)
    }
}
