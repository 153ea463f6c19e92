//! Indexes of trees in memory, stored in temporary folders.

mod damage;
mod failures;
mod folders;
mod publishing;
mod random_operations;
mod refreshing;
mod versions;

use super::{LoadedIndex, PublishOutcome, Refresh, RefreshedIndex, Snapshot, Store};
use crate::record::AnalysisSettings;
use crate::terms::word_id;
use crate::view::IndexView;
use kitbag_repo::{FileEntry, FileId, ObjectId, PathError, Skipped, Tree};
use kitbag_text::{Cancel, ChunkLimits};
use kitbag_tokens::{CachedCounter, Estimator};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

/// A time long after all files of a test were written.
const LATER: i64 = 1_000_000_000_000_000_000;

static COUNTING: LazyLock<CachedCounter> =
    LazyLock::new(|| CachedCounter::new(Arc::new(Estimator::Words), 0));

static SETTINGS: LazyLock<AnalysisSettings<'static>> =
    LazyLock::new(|| AnalysisSettings { limits: ChunkLimits::default(), counting: &COUNTING });

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// Files in memory that record which of them were read.
#[derive(Default)]
struct Files {
    files: Vec<FileEntry>,
    contents: BTreeMap<String, Vec<u8>>,
    read: Mutex<Vec<String>>,
}

impl Files {
    /// Creates files that were all modified at the same time, long ago.
    fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, content) in files {
            tree.set(path, content, 1_000);
        }
        tree
    }

    /// Creates `count` files with a word of their own each, and one that all have.
    fn numbered(count: usize) -> Self {
        let mut tree = Self::default();
        for number in 0..count {
            tree.set(&format!("src/file{number:04}.py"), &numbered(number), 1_000);
        }
        tree
    }

    fn set(&mut self, path: &str, content: &str, modified: i64) {
        let size = content.len() as u64;
        self.put(path, content.as_bytes(), stat(modified, size));
    }

    fn set_blob(&mut self, path: &str, content: &[u8]) {
        let id = ObjectId::of_content(content).expect("no collision");
        self.put(path, content, FileId::Blob(id));
    }

    fn put(&mut self, path: &str, content: &[u8], id: FileId) {
        self.remove(path);
        let entry = FileEntry { path: path.to_owned(), size: content.len() as u64, id };
        self.files.push(entry);
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.contents.insert(path.to_owned(), content.to_owned());
    }

    fn remove(&mut self, path: &str) {
        self.files.retain(|entry| entry.path != path);
        self.contents.remove(path);
    }

    /// Returns the files that were read since the last call.
    fn take_reads(&self) -> Vec<String> {
        let mut read = std::mem::take(&mut *self.read.lock().expect("no panic"));
        read.sort();
        read
    }
}

impl Tree for Files {
    fn files(&self) -> &[FileEntry] {
        &self.files
    }

    fn read(&self, entry: &FileEntry, _limit: u64) -> Result<Vec<u8>, PathError> {
        self.read.lock().expect("no panic").push(entry.path.clone());
        let content = self.contents.get(&entry.path);
        content.cloned().ok_or_else(|| PathError::NotFound { path: entry.path.clone() })
    }

    fn skipped(&self) -> &[Skipped] {
        &[]
    }
}

fn stat(modified: i64, size: u64) -> FileId {
    FileId::Stat { modified, changed: modified, size }
}

fn numbered(number: usize) -> String {
    format!("def function_{number}():\n    return shared(word{number})\n")
}

fn store(folder: &Path) -> Store {
    Store::open(folder, "a fingerprint").expect("a private folder")
}

fn refresh(tree: &Files, previous: &Snapshot) -> RefreshedIndex {
    let refresh = Refresh { now: LATER, ..Refresh::new(&SETTINGS, &NOT_CANCELLED) };
    refresh.run(tree, previous)
}

/// Loads, refreshes and publishes, as a pack does.
fn pack(store: &Store, tree: &Files) -> (RefreshedIndex, PublishOutcome, Option<String>) {
    let LoadedIndex { snapshot, problem } = store.load();
    let mut refreshed = refresh(tree, &snapshot);
    let published = store.publish(&mut refreshed.snapshot).expect("writable");
    (refreshed, published, problem)
}

/// Returns everything that a search can see: paths, chunks, and occurrences of words.
fn dump(view: &IndexView, words: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = view
        .files()
        .iter()
        .map(|file| format!("{} {:?} {:?}", file.path, file.doc.lengths, file.kind))
        .collect();
    for word in words {
        let mut found = Vec::new();
        view.postings(word_id(word))
            .for_each(|(file, posting)| found.push((file, posting.chunk, posting.counts)));
        found.sort_by_key(|it| (it.0, it.1));
        lines.push(format!("{word}: {found:?}"));
    }
    for file in 0..view.files().len() {
        let doc = view.stored_doc(file).expect("not damaged");
        lines.push(format!("{file}: {:?} {:?}", doc.chunks, doc.tally));
    }
    lines
}

/// Words that distinguish numbered files.
const WORDS: [&str; 5] = ["shared", "word0", "word1", "word7", "function_3"];

/// Checks that a view equals that of a new index.
fn assert_up_to_date(view: &IndexView, tree: &Files) {
    let fresh = refresh(tree, &Snapshot::default());
    assert_eq!(dump(view, &WORDS), dump(&fresh.view, &WORDS));
}

/// Returns the files in a folder with their contents.
fn folder_bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}
