//! The packs that were made lately, in memory: so many, and so many bytes. Of those that other
//! processes made only a summary is kept; the rest is in their records.

use crate::recorded;
use crate::repos::Repo;
use kitbag::{ContextAssembled, Record, Report};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What this interface calls itself.
pub(crate) const OWN: &str = "http";

/// The most packs that are kept, and previews.
const MOST: usize = 256;
const MOST_PREVIEWS: usize = 16;

/// The most bytes that they may have together.
const MOST_BYTES: usize = 64 << 20;
const MOST_PREVIEW_BYTES: usize = 16 << 20;

/// The most characters of a task in a list.
const MOST_TASK: usize = 500;

/// A pack in a list, and in an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PackSummary {
    /// What it is found by.
    pub id: String,
    /// When it was made.
    pub time: String,
    /// The repository's name, or its folder where it is not one that is served.
    pub repo: String,
    /// The task; the first 500 characters. Where another process made the pack, it is not known, and
    /// this says how long it was.
    pub task: String,
    /// Whether the task is known.
    pub has_task: bool,
    /// The profile.
    pub profile: String,
    /// Its tokens.
    pub total_tokens: usize,
    /// The tokens that it may have.
    pub budget: usize,
    /// How many chunks are in.
    pub included: usize,
    /// How many are out.
    pub excluded: usize,
    /// How many milliseconds it took.
    pub duration_ms: f64,
    /// Who asked.
    pub agent_id: Option<String>,
    /// What the request is called in logs.
    pub correlation_id: Option<String>,
    /// Whether the deadline cut something off.
    pub partial: bool,
    /// Over which interface it was asked: `http`, `mcp`, `cli`, or `library`.
    pub source: String,
    /// Whether this server made it. What another process made is known by its record.
    pub is_own: bool,
}

/// A pack that is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub summary: PackSummary,
    /// The hash of its task, as records have it.
    pub task_sha256: String,
    pub what: What,
}

/// What there is of a pack.
#[derive(Debug)]
pub(crate) enum What {
    /// The request as it came and the report, as JSON.
    Whole { request: String, report: String },
    /// The record of another process's pack, in the folder of its repository.
    Recorded { repo: PathBuf },
}

/// What is known of a pack when it is made.
pub(crate) struct Made<'a> {
    pub repo: &'a Repo,
    pub request: &'a Value,
    pub task: &'a str,
    pub profile: Option<&'a str>,
    pub agent_id: Option<&'a str>,
    pub correlation_id: &'a str,
    pub duration_ms: f64,
    pub is_preview: bool,
}

impl Kept {
    fn bytes(&self) -> usize {
        let whole = match &self.what {
            What::Whole { request, report } => request.len() + report.len(),
            What::Recorded { .. } => 0,
        };
        whole + 1_000
    }
}

/// Packs, the newest first, and previews, which are found and not listed. They have rings of their own:
/// whoever drags a slider costs nobody a pack.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    kept: Mutex<VecDeque<Arc<Kept>>>,
    previews: Mutex<VecDeque<Arc<Kept>>>,
}

impl Packs {
    /// Keeps a pack that was made for a request.
    pub fn keep(&self, made: &Made<'_>, report: &Report) -> Arc<Kept> {
        let summary = PackSummary {
            repo: made.repo.name.clone(),
            task: shortened(made.task),
            profile: made.profile.unwrap_or("agent").to_owned(),
            duration_ms: made.duration_ms,
            agent_id: made.agent_id.map(str::to_owned),
            correlation_id: Some(made.correlation_id.to_owned()),
            source: OWN.to_owned(),
            ..of(report)
        };
        let what = What::Whole { request: made.request.to_string(), report: text(report) };
        let kept = Arc::new(Kept { summary, task_sha256: hash(made.task), what });
        match made.is_preview {
            true => push(&self.previews, &kept, (MOST_PREVIEWS, MOST_PREVIEW_BYTES)),
            false => push(&self.kept, &kept, (MOST, MOST_BYTES)),
        }
        kept
    }

