//! Recent packs, kept in memory within a limit of number and bytes. For packs of other processes
//! only the summary is kept; their records have the rest.

use crate::repositories::ServedRepository;
use kitbag::{ChunkForm, ContextAssembled, IncludedItem, Record, RecordedChunk, format_time};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Name of this interface in requests to the engine.
pub(crate) const HTTP_INTERFACE: &str = "http";

const MAX_PACKS: usize = 256;
const MAX_PACK_BYTES: usize = 64 << 20;
const MAX_PREVIEWS: usize = 16;
const MAX_PREVIEW_BYTES: usize = 16 << 20;

/// Estimated size of a summary, so that a ring of summaries alone is bounded too.
const SUMMARY_BYTES: usize = 1_000;

const MAX_LISTED_TASK_CHARACTERS: usize = 500;

/// Number of files listed with a summary.
const LISTED_FILES: usize = 3;

/// A pack as listed by `/v1/packs` and published as an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PackSummary {
    /// Identifier for `/v1/packs/{id}`.
    pub id: String,
    /// Creation time (RFC 3339).
    pub created_at: String,
    /// Name of the repository, or its folder if this server does not serve it.
    pub repo: String,
    /// First 500 characters of the task. Records keep it only if the user's configuration says so; if
    /// it is unknown, a sentence that says how long it was.
    pub task: String,
    /// Whether the task is known.
    pub has_task: bool,
    /// Name of the profile that was applied.
    pub profile: String,
    /// Number of tokens of the pack.
    pub total_tokens: usize,
    /// Token budget.
    pub budget: usize,
    /// Number of included chunks.
    pub included: usize,
    /// Number of excluded chunks and sources.
    pub excluded: usize,
    /// Time it took to make, in milliseconds.
    pub duration_ms: f64,
    /// Agent that sent the request.
    pub agent_id: Option<String>,
    /// Correlation id of the request.
    pub correlation_id: Option<String>,
    /// Whether the deadline left something out.
    pub partial: bool,
    /// Interface of the request: `http`, `mcp`, `cli` or `library`.
    pub interface: String,
    /// Whether this server made the pack. Packs of other processes are known by their records.
    pub is_own: bool,
    /// First files of the pack, in the order of their best chunk.
    pub files: Vec<String>,
}

/// A pack as published by `/v1/events`: its summary, and what is in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PackEvent {
    #[serde(flatten)]
    pub summary: PackSummary,
    /// Chunks of the pack, best first.
    pub chunks: Vec<PackChunk>,
}

/// A chunk of a published pack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PackChunk {
    /// Path of the file.
    pub path: String,
    /// First line of the chunk.
    pub start_line: u32,
    /// Last line of the chunk.
    pub end_line: u32,
    /// Symbol path that the chunk belongs to.
    pub symbol: Option<String>,
    /// Number of tokens in the lines shown.
    pub tokens: usize,
    /// `full`, `outline` or `truncated`.
    #[schemars(with = "String")]
    pub form: ChunkForm,
}

impl From<&IncludedItem> for PackChunk {
    fn from(item: &IncludedItem) -> Self {
        Self {
            path: item.path.clone(),
            start_line: item.start_line,
            end_line: item.end_line,
            symbol: item.symbol.clone(),
            tokens: item.tokens,
            form: item.form,
        }
    }
}

impl From<&RecordedChunk> for PackChunk {
    fn from(chunk: &RecordedChunk) -> Self {
        Self {
            path: chunk.path.clone(),
            start_line: chunk.start_line,
            end_line: chunk.end_line,
            symbol: chunk.symbol.clone(),
            tokens: chunk.tokens,
            form: chunk.form,
        }
    }
}

impl PackSummary {
    fn new(event: &ContextAssembled, repository: &str) -> Self {
        let report = &event.report;
        Self {
            id: uuid::Uuid::new_v4().simple().to_string(),
            created_at: jiff::Timestamp::now().to_string(),
            repo: repository.to_owned(),
            task: truncated(&event.task),
            has_task: true,
            profile: event.profile.clone(),
            total_tokens: report.total_tokens,
            budget: report.budget,
            included: report.included.len(),
            excluded: report.excluded.len(),
            duration_ms: event.duration_ms,
            agent_id: event.agent_id.clone(),
            correlation_id: event.correlation_id.clone(),
            partial: report.partial,
            interface: interface_name(event.via).to_owned(),
            is_own: true,
            files: report.stats.files_included.iter().take(LISTED_FILES).cloned().collect(),
        }
    }

