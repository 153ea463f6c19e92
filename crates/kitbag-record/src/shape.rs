//! The structure of a record. Records never contain content; texts are represented by hashes, except for
//! the task if the user keeps tasks.
//!
//! The storage format does not include field names, so any change to a field requires a new
//! [`RECORD_VERSION`].

use kitbag_core::{ChunkForm, Factors, Reason};
use kitbag_text::{Kind, Span};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Schema version of records. Incremented when a field is removed or changes its meaning.
pub const RECORD_VERSION: u32 = 7;

/// A record of how a pack was created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The schema version.
    pub version: u32,
    /// The unique id.
    pub id: String,
    /// The creation time of the pack, in seconds since the Unix epoch.
    pub created_at: i64,
    /// The repository's folder.
    pub repo: String,
    /// The request, without its contents.
    pub request: RecordedRequest,
    /// The settings used for the decision.
    pub settings: RecordedSettings,
    /// The format and hashes of the rendered text.
    pub text: RecordedText,
    /// Number of tokens in the rendered text.
    pub total_tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// The name of the tokenizer.
    pub tokenizer: String,
    /// Whether the tokenizer is the model's own rather than an estimate.
    pub exact: bool,
    /// The included chunks, in rank order.
    pub included: Vec<RecordedChunk>,
    /// The excluded chunks and sources, with reasons.
    pub excluded: Vec<RecordedExclusion>,
    /// The sources that were considered.
    pub sources: Vec<RecordedSource>,
    /// The outcome of each provider.
    pub providers: Vec<RecordedProvider>,
    /// Counters of the pipeline stages.
    pub stats: RecordedStats,
    /// Number of secrets redacted on included lines, by rule.
    pub redactions: BTreeMap<String, usize>,
    /// The duration of each stage.
    pub timings: Vec<Timing>,
    /// Whether the deadline interrupted any work.
    pub partial: bool,
    /// The reason why the pack is empty, if it is.
    pub why_empty: Option<String>,
}

/// A request without its contents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedRequest {
    /// The SHA-256 of the task's text.
    pub task_sha256: String,
    /// Number of characters in the task's text.
    pub task_characters: usize,
    /// The task's text, if the user's configuration keeps tasks.
    pub task: Option<String>,
    /// The name of the profile.
    pub profile: String,
    /// The model, if the request named one.
    pub model: Option<String>,
    /// Whether the request specified a budget.
    pub has_budget: bool,
    /// The reference time for ages, in seconds since the Unix epoch.
    pub now: Option<i64>,
    /// The id of the commit that files were read from; `None` for the work tree.
    pub commit: Option<String>,
    /// Paths that the request named explicitly.
    pub references: Vec<String>,
    /// The folder that the caller works in, relative to the root, if it is not the root.
    pub folder: Option<String>,
    /// The base or range of the reviewed change.
    pub diff: Option<String>,
    /// The path of the open document.
    pub document: Option<String>,
    /// The line of the cursor, counted from 1.
    pub cursor: Option<u32>,
    /// The first and last line of the selection.
    pub selection: Option<(u32, u32)>,
    /// The paths of open files.
    pub open_files: Vec<String>,
    /// The names of the tool results.
    pub tool_results: Vec<String>,
    /// Number of compiler, linter and test outputs.
    pub diagnostics: usize,
    /// Number of sources supplied by the caller.
    pub source_count: usize,
    /// Globs of files to search.
    pub include: Vec<String>,
    /// Globs of files to skip.
    pub exclude: Vec<String>,
    /// Providers enabled by the request.
    pub providers: Vec<String>,
    /// Providers disabled by the request.
    pub no_providers: Vec<String>,
    /// The keys of the settings changed by the request.
    pub options: Vec<String>,
    /// Paths denied by the request, in addition to the configured ones.
    pub deny: Vec<String>,
    /// The current context of the rules.
    pub context: Option<String>,
    /// The SHA-256 of the caller's stated intent.
    pub intent_sha256: Option<String>,
    /// The SHA-256 of the caller's stated situation.
    pub situation_sha256: Option<String>,
    /// Whether secrets were redacted.
    pub redact: bool,
    /// The deadline of the request, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// The id of the agent that made the request.
    pub agent_id: Option<String>,
    /// The id of the request in logs and events.
    pub correlation_id: Option<String>,
    /// The interface of the request, such as `http`, `mcp` or `cli`; empty for direct library
    /// calls.
    pub via: String,
    /// The tool, route or command of the interface; empty for direct library calls.
    pub tool: String,
}