    /// Keeps a pack that was made over another interface.
    pub fn keep_event(&self, event: &ContextAssembled, repos: &[Repo]) -> Arc<Kept> {
        let repo = repos.iter().find(|repo| repo.path == event.repo);
        let folder = || event.repo.display().to_string();
        let summary = PackSummary {
            repo: repo.map_or_else(folder, |repo| repo.name.clone()),
            task: shortened(&event.task),
            profile: event.profile.clone(),
            duration_ms: event.duration_ms,
            agent_id: event.agent_id.clone(),
            correlation_id: event.correlation_id.clone(),
            source: if event.via.is_empty() { "library" } else { event.via }.to_owned(),
            ..of(&event.report)
        };
        let request = json!({
            "task": event.task, "profile": event.profile, "agent_id": event.agent_id,
            "correlation_id": event.correlation_id, "repo": summary.repo, "budget": summary.budget,
        });
        let mut report = Report::clone(&event.report);
        report.tell_texts();
        let what = What::Whole { request: request.to_string(), report: text(&report) };
        let kept = Arc::new(Kept { summary, task_sha256: hash(&event.task), what });
        push(&self.kept, &kept, (MOST, MOST_BYTES));
        kept
    }

    /// Keeps what is known of a pack that another process made.
    pub fn keep_record(&self, record: &Record, repo: &Repo) -> Arc<Kept> {
        let task_sha256 = record.request.task_sha256.clone();
        let summary = recorded::summary(record, repo, self.task(&task_sha256));
        let what = What::Recorded { repo: repo.path.clone() };
        let kept = Arc::new(Kept { summary, task_sha256, what });
        push(&self.kept, &kept, (MOST, MOST_BYTES));
        kept
    }

    /// The task with this hash, where a pack that is kept had it.
    pub fn task(&self, sha256: &str) -> Option<String> {
        let is_it = |pack: &&Arc<Kept>| pack.task_sha256 == sha256 && pack.summary.has_task;
        let all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(is_it).map(|pack| pack.summary.task.clone())
    }

    /// The pack or the preview with this id.
    pub fn find(&self, id: &str) -> Option<Arc<Kept>> {
        [&self.kept, &self.previews].into_iter().find_map(|ring| {
            let all = ring.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().find(|pack| pack.summary.id == id).cloned()
        })
    }

    /// The newest packs, of one repository or of all, without previews.
    pub fn list(&self, repo: Option<&str>, limit: usize) -> Vec<PackSummary> {
        let all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |pack: &&Arc<Kept>| repo.is_none_or(|repo| pack.summary.repo == repo);
        all.iter().filter(is_wanted).take(limit).map(|pack| pack.summary.clone()).collect()
    }
}

/// Puts a pack before the others, and lets the oldest go where there are too many.
fn push(ring: &Mutex<VecDeque<Arc<Kept>>>, kept: &Arc<Kept>, (most, most_bytes): (usize, usize)) {
    let mut all = ring.lock().unwrap_or_else(PoisonError::into_inner);
    all.push_front(Arc::clone(kept));
    let mut bytes: usize = all.iter().map(|pack| pack.bytes()).sum();
    while all.len() > most || (bytes > most_bytes && all.len() > 1) {
        bytes -= all.pop_back().map_or(0, |pack| pack.bytes());
    }
}

/// The hash of a task, as records have it.
fn hash(task: &str) -> String {
    Sha256::digest(task.trim().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the report itself says of a pack.
fn of(report: &Report) -> PackSummary {
    PackSummary {
        id: uuid::Uuid::new_v4().simple().to_string(),
        time: jiff::Timestamp::now().to_string(),
        total_tokens: report.total_tokens,
        budget: report.budget,
        included: report.included.len(),
        excluded: report.excluded.len(),
        partial: report.partial,
        repo: String::new(),
        task: String::new(),
        has_task: true,
        profile: String::new(),
        duration_ms: 0.0,
        agent_id: None,
        correlation_id: None,
        source: String::new(),
        is_own: true,
    }
}

fn text(report: &Report) -> String {
    serde_json::to_string(report).unwrap_or_else(|_| "null".to_owned())
}

fn shortened(task: &str) -> String {
    match task.char_indices().nth(MOST_TASK) {
        Some((end, _)) => format!("{}...", &task[..end]),
        None => task.to_owned(),
    }
}