    fn from_record(record: &Record, repository: &ServedRepository, task: Option<String>) -> Self {
        let request = &record.request;
        let unknown = || format!("unknown task of {} characters", request.task_characters);
        Self {
            id: record.id.clone(),
            created_at: format_time(record.created_at),
            repo: repository.name.clone(),
            has_task: task.is_some(),
            task: task.unwrap_or_else(unknown),
            profile: request.profile.clone(),
            total_tokens: record.total_tokens,
            budget: record.budget,
            included: record.included.len(),
            excluded: record.excluded.len(),
            duration_ms: record.timings.last().map(|total| total.ms).unwrap_or_default(),
            agent_id: request.agent_id.clone(),
            correlation_id: request.correlation_id.clone(),
            partial: record.partial,
            interface: interface_name(&request.via).to_owned(),
            is_own: false,
            files: record.files().into_iter().take(LISTED_FILES).map(String::from).collect(),
        }
    }
}

/// Properties of a request that its pack event does not have.
pub(crate) struct PackOrigin<'a> {
    /// Name of the repository.
    pub repository: &'a str,
    /// Request as received.
    pub request: &'a Value,
    pub is_preview: bool,
}

/// A recent pack. Viewers that see it share its body.
#[derive(Debug, Clone)]
pub(crate) struct StoredPack {
    pub summary: PackSummary,
    pub body: PackBody,
    is_preview: bool,
    /// Hash of the task, computed like the one in records.
    task_sha256: String,
    /// Position among all packs that were added, from 1.
    number: u64,
}

/// A page of the list of packs.
#[derive(Debug)]
pub(crate) struct PackPage {
    pub packs: Vec<PackSummary>,
    /// Cursor of the next page; `None` if this is the last.
    pub next_cursor: Option<String>,
}

/// Where request and report of a pack are.
#[derive(Debug, Clone)]
pub(crate) enum PackBody {
    /// In memory, as JSON.
    Json { request: Arc<str>, report: Arc<str> },
    /// In the record of another process, in the folder of this repository.
    Record { repository: PathBuf },
}

impl StoredPack {
    /// Creates a pack or preview of this engine, with its request as received.
    pub fn new(event: &ContextAssembled, origin: PackOrigin<'_>) -> Self {
        let report = serde_json::to_string(&*event.report).unwrap_or_else(|_| "null".to_owned());
        Self {
            summary: PackSummary::new(event, origin.repository),
            body: PackBody::Json {
                request: origin.request.to_string().into(),
                report: report.into(),
            },
            is_preview: origin.is_preview,
            task_sha256: kitbag::hex(&Sha256::digest(event.task.trim())),
            number: 0,
        }
    }

    fn bytes(&self) -> usize {
        let body = match &self.body {
            PackBody::Json { request, report } => request.len() + report.len(),
            PackBody::Record { .. } => 0,
        };
        body + SUMMARY_BYTES
    }
}

/// Recent packs and previews. Previews can be found by id but are not listed, and have a ring of
/// their own, so that dragging a slider evicts no pack.
#[derive(Debug)]
pub(crate) struct RecentPacks {
    packs: PackRing,
    previews: PackRing,
    /// Distinguishes cursors of this server from those before a restart.
    epoch: String,
}

impl Default for RecentPacks {
    fn default() -> Self {
        Self {
            packs: PackRing::new(MAX_PACKS, MAX_PACK_BYTES),
            previews: PackRing::new(MAX_PREVIEWS, MAX_PREVIEW_BYTES),
            epoch: uuid::Uuid::new_v4().simple().to_string()[..12].to_owned(),
        }
    }
}

