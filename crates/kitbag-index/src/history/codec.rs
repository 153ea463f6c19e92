//! The encoding of commit records: length, payload, and a checksum that also covers all earlier
//! records.
//!
//! Records are relative where possible: times and parents refer to earlier records, words and paths
//! to interned names. A name is written out in the record in which it first occurs.

use super::table::{CommitRecord, CommitTable};
use crate::terms::WORDS_VERSION;
use crc32fast::Hasher;
use kitbag_repo::ObjectId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::sync::Arc;

const MAGIC: &[u8; 6] = b"kbhist";
/// Bumped whenever the same commits would be encoded differently.
const FORMAT_VERSION: u8 = 2;
/// Size of the file header: magic, versions and checksum.
pub(super) const HEADER_BYTES: usize = MAGIC.len() + 2 + CHECKSUM_BYTES;
pub(super) const CHECKSUM_BYTES: usize = 4;

/// State after the last record that was encoded or decoded, which the next record builds on.
#[derive(Debug)]
pub(super) struct CodecState {
    /// Checksum of the header and all records so far.
    pub checksum: u32,
    time: i64,
    words: Interner<u32>,
    paths: Interner<Arc<str>>,
}

impl Default for CodecState {
    fn default() -> Self {
        let (words, paths) = (Interner::default(), Interner::default());
        Self { checksum: checksum(0, &versions()), time: 0, words, paths }
    }
}

/// The payload of a record.
#[derive(Serialize, Deserialize)]
struct Payload {
    id: Vec<u8>,
    is_shallow: bool,
    /// Seconds since the previous record.
    time: i64,
    parents: Vec<ParentRef>,
    paths: Vec<NameRef<PathSuffix>>,
    words: Vec<NameRef<u32>>,
    title_words: usize,
}

/// A parent as the distance to its record, or as its id if it has no earlier record.
#[derive(Serialize, Deserialize)]
enum ParentRef {
    Back(usize),
    Id(Vec<u8>),
}

/// An interned name as its index, or a new name.
#[derive(Serialize, Deserialize)]
enum NameRef<T> {
    Known(u32),
    New(T),
}

/// A path as the number of leading bytes that it shares with the previous new path, and the rest.
#[derive(Serialize, Deserialize)]
struct PathSuffix {
    shared: usize,
    rest: String,
}

fn versions() -> [u8; MAGIC.len() + 2] {
    let mut bytes = [0; MAGIC.len() + 2];
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes[MAGIC.len()..].copy_from_slice(&[FORMAT_VERSION, WORDS_VERSION as u8]);
    bytes
}

pub(super) fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let (versions_part, checksum_part) = bytes.split_at_mut(HEADER_BYTES - CHECKSUM_BYTES);
    versions_part.copy_from_slice(&versions());
    checksum_part.copy_from_slice(&CodecState::default().checksum.to_le_bytes());
    bytes
}

/// Continues a checksum.
fn checksum(before: u32, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new_with_initial(before);
    hasher.update(bytes);
    hasher.finalize()
}

/// Encodes a record that is about to be added to `table`.
pub(super) fn encode(
    record: &CommitRecord,
    table: &CommitTable,
    state: &mut CodecState,
    out: &mut Vec<u8>,
) {
    let parent = |id: &ObjectId| match table.place(id) {
        Some(place) => ParentRef::Back(table.len() - place),
        None => ParentRef::Id(id.as_bytes().to_vec()),
    };
    let payload = Payload {
        id: record.id.as_bytes().to_vec(),
        is_shallow: record.is_shallow,
        time: record.time.wrapping_sub(state.time),
        parents: record.parents.iter().map(parent).collect(),
        paths: record.paths.iter().map(|path| encode_path(path, &mut state.paths)).collect(),
        words: record
            .words
            .iter()
            .map(|word| state.words.find_or_add(word).map_or(NameRef::New(*word), NameRef::Known))
            .collect(),
        title_words: record.title_words,
    };
    state.time = record.time;
    // Encoding to memory does not fail; if it did, the record would read as damaged.
    let bytes = postcard::to_stdvec(&payload).unwrap_or_default();
    state.checksum = checksum(state.checksum, &bytes);
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
    out.extend(state.checksum.to_le_bytes());
}