/// The settings that are needed to explain a decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedSettings {
    /// The weight of relevance in the score.
    pub relevance_weight: f64,
    /// The weight of recency in the score.
    pub recency_weight: f64,
    /// The weight of the source priority in the score.
    pub source_weight: f64,
    /// Minimum score of included chunks.
    pub min_score: Option<f64>,
    /// Minimum relevance of search results.
    pub stop_below: Option<f64>,
    /// Maximum number of included chunks.
    pub max_chunks: Option<usize>,
    /// The size of the context window in tokens, if the request did not specify a budget.
    pub window: Option<usize>,
    /// Tokens reserved for the response.
    pub response_reserve: usize,
    /// Tokens reserved for the system prompt.
    pub system_reserve: usize,
    /// Minimum fraction of shared lines at which two chunks count as overlapping.
    pub overlap_threshold: f64,
    /// The priority of each kind, by name.
    pub priorities: BTreeMap<String, u32>,
    /// Every setting that differs from its default, by key, in the syntax of `--set`. Free text is
    /// represented by its SHA-256.
    pub changed: BTreeMap<String, String>,
    /// The SHA-256 of settings supplied by the calling program instead of the configuration.
    pub supplied_settings_sha256: Option<String>,
}

/// The format of the rendered text. Texts supplied by the user are represented by hashes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedText {
    /// The SHA-256 of the rendered text, without its head.
    pub sha256: String,
    /// Number of tokens in that text.
    pub body_tokens: usize,
    /// Number of tokens of the budget that were left for a head; `None` if none was to be written.
    pub head_reserve: Option<usize>,
    /// The name of the format, or `template`.
    pub format: String,
    /// The file name of the template.
    pub template: Option<String>,
    /// Whether chunks of the same file are grouped.
    pub group_by_file: bool,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// Whether relevance scores are shown.
    pub scores: bool,
    /// Whether path, lines and relevance are printed on separate lines.
    pub detailed: bool,
    /// Whether each line begins with its number.
    pub number_lines: bool,
    /// Whether the chunks of each provider are printed under a separate title.
    pub sections: bool,
    /// The SHA-256 of the header.
    pub header: Option<String>,
    /// The SHA-256 of the footer.
    pub footer: Option<String>,
    /// The SHA-256 of the separator.
    pub separator: Option<String>,
    /// The SHA-256 of the template's source.
    pub template_sha256: Option<String>,
    /// Number of hyphens in the boundary lines of plain text.
    pub boundary: Option<usize>,
}

/// An included chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedChunk {
    /// The path relative to the repository root.
    pub path: String,
    /// The first line of the chunk, counted from 1.
    pub start_line: u32,
    /// The last line of the chunk, inclusive.
    pub end_line: u32,
    /// The path of the enclosing symbol in code. Headings are content and are not recorded.
    pub symbol: Option<String>,
    /// The kind of source the chunk belongs to.
    pub kind: Kind,
    /// The id of the provider that returned the chunk.
    pub provider: Option<String>,
    /// The position among the parts of a split item, such as `2 of 3`.
    pub part: Option<String>,
    /// Number of tokens in the shown lines.
    pub tokens: usize,
    /// The score assigned by the ranker.
    pub score: f64,
    /// The factors that determine the score.
    pub factors: FactorsItem,
    /// How much of the chunk is shown.
    pub form: ChunkForm,
    /// The lines that are shown in the text.
    pub runs: Vec<RecordedRun>,
    /// Whether the lines are read from a file and can be read again.
    pub is_file: bool,
    /// Places of the duplicates that the chunk represents.
    pub duplicates: Vec<String>,
    /// Whether the chunk was selected before everything that is not pinned.
    pub pinned: bool,
}

