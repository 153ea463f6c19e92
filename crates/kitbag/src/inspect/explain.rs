//! Explains why a line is or is not in a pack, and how to change that.

use super::Inspection;
use super::absence::why_absent;
use super::rechunk::Rechunker;
use super::remedy::Remedies;
use super::replay::Replay;
use crate::search::{SearchReport, SearchRequest, SearchResult};
use kitbag_core::{ChunkForm, Reason};
use kitbag_record::{
    FactorsItem, RECORD_VERSION, Record, RecordedCandidate, RecordedSettings, drift, hash,
};
use kitbag_text::{Kind, Span, plural};
use serde::Serialize;
use std::path::PathBuf;

/// A result limit that no search reaches.
const ALL_RESULTS: usize = 1_000_000;

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
#[non_exhaustive]
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
    /// Whether the line is in the pack.
    pub verdict: LineVerdict,
    /// Why no chunk contains the line, if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
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

/// Whether a line is in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineVerdict {
    /// The line is shown.
    Shown,
    /// The chunk of the line is included, but the line is not shown.
    In,
    /// The chunk of the line is excluded.
    Out,
    /// No provider returned the line.
    NotACandidate,
}

/// A chunk that contains the line, and the reasons why it is included or excluded.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ExplainedChunk {
    /// The first line of the chunk, counted from 1.
    pub start_line: u32,
    /// The last line of the chunk, inclusive.
    pub end_line: u32,
    /// The path of the enclosing symbol.
    pub symbol: Option<String>,
    /// The kind of source the chunk belongs to.
    pub kind: Kind,
    /// The id of the provider that returned the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Number of tokens in the chunk.
    pub tokens: usize,
    /// How much of the chunk is shown; null if it is excluded.
    pub form: Option<ChunkForm>,
    /// The score; `None` if the chunk was excluded before scoring.
    pub score: Option<f64>,
    /// The contribution of each factor to the score.
    pub factors: Vec<FactorShare>,
    /// The reason why recency is 0, if no timestamp was available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_time_reason: Option<&'static str>,
    /// The rank among all scored chunks, counted from 1.
    pub rank: Option<usize>,
    /// Number of scored chunks.
    pub of: usize,
    /// Machine-readable reason for the exclusion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Human-readable reason why the chunk is excluded or shown in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Changes that would include the chunk in full.
    pub changes: Vec<String>,
}

/// A factor of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreFactor {
    /// How well the chunk matches the task.
    Relevance,
    /// How recently the chunk changed.
    Recency,
    /// The priority of the kind of source.
    Source,
}

impl ScoreFactor {
    /// Returns the name of the factor, which is also the serialized form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Recency => "recency",
            Self::Source => "source",
        }
    }
}

/// The contribution of one factor to a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FactorShare {
    /// The factor.
    pub name: ScoreFactor,
    /// The value of the factor, from 0 to 1.
    pub value: f64,
    /// The weight of the factor in the score.
    pub weight: f64,
    /// The contribution to the score: `value` times `weight`.
    pub contribution: f64,
}

impl ExplainRequest {
    /// Returns the search for the task, if there is one, as the pack made it.
    pub(crate) fn search(&self, record: &Record) -> Option<SearchRequest> {
        Some(SearchRequest {
            task: self.trimmed_task()?.to_owned(),
            repo: self.repo.clone(),
            folder: record.request.folder.clone(),
            revision: record.request.commit.clone(),
            include: record.request.include.clone(),
            exclude: record.request.exclude.clone(),
            now: record.request.now,
            limit: ALL_RESULTS,
            ..SearchRequest::default()
        })
    }

    fn trimmed_task(&self) -> Option<&str> {
        self.task.as_deref().map(str::trim).filter(|task| !task.is_empty())
    }
}

impl Inspection<'_> {
    /// Explains a line, given by its number in the current file.
    pub fn explain(
        &self,
        request: &ExplainRequest,
        search: Option<SearchReport>,
        mut warnings: Vec<String>,
    ) -> Explanation {
        let path = self.root.normalize(&request.path).unwrap_or_else(|_| request.path.clone());
        let is_other = |task: &str| hash(task.as_bytes()) != self.record.request.task_sha256;
        if request.trimmed_task().is_some_and(is_other) {
            warnings.push("the task differs from that of the pack".to_owned());
        }
        let is_searched = search.is_some();
        let SearchReport { results, warnings: search_warnings, .. } = search.unwrap_or_default();
        warnings.extend(search_warnings);
        let rechunker = Rechunker::new(self);
        let explainer = Explainer { inspection: self, rechunker: &rechunker, path: &path };
        let mut explanation = explainer.explain(request.line, is_searched, warnings);
        let mut ranked = results.into_iter().zip(1..);
        let found = ranked.find(|(it, _)| {
            let span = Span::new(it.start_line, it.end_line);
            it.path == path && span.contains_line(request.line)
        });
        (explanation.search, explanation.search_rank) = found.unzip();
        explanation
    }
}

