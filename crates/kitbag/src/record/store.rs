//! Where records are kept: a folder for each repository, a file for each pack.
//!
//! A file has a line of JSON, a summary with a checksum, and after it the record in a compact form, so
//! that writing it costs a pack next to nothing. It is written beside its place
//! and moved there, so that nobody reads half of one, and names never meet, so that two processes do
//! not disturb each other. The oldest go when there are too many.

use super::error::RecordError;
use super::shape::{RECORD_VERSION, Record};
use kitbag_index::folder_for;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How the files' names end.
const EXTENSION: &str = "record";

/// So many records of a repository are kept, and so many bytes of them.
const MOST_RECORDS: usize = 50;
const MOST_BYTES: u64 = 20 << 20;

/// So many ids of an engine's own records are remembered.
const MOST_OWN: usize = 20 * MOST_RECORDS;

/// So many repositories have records.
const MOST_REPOSITORIES: usize = 200;

/// What a killed process left goes after so long.
const STALE: Duration = Duration::from_secs(3_600);

/// The records of an engine.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    folder: PathBuf,
    /// The ids of the records that this engine left last, so that they can be told from others'.
    own: Arc<Mutex<VecDeque<String>>>,
}

/// What others, such as other processes, left of a repository.
#[derive(Debug, Clone, Default)]
pub struct OthersRecords {
    /// The ids of all records of others.
    pub ids: Vec<String>,
    /// Those that were not known, the oldest first.
    pub new: Vec<Record>,
}

/// The records of a repository.
#[derive(Debug, Clone, Serialize)]
pub struct RecordList {
    /// The version of this shape.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// The records, the newest first.
    pub records: Vec<RecordSummary>,
    /// What the caller should know: records that cannot be read.
    pub warnings: Vec<String>,
}

/// A record in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSummary {
    /// What it is called.
    pub id: String,
    /// When the pack was made, in seconds since 1970.
    pub at: i64,
    /// The tokens of the text.
    pub total_tokens: usize,
    /// The tokens that it could have.
    pub budget: usize,
    /// The chunks that are in.
    pub chunks: usize,
    /// The files that are in.
    pub files: usize,
    /// The beginning of the hash of the task: equal for equal tasks.
    pub task: String,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Head {
    kitbag_record: u32,
    crc32: u32,
    #[serde(flatten)]
    summary: RecordSummary,
}

/// A record on disk, known by the name of its file.
struct Entry {
    path: PathBuf,
    id: String,
}

impl Records {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, own: Arc::default() }
    }

    /// The folder of a repository's records.
    pub fn of(&self, root: &Path) -> PathBuf {
        folder_for(&self.folder, root, "records")
    }

    /// Keeps a record, which was made at `millis` since 1970.
    pub fn keep(&self, root: &Path, record: &Record, millis: u128) -> io::Result<()> {
        let folder = self.of(root);
        if !folder.is_dir() {
            private_folder(&folder)?;
            self.forget_repositories(&folder);
        }
        let body = postcard::to_stdvec(record).map_err(io::Error::other)?;
        let head = Head {
            kitbag_record: RECORD_VERSION,
            crc32: crc32fast::hash(&body),
            summary: RecordSummary::of(record),
        };
        let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(&folder)?;
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.extend(body);
        file.write_all(&bytes)?;
        self.note_own(&record.id);
        let path = folder.join(format!("{millis:014}-{}.{EXTENSION}", record.id));
        file.persist_noclobber(path).map_err(|error| error.error)?;
        forget(&folder);
        Ok(())
    }

    /// What there is of a repository.
    pub fn list(&self, root: &Path) -> RecordList {
        let (mut records, mut warnings) = (Vec::new(), Vec::new());
        for entry in self.entries(root) {
            match entry.head() {
                Ok(head) => records.push(head.summary),
                Err(why) => warnings.push(entry.skipped(&why)),
            }
        }
        let repo = root.to_string_lossy().into_owned();
        RecordList { version: RECORD_VERSION, repo, records, warnings }
    }

    /// The records of a repository that this engine did not leave. Those that cannot be read are
    /// passed over.
    pub fn of_others(&self, root: &Path, is_known: impl Fn(&str) -> bool) -> OthersRecords {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut others = OthersRecords::default();
        for entry in self.entries(root).into_iter().rev().filter(|it| !own.contains(&it.id)) {
            if !is_known(&entry.id) {
                others.new.extend(entry.read());
            }
            others.ids.push(entry.id);
        }
        others
    }

    /// Notes a record of this engine's own, before anybody can see it. As many as a folder holds are
    /// enough, for several repositories.
    fn note_own(&self, id: &str) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.push_back(id.to_owned());
        if own.len() > MOST_OWN {
            own.pop_front();
        }
    }

    /// The record that `name` means: the last if there is none, `@1` for the one before the last, or
    /// the beginning of an id. Comes with what the caller should know.
    pub fn load(
        &self,
        root: &Path,
        name: Option<&str>,
    ) -> Result<(Record, Vec<String>), RecordError> {
        let entries = self.entries(root);
        let back = match name {
            None => Some(0),
            Some(name) => name.strip_prefix('@').and_then(|digits| digits.parse::<usize>().ok()),
        };
        match (name, back) {
            (Some(name), None) => {
                let entry = named(&entries, name)?;
                let unreadable = |why| RecordError::Unreadable { name: entry.id.clone(), why };
                Ok((entry.read().map_err(unreadable)?, Vec::new()))
            }
            (_, back) => counted_back(&entries, back.unwrap_or_default(), name, root),
        }
    }

    /// The files of a repository's records, the newest first.
    fn entries(&self, root: &Path) -> Vec<Entry> {
        let mut names = names(&self.of(root));
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.into_iter().filter_map(Entry::new).collect()
    }

    /// Forgets the repositories that were not packed for the longest time.
    fn forget_repositories(&self, keep: &Path) {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut folders: Vec<(SystemTime, PathBuf)> = folders
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .filter(|(_, path)| path != keep && path.is_dir() && !names(path).is_empty())
            .collect();
        folders.sort();
        let over = folders.len().saturating_sub(MOST_REPOSITORIES);
        for (_, folder) in folders.into_iter().take(over) {
            // What cannot be removed now is tried again the next time. An audit log is not ours to
            // remove, and a folder that has one stays.
            for record in names(&folder) {
                let _ = fs::remove_file(record);
            }
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The record that was made so many before the last that can be read.
fn counted_back(
    entries: &[Entry],
    back: usize,
    name: Option<&str>,
    root: &Path,
) -> Result<(Record, Vec<String>), RecordError> {
    let (mut warnings, mut seen) = (Vec::new(), 0);
    for entry in entries {
        match entry.read() {
            Ok(record) if seen == back => return Ok((record, warnings)),
            Ok(_) => seen += 1,
            Err(why) => warnings.push(entry.skipped(&why)),
        }
    }
    match name {
        Some(name) if seen > 0 => Err(RecordError::TooFew { name: name.into(), count: seen }),
        _ => Err(RecordError::None { repo: root.to_owned(), unreadable: warnings.len() }),
    }
}

/// The only entry whose id begins with `name`.
fn named<'a>(entries: &'a [Entry], name: &str) -> Result<&'a Entry, RecordError> {
    let matching: Vec<&Entry> = entries.iter().filter(|it| it.id.starts_with(name)).collect();
    match matching.as_slice() {
        [entry] => Ok(entry),
        [] => {
            let alike = |entry: &&Entry| strsim::jaro_winkler(&entry.id, name) > 0.7;
            let nearest = entries.iter().find(alike).map(|entry| entry.id.clone());
            Err(RecordError::Unknown { name: name.to_owned(), nearest })
        }
        several => Err(RecordError::Ambiguous {
            name: name.to_owned(),
            matching: several.iter().map(|entry| entry.id.clone()).collect(),
        }),
    }
}

