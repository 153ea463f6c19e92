//! The packs that were made lately, in memory: so many, and so many bytes.

use crate::repos::Repo;
use kitbag::{ContextAssembled, Report};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What this interface calls itself.
pub(crate) const OWN: &str = "http";

/// The most packs that are kept.
const MOST: usize = 256;

/// The most bytes that they may have together.
const MOST_BYTES: usize = 64 << 20;

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
    /// The task; the first 500 characters.
    pub task: String,
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
    /// Over which interface it was asked: `http`, `mcp`, or `library`.
    pub source: String,
}

/// A pack that is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub summary: PackSummary,
    /// Whether it was only previewed: then it is found, and not listed.
    is_preview: bool,
    /// The request as it came, as JSON.
    request: String,
    /// The report as JSON.
    report: String,
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
    /// The pack as an answer: `{id, request, report}`.
    pub fn json(&self) -> String {
        let id = Value::from(self.summary.id.as_str());
        format!("{{\"id\":{id},\"request\":{},\"report\":{}}}", self.request, self.report)
    }

    fn bytes(&self) -> usize {
        self.request.len() + self.report.len() + 1_000
    }
}

/// Packs, the newest first.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    kept: Mutex<VecDeque<Arc<Kept>>>,
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
        let (request, report) = (made.request.to_string(), text(report));
        self.push(Kept { summary, is_preview: made.is_preview, request, report })
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
        let (request, report) = (request.to_string(), text(&event.report));
        self.push(Kept { summary, is_preview: false, request, report })
    }

    fn push(&self, kept: Kept) -> Arc<Kept> {
        let kept = Arc::new(kept);
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_front(Arc::clone(&kept));
        let mut bytes: usize = all.iter().map(|pack| pack.bytes()).sum();
        while all.len() > MOST || (bytes > MOST_BYTES && all.len() > 1) {
            bytes -= all.pop_back().map_or(0, |pack| pack.bytes());
        }
        kept
    }

    /// The pack with this id.
    pub fn find(&self, id: &str) -> Option<Arc<Kept>> {
        let all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|pack| pack.summary.id == id).cloned()
    }

    /// The newest packs, of one repository or of all, without previews.
    pub fn list(&self, repo: Option<&str>, limit: usize) -> Vec<PackSummary> {
        let all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |pack: &&Arc<Kept>| {
            !pack.is_preview && repo.is_none_or(|repo| pack.summary.repo == repo)
        };
        all.iter().filter(is_wanted).take(limit).map(|pack| pack.summary.clone()).collect()
    }
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
        profile: String::new(),
        duration_ms: 0.0,
        agent_id: None,
        correlation_id: None,
        source: String::new(),
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
