//! Storage of records: one folder per repository, one file per pack.
//!
//! A file consists of one line of JSON, which holds a summary and a checksum, followed by the
//! record in a compact encoding that is cheap to write. Files are written under a temporary name
//! and renamed, so that readers never see a partial record. File names are unique, so that
//! concurrent processes do not conflict. The oldest records are removed when a limit is exceeded.

use crate::error::RecordError;
use crate::shape::{RECORD_VERSION, Record};
use crate::usage::{self, UsageEntry};
use kitbag_repo::{folder_for, read_regular};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// File extension of records.
const EXTENSION: &str = "record";

/// Version of the encoding. Incremented whenever the type of a recorded field changes.
const FILE_VERSION: u32 = 3;

/// Maximum number of records of one repository.
const MAX_RECORDS: usize = 50;

/// Maximum total size of the records of one repository, in bytes.
const MAX_BYTES: u64 = 20 << 20;

/// Maximum size of a record that is read, in bytes. A record may exceed [`MAX_BYTES`] if it is the only
/// one.
const MAX_RECORD_BYTES: u64 = 256 << 20;

/// Maximum number of remembered ids of records created by this engine.
const MAX_OWN_IDS: usize = 20 * MAX_RECORDS;

/// Maximum number of repositories with records.
const MAX_REPOSITORIES: usize = 200;

/// Age after which temporary files of terminated processes are removed.
const STALE_AFTER: Duration = Duration::from_secs(3_600);

/// The records stored by an engine.
#[derive(Debug, Clone)]
pub struct Records {
    folder: PathBuf,
    /// The most recent ids created by this engine, to distinguish them from those of other
    /// processes.
    own: Arc<Mutex<VecDeque<String>>>,
}

/// The records of a repository that were created elsewhere, for example by other processes.
#[derive(Debug, Clone, Default)]
pub struct OthersRecords {
    /// The ids of all such records.
    pub ids: Vec<String>,
    /// The records that the caller does not know yet, oldest first.
    pub new: Vec<Record>,
}

/// A list of the records of a repository.
#[derive(Debug, Clone, Serialize)]
pub struct RecordList {
    /// The schema version.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// The records, newest first.
    pub records: Vec<RecordSummary>,
    /// Warnings about records that cannot be read.
    pub warnings: Vec<String>,
}

/// A summary of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSummary {
    /// The unique id.
    pub id: String,
    /// The creation time of the pack, in seconds since the Unix epoch.
    pub created_at: i64,
    /// Number of tokens in the rendered text.
    pub total_tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// Number of included chunks.
    pub chunks: usize,
    /// Number of included files.
    pub files: usize,
    /// The beginning of the task's hash, which identifies packs with the same task.
    pub task: String,
}

/// The first line of a record file.
#[derive(Serialize, Deserialize)]
struct Head {
    kitbag_record: u32,
    crc32: u32,
    #[serde(flatten)]
    summary: RecordSummary,
}

/// A record file, identified by its name.
struct Entry {
    path: PathBuf,
    id: String,
}

