//! The report of a pack, shared by `--json`, MCP and HTTP.

use crate::redaction::{RedactionItem, Redactions, by_rule};
use crate::request::{PackMode, Request};
use kitbag_core::{ChunkForm, Decision, Excluded, Included, MergedOrigin, Reason};
use kitbag_record::FactorsItem;
use kitbag_rules::RuleDecision;
use kitbag_text::{Kind, Provenance, Span};
use kitbag_tokens::{CacheStats, CachedCounter};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Version of [`Report`]. Incremented when a field is removed or changes its meaning.
pub const REPORT_VERSION: u32 = 1;

/// A pack, with details of how it was made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Version of this format.
    pub version: u32,
    /// The finished text; `null` in a preview.
    pub content: Option<String>,
    /// Number of tokens in the text.
    pub total_tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// Tokenizer that counted the tokens.
    pub tokenizer: Tokenizer,
    /// Chunks in the pack, in rank order.
    pub included: Vec<IncludedItem>,
    /// Chunks and sources that were left out, with the reasons.
    pub excluded: Vec<ExcludedItem>,
    /// Secrets on included lines that were replaced by markers: their locations, never their
    /// values.
    pub redactions: Vec<RedactionItem>,
    /// Statistics of the stages.
    pub stats: ReportStats,
    /// Outcome of each provider, in the order in which their answers were merged.
    pub providers: Vec<ProviderItem>,
    /// Decisions about rules: which apply, which do not, which are undecided, and who decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleDecision>,
    /// Variables for templates: the document, the cursor, and totals of the pack.
    pub variables: BTreeMap<&'static str, serde_json::Value>,
    /// Whether the deadline cut something off.
    pub partial: bool,
    /// Identifier of the request in logs and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Duration of each stage, followed by the sum as `total`.
    pub timings: Vec<Timing>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// Name of the record of the pack, if one was saved. Not part of the JSON, because it differs
    /// from run to run.
    #[serde(skip)]
    pub record: Option<String>,
}

/// Outcome of a provider, and its share of the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderItem {
    /// Id of the provider.
    pub id: String,
    /// `ok`, `empty`, `timed_out`, `failed`, `off`, or `late` if the deadline passed first.
    pub outcome: ProviderOutcome,
    /// Reason for the outcome, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Number of sources that it returned.
    pub sources: usize,
    /// Number of its chunks in the pack.
    pub chunks: usize,
    /// Number of tokens in those chunks.
    pub tokens: usize,
    /// Duration of the call in milliseconds.
    pub ms: f64,
}

/// Tokenizer that counted the tokens of a pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokenizer {
    /// Name of the tokenizer.
    pub name: String,
    /// Whether it is the model's own tokenizer, as opposed to an estimate.
    pub exact: bool,
    /// Error bound of an estimate, and how it was determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A chunk in the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncludedItem {
    /// Path of the file.
    pub path: String,
    /// First line of the chunk.
    pub start_line: u32,
    /// Last line of the chunk.
    pub end_line: u32,
    /// Symbol path that the chunk belongs to.
    pub symbol: Option<String>,
    /// Kind of its source.
    pub kind: &'static str,
    /// Provider that gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Number of this part of a split item, as `1 of 2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Number of tokens in the lines shown.
    pub tokens: usize,
    /// Score by which the chunk was ranked.
    pub score: f64,
    /// Factors of the score.
    pub factors: FactorsItem,
    /// `full`, `outline` or `truncated`.
    pub form: &'static str,
    /// Line ranges that are actually in the text.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<(u32, u32)>"))]
    pub shown: Vec<Span>,
    /// Short explanations of why the search selected the chunk, such as the words that it shares
    /// with the task. Empty for chunks of other providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Duplicates that this chunk represents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<OriginItem>,
    /// Content of the lines shown.
    #[serde(skip)]
    pub text: String,
    /// Whether those lines can be read from a file.
    #[serde(skip)]
    pub is_file: bool,
    /// Content of the lines shown, for lines that cannot be read from a file. Set by
    /// [`Report::tell_texts`].
    #[serde(rename = "text", skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

/// A duplicate represented by a chunk: an identical source, or a chunk that was merged into it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OriginItem {
    /// Path of the file.
    pub path: String,
    /// First line of the duplicate.
    pub start_line: u32,
    /// Last line of the duplicate.
    pub end_line: u32,
    /// Kind of its source.
    pub kind: &'static str,
    /// Provider that gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A chunk, or a whole source, that is not in the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExcludedItem {
    /// Path of the file.
    pub path: String,
    /// First line of the chunk.
    pub start_line: Option<u32>,
    /// Last line of the chunk.
    pub end_line: Option<u32>,
    /// Symbol path that the chunk belongs to.
    pub symbol: Option<String>,
    /// Kind of its source.
    pub kind: &'static str,
    /// Provider that gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Number of tokens in the chunk.
    pub tokens: usize,
    /// Score by which the chunk was ranked.
    pub score: Option<f64>,
    /// Factors of the score.
    pub factors: Option<FactorsItem>,
    /// Reason for the exclusion, as a code.
    pub reason: &'static str,
    /// Reason for the exclusion, in words.
    pub detail: String,
    /// Duplicates that this chunk represents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<OriginItem>,
}

