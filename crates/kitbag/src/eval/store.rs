//! Analyses kept by blob, in one file for each repository.
//!
//! The file is a header and records, each a key and a value with their lengths. A file that does
//! not begin with this version's header, or breaks off, is used as far as it is whole.

use crate::search::{Analyses, Fresh, finer};
use kitbag_index::{ANALYSIS_VERSION, FileChunks, FileWords};
use kitbag_repo::{FileEntry, FileId, Tree};
use kitbag_text::{ChunkLimits, Language};
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Key = Vec<u8>;

/// The analyses of one repository's blobs.
pub(super) struct Store<'a> {
    file: PathBuf,
    header: Vec<u8>,
    bytes: Vec<u8>,
    places: FxHashMap<Key, Range<usize>>,
    fresh: Fresh<'a>,
    words: Mutex<FxHashMap<Key, Option<Arc<FileWords>>>>,
    chunks: Mutex<FxHashMap<Key, Option<Arc<FileChunks>>>>,
    new: Mutex<BTreeMap<Key, Vec<u8>>>,
}

impl<'a> Store<'a> {
    /// Opens what an earlier run left in `folder` for `repo`, if anything.
    pub fn open(folder: &Path, repo: &str, limits: &ChunkLimits, counting: &'a Counting) -> Self {
        let limits = finer(limits);
        let header = format!(
            "kitbag analyses {ANALYSIS_VERSION} {} {limits:?}\n",
            counting.counter().name()
        );
        let name: String =
            repo.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '+' }).collect();
        let file = folder.join(format!("{name}.analyses"));
        let bytes = std::fs::read(&file).unwrap_or_default();
        let places = places(&bytes, header.as_bytes());
        let bytes = if places.is_empty() { Vec::new() } else { bytes };
        Self {
            file,
            header: header.into_bytes(),
            bytes,
            places,
            fresh: Fresh { limits, counting },
            words: Mutex::default(),
            chunks: Mutex::default(),
            new: Mutex::default(),
        }
    }

    /// Writes what is new, by a rename, so that a killed run leaves the old file.
    pub fn close(self) -> io::Result<()> {
        let new = self.new.into_inner().unwrap_or_else(PoisonError::into_inner);
        if new.is_empty() {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let mut writer = io::BufWriter::new(&mut file);
        writer.write_all(&self.header)?;
        for (key, place) in &self.places {
            write_record(&mut writer, key, &self.bytes[place.clone()])?;
        }
        for (key, value) in &new {
            write_record(&mut writer, key, value)?;
        }
        writer.flush()?;
        drop(writer);
        file.persist(&self.file)?;
        Ok(())
    }

    /// The value for `key`: from memory, from the file, or made now.
    fn kept<T: Serialize + DeserializeOwned>(
        &self,
        memory: &Mutex<FxHashMap<Key, Option<Arc<T>>>>,
        key: Key,
        make: impl FnOnce() -> Option<Arc<T>>,
    ) -> Option<Arc<T>> {
        if let Some(known) = lock(memory).get(&key) {
            return known.clone();
        }
        let stored: Option<Option<T>> = self
            .places
            .get(&key)
            .and_then(|place| postcard::from_bytes(&self.bytes[place.clone()]).ok());
        let value = match stored {
            Some(value) => value.map(Arc::new),
            None => {
                let made = make();
                if let Ok(bytes) = postcard::to_stdvec(&made.as_deref()) {
                    lock(&self.new).insert(key.clone(), bytes);
                }
                made
            }
        };
        lock(memory).insert(key, value.clone());
        value
    }
}

impl Analyses for Store<'_> {
    fn words(&self, tree: &dyn Tree, entry: &FileEntry) -> Option<Arc<FileWords>> {
        let key = key(entry, "words")?;
        self.kept(&self.words, key, || self.fresh.words(tree, entry))
    }

    fn chunks(&self, tree: &dyn Tree, entry: &FileEntry) -> Option<Arc<FileChunks>> {
        let language = Language::of(&entry.path, None).map_or("", Language::name);
        let key = key(entry, language)?;
        self.kept(&self.chunks, key, || self.fresh.chunks(tree, entry))
    }
}

fn key(entry: &FileEntry, tag: &str) -> Option<Key> {
    let FileId::Blob(id) = &entry.id else { return None };
    Some([id.as_bytes(), tag.as_bytes()].concat())
}

fn write_record(writer: &mut impl Write, key: &[u8], value: &[u8]) -> io::Result<()> {
    for part in [key, value] {
        let length = u32::try_from(part.len()).map_err(io::Error::other)?;
        writer.write_all(&length.to_le_bytes())?;
        writer.write_all(part)?;
    }
    Ok(())
}

/// Where each value lies, as far as the file is whole.
fn places(bytes: &[u8], header: &[u8]) -> FxHashMap<Key, Range<usize>> {
    let mut places = FxHashMap::default();
    if !bytes.starts_with(header) {
        return places;
    }
    let mut at = header.len();
    while let Some((key, value)) = record(bytes, at) {
        at = value.end;
        places.insert(bytes[key].to_vec(), value);
    }
    places
}

fn record(bytes: &[u8], at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let part = |at: usize| {
        let length: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        let end = (at + 4).checked_add(u32::from_le_bytes(length) as usize)?;
        (end <= bytes.len()).then_some(at + 4..end)
    };
    let key = part(at)?;
    let value = part(key.end)?;
    Some((key, value))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_breaks_off_is_used_as_far_as_it_is_whole() {
        let mut bytes = b"head\n".to_vec();
        write_record(&mut bytes, b"one", b"1").expect("memory");
        let whole = bytes.len();
        write_record(&mut bytes, b"two", b"22").expect("memory");
        assert_eq!(places(&bytes, b"head\n").len(), 2);
        for end in whole..bytes.len() {
            assert_eq!(places(&bytes[..end], b"head\n").len(), 1);
        }
        assert!(places(&bytes, b"other\n").is_empty());
    }
}