/// A run of consecutive lines that are shown in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// The first line, counted from 1.
    pub start_line: u32,
    /// The last line, inclusive.
    pub end_line: u32,
    /// The SHA-256 of the lines, with secrets redacted.
    pub sha256: String,
}

/// An excluded chunk or source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedExclusion {
    /// The path relative to the repository root.
    pub path: String,
    /// The first line of the chunk; `None` for an entire source.
    pub start_line: Option<u32>,
    /// The last line of the chunk; `None` for an entire source.
    pub end_line: Option<u32>,
    /// The path of the enclosing symbol.
    pub symbol: Option<String>,
    /// The kind of source the chunk belongs to.
    pub kind: Kind,
    /// The id of the provider that returned the chunk.
    pub provider: Option<String>,
    /// Number of tokens in the chunk.
    pub tokens: usize,
    /// The score; `None` if the chunk was excluded before scoring.
    pub score: Option<f64>,
    /// The factors that determine the score.
    pub factors: Option<FactorsItem>,
    /// Machine-readable reason for the exclusion.
    pub reason: Reason,
    /// Human-readable reason for the exclusion.
    pub detail: String,
    /// Whether the chunk was tried before everything that is not pinned.
    pub pinned: bool,
}

/// A source that was considered for the pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// The path relative to the repository root.
    pub path: String,
    /// The kind of the source.
    pub kind: Kind,
    /// The id of the provider that returned the source.
    pub provider: Option<String>,
    /// The first line, counted from 1.
    pub start_line: u32,
    /// The last line, inclusive.
    pub end_line: u32,
    /// The SHA-256 of the lines; `None` if the hashing limit was reached.
    pub sha256: Option<String>,
    /// The time of the last change in seconds since the Unix epoch, if it affected the score.
    pub timestamp: Option<i64>,
    /// Whether the lines are read from a file and can be read again.
    pub is_file: bool,
    /// Whether the lines are the entire file.
    pub is_whole: bool,
    /// Whether git reported the file as modified or untracked.
    pub is_modified: bool,
}

/// The outcome of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedProvider {
    /// The id of the provider.
    pub id: String,
    /// How the call ended.
    pub outcome: ProviderOutcome,
    /// Number of sources returned.
    pub sources: usize,
    /// Number of included chunks.
    pub chunks: usize,
    /// Number of tokens in the included chunks.
    pub tokens: usize,
    /// The duration in milliseconds.
    pub ms: f64,
}

/// Counters of the pipeline stages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedStats {
    /// Number of files searched.
    pub files_searched: usize,
    /// Number of sources considered.
    pub sources: usize,
    /// Number of sources merged with an identical one.
    pub merged_sources: usize,
    /// Number of chunks created from the sources.
    pub chunks: usize,
    /// Number of chunks that duplicate the content of another.
    pub duplicates: usize,
    /// Number of chunks that overlap another.
    pub overlaps: usize,
    /// Number of chunks with nearly the same words as another.
    pub near_duplicates: usize,
    /// Fraction of token counts that were served from the cache.
    pub cache_hit_rate: f64,
    /// Number of warnings reported to the caller.
    pub warnings: usize,
}

/// Duration of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timing {
    /// Name of the stage.
    pub stage: Cow<'static, str>,
    /// Duration in milliseconds.
    pub ms: f64,
}

/// The outcome of calling a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProviderOutcome {
    /// Returned sources.
    Ok,
    /// Had nothing to return.
    Empty,
    /// Took longer than its timeout.
    TimedOut,
    /// Failed or panicked.
    Failed,
    /// Switched off.
    Off,
    /// Did not answer before the deadline of the request.
    Late,
}