/// Statistics of the stages.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportStats {
    /// Number of files searched.
    pub files_searched: usize,
    /// Number of sources considered.
    pub sources: usize,
    /// Number of sources merged with an identical one.
    pub merged_sources: usize,
    /// Number of files that the sources belong to.
    pub files: usize,
    /// Number of chunks that the sources were split into.
    pub chunks: usize,
    /// Number of chunks in the pack.
    pub included: usize,
    /// Number of chunks and sources left out.
    pub excluded: usize,
    /// Number of chunks with the same content as another.
    pub duplicates: usize,
    /// Number of chunks that overlapped another.
    pub overlaps: usize,
    /// Number of chunks with nearly the same words as another.
    pub near_duplicates: usize,
    /// Number of secrets on included lines that were replaced, by rule.
    pub redactions: BTreeMap<&'static str, usize>,
    /// Share of the budget that is used.
    pub utilisation: f64,
    /// Format of the text, or `template`.
    pub format: &'static str,
    /// Files in the pack without duplicates, in the order of their best chunk.
    pub files_included: Vec<String>,
    /// Number of chunks that were left out or truncated because they did not fit.
    pub chunks_truncated: usize,
    /// Whether any chunk was left out or truncated because it did not fit.
    pub was_truncated: bool,
    /// Mean relevance of the chunks in the pack; 0 if there are none.
    pub average_relevance: f64,
    /// Share of token counts that were found in the cache.
    pub cache_hit_rate: f64,
}

/// Duration of a stage.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timing {
    /// Name of the stage.
    pub stage: &'static str,
    /// Duration in milliseconds.
    pub ms: f64,
}

/// Contents of a report other than the decision.
pub(crate) struct ReportInputs {
    pub content: Option<String>,
    pub budget: usize,
    pub format: &'static str,
    pub rejected: Vec<Excluded>,
    pub redactions: Redactions,
    pub files_searched: usize,
    pub timings: Vec<Timing>,
    pub warnings: Vec<String>,
    pub providers: Vec<ProviderItem>,
    pub rules: Vec<RuleDecision>,
    pub variables: BTreeMap<&'static str, serde_json::Value>,
    pub partial: bool,
    pub correlation_id: Option<String>,
}

impl ReportInputs {
    /// Creates the inputs of a report without chunks.
    pub fn empty(request: &Request, mode: PackMode, budget: usize, format: &'static str) -> Self {
        Self {
            content: (mode == PackMode::Pack).then(String::new),
            budget,
            format,
            rejected: Vec::new(),
            redactions: Redactions::default(),
            files_searched: 0,
            timings: Vec::new(),
            warnings: Vec::new(),
            providers: Vec::new(),
            rules: Vec::new(),
            variables: BTreeMap::new(),
            partial: false,
            correlation_id: request.correlation_id.clone(),
        }
    }
}

/// The outcome of calling a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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