impl Records {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, own: Arc::default() }
    }

    /// Returns the folder for the records of a repository.
    pub fn of(&self, root: &Path) -> PathBuf {
        folder_for(&self.folder, root, "records")
    }

    /// Stores a record that was created at `millis`, in milliseconds since the Unix epoch.
    pub fn keep(&self, root: &Path, record: &Record, millis: u128) -> io::Result<()> {
        let folder = self.make_folder(root)?;
        let body = postcard::to_stdvec(record).map_err(io::Error::other)?;
        let head = Head {
            kitbag_record: FILE_VERSION,
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

    /// Returns a record of a repository as a file, by its id.
    pub fn encoded(&self, root: &Path, id: &str) -> Option<Vec<u8>> {
        let entry = self.entries(root).into_iter().find(|entry| entry.id == id)?;
        read_regular(&entry.path, MAX_RECORD_BYTES).ok()
    }

    /// Adds an entry to the usage log of a repository.
    pub fn log_usage(&self, root: &Path, entry: &UsageEntry) -> io::Result<()> {
        usage::append(&self.make_folder(root)?, entry)
    }

    /// Returns the folder for the records of a repository, and creates it if it does not exist.
    fn make_folder(&self, root: &Path) -> io::Result<PathBuf> {
        let folder = self.of(root);
        if !folder.is_dir() {
            let mut builder = DirBuilder::new();
            // Only the user can access the folder.
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(&folder)?;
            self.forget_repositories(&folder);
        }
        Ok(folder)
    }

    /// Lists the records of a repository, newest first.
    pub fn list(&self, root: &Path) -> RecordList {
        let (mut records, mut warnings) = (Vec::new(), Vec::new());
        for entry in self.entries(root) {
            match entry.parts() {
                Ok((summary, _)) => records.push(summary),
                Err(why) => warnings.push(entry.skipped(&why)),
            }
        }
        let repo = root.to_string_lossy().into_owned();
        RecordList { version: RECORD_VERSION, repo, records, warnings }
    }

    /// Returns the records of a repository that were not created by this engine. Unreadable records
    /// are skipped.
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

    /// Returns the usage of a repository, oldest first, with warnings. Packs from before there was a usage
    /// log are known by their records.
    pub fn usage(&self, root: &Path) -> (Vec<UsageEntry>, Vec<String>) {
        usage_in(&self.of(root))
    }

    /// Returns the usage of all repositories.
    pub fn usage_of_all(&self) -> (Vec<UsageEntry>, Vec<String>) {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        folders.sort();
        let (entries, warnings): (Vec<_>, Vec<_>) = folders.iter().map(|it| usage_in(it)).unzip();
        (entries.concat(), warnings.concat())
    }

    /// Remembers the id of a record before the record becomes visible. The limit covers full
    /// folders of several repositories.
    fn note_own(&self, id: &str) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.push_back(id.to_owned());
        if own.len() > MAX_OWN_IDS {
            own.pop_front();
        }
    }

    /// Loads the record that `name` refers to, with any warnings. `name` is the beginning of an id,
    /// or `@1` for the record before the latest; `None` loads the latest.
    pub fn load(
        &self,
        root: &Path,
        name: Option<&str>,
    ) -> Result<(Record, Vec<String>), RecordError> {
        let entries = self.entries(root);
        if let Some(back) = name.unwrap_or("@0").strip_prefix('@').and_then(|it| it.parse().ok()) {
            return counted_back(&entries, back, name, root);
        }
        let entry = named(&entries, name.unwrap_or_default())?;
        let unreadable = |why| RecordError::Unreadable { name: entry.id.clone(), why };
        Ok((entry.read().map_err(unreadable)?, Vec::new()))
    }

    /// Returns the record files of a repository, newest first.
    fn entries(&self, root: &Path) -> Vec<Entry> {
        entries(&self.of(root))
    }

    /// Removes the records of the least recently packed repositories.
    fn forget_repositories(&self, keep: &Path) {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut folders: Vec<(SystemTime, PathBuf)> = folders
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .filter(|(_, path)| path != keep && path.is_dir() && !names(path).is_empty())
            .collect();
        folders.sort();
        let over = folders.len().saturating_sub(MAX_REPOSITORIES);
        for (_, folder) in folders.into_iter().take(over) {
            // Failed removals are retried the next time. Audit logs must never be removed, so a
            // folder that contains one is kept.
            let usage = [usage::FILE_NAME, usage::LOCK_NAME].map(|name| folder.join(name));
            for file in names(&folder).into_iter().chain(usage) {
                let _ = fs::remove_file(file);
            }
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Returns the record files in a folder, newest first.
fn entries(folder: &Path) -> Vec<Entry> {
    let mut names = names(folder);
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.into_iter().filter_map(Entry::new).collect()
}

fn usage_in(folder: &Path) -> (Vec<UsageEntry>, Vec<String>) {
    let (mut usage, damaged) = usage::read(folder);
    let mut warnings = Vec::new();
    if damaged > 0 {
        let lines = kitbag_text::plural(damaged, "line");
        warnings.push(format!("skipped {lines} of `{}`", folder.join(usage::FILE_NAME).display()));
    }
    let known: HashSet<String> = usage.iter().map(|entry| entry.id.clone()).collect();
    for entry in entries(folder).into_iter().filter(|it| !known.contains(&it.id)) {
        match entry.read() {
            Ok(record) => usage.push(UsageEntry::new(&record, None)),
            Err(why) => warnings.push(entry.skipped(&why)),
        }
    }
    usage.sort_by_key(|entry| entry.created_at);
    (usage, warnings)
}

/// Returns the readable record that is `back` records before the latest.
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

/// Returns the only entry whose id begins with `name`.
fn named<'a>(entries: &'a [Entry], name: &str) -> Result<&'a Entry, RecordError> {
    let matching: Vec<&Entry> = entries.iter().filter(|it| it.id.starts_with(name)).collect();
    match matching.as_slice() {
        [entry] => Ok(entry),
        [] => {
            let similar = kitbag_text::similar(name, entries.iter().map(|it| it.id.as_str()));
            Err(RecordError::Unknown { name: name.to_owned(), similar: similar.map(str::to_owned) })
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
            created_at: record.created_at,
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

    /// Reads the summary and the encoded record, and verifies the checksum.
    fn parts(&self) -> Result<(RecordSummary, Vec<u8>), String> {
        let bytes = read_regular(&self.path, MAX_RECORD_BYTES);
        parts(bytes.map_err(|error| error.to_string())?)
    }

    fn read(&self) -> Result<Record, String> {
        record(&self.parts()?.1)
    }

    fn skipped(&self, why: &str) -> String {
        format!("skipped the record `{}`: {why}", self.id)
    }
}

/// Decodes a record from a file that [`Records::encoded`] returned, perhaps on another machine.
pub fn decode_record(file: Vec<u8>) -> Result<Record, String> {
    record(&parts(file)?.1)
}

/// Separates the summary from the encoded record, and verifies the checksum.
fn parts(mut bytes: Vec<u8>) -> Result<(RecordSummary, Vec<u8>), String> {
    let damaged = || "it is damaged".to_owned();
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
    let body = bytes.split_off(end + 1);
    let value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
    match value["kitbag_record"].as_u64() {
        Some(version) if version == u64::from(FILE_VERSION) => {
            let head: Head = serde_json::from_value(value).map_err(|_| damaged())?;
            let is_intact = crc32fast::hash(&body) == head.crc32;
            if is_intact { Ok((head.summary, body)) } else { Err(damaged()) }
        }
        Some(version) => Err(format!("another version of Kitbag wrote it (format {version})")),
        None => Err(damaged()),
    }
}

fn record(body: &[u8]) -> Result<Record, String> {
    postcard::from_bytes(body).map_err(|error| format!("it is damaged: {error}"))
}

/// Returns the paths of the records in a folder.
fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_record = |path: &PathBuf| path.extension().is_some_and(|it| it == EXTENSION);
    entries.map(|entry| entry.path()).filter(is_record).collect()
}

/// Removes the oldest records and stale temporary files. Another process may have removed them
/// already.
fn forget(folder: &Path) {
    let (mut records, mut bytes) = (names(folder), 0);
    records.sort_unstable_by(|a, b| b.cmp(a));
    for (place, path) in records.into_iter().enumerate() {
        bytes += fs::metadata(&path).map_or(0, |it| it.len());
        if place >= MAX_RECORDS || (place > 0 && bytes > MAX_BYTES) {
            let _ = fs::remove_file(path);
        }
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|it| it.modified());
        let is_stale = modified.is_ok_and(|it| it.elapsed().is_ok_and(|age| age > STALE_AFTER));
        if is_stale && entry.file_name().to_string_lossy().starts_with(".tmp-") {
            let _ = fs::remove_file(entry.path());
        }
    }
}
