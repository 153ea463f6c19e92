//! Explains why a line is or is not in a pack, and how to change that.

use super::again::Again;
use super::cutting::Cutting;
use super::remedy::Remedies;
use crate::search::SearchResult;
use kitbag_record::FactorsItem;
use kitbag_record::drift;
use kitbag_record::{RECORD_VERSION, Record, RecordedChunk, RecordedOut, RecordedSettings};
use kitbag_text::Span;
use serde::Serialize;
use std::path::PathBuf;

/// The line to explain and the record to explain it from.
#[derive(Debug, Clone, Default)]
pub struct ExplainRequest {
    /// The repository's folder; defaults to the current directory.
    pub repo: Option<PathBuf>,
    /// Name of the record; defaults to the latest.
    pub record: Option<String>,
    /// The path relative to the repository root.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The task. If given, the index is searched again to show where the relevance originates.
    pub task: Option<String>,
}

/// The reasons why a line is or is not in a pack.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The schema version.
    pub version: u32,
    /// The id of the record.
    pub id: String,
    /// The path relative to the repository root.
    pub path: String,
    /// The line number at the time of the pack. If the file has changed, the requested line is
    /// mapped back where possible.
    pub line: u32,
    /// `shown`, `in` (the chunk is included but the line is not shown), `out`, or
    /// `not_a_candidate`.
    pub verdict: &'static str,
    /// The chunks that contain the line, included ones first.
    pub chunks: Vec<ExplainedChunk>,
    /// Changes that could include the line, if no chunk contains it.
    pub changes: Vec<String>,
    /// The current search result for the line, if a task was given and the search finds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchResult>,
    /// The rank of `search` among all results, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_rank: Option<usize>,
    /// Problems that did not prevent the explanation.
    pub warnings: Vec<String>,
}

/// A chunk that contains the line, and the reasons why it is included or excluded.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedChunk {
    /// The first line of the chunk, counted from 1.
    pub start_line: u32,
    /// The last line of the chunk, inclusive.
    pub end_line: u32,
    /// The path of the enclosing symbol.
    pub symbol: Option<String>,
    /// The kind of source the chunk belongs to.
    pub kind: String,
    /// The id of the provider that returned the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Number of tokens in the chunk.
    pub tokens: usize,
    /// `full`, `outline`, `truncated`, or `out`.
    pub form: String,
    /// The score; `None` if the chunk was excluded before scoring.
    pub score: Option<f64>,
    /// The contribution of each factor to the score.
    pub factors: Vec<FactorShare>,
    /// The reason why recency is 0, if no timestamp was available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_time: Option<&'static str>,
    /// The rank among all scored chunks, counted from 1.
    pub rank: Option<usize>,
    /// Number of scored chunks.
    pub of: usize,
    /// Machine-readable reason for the exclusion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Human-readable reason for the exclusion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Changes that would include the chunk in full.
    pub changes: Vec<String>,
}

/// The contribution of one factor to a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FactorShare {
    /// `relevance`, `recency` or `source`.
    pub name: &'static str,
    /// The value of the factor, from 0 to 1.
    pub value: f64,
    /// The weight of the factor in the score.
    pub weight: f64,
    /// The contribution to the score: `value` times `weight`.
    pub adds: f64,
}

/// Inputs of an explanation.
pub(crate) struct Explaining<'a> {
    pub record: &'a Record,
    pub cutting: &'a Cutting<'a>,
    /// The replayable pack; `None` if a replay does not reproduce the record.
    pub again: Option<Again<'a>>,
    /// The reason why the file was not a candidate, if it does not depend on the task.
    pub absence: Option<String>,
    /// Whether the index was searched with the task.
    pub is_searched: bool,
}

