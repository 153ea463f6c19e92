//! A store in a folder, whose objects can be made older and damaged.

use kitbag_store::{ObjectStore, StoreOptions, StoreUrl};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

pub struct Folder {
    pub folder: TempDir,
    pub store: ObjectStore,
}

impl Folder {
    pub fn new(options: &StoreOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = ObjectStore::open(&Self::url_of(folder.path()), options).unwrap();
        Self { folder, store }
    }

    pub fn url_of(path: &Path) -> StoreUrl {
        let root = if cfg!(windows) { "/" } else { "" };
        format!("file://{root}{}", path.display()).parse().unwrap()
    }

    /// Opens the same folder again.
    pub fn open(&self, options: &StoreOptions) -> ObjectStore {
        ObjectStore::open(&Self::url_of(self.folder.path()), options).unwrap()
    }

    /// Returns the files whose path contains `part`.
    pub fn files(&self, part: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
            }
        }
        files.retain(|file| file.to_string_lossy().contains(part));
        files.sort();
        files
    }

    /// Makes all objects older.
    pub fn age(&self, by: Duration) {
        for file in self.files("") {
            let time = fs::metadata(&file).unwrap().modified().unwrap() - by;
            File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
        }
    }

    /// Changes the last byte of a file.
    pub fn damage(file: &Path) {
        let mut bytes = fs::read(file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(file, bytes).unwrap();
    }
}