/// Explains lines of one file.
struct Explainer<'a> {
    inspection: &'a Inspection<'a>,
    rechunker: &'a Rechunker<'a>,
    path: &'a str,
}

impl Explainer<'_> {
    fn explain(&self, line: u32, is_searched: bool, mut warnings: Vec<String>) -> Explanation {
        let record = self.inspection.record;
        let line = self.recorded_line(line, &mut warnings);
        let has = |it: &RecordedCandidate<'_>| {
            it.path == self.path && it.span.is_none_or(|span| span.contains_line(line))
        };
        let candidates: Vec<RecordedCandidate<'_>> = record.candidates().filter(has).collect();
        let own = record
            .included
            .iter()
            .filter(|it| it.path == self.path && it.span().contains_line(line));
        let is_shown = own.flat_map(|it| &it.runs).any(|run| run.span().contains_line(line));
        let verdict = match candidates.first() {
            Some(_) if is_shown => LineVerdict::Shown,
            Some(first) if first.form.is_some() => LineVerdict::In,
            Some(_) => LineVerdict::Out,
            None => LineVerdict::NotACandidate,
        };
        let replay = Replay::new(self.inspection, self.rechunker);
        let remedies = Remedies { record, replay };
        let chunks = candidates.iter().map(|it| self.chunk(it, remedies.of(it))).collect();
        let (reason, changes) = match verdict {
            LineVerdict::NotACandidate => self.explain_unknown(line, is_searched),
            _ => (None, Vec::new()),
        };
        Explanation {
            version: RECORD_VERSION,
            id: record.id.clone(),
            path: self.path.to_owned(),
            line,
            verdict,
            reason,
            chunks,
            changes,
            search: None,
            search_rank: None,
            warnings,
        }
    }

    /// Maps a line of the current file to its line in the pack. Adds a warning if the file has
    /// changed.
    fn recorded_line(&self, line: u32, warnings: &mut Vec<String>) -> u32 {
        let (path, reading) = (self.path, self.inspection.reading);
        let mut own = self.inspection.record.sources.iter().filter(|it| it.path == path);
        let Some(file) = reading.file(path) else {
            if own.any(|it| it.is_file) && reading.is_gone(path) {
                warnings.push(format!("`{path}` no longer exists"));
            }
            return line;
        };
        let has_changed = own.filter(|it| it.is_file).any(|it| {
            it.sha256.as_ref().is_some_and(|sha256| !file.has(it.span(), it.is_whole, sha256))
        });
        if !has_changed {
            return line;
        }
        let recorded = self.moved_run(line).or_else(|| self.same_symbol(line));
        let note = match recorded {
            Some(recorded) if recorded == line => String::new(),
            Some(recorded) => format!(": its line {line} was line {recorded}"),
            None => format!(": line {line} refers to its earlier version"),
        };
        warnings.push(format!("`{path}` has changed since the pack{note}"));
        recorded.unwrap_or(line)
    }

    /// Maps a line through included runs whose content is unchanged, even if they have moved.
    fn moved_run(&self, line: u32) -> Option<u32> {
        let own = self.inspection.record.included.iter().filter(|it| it.path == self.path);
        own.flat_map(|item| item.runs.iter().map(move |run| (item, run))).find_map(|(item, run)| {
            let found = drift(item, run, self.inspection.reading);
            let now = found.now.map(Span::from).or(found.ends.map(|_| run.span()))?;
            now.contains_line(line).then(|| run.start_line + (line - now.start))
        })
    }

    /// Maps a line through the only chunk that has the same symbol.
    fn same_symbol(&self, line: u32) -> Option<u32> {
        let now = self.rechunker.at(self.path, line)?;
        let symbol = now.symbol.as_deref()?;
        let candidates = self.inspection.record.candidates();
        let named = candidates.filter(|it| it.path == self.path && it.symbol == Some(symbol));
        let mut spans = named.filter_map(|it| it.span);
        let first = spans.next()?;
        spans.all(|it| it == first).then(|| (first.start + (line - now.span.start)).min(first.end))
    }

    fn chunk(&self, chunk: &RecordedCandidate<'_>, changes: Vec<String>) -> ExplainedChunk {
        let record = self.inspection.record;
        let span = chunk.span.unwrap_or(Span::new(1, 1));
        let factors = chunk.factors.map(|it| shares(&it, &record.settings));
        ExplainedChunk {
            start_line: span.start,
            end_line: span.end,
            symbol: chunk.symbol.map(str::to_owned),
            kind: chunk.kind,
            provider: chunk.provider.map(str::to_owned),
            tokens: chunk.tokens,
            form: chunk.form,
            score: chunk.score,
            factors: factors.unwrap_or_default(),
            missing_time_reason: chunk
                .factors
                .filter(|it| it.recency == 0.0)
                .map(|_| "no timestamp"),
            rank: chunk.score.map(|score| record.rank(score)),
            of: record.candidates().filter(|it| it.score.is_some()).count(),
            reason: chunk.reason,
            detail: chunk.detail.or(chunk.form.and_then(why_partial)).map(str::to_owned),
            changes,
        }
    }

    /// Explains why no provider returned a line, and suggests how to include it, if that is
    /// possible.
    fn explain_unknown(&self, line: u32, is_searched: bool) -> (Option<String>, Vec<String>) {
        let (path, record) = (self.path, self.inspection.record);
        let is_source = record.sources.iter().any(|source| source.path == path);
        let (include, exclude) = (&record.request.include, &record.request.exclude);
        let absence = || why_absent(self.inspection.root, path, include, exclude);
        let absence = if is_source { None } else { absence().map(|it| it.to_string()) };
        let lines = self.inspection.reading.file(path).map(|file| file.plain.line_count());
        let reason = match (lines, absence) {
            (None, _) if is_source => return (Some(self.explain_unreadable(line)), Vec::new()),
            (None, absence) => {
                let reason = absence.unwrap_or_else(|| "no such file".to_owned());
                return (Some(reason), Vec::new());
            }
            (Some(lines), _) if line > lines => {
                let lines = plural(lines as usize, "line");
                return (Some(format!("the file has {lines}")), Vec::new());
            }
            (_, Some(absence)) => absence,
            _ if is_source => "other chunks of the file were candidates, but not this line".into(),
            _ => "no provider returned the file".into(),
        };
        let naming = format!("name it, if it fits: --file {path}:{line}");
        let search = match is_searched {
            true => {
                "use words of the line in the task: search does not find it for this one".into()
            }
            false => {
                format!("see how search ranks it: kitbag explain {path}:{line} --task \"...\"")
            }
        };
        (Some(reason), vec![naming, search])
    }

    /// Explains why no chunk contains a line of a source that cannot be read again.
    fn explain_unreadable(&self, line: u32) -> String {
        let sources = self.inspection.record.sources.iter();
        let mut files = sources.filter(|it| it.path == self.path && it.is_file).peekable();
        if files.peek().is_none() {
            return "the source was not a file and had no such line".to_owned();
        }
        let state = match self.inspection.reading.is_gone(self.path) {
            true => "no longer exists",
            false => "can no longer be read",
        };
        match files.find(|it| it.is_whole && it.end_line < line) {
            Some(whole) => {
                let lines = plural(whole.end_line as usize, "line");
                format!("the file {state}; it had {lines}")
            }
            None => format!("the file {state}, and no candidate contained the line"),
        }
    }
}

/// Explains why a chunk is not shown in full.
fn why_partial(form: ChunkForm) -> Option<&'static str> {
    match form {
        ChunkForm::Full => None,
        ChunkForm::Outline => Some("shown as an outline to fit the budget"),
        ChunkForm::Truncated => Some("truncated to fit the budget"),
    }
}

fn shares(factors: &FactorsItem, settings: &RecordedSettings) -> Vec<FactorShare> {
    let share = |name, value: f64, weight: f64| FactorShare {
        name,
        value,
        weight,
        contribution: value * weight,
    };
    vec![
        share(ScoreFactor::Relevance, factors.relevance, settings.relevance_weight),
        share(ScoreFactor::Recency, factors.recency, settings.recency_weight),
        share(ScoreFactor::Source, factors.source, settings.source_weight),
    ]
}
