//! Records in memory: commits by their place in the file, names interned.

use super::message::message_words;
use kitbag_repo::{Commit, ObjectId};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// What is kept of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub time: i64,
    /// Whether a shallow clone ended here.
    pub is_cut: bool,
    /// The ids of the message's words, those of its first line before the others.
    pub words: Vec<u32>,
    pub title_words: usize,
    pub paths: Vec<Arc<str>>,
}

impl Record {
    pub fn of(commit: Commit) -> Self {
        // Words are there to find files by.
        let (words, title_words) = if commit.paths.is_empty() {
            Default::default()
        } else {
            message_words(&commit.message)
        };
        Self {
            id: commit.id,
            parents: commit.parents,
            time: commit.time,
            is_cut: commit.is_cut,
            words,
            title_words,
            paths: commit.paths.into_iter().map(Arc::from).collect(),
        }
    }
}

/// All records, in the order of the file. A commit that was recorded twice counts as the later.
#[derive(Debug, Default)]
pub(super) struct Records {
    entries: Vec<Entry>,
    places: FxHashMap<ObjectId, u32>,
    /// The entries' parents, words and paths one after the other; an entry knows where its own end.
    parents: Vec<ObjectId>,
    words: Vec<u32>,
    paths: Vec<u32>,
    pub word_names: Names<u32>,
    pub path_names: Names<Arc<str>>,
}

/// A record without its lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub id: ObjectId,
    pub time: i64,
    pub is_cut: bool,
    pub title_words: u32,
    parents_end: u32,
    words_end: u32,
    paths_end: u32,
}

impl Records {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Where the record of a commit is.
    pub fn place(&self, id: &ObjectId) -> Option<u32> {
        self.places.get(id).copied()
    }

    pub fn entry(&self, place: u32) -> &Entry {
        &self.entries[place as usize]
    }

    pub fn is_cut(&self, place: u32) -> bool {
        self.entry(place).is_cut
    }

    pub fn parents(&self, place: u32) -> &[ObjectId] {
        &self.parents[self.range(place, |entry| entry.parents_end)]
    }

    /// The ids of a record's words.
    pub fn words(&self, place: u32) -> &[u32] {
        &self.words[self.range(place, |entry| entry.words_end)]
    }

    /// The places of a record's paths among the names.
    pub fn paths(&self, place: u32) -> &[u32] {
        &self.paths[self.range(place, |entry| entry.paths_end)]
    }

    fn range(&self, place: u32, end: impl Fn(&Entry) -> u32) -> Range<usize> {
        let before = place.checked_sub(1).map_or(0, |before| end(self.entry(before)));
        before as usize..end(self.entry(place)) as usize
    }

    /// A record with its names.
    pub fn record(&self, place: u32) -> Record {
        let entry = self.entry(place);
        let path = |&name: &u32| Arc::clone(&self.path_names.list[name as usize]);
        Record {
            id: entry.id,
            parents: self.parents(place).to_vec(),
            time: entry.time,
            is_cut: entry.is_cut,
            words: self.words(place).to_vec(),
            title_words: entry.title_words as usize,
            paths: self.paths(place).iter().map(path).collect(),
        }
    }

    /// Adds a record at the end, and gives its place.
    pub fn push(&mut self, record: Record) -> u32 {
        self.parents.extend(record.parents);
        for word in record.words {
            self.word_names.place(&word);
            self.words.push(word);
        }
        for path in record.paths {
            let name = self.path_names.place(&path);
            self.paths.push(name);
        }
        self.finish(record.id, record.time, record.is_cut, record.title_words as u32)
    }

    pub fn push_parent(&mut self, id: ObjectId) {
        self.parents.push(id);
    }

    /// Adds a word of the record that is being read, by the place of its name.
    pub fn push_word(&mut self, name: usize) -> Option<()> {
        self.words.push(*self.word_names.list.get(name)?);
        Some(())
    }

    /// Adds a path of the record that is being read, by the place of its name.
    pub fn push_path(&mut self, name: usize) -> Option<()> {
        self.path_names.list.get(name)?;
        self.paths.push(name as u32);
        Some(())
    }

    /// Makes a record of the parents, words and paths that were pushed last.
    pub fn finish(&mut self, id: ObjectId, time: i64, is_cut: bool, title_words: u32) -> u32 {
        let place = self.entries.len() as u32;
        self.places.insert(id, place);
        self.entries.push(Entry {
            id,
            time,
            is_cut,
            title_words,
            parents_end: self.parents.len() as u32,
            words_end: self.words.len() as u32,
            paths_end: self.paths.len() as u32,
        });
        place
    }
}

/// Names by their place: the order in which they first occur.
#[derive(Debug)]
pub(super) struct Names<T> {
    pub list: Vec<T>,
    places: FxHashMap<T, u32>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { list: Vec::new(), places: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Names<T> {
    /// The place of a name, if it was given to [`Names::place`] before.
    pub fn find(&self, name: &T) -> Option<u32> {
        self.places.get(name).copied()
    }

    /// The place of a name, which is added if it is new.
    pub fn place(&mut self, name: &T) -> u32 {
        // Names that were read are looked up only now that something is written.
        for place in self.places.len()..self.list.len() {
            self.places.insert(self.list[place].clone(), place as u32);
        }
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.list.len() as u32;
        self.list.push(name.clone());
        self.places.insert(name.clone(), place);
        place
    }
}
