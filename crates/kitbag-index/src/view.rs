//! A tree's files, as the index sees them: which content stands at which path.

use crate::backend::{BackendError, Contents, Hits, IndexBackend, Known, Place};
use crate::file_kind::FileKind;
use crate::segment::{Doc, Forward, Posting, Segment};
use crate::store::{Embedded, content_key};
use crate::terms::for_each_id;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// A file of a tree.
#[derive(Debug, Clone)]
pub struct File {
    /// Its path.
    pub path: String,
    /// Where its content lies.
    pub place: Place,
    /// What it is for.
    pub kind: FileKind,
    /// The words of its path, by id, in order and with repetitions.
    pub path_words: Vec<u32>,
    /// The place of its first chunk among all of the tree's.
    pub first_chunk: u32,
    /// The figures of its content.
    doc: Doc,
}

/// A tree's files over the index that holds their contents.
pub struct View {
    index: Arc<dyn IndexBackend>,
    files: Vec<File>,
    /// The lengths of all chunks, file by file.
    chunk_lengths: Vec<u32>,
    /// The contents that files have.
    contents: Contents,
    /// For each segment and content, the first file that has it; `NONE` where none does.
    owners: Vec<Vec<u32>>,
    /// For each file, the next one that has the same content.
    next: Vec<u32>,
    /// Why the index did not answer, if it did not.
    trouble: OnceLock<BackendError>,
}

const NONE: u32 = u32::MAX;

impl View {
    /// The files of a tree, in the order of their paths, and where their contents lie.
    pub fn new(
        segments: Vec<Arc<Segment>>,
        files: impl IntoIterator<Item = (String, Place)>,
    ) -> Self {
        Self::over(Arc::new(Embedded::new(segments)), files)
    }

    /// The files of a tree, in the order of their paths, and where their contents lie in an index.
    pub fn over(
        index: Arc<dyn IndexBackend>,
        files: impl IntoIterator<Item = (String, Place)>,
    ) -> Self {
        let (mut paths, places): (Vec<String>, Vec<Place>) = files.into_iter().unzip();
        let mut view = Self {
            index: Arc::clone(&index),
            files: Vec::with_capacity(places.len()),
            chunk_lengths: Vec::new(),
            contents: Contents::default(),
            owners: Vec::new(),
            next: Vec::with_capacity(places.len()),
            trouble: OnceLock::new(),
        };
        let mut next = 0;
        let answer = index.figures(&places, &mut |doc, lengths| {
            view.add(std::mem::take(&mut paths[next]), places[next], doc, lengths);
            next += 1;
        });
        view.note(answer);
        view
    }

    fn add(&mut self, path: String, place: Place, doc: &Doc, lengths: &[u32]) {
        let mut path_words = Vec::new();
        for_each_id(&path, |id| path_words.push(id));
        let kind = FileKind::of(&path, doc.looks);
        let first_chunk = self.chunk_lengths.len() as u32;
        self.chunk_lengths.extend_from_slice(lengths);
        self.contents.add(place);
        let file = self.files.len() as u32;
        let former = std::mem::replace(self.owner(place), file);
        self.next.push(former);
        self.files.push(File { path, place, kind, path_words, first_chunk, doc: *doc });
    }

    /// The first file that has a content.
    fn owner(&mut self, place: Place) -> &mut u32 {
        let (segment, doc) = (place.segment as usize, place.doc as usize);
        if self.owners.len() <= segment {
            self.owners.resize_with(segment + 1, Vec::new);
        }
        let owners = &mut self.owners[segment];
        if owners.len() <= doc {
            owners.resize(doc + 1, NONE);
        }
        &mut owners[doc]
    }

    /// The files, in the order of their paths.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// How many chunks all files have together.
    pub fn chunk_count(&self) -> usize {
        self.chunk_lengths.len()
    }

    /// A file's figures.
    pub fn doc<'a>(&'a self, file: &'a File) -> &'a Doc {
        &file.doc
    }

    /// The lengths of a file's chunks, in words.
    pub fn chunk_lengths(&self, file: &File) -> &[u32] {
        let first = file.first_chunk as usize;
        self.chunk_lengths.get(first..first + file.doc.chunks as usize).unwrap_or_default()
    }

    /// Whether a file's content is still what the index has of it.
    pub fn is_current(&self, file: usize, content: &[u8]) -> bool {
        let file = &self.files[file];
        let found = self.note(self.index.find(&[content_key(&file.path, content)]));
        found.and_then(|found| found.into_iter().next()) == Some(Some(Known::Text(file.place)))
    }

    /// What is read of files once they were found; `None` for what is damaged.
    pub fn forward(&self, files: &[usize]) -> Vec<Option<Forward>> {
        let places: Vec<Place> = files.iter().map(|&file| self.files[file].place).collect();
        let mut forward = self.note(self.index.forward(&places)).unwrap_or_default();
        forward.resize_with(files.len(), || None);
        forward
    }

    /// Calls `found` with each file that has a word, and where in it: first by segment and
    /// content, then by chunk.
    pub fn postings(&self, word: u32, mut found: impl FnMut(u32, Posting)) {
        self.search(&[word], |_, file, posting| found(file, posting));
    }

    /// Calls `found` with each word's place among `words`, each file that has it, and where in it:
    /// word by word, then by segment and content, then by chunk. The order of files follows from how
    /// the index came about, so nothing may depend on it.
    pub fn search(&self, words: &[u32], mut found: impl FnMut(usize, u32, Posting)) {
        let answer = self.index.search(words, &self.contents, &mut |hits| {
            self.for_each_file(&hits, |file, posting| found(hits.word, file, posting));
            ControlFlow::Continue(())
        });
        self.note(answer);
    }

    /// The files that have a word, and where in them, in order; `None` where they are more than
    /// `most`. That costs no more for a word that is everywhere.
    pub fn few_postings(&self, word: u32, most: usize) -> Option<Vec<(u32, Posting)>> {
        let mut few = Vec::new();
        let answer = self.index.search(&[word], &self.contents, &mut |hits| {
            self.for_each_file(&hits, |file, posting| few.push((file, posting)));
            if few.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.note(answer);
        few.sort_unstable_by_key(|(file, posting)| (*file, posting.chunk));
        (few.len() <= most).then_some(few)
    }

    /// Calls `found` with each file that has what was found.
    fn for_each_file(&self, hits: &Hits<'_>, mut found: impl FnMut(u32, Posting)) {
        let owners = self.owners.get(hits.segment as usize).map_or(&[][..], Vec::as_slice);
        for posting in hits.postings {
            let mut file = owners.get(posting.doc as usize).copied().unwrap_or(NONE);
            while file != NONE {
                found(file, *posting);
                file = self.next[file as usize];
            }
        }
    }

    /// Why the index did not answer something, if it did not.
    pub fn trouble(&self) -> Option<&BackendError> {
        self.trouble.get()
    }

    /// Keeps the first trouble.
    fn note<T>(&self, answer: Result<T, BackendError>) -> Option<T> {
        answer.map_err(|error| self.trouble.set(error)).ok()
    }
}
