//! Checks whether the lines of a pack still match the files.

use crate::reading::{Reading, moved};
use crate::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedRun};
use kitbag_text::Span;
use serde::Serialize;

/// The result of comparing a pack with the current files.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    /// The schema version.
    pub version: u32,
    /// The id of the record.
    pub id: String,
    /// Whether all ranges that belong to files still have the packed content.
    pub holds: bool,
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
    Same,
    /// The lines are unchanged but at a different position.
    Moved,
    /// The lines are no longer in the file.
    Changed,
    /// The file is missing or cannot be read.
    Gone,
    /// The lines are not from a file, but from a tool result or an unsaved buffer.
    NotAFile,
}

/// A source of a pack with its current state.
#[derive(Debug, Clone, Serialize)]
pub struct SourceItem {
    /// The path relative to the repository root.
    pub path: String,
    /// The kind of the source.
    pub kind: String,
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
    pub reason: Option<String>,
    /// Human-readable reason for a rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The state of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// The source was considered and has not changed.
    Passed,
    /// The source was considered and has changed since.
    ChangedSince,
    /// The source was considered and has been deleted since.
    GoneSince,
    /// The source was not considered.
    Rejected,
}

/// Exclusion reasons that apply to candidates. All other reasons are rejections.
const OF_CANDIDATES: [&str; 6] =
    ["duplicate", "overlap", "near_duplicate", "budget", "max_chunks", "score"];

/// Compares every range of a record with the current files.
pub fn verify(record: &Record, reading: &Reading<'_>, warnings: Vec<String>) -> Verification {
    let ranges: Vec<DriftItem> = record
        .included
        .iter()
        .flat_map(|item| item.runs.iter().map(|run| drift(item, run, reading)))
        .collect();
    let holds = ranges.iter().all(|it| matches!(it.state, Drift::Same | Drift::NotAFile));
    Verification { version: RECORD_VERSION, id: record.id.clone(), holds, ranges, warnings }
}

/// Compares one range with the current file.
pub fn drift(item: &RecordedChunk, run: &RecordedRun, reading: &Reading<'_>) -> DriftItem {
    let span = Span::new(run.start_line, run.end_line);
    let mut result = DriftItem {
        path: item.path.clone(),
        start_line: run.start_line,
        end_line: run.end_line,
        state: Drift::NotAFile,
        now: None,
        ends: None,
    };
    if !item.is_file {
        return result;
    }
    let Some(text) = reading.shown(&item.path) else {
        result.state = Drift::Gone;
        return result;
    };
    if crate::hash(text.slice(span).as_bytes()) == run.sha256 {
        result.state = Drift::Same;
        let line = |number: u32| text.line(number).trim_end().to_owned();
        result.ends = Some((line(span.start), line(span.end)));
        return result;
    }
    result.now = moved(&text, span, &run.sha256).map(Into::into);
    result.state = if result.now.is_some() { Drift::Moved } else { Drift::Changed };
    result
}

/// Returns the state of every source of a record, once per path and kind.
pub fn sources(record: &Record, reading: &Reading<'_>) -> Vec<SourceItem> {
    let mut items: Vec<SourceItem> = Vec::new();
    for source in &record.sources {
        let known = |it: &&mut SourceItem| it.path == source.path && it.kind == source.kind;
        if let Some(known) = items.iter_mut().find(known) {
            known.lines = known
                .lines
                .map(|(start, end)| (start.min(source.start_line), end.max(source.end_line)));
            continue;
        }
        let span = Span::new(source.start_line, source.end_line);
        let file = source.sha256.as_ref().filter(|_| source.is_file);
        let state = file.map_or(SourceState::Passed, |sha256| match reading.file(&source.path) {
            None => SourceState::GoneSince,
            Some(file) if file.has(span, source.is_whole, sha256) => SourceState::Passed,
            Some(_) => SourceState::ChangedSince,
        });
        items.push(SourceItem {
            path: source.path.clone(),
            kind: source.kind.to_string(),
            provider: source.provider.clone(),
            lines: Some((source.start_line, source.end_line)),
            is_modified: source.is_modified,
            state,
            reason: None,
            detail: None,
        });
    }
    let rejected = record.excluded.iter().filter(|it| !OF_CANDIDATES.contains(&&*it.reason));
    items.extend(rejected.map(|it| SourceItem {
        path: it.path.clone(),
        kind: it.kind.to_string(),
        provider: it.provider.clone(),
        lines: it.lines(),
        is_modified: false,
        state: SourceState::Rejected,
        reason: Some(it.reason.to_string()),
        detail: Some(it.detail.clone()),
    }));
    // A rejected file may be both named in the request and found by a search.
    let mut seen = Vec::new();
    items.retain(|it| {
        let key = (it.path.clone(), it.reason.clone(), it.lines);
        let is_new = it.reason.is_none() || !seen.contains(&key);
        seen.push(key);
        is_new
    });
    items.sort_by(|a, b| (&a.path, &a.kind, a.lines).cmp(&(&b.path, &b.kind, b.lines)));
    items
}