impl RecordSummary {
    fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            at: record.at,
            total_tokens: record.total_tokens,
            budget: record.budget,
            chunks: record.included.len(),
            files: record.files().len(),
            task: record.request.task_sha256.chars().take(8).collect(),
        }
    }
}

impl Entry {
    fn new(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let id = name.strip_suffix(".record")?.rsplit_once('-')?.1.to_owned();
        Some(Self { path, id })
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.path).map_err(|error| error.to_string())
    }

    fn head(&self) -> Result<Head, String> {
        parts(&self.bytes()?).map(|(head, _)| head)
    }

    fn read(&self) -> Result<Record, String> {
        let bytes = self.bytes()?;
        let (_, body) = parts(&bytes)?;
        postcard::from_bytes(body).map_err(|error| format!("it is damaged: {error}"))
    }

    fn skipped(&self, why: &str) -> String {
        format!("the record `{}` is passed over: {why}", self.id)
    }
}

/// The summary and the record of a file, which is whole.
fn parts(bytes: &[u8]) -> Result<(Head, &[u8]), String> {
    let damaged = || "it is damaged".to_owned();
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
    let (line, body) = (&bytes[..end], &bytes[end + 1..]);
    let value: serde_json::Value = serde_json::from_slice(line).map_err(|_| damaged())?;
    match value.get("kitbag_record").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(RECORD_VERSION) => {
            let head: Head = serde_json::from_value(value).map_err(|_| damaged())?;
            if crc32fast::hash(body) == head.crc32 { Ok((head, body)) } else { Err(damaged()) }
        }
        Some(version) => Err(format!("another version of Kitbag wrote it, in shape {version}")),
        None => Err(damaged()),
    }
}

/// The paths of the records in a folder.
fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_record = |path: &PathBuf| path.extension().is_some_and(|it| it == EXTENSION);
    entries.map(|entry| entry.path()).filter(is_record).collect()
}

/// Forgets the oldest records, and what killed processes left.
fn forget(folder: &Path) {
    let mut records: Vec<(PathBuf, u64)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(metadata) = entry.metadata() else { continue };
        if path.extension().is_some_and(|it| it == EXTENSION) {
            records.push((path, metadata.len()));
        } else if name.to_string_lossy().starts_with(".tmp-")
            && metadata.modified().is_ok_and(|it| it.elapsed().is_ok_and(|age| age > STALE))
        {
            // Whoever else removes it does the same.
            let _ = fs::remove_file(path);
        }
    }
    records.sort_unstable_by(|a, b| b.0.cmp(&a.0));
    let mut bytes = 0;
    for (place, (path, size)) in records.into_iter().enumerate() {
        bytes += size;
        if place >= MOST_RECORDS || (place > 0 && bytes > MOST_BYTES) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes a folder that only the user can look into.
fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