impl std::fmt::Display for ProviderOutcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl ProviderOutcome {
    /// Returns the name used in JSON and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::TimedOut => "timed_out",
            Self::Failed => "failed",
            Self::Off => "off",
            Self::Late => "late",
        }
    }
}

/// An included or excluded chunk, or an excluded source.
#[derive(Debug, Clone, Copy)]
pub struct RecordedCandidate<'a> {
    pub path: &'a str,
    /// Lines of the chunk; `None` for an entire source.
    pub span: Option<Span>,
    pub symbol: Option<&'a str>,
    pub kind: Kind,
    pub provider: Option<&'a str>,
    pub tokens: usize,
    pub score: Option<f64>,
    pub factors: Option<FactorsItem>,
    /// How much of the chunk is shown; `None` if it is excluded.
    pub form: Option<ChunkForm>,
    pub reason: Option<Reason>,
    pub detail: Option<&'a str>,
    pub pinned: bool,
}

impl Record {
    /// Returns the included chunks in rank order, followed by the excluded chunks and sources.
    pub fn candidates(&self) -> impl Iterator<Item = RecordedCandidate<'_>> {
        let included = self.included.iter().map(|it| RecordedCandidate {
            path: &it.path,
            span: Some(it.span()),
            symbol: it.symbol.as_deref(),
            kind: it.kind,
            provider: it.provider.as_deref(),
            tokens: it.tokens,
            score: Some(it.score),
            factors: Some(it.factors),
            form: Some(it.form),
            reason: None,
            detail: None,
            pinned: it.pinned,
        });
        let excluded = self.excluded.iter().map(|it| RecordedCandidate {
            path: &it.path,
            span: it.span(),
            symbol: it.symbol.as_deref(),
            kind: it.kind,
            provider: it.provider.as_deref(),
            tokens: it.tokens,
            score: it.score,
            factors: it.factors,
            form: None,
            reason: Some(it.reason),
            detail: Some(&it.detail),
            pinned: it.pinned,
        });
        included.chain(excluded)
    }

    /// Returns the rank of a score among all scored chunks, counted from 1.
    pub fn rank(&self, score: f64) -> usize {
        let is_better = |it: &RecordedCandidate<'_>| it.score.is_some_and(|other| other > score);
        self.candidates().filter(is_better).count() + 1
    }

    /// Returns the distinct included files, ordered by their best chunk.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = Vec::new();
        for item in &self.included {
            if !files.contains(&item.path.as_str()) {
                files.push(&item.path);
            }
        }
        files
    }
}

impl RecordedChunk {
    /// Returns the lines of the chunk.
    pub fn span(&self) -> Span {
        Span::new(self.start_line, self.end_line)
    }

    /// Returns the hashes of the shown lines.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|run| run.sha256.as_str())
    }
}

impl RecordedRun {
    /// Returns the lines of the run.
    pub fn span(&self) -> Span {
        Span::new(self.start_line, self.end_line)
    }
}

impl RecordedExclusion {
    /// Returns the lines of the chunk, or `None` for an entire source.
    pub fn span(&self) -> Option<Span> {
        self.start_line.zip(self.end_line).map(Span::from)
    }
}

impl RecordedSource {
    /// Returns the lines of the source.
    pub fn span(&self) -> Span {
        Span::new(self.start_line, self.end_line)
    }
}

/// The factors that determine the score of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FactorsItem {
    /// The relevance of the chunk to the task.
    pub relevance: f64,
    /// The recency of the last change to the chunk.
    pub recency: f64,
    /// The priority of the source's kind.
    pub source: f64,
}

impl From<Factors> for FactorsItem {
    fn from(Factors { relevance, recency, source }: Factors) -> Self {
        Self { relevance, recency, source }
    }
}

impl From<FactorsItem> for Factors {
    fn from(FactorsItem { relevance, recency, source }: FactorsItem) -> Self {
        Self { relevance, recency, source }
    }
}