impl Explaining<'_> {
    /// Explains a line, given by its number in the current file.
    pub fn explain(&self, path: &str, asked: u32, mut warnings: Vec<String>) -> Explanation {
        let line = self.line_of_pack(path, asked, &mut warnings);
        let has = |start: u32, end: u32| start <= line && line <= end;
        let record = self.record;
        let inside = record.included.iter().filter(|it| it.path == path);
        let inside: Vec<&RecordedChunk> =
            inside.filter(|it| has(it.start_line, it.end_line)).collect();
        let outside = record.excluded.iter().filter(|it| it.path == path);
        let outside: Vec<&RecordedOut> =
            outside.filter(|it| it.lines().is_none_or(|(start, end)| has(start, end))).collect();
        let is_shown =
            inside.iter().any(|it| it.runs.iter().any(|run| has(run.start_line, run.end_line)));
        let verdict = match (inside.is_empty(), outside.is_empty()) {
            (false, _) if is_shown => "shown",
            (false, _) => "in",
            (true, false) => "out",
            (true, true) => "not_a_candidate",
        };
        let chunks = inside.into_iter().map(|it| self.included(it));
        let chunks: Vec<ExplainedChunk> =
            chunks.chain(outside.into_iter().map(|it| self.excluded(it))).collect();
        let changes = if chunks.is_empty() { self.unknown(path, line) } else { Vec::new() };
        Explanation {
            version: RECORD_VERSION,
            id: record.id.clone(),
            path: path.to_owned(),
            line,
            verdict,
            chunks,
            changes,
            search: None,
            search_rank: None,
            warnings,
        }
    }

    /// Maps a line of the current file to its line in the pack. Adds a warning if the file has
    /// changed.
    fn line_of_pack(&self, path: &str, line: u32, warnings: &mut Vec<String>) -> u32 {
        let record = self.record;
        let Some(file) = self.cutting.reading.file(path) else {
            let is_no_file = record.sources.iter().any(|it| it.path == path && !it.is_file);
            if !is_no_file && self.cutting.reading.is_gone(path) {
                warnings.push(format!("there is no file `{path}` now"));
            }
            return line;
        };
        let own = record.sources.iter().filter(|it| it.path == path && it.is_file);
        let has_changed =
            own.filter_map(|it| Some((it, it.sha256.as_ref()?))).any(|(it, sha256)| {
                !file.has(Span::new(it.start_line, it.end_line), it.is_whole, sha256)
            });
        if !has_changed {
            return line;
        }
        let then = self.moved_run(path, line).or_else(|| self.same_symbol(path, line));
        warnings.push(match then {
            Some(then) if then == line => format!("`{path}` has changed since the pack"),
            Some(then) => format!(
                "`{path}` has changed since the pack: its line {line} is told as line {then} of the pack"
            ),
            None => format!(
                "`{path}` has changed since the pack: line {line} is told as it was counted then"
            ),
        });
        then.unwrap_or(line)
    }

    /// Maps a line through included runs whose content is unchanged, even if they have moved.
    fn moved_run(&self, path: &str, line: u32) -> Option<u32> {
        let own = self.record.included.iter().filter(|it| it.path == path);
        own.flat_map(|item| item.runs.iter().map(move |run| (item, run))).find_map(|(item, run)| {
            let found = drift(item, run, self.cutting.reading);
            let (start, end) = found.now.or(found.ends.map(|_| (run.start_line, run.end_line)))?;
            (start <= line && line <= end).then(|| run.start_line + (line - start))
        })
    }

    /// Maps a line through the chunk that has the same symbol.
    fn same_symbol(&self, path: &str, line: u32) -> Option<u32> {
        let now = self.cutting.at(path, line)?;
        let symbol = now.symbol.as_ref()?;
        let included = self.record.included.iter();
        let included = included.map(|it| (&it.path, &it.symbol, (it.start_line, it.end_line)));
        let excluded = self.record.excluded.iter();
        let excluded = excluded.filter_map(|it| Some((&it.path, &it.symbol, it.lines()?)));
        let mut named = included
            .chain(excluded)
            .filter(|(own, name, _)| *own == path && name.as_ref() == Some(symbol));
        let (_, _, (start, end)) = named.next()?;
        let is_only = named.all(|(_, _, lines)| lines == (start, end));
        is_only.then(|| (start + (line - now.span.start)).min(end))
    }

    fn included(&self, item: &RecordedChunk) -> ExplainedChunk {
        let record = self.record;
        ExplainedChunk {
            start_line: item.start_line,
            end_line: item.end_line,
            symbol: item.symbol.clone(),
            kind: item.kind.to_string(),
            provider: item.provider.clone(),
            tokens: item.tokens,
            form: item.form.to_string(),
            score: Some(item.score),
            factors: shares(&item.factors, &record.settings),
            no_time: self.no_time(&item.factors, &item.kind),
            rank: Some(record.rank(item.score)),
            of: record.scores().len(),
            reason: None,
            detail: None,
            changes: self.remedies().of_included(item),
        }
    }

    fn excluded(&self, item: &RecordedOut) -> ExplainedChunk {
        let (start_line, end_line) = item.lines().unwrap_or((1, 1));
        let record = self.record;
        ExplainedChunk {
            start_line,
            end_line,
            symbol: item.symbol.clone(),
            kind: item.kind.to_string(),
            provider: item.provider.clone(),
            tokens: item.tokens,
            form: "out".to_owned(),
            score: item.score,
            factors: item.factors.map(|it| shares(&it, &record.settings)).unwrap_or_default(),
            no_time: item.factors.and_then(|it| self.no_time(&it, &item.kind)),
            rank: item.score.map(|score| record.rank(score)),
            of: record.scores().len(),
            reason: Some(item.reason.to_string()),
            detail: Some(item.detail.clone()),
            changes: self.remedies().of_excluded(item),
        }
    }

    /// Explains a recency of 0, which age alone cannot cause.
    fn no_time(&self, factors: &FactorsItem, kind: &str) -> Option<&'static str> {
        let mut found = self.record.sources.iter().filter(|it| it.kind == kind);
        let has_times = found.any(|it| it.timestamp.is_some());
        (factors.recency == 0.0).then_some(match kind {
            "search_result" if has_times => "no time: not close to the best match",
            _ => "no time is known",
        })
    }

    fn remedies(&self) -> Remedies<'_> {
        Remedies { record: self.record, again: self.again.as_ref() }
    }

    /// Suggests how to include a line that no provider returned.
    fn unknown(&self, path: &str, line: u32) -> Vec<String> {
        let lines = self.cutting.reading.file(path).map(|file| file.plain.line_count());
        let is_source = self.record.sources.iter().any(|source| source.path == path);
        match lines {
            None if is_source => return vec!["it was no file's, and had no such line".to_owned()],
            None => return vec![self.absence.clone().unwrap_or_else(|| "no such file".to_owned())],
            Some(lines) if line > lines => return vec![format!("the file has {lines} lines")],
            Some(_) => {}
        }
        let first = match (is_source, &self.absence) {
            (true, _) => {
                "other chunks of the file were candidates, and this line was not among what was found"
            }
            (false, Some(absence)) => absence,
            (false, None) => "no provider returned the file: search found other code for the task",
        };
        let named = format!("naming it brings it in, where there is room: --file {path}:{line}");
        let search = match self.is_searched {
            true => {
                "search does not find the line for this task: name what stands there".to_owned()
            }
            false => {
                format!("what search makes of it: kitbag explain {path}:{line} --task \"...\"")
            }
        };
        vec![first.to_owned(), named, search]
    }
}

fn shares(factors: &FactorsItem, settings: &RecordedSettings) -> Vec<FactorShare> {
    let share =
        |name, value: f64, weight: f64| FactorShare { name, value, weight, adds: value * weight };
    vec![
        share("relevance", factors.relevance, settings.relevance_weight),
        share("recency", factors.recency, settings.recency_weight),
        share("source", factors.source, settings.source_weight),
    ]
}
