//! Why is a line in a pack, or why is it not, and what would have to change?

use super::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedOut, RecordedSettings};
use crate::finding::SearchResult;
use crate::report::FactorsItem;
use serde::Serialize;
use std::path::PathBuf;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct ExplainRequest {
    /// The repository's folder; the current one if not given.
    pub repo: Option<PathBuf>,
    /// The record; the last if not given.
    pub record: Option<String>,
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The task: with it the index is searched again, for what made the relevance.
    pub task: Option<String>,
}

/// Why a line is in a pack or not.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The version of this shape.
    pub version: u32,
    /// The record.
    pub id: String,
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// `shown`, `in` (its chunk is in, and the line is not shown), `out`, or `not_a_candidate`.
    pub verdict: &'static str,
    /// The chunks that have the line, those that are in first.
    pub chunks: Vec<ExplainedChunk>,
    /// What would have to change, where there is no such chunk.
    pub changes: Vec<String>,
    /// What the index finds for the task now, where a task was given and the line is found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchResult>,
    /// The rank of that among all that is found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_rank: Option<usize>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// A chunk, and why it is in or out.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedChunk {
    /// The chunk's first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: String,
    /// Who gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Its tokens.
    pub tokens: usize,
    /// `full`, `outline`, `truncated`, or `out`.
    pub form: String,
    /// Its score.
    pub score: Option<f64>,
    /// What the score is made of.
    pub factors: Vec<FactorShare>,
    /// Its place among everything that was scored, from 1.
    pub rank: Option<usize>,
    /// How much was scored.
    pub of: usize,
    /// Why it is out, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What would have to change for it to be in whole.
    pub changes: Vec<String>,
}

/// What a factor adds to a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FactorShare {
    /// `relevance`, `recency` or `source`.
    pub name: &'static str,
    /// Its value, from 0 to 1.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// What it adds.
    pub adds: f64,
}

/// Explains a line by a record alone.
pub(super) fn explain(
    record: &Record,
    path: &str,
    line: u32,
    warnings: Vec<String>,
) -> Explanation {
    let has = |start: u32, end: u32| start <= line && line <= end;
    let inside = record.included.iter().filter(|it| it.path == path);
    let inside: Vec<&RecordedChunk> = inside.filter(|it| has(it.start_line, it.end_line)).collect();
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
    let chunks = inside.into_iter().map(|it| included(record, it));
    let chunks: Vec<ExplainedChunk> =
        chunks.chain(outside.into_iter().map(|it| excluded(record, it))).collect();
    let changes = if chunks.is_empty() { unknown(record, path, line) } else { Vec::new() };
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

fn included(record: &Record, item: &RecordedChunk) -> ExplainedChunk {
    let mut changes = Vec::new();
    if item.form != "full" {
        let (from, to) = (item.start_line, item.end_line);
        changes.push(format!(
            "it is shown in part for want of room: a larger --budget shows it whole, or name it with \
             --file {}:{from}-{to}",
            item.path
        ));
    }
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
        rank: Some(record.rank(item.score)),
        of: record.scores().len(),
        reason: None,
        detail: None,
        changes,
    }
}

fn excluded(record: &Record, item: &RecordedOut) -> ExplainedChunk {
    let (start_line, end_line) = item.lines().unwrap_or((1, 1));
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
        rank: item.score.map(|score| record.rank(score)),
        of: record.scores().len(),
        reason: Some(item.reason.to_string()),
        detail: Some(item.detail.clone()),
        changes: changes(record, item),
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

/// What would have to change for a chunk that is out to be in.
fn changes(record: &Record, item: &RecordedOut) -> Vec<String> {
    match &*item.reason {
        "budget" => for_budget(record, item),
        "max_chunks" => {
            let most = record.settings.max_chunks.unwrap_or_default();
            let mut changes = vec![format!("more than {most} chunks: --max-chunks")];
            changes.extend(by_score(record, item));
            changes
        }
        "score" => {
            let least = record.settings.min_score.unwrap_or_default();
            let score = item.score.unwrap_or_default();
            vec![format!("a least score of {score:.3} or less: --min-score (it was {least})")]
        }
        "duplicate" | "overlap" | "near_duplicate" => {
            let key = match &*item.reason {
                "duplicate" => "content_hash_enabled",
                "overlap" => "overlap_detection_enabled",
                _ => "near_enabled",
            };
            vec![format!(
                "its lines are in by the other; to have both, \
                 --set context.deduplication.{key}=false"
            )]
        }
        "denied" => vec!["nothing: such files are never read (security.deny)".to_owned()],
        "outside_root" => vec!["nothing: it is outside the repository (--repo)".to_owned()],
        "too_many_sources" => vec!["a larger context.max_sources".to_owned()],
        "provider_limit" => vec!["a larger max_items or max_tokens of its provider".to_owned()],
        "line_too_long" => vec!["a larger context.chunking.max_chunk_tokens".to_owned()],
        "unparsed" => vec!["--set context.chunking.fallback_on_error=true".to_owned()],
        _ => Vec::new(),
    }
}

/// What would bring in a chunk that did not fit.
fn for_budget(record: &Record, item: &RecordedOut) -> Vec<String> {
    let score = item.score.unwrap_or_default();
    let before = record
        .excluded
        .iter()
        .filter(|other| &*other.reason == "budget" && other.score.is_some_and(|it| it >= score));
    let tokens: usize = before.map(|other| other.tokens).sum();
    let enough = record.total_tokens + tokens.max(item.tokens);
    let mut changes = vec![format!(
        "a budget of about {enough} tokens, as the ranking is: --budget {enough} (it was {})",
        record.budget
    )];
    changes.extend(by_score(record, item));
    if let Some((start, end)) = item.lines()
        && item.kind == "search_result"
    {
        changes.push(format!("naming it: --file {}:{start}-{end} has relevance 1", item.path));
    }
    changes
}

/// The score that would be better than that of the weakest whole chunk that is in, and the relevance
/// that makes it.
fn by_score(record: &Record, item: &RecordedOut) -> Option<String> {
    let whole = record.included.iter().filter(|it| it.form == "full" && it.tokens >= item.tokens);
    let weakest = whole.map(|it| it.score).min_by(f64::total_cmp)?;
    let (score, factors) = item.score.zip(item.factors)?;
    if score > weakest {
        return None;
    }
    let settings = &record.settings;
    let others =
        factors.recency * settings.recency_weight + factors.source * settings.source_weight;
    let needed = (weakest - others) / settings.relevance_weight.max(f64::EPSILON);
    let relevance = if needed <= 1.0 {
        format!("a relevance of {needed:.2} in place of {:.2} would do", factors.relevance)
    } else {
        "its relevance alone cannot bring it there".to_owned()
    };
    Some(format!(
        "a score above {weakest:.3}, that of the weakest chunk of its size that is in: {relevance}"
    ))
}

/// What brings in a line that nothing came up with.
fn unknown(record: &Record, path: &str, line: u32) -> Vec<String> {
    let is_source = record.sources.iter().any(|source| source.path == path);
    let first = if is_source {
        "other chunks of the file were candidates, and this line was not among what was found"
    } else {
        "no provider brought the file: it has none of the task's words, git ignores it, or a glob \
         leaves it out"
    };
    vec![
        first.to_owned(),
        format!("naming it brings it in: --file {path}:{line}"),
        format!("what search makes of it: kitbag explain {path}:{line} --task \"...\""),
    ]
}