impl RecentPacks {
    /// Adds a pack or preview.
    pub fn push(&self, pack: StoredPack) -> Arc<StoredPack> {
        if pack.is_preview { self.previews.push(pack) } else { self.packs.push(pack) }
    }

    /// Creates the pack of another process. Its task is known if a recent pack has the same.
    pub fn of_record(&self, record: &Record, repository: &ServedRepository) -> StoredPack {
        let task_sha256 = record.request.task_sha256.clone();
        let task = record.request.task.as_deref().map(truncated);
        let task = task.or_else(|| self.task(&task_sha256));
        let summary = PackSummary::from_record(record, repository, task);
        let body = PackBody::Record { repository: repository.path.clone() };
        StoredPack { summary, body, is_preview: false, task_sha256, number: 0 }
    }

    /// Returns the task with this hash, if a recent pack has it.
    pub fn task(&self, sha256: &str) -> Option<String> {
        let has_task = |pack: &StoredPack| pack.task_sha256 == sha256 && pack.summary.has_task;
        Some(self.packs.find(has_task)?.summary.task.clone())
    }

    /// Returns the pack or preview with this id.
    pub fn find(&self, id: &str) -> Option<Arc<StoredPack>> {
        let has_id = |pack: &StoredPack| pack.summary.id == id;
        self.packs.find(has_id).or_else(|| self.previews.find(has_id))
    }

    /// Returns a page of the packs, newest first, optionally of one repository only; `None` if the
    /// cursor is unknown. New packs do not move those on later pages.
    pub fn page(
        &self,
        repository: Option<&str>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Option<PackPage> {
        let before = cursor.map(|cursor| self.read_cursor(cursor));
        let before = if cursor.is_some() { before?? } else { u64::MAX };
        let packs = self.packs.lock();
        let is_listed = |pack: &&Arc<StoredPack>| {
            pack.number < before && repository.is_none_or(|name| pack.summary.repo == name)
        };
        let mut listed = packs.iter().filter(is_listed);
        let page: Vec<&Arc<StoredPack>> = listed.by_ref().take(limit).collect();
        let last = page.last().filter(|_| listed.next().is_some());
        Some(PackPage {
            next_cursor: last.map(|pack| format!("{}-{}", self.epoch, pack.number)),
            packs: page.into_iter().map(|pack| pack.summary.clone()).collect(),
        })
    }

    /// Returns the number of the last pack of the page before.
    fn read_cursor(&self, cursor: &str) -> Option<u64> {
        let (epoch, number) = cursor.split_once('-')?;
        number.parse().ok().filter(|_| epoch == self.epoch)
    }
}

/// Packs, newest first, within a limit of number and bytes.
#[derive(Debug)]
struct PackRing {
    packs: Mutex<VecDeque<Arc<StoredPack>>>,
    max_packs: usize,
    max_bytes: usize,
}

impl PackRing {
    fn new(max_packs: usize, max_bytes: usize) -> Self {
        Self { packs: Mutex::default(), max_packs, max_bytes }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<StoredPack>>> {
        self.packs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, mut pack: StoredPack) -> Arc<StoredPack> {
        let mut packs = self.lock();
        pack.number = packs.front().map_or(1, |newest| newest.number + 1);
        let pack = Arc::new(pack);
        packs.push_front(Arc::clone(&pack));
        let mut bytes: usize = packs.iter().map(|pack| pack.bytes()).sum();
        while packs.len() > self.max_packs || (bytes > self.max_bytes && packs.len() > 1) {
            bytes -= packs.pop_back().map_or(0, |pack| pack.bytes());
        }
        pack
    }

    fn find(&self, is_match: impl Fn(&StoredPack) -> bool) -> Option<Arc<StoredPack>> {
        self.lock().iter().find(|pack| is_match(pack)).cloned()
    }
}

/// Returns the interface of a request, `library` where the engine names none.
fn interface_name(via: &str) -> &str {
    if via.is_empty() { "library" } else { via }
}

fn truncated(task: &str) -> String {
    match task.char_indices().nth(MAX_LISTED_TASK_CHARACTERS) {
        Some((end, _)) => format!("{}...", &task[..end]),
        None => task.to_owned(),
    }
}
