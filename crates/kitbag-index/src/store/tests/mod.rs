//! The life of an index, with trees in memory and folders on disk.

mod backend;
mod damage;
mod failures;
mod folders;
mod lives;
mod publishing;
mod refreshing;
mod versions;

use super::{Analysis, Loaded, Published, Refresh, Refreshed, Snapshot, Store};
use crate::terms::word_id;
use crate::view::View;
use kitbag_repo::{FileEntry, FileId, ObjectId, PathError, Skipped, Tree};
use kitbag_text::{Cancel, ChunkLimits};
use kitbag_tokens::{Counting, Estimator};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

/// A moment long after all files of a test were written.
const LATER: i64 = 1_000_000_000_000_000_000;

static COUNTING: LazyLock<Counting> =
    LazyLock::new(|| Counting::new(Arc::new(Estimator::Words), 0));

static ANALYSIS: LazyLock<Analysis<'static>> =
    LazyLock::new(|| Analysis { limits: ChunkLimits::default(), counting: &COUNTING });

/// A flag that nobody raises.
static NEVER: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// Files in memory, and which of them were read.
#[derive(Default)]
struct Files {
    files: Vec<FileEntry>,
    contents: BTreeMap<String, Vec<u8>>,
    read: Mutex<Vec<String>>,
}

impl Files {
    /// Files that were all modified at the same time, long ago.
    fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, content) in files {
            tree.set(path, content, 1_000);
        }
        tree
    }

    /// `count` files with a word of their own each, and one that all have.
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

    fn set_blob(&mut self, path: &str, content: &str, id: u8) {
        let id = ObjectId::from_bytes(&[id; 20]).expect("20 bytes");
        self.put(path, content.as_bytes(), FileId::Blob(id));
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

    /// The files that were read since this was last asked.
    fn taken(&self) -> Vec<String> {
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

/// The signs of a file that no program gave another time.
fn stat(modified: i64, size: u64) -> FileId {
    FileId::Stat { modified, changed: modified, size }
}

fn numbered(number: usize) -> String {
    format!("def function_{number}():\n    return shared(word{number})\n")
}

fn store(folder: &Path) -> Store {
    Store::open(folder, "a fingerprint").expect("a folder of our own")
}

fn refresh(tree: &Files, previous: &Snapshot) -> Refreshed {
    let refresh = Refresh { now: LATER, ..Refresh::new(&ANALYSIS, &NEVER) };
    refresh.run(tree, previous).expect("nobody stops it")
}

/// Loads, refreshes and publishes, as a pack does.
fn pack(store: &Store, tree: &Files) -> (Refreshed, Published, Option<String>) {
    let Loaded { snapshot, trouble } = store.load();
    let mut refreshed = refresh(tree, &snapshot);
    let published = store.publish(&mut refreshed.snapshot).expect("it can be written");
    (refreshed, published, trouble)
}

/// All that a search can tell: for each file its path, its chunks, and how often it has each word.
fn picture(view: &View, words: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = view
        .files()
        .iter()
        .map(|file| format!("{} {:?} {:?}", file.path, view.doc(file).lengths, file.kind))
        .collect();
    for word in words {
        let mut found = Vec::new();
        view.postings(word_id(word), |file, posting| {
            found.push((file, posting.chunk, posting.counts))
        });
        found.sort_by_key(|it| (it.0, it.1));
        lines.push(format!("{word}: {found:?}"));
    }
    let all: Vec<usize> = (0..view.files().len()).collect();
    for (file, forward) in view.forward(&all).into_iter().enumerate() {
        let forward = forward.expect("not damaged");
        lines.push(format!("{file}: {:?} {:?}", forward.chunks, forward.tally));
    }
    lines
}

/// The words that tell numbered files apart.
const WORDS: [&str; 5] = ["shared", "word0", "word1", "word7", "function_3"];

/// Whether a view is what analysing everything anew would give.
fn assert_right(view: &View, tree: &Files) {
    let fresh = refresh(tree, &Snapshot::default());
    assert_eq!(picture(view, &WORDS), picture(&fresh.view, &WORDS));
}

/// The files in a folder and their contents.
fn folder_bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}