fn encode_path(path: &Arc<str>, paths: &mut Interner<Arc<str>>) -> NameRef<PathSuffix> {
    // New paths often share a prefix with the previous one.
    let previous = paths.list.last().cloned().unwrap_or_default();
    if let Some(known) = paths.find_or_add(path) {
        return NameRef::Known(known);
    }
    let shared = path.bytes().zip(previous.bytes()).take_while(|(a, b)| a == b).count();
    let shared = path.floor_char_boundary(shared);
    NameRef::New(PathSuffix { shared, rest: path[shared..].to_owned() })
}

/// Reason why a record cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecodeError {
    /// The bytes end within a record.
    Truncated,
    /// The checksum or the payload is wrong.
    Damaged,
}

/// Decodes one record into `table` and returns the bytes after it.
pub(super) fn decode<'a>(
    bytes: &'a [u8],
    table: &mut CommitTable,
    state: &mut CodecState,
) -> Result<&'a [u8], DecodeError> {
    let (length, rest) = bytes.split_first_chunk().ok_or(DecodeError::Truncated)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (payload, rest) = rest.split_at_checked(length).ok_or(DecodeError::Truncated)?;
    let (written, rest) = rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
    let expected = checksum(state.checksum, payload);
    if *written != expected.to_le_bytes() {
        return Err(DecodeError::Damaged);
    }
    let record = decode_payload(payload, table, state).ok_or(DecodeError::Damaged)?;
    table.push(record);
    state.checksum = expected;
    Ok(rest)
}

fn decode_payload(
    bytes: &[u8],
    table: &CommitTable,
    state: &mut CodecState,
) -> Option<CommitRecord> {
    let (payload, rest): (Payload, _) = postcard::take_from_bytes(bytes).ok()?;
    if !rest.is_empty() || payload.title_words > payload.words.len() {
        return None;
    }
    let parent = |parent: ParentRef| match parent {
        ParentRef::Back(back) => Some(table.records.get(table.len().checked_sub(back)?)?.id),
        ParentRef::Id(id) => ObjectId::from_bytes(&id),
    };
    let paths = payload.paths.into_iter().map(|path| decode_path(path, &mut state.paths));
    let words = payload.words.into_iter().map(|word| match word {
        NameRef::Known(at) => state.words.list.get(at as usize).copied(),
        NameRef::New(word) => Some(state.words.push(word)),
    });
    let time = state.time.wrapping_add(payload.time);
    let record = CommitRecord {
        id: ObjectId::from_bytes(&payload.id)?,
        parents: payload.parents.into_iter().map(parent).collect::<Option<_>>()?,
        time,
        is_shallow: payload.is_shallow,
        words: words.collect::<Option<_>>()?,
        title_words: payload.title_words,
        paths: paths.collect::<Option<_>>()?,
    };
    state.time = time;
    Some(record)
}

fn decode_path(path: NameRef<PathSuffix>, paths: &mut Interner<Arc<str>>) -> Option<Arc<str>> {
    match path {
        NameRef::Known(at) => paths.list.get(at as usize).cloned(),
        NameRef::New(PathSuffix { shared, rest }) => {
            let previous = paths.list.last().cloned().unwrap_or_default();
            Some(paths.push(Arc::from(previous.get(..shared)?.to_owned() + &rest)))
        }
    }
}

/// Distinct names in the order of their first occurrence.
#[derive(Debug)]
struct Interner<T> {
    list: Vec<T>,
    /// Indexes in `list`; names that were decoded are added only when something is encoded.
    indexes: FxHashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { list: Vec::new(), indexes: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// Returns the index of a name, or adds it and returns `None`.
    fn find_or_add(&mut self, name: &T) -> Option<u32> {
        for at in self.indexes.len()..self.list.len() {
            self.indexes.insert(self.list[at].clone(), at as u32);
        }
        let known = self.indexes.get(name).copied();
        if known.is_none() {
            self.indexes.insert(name.clone(), self.list.len() as u32);
            self.list.push(name.clone());
        }
        known
    }

    fn push(&mut self, name: T) -> T {
        self.list.push(name.clone());
        name
    }
}