impl Report {
    /// Returns the included lines of one provider, best first, or `None` if there are none.
    pub fn part_of(&self, provider: &str) -> Option<String> {
        let given = self.included.iter().filter(|item| item.provider.as_deref() == Some(provider));
        let parts: Vec<&str> = given.map(|item| item.text.as_str()).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// Whether the pack contains anything from a provider, including duplicates of other chunks.
    pub fn has_part_of(&self, provider: &str) -> bool {
        let is_by = |by: &Option<String>| by.as_deref() == Some(provider);
        let mut items = self.included.iter();
        items.any(|item| is_by(&item.provider) || item.also.iter().any(|it| is_by(&it.provider)))
    }

    /// Adds to the JSON the lines that cannot be read from a file: history, rules, diagnostics,
    /// tool results and unsaved buffers. Clients that show chunks individually need them.
    pub fn tell_texts(&mut self) {
        for item in self.included.iter_mut().filter(|item| !item.is_file) {
            item.told = Some(item.text.clone());
        }
    }

    /// Sets, for each included chunk, whether its lines can be read from a file.
    pub(crate) fn mark_files(&mut self, outside_files: &FxHashSet<(String, Kind)>) {
        for item in &mut self.included {
            let kind = item.kind.parse().unwrap_or(Kind::Other);
            item.is_file = !outside_files.contains(&(item.path.clone(), kind));
        }
    }

    /// Adds a stage that ran after the others.
    pub(crate) fn add_timing(&mut self, stage: &'static str, duration: std::time::Duration) {
        let ms = duration.as_secs_f64() * 1_000.0;
        let last = self.timings.len().saturating_sub(1);
        if let Some(total) = self.timings.get_mut(last) {
            total.ms += ms;
        }
        self.timings.insert(last, Timing { stage, ms });
    }

    pub(crate) fn new(decision: Decision, inputs: ReportInputs, counting: &CachedCounter) -> Self {
        let Decision { included, excluded, total_tokens, stats, replaced_chars: _ } = decision;
        let out_for_budget = excluded.iter().filter(|out| out.reason == Reason::Budget).count();
        let cut = included.iter().filter(|item| item.form == ChunkForm::Truncated).count();
        let chunks_truncated = out_for_budget + cut;
        let relevance: f64 = included.iter().map(|item| item.factors.relevance).sum();
        let included: Vec<IncludedItem> = included.into_iter().map(IncludedItem::from).collect();
        let excluded: Vec<ExcludedItem> =
            inputs.rejected.into_iter().chain(excluded).map(ExcludedItem::from).collect();
        let is_shown = |path: &str, line: u32| {
            let is_there = |span: &Span| span.start <= line && line <= span.end;
            included.iter().any(|item| item.path == path && item.shown.iter().any(is_there))
        };
        let redactions = inputs.redactions.shown(is_shown);
        let providers = with_parts(inputs.providers, &included);
        let variables = with_totals(inputs.variables, included.len(), total_tokens);
        let stats = ReportStats {
            files_searched: inputs.files_searched,
            sources: stats.sources,
            merged_sources: stats.merged_sources,
            files: stats.files,
            chunks: stats.chunks,
            included: included.len(),
            excluded: excluded.len(),
            duplicates: stats.duplicates,
            overlaps: stats.overlaps,
            near_duplicates: stats.near_duplicates,
            redactions: by_rule(&redactions),
            utilisation: share(total_tokens, inputs.budget),
            format: inputs.format,
            files_included: each_once(included.iter().map(|item| item.path.as_str())),
            chunks_truncated,
            was_truncated: chunks_truncated > 0,
            average_relevance: relevance / included.len().max(1) as f64,
            cache_hit_rate: CacheStats::hit_rate(&counting.stats()),
        };
        let counter = counting.counter();
        Self {
            version: REPORT_VERSION,
            content: inputs.content,
            total_tokens,
            budget: inputs.budget,
            tokenizer: Tokenizer {
                name: counter.name().to_owned(),
                exact: counter.is_exact(),
                error: counter.error_margin().map(str::to_owned),
            },
            included,
            excluded,
            redactions,
            stats,
            providers,
            rules: inputs.rules,
            variables,
            partial: inputs.partial,
            correlation_id: inputs.correlation_id,
            timings: inputs.timings,
            warnings: inputs.warnings,
            record: None,
        }
    }
}

/// Sets the number of included chunks and tokens of each provider.
fn with_parts(mut providers: Vec<ProviderItem>, included: &[IncludedItem]) -> Vec<ProviderItem> {
    for provider in &mut providers {
        let own = |item: &&IncludedItem| item.provider.as_ref() == Some(&provider.id);
        let own: Vec<&IncludedItem> = included.iter().filter(own).collect();
        provider.chunks = own.len();
        provider.tokens = own.iter().map(|item| item.tokens).sum();
    }
    providers
}

fn with_totals(
    mut variables: BTreeMap<&'static str, serde_json::Value>,
    chunks: usize,
    tokens: usize,
) -> BTreeMap<&'static str, serde_json::Value> {
    variables.insert("FragmentCount", chunks.into());
    variables.insert("TotalTokens", tokens.into());
    variables
}

fn each_once<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = FxHashSet::default();
    paths.filter(|path| seen.insert(*path)).map(str::to_owned).collect()
}

fn provider(from: Option<Arc<Provenance>>) -> Option<String> {
    from.map(|from| from.provider.clone())
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl From<MergedOrigin> for OriginItem {
    fn from(origin: MergedOrigin) -> Self {
        let MergedOrigin { path, span, kind, from } = origin;
        let (start_line, end_line) = (span.start, span.end);
        Self { path, start_line, end_line, kind: kind.name(), provider: provider(from) }
    }
}

impl From<Included> for IncludedItem {
    fn from(chunk: Included) -> Self {
        Self {
            path: chunk.path,
            start_line: chunk.span.start,
            end_line: chunk.span.end,
            symbol: chunk.symbol,
            kind: chunk.kind.name(),
            provider: provider(chunk.from),
            part: chunk.part.map(|part| format!("{} of {}", part.number, part.of)),
            tokens: chunk.tokens,
            score: chunk.score,
            factors: chunk.factors.into(),
            form: chunk.form.as_str(),
            shown: chunk.shown,
            text: chunk.text,
            why: Vec::new(),
            is_file: true,
            told: None,
            also: chunk.merged_from.into_iter().map(OriginItem::from).collect(),
        }
    }
}

impl From<Excluded> for ExcludedItem {
    fn from(chunk: Excluded) -> Self {
        Self {
            path: chunk.path,
            start_line: chunk.span.map(|span| span.start),
            end_line: chunk.span.map(|span| span.end),
            symbol: chunk.symbol,
            kind: chunk.kind.name(),
            provider: provider(chunk.from),
            tokens: chunk.tokens,
            score: chunk.score,
            factors: chunk.factors.map(FactorsItem::from),
            reason: chunk.reason.as_str(),
            detail: chunk.detail,
            also: chunk.merged_from.into_iter().map(OriginItem::from).collect(),
        }
    }
}
