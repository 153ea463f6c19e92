//! Are the lines of a pack still those of the files?

use super::reading::{Reading, moved};
use super::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedRun};
use kitbag_text::Span;
use serde::Serialize;

/// How the lines of a pack stand to the files as they are now.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    /// The version of this shape.
    pub version: u32,
    /// The record.
    pub id: String,
    /// Whether every range that a file can be asked for still has the lines that were packed.
    pub holds: bool,
    /// Every range of lines, in the order of the pack.
    pub ranges: Vec<DriftItem>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// How a range of lines stands.
#[derive(Debug, Clone, Serialize)]
pub struct DriftItem {
    /// The file.
    pub path: String,
    /// The first line that was packed.
    pub start_line: u32,
    /// The last.
    pub end_line: u32,
    /// How it stands.
    pub state: Drift,
    /// Where the lines are now, if they have moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<(u32, u32)>,
    /// The first and the last of the lines as they are now, with secrets replaced.
    #[serde(skip)]
    pub ends: Option<(String, String)>,
}

/// What became of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// They are the same.
    Same,
    /// They are the same, at another place.
    Moved,
    /// They are not there any more.
    Changed,
    /// The file is gone, or may not be read.
    Gone,
    /// They were no file's: the result of a tool, an unsaved buffer.
    NotAFile,
}

/// How a source of a pack stands.
#[derive(Debug, Clone, Serialize)]
pub struct SourceItem {
    /// The file.
    pub path: String,
    /// Its kind.
    pub kind: String,
    /// Who gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Its lines; none where it was rejected before it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Whether git saw the file as changed, or did not know it, when it was packed.
    pub is_modified: bool,
    /// What came of it.
    pub state: SourceState,
    /// Why, where it was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What came of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// It passed, and is as it was.
    Passed,
    /// It passed, and has changed since the pack.
    ChangedSince,
    /// It passed, and is gone since the pack.
    GoneSince,
    /// It did not pass.
    Rejected,
}

/// The reasons of what came to be a candidate; every other is a rejection.
const OF_CANDIDATES: [&str; 6] =
    ["duplicate", "overlap", "near_duplicate", "budget", "max_chunks", "score"];

/// Compares every range of a record with the files.
pub(super) fn verify(
    record: &Record,
    reading: &Reading<'_>,
    warnings: Vec<String>,
) -> Verification {
    let ranges: Vec<DriftItem> = record
        .included
        .iter()
        .flat_map(|item| item.runs.iter().map(|run| drift(item, run, reading)))
        .collect();
    let holds = ranges.iter().all(|it| matches!(it.state, Drift::Same | Drift::NotAFile));
    Verification { version: RECORD_VERSION, id: record.id.clone(), holds, ranges, warnings }
}

/// How one range stands.
pub(super) fn drift(item: &RecordedChunk, run: &RecordedRun, reading: &Reading<'_>) -> DriftItem {
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
    if super::hash(text.slice(span).as_bytes()) == run.sha256 {
        result.state = Drift::Same;
        let line = |number: u32| text.line(number).trim_end().to_owned();
        result.ends = Some((line(span.start), line(span.end)));
        return result;
    }
    result.now = moved(&text, span, &run.sha256).map(Into::into);
    result.state = if result.now.is_some() { Drift::Moved } else { Drift::Changed };
    result
}

/// Every source of a record, each path and kind once, and what came of it.
pub(super) fn sources(record: &Record, reading: &Reading<'_>) -> Vec<SourceItem> {
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
    // The same file may be named, and come up in a search too.
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
