//! Checks whether the lines of a pack still match the files.

use crate::reading::{Reading, find_moved};
use crate::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedRun, RecordedSource};
use kitbag_core::Reason;
use kitbag_text::Kind;
use serde::Serialize;
use std::collections::HashSet;

/// The result of comparing a pack with the current files.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    /// The schema version.
    pub version: u32,
    /// The id of the record.
    pub id: String,
    /// Whether all ranges that belong to files still have the packed content.
    pub is_unchanged: bool,
    /// The state of each range, in the order of the pack.
    pub ranges: Vec<DriftItem>,
    /// Problems that did not prevent the verification.
    pub warnings: Vec<String>,
}

/// The state of a range of lines.
#[derive(Debug, Clone, Serialize)]
pub struct DriftItem {
    /// The path relative to the repository root.
    pub path: String,
    /// The first packed line, counted from 1.
    pub start_line: u32,
    /// The last packed line, inclusive.
    pub end_line: u32,
    /// The result of the comparison.
    pub state: Drift,
    /// The current first and last line, if the range has moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<(u32, u32)>,
    /// The current text of the first and last line, with secrets redacted.
    #[serde(skip)]
    pub ends: Option<(String, String)>,
}

/// The state of packed lines compared with the current file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// The lines are unchanged.
    Unchanged,
    /// The lines are unchanged but at a different position.
    Moved,
    /// The lines are no longer in the file.
    Changed,
    /// The file is missing or cannot be read.
    Missing,
    /// The lines are not from a file, but from a tool result or an unsaved buffer.
    NotAFile,
}

/// A source of a pack with its current state.
#[derive(Debug, Clone, Serialize)]
pub struct SourceItem {
    /// The path relative to the repository root.
    pub path: String,
    /// The kind of the source.
    pub kind: Kind,
    /// The id of the provider that returned the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The first and last line; `None` if the source was rejected before it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Whether git reported the file as modified or untracked when it was packed.
    pub is_modified: bool,
    /// The current state of the source.
    pub state: SourceState,
    /// Machine-readable reason for a rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Human-readable reason for a rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The state of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// The source was considered and has not changed.
    Unchanged,
    /// The source was considered and has changed since.
    Changed,
    /// The source was considered and is missing, or can no longer be read.
    Missing,
    /// The source was not considered.
    Rejected,
}

/// Compares every range of a record with the current files.
pub fn verify(record: &Record, reading: &Reading<'_>, warnings: Vec<String>) -> Verification {
    let runs = record.included.iter().flat_map(|item| item.runs.iter().map(move |run| (item, run)));
    let ranges: Vec<DriftItem> = runs.map(|(item, run)| drift(item, run, reading)).collect();
    let is_unchanged =
        ranges.iter().all(|it| matches!(it.state, Drift::Unchanged | Drift::NotAFile));
    Verification { version: RECORD_VERSION, id: record.id.clone(), is_unchanged, ranges, warnings }
}

/// Compares one range with the current file.
pub fn drift(item: &RecordedChunk, run: &RecordedRun, reading: &Reading<'_>) -> DriftItem {
    let span = run.span();
    let (mut now, mut ends) = (None, None);
    let state = match item.is_file.then(|| reading.shown(&item.path)) {
        None => Drift::NotAFile,
        Some(None) => Drift::Missing,
        Some(Some(text)) if crate::hash(text.slice(span).as_bytes()) == run.sha256 => {
            let line = |number: u32| text.line(number).trim_end().to_owned();
            ends = Some((line(span.start), line(span.end)));
            Drift::Unchanged
        }
        Some(Some(text)) => {
            now = find_moved(&text, span, &run.sha256).map(Into::into);
            if now.is_some() { Drift::Moved } else { Drift::Changed }
        }
    };
    let (start_line, end_line) = span.into();
    DriftItem { path: item.path.clone(), start_line, end_line, state, now, ends }
}

/// Returns the state of every source of a record, once per path and kind.
pub fn sources(record: &Record, reading: &Reading<'_>) -> Vec<SourceItem> {
    let mut items: Vec<SourceItem> = Vec::new();
    for source in &record.sources {
        let is_known = |it: &&mut SourceItem| it.path == source.path && it.kind == source.kind;
        match items.iter_mut().find(is_known) {
            Some(SourceItem { lines: Some((start, end)), .. }) => {
                (*start, *end) = ((*start).min(source.start_line), (*end).max(source.end_line));
            }
            _ => items.push(passed(source, reading)),
        }
    }
    let rejected = record.excluded.iter().filter(|it| !is_candidate(it.reason));
    items.extend(rejected.map(|it| SourceItem {
        path: it.path.clone(),
        kind: it.kind,
        provider: it.provider.clone(),
        lines: it.span().map(Into::into),
        is_modified: false,
        state: SourceState::Rejected,
        reason: Some(it.reason),
        detail: Some(it.detail.clone()),
    }));
    // A rejected file may be both named in the request and found by a search.
    let mut seen = HashSet::new();
    items.retain(|it| it.reason.is_none() || seen.insert((it.path.clone(), it.reason, it.lines)));
    items.sort_by(|a, b| {
        let key = |it: &SourceItem| (it.kind.name(), it.lines);
        a.path.cmp(&b.path).then(key(a).cmp(&key(b)))
    });
    if record.request.redact {
        items.iter_mut().for_each(SourceItem::redact_names);
    }
    items
}

/// Compares a source that was considered with its current file.
fn passed(source: &RecordedSource, reading: &Reading<'_>) -> SourceItem {
    let sha256 = source.sha256.as_ref().filter(|_| source.is_file);
    let state = sha256.map_or(SourceState::Unchanged, |sha256| match reading.file(&source.path) {
        None => SourceState::Missing,
        Some(file) if file.has(source.span(), source.is_whole, sha256) => SourceState::Unchanged,
        Some(_) => SourceState::Changed,
    });
    SourceItem {
        path: source.path.clone(),
        kind: source.kind,
        provider: source.provider.clone(),
        lines: Some(source.span().into()),
        is_modified: source.is_modified,
        state,
        reason: None,
        detail: None,
    }
}

/// Whether an exclusion applies to a candidate; otherwise the source was rejected.
fn is_candidate(reason: Reason) -> bool {
    use Reason::{
        AlreadySent, BelowStop, Budget, Duplicate, MaxChunks, NearDuplicate, Overlap, Score,
    };
    matches!(
        reason,
        Duplicate | Overlap | NearDuplicate | Budget | MaxChunks | Score | BelowStop | AlreadySent
    )
}
