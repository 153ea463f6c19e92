//! What a pack says of itself: the one report of `--json`, MCP and HTTP.

use crate::redaction::{RedactionItem, Redactions, by_rule};
use crate::rules::RuleDecision;
use kitbag_core::{Decision, Excluded, Factors, Form, Included, Origin, Reason};
use kitbag_text::{Kind, Provenance, Span};
use kitbag_tokens::{CacheStats, Counting};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Changes when a field changes its meaning or goes.
pub const REPORT_VERSION: u32 = 1;

/// A pack and all that there is to say about it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The version of this shape.
    pub version: u32,
    /// The finished text; `null` in a preview.
    pub content: Option<String>,
    /// Its tokens.
    pub total_tokens: usize,
    /// The tokens that it may have.
    pub budget: usize,
    /// The counter.
    pub tokenizer: Tokenizer,
    /// What is in, in rank order.
    pub included: Vec<IncludedItem>,
    /// What is out, and why.
    pub excluded: Vec<ExcludedItem>,
    /// The secrets that were replaced by markers on lines that are in: where, never what.
    pub redactions: Vec<RedactionItem>,
    /// What the stages counted.
    pub stats: ReportStats,
    /// What became of each provider, in the order in which their answers were merged.
    pub providers: Vec<ProviderItem>,
    /// Which rules apply, which do not and which nobody could decide, and who decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleDecision>,
    /// What templates can use: the document, the cursor, and what the pack came to.
    pub variables: BTreeMap<&'static str, serde_json::Value>,
    /// Whether the deadline cut something off.
    pub partial: bool,
    /// What the request is called in logs and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// How long the stages took, and at the end how long they took together, as `total`.
    pub timings: Vec<Timing>,
    /// What the caller should know.
    pub warnings: Vec<String>,
    /// What the record of the pack is called, where one was kept. It differs from run to run, so it
    /// is not part of the report's JSON.
    #[serde(skip)]
    pub record: Option<String>,
}

/// What became of a provider.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderItem {
    /// Its id.
    pub id: String,
    /// `ok`, `empty`, `timed_out`, `failed`, `off`, or `late` where the deadline came first.
    pub outcome: &'static str,
    /// Why, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The sources that it gave.
    pub sources: usize,
    /// The chunks that are in.
    pub chunks: usize,
    /// Their tokens.
    pub tokens: usize,
    /// How many milliseconds it took.
    pub ms: f64,
}

/// Which counter counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokenizer {
    /// Its name.
    pub name: String,
    /// Whether it is the model's own, and not an estimate.
    pub exact: bool,
    /// How far an estimate may be off, and how that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A chunk that is in the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncludedItem {
    /// The file.
    pub path: String,
    /// The chunk's first line.
    pub start_line: u32,
    /// The chunk's last line.
    pub end_line: u32,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: &'static str,
    /// Who gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which part of a split item it is, as `1 of 2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The tokens of its shown lines.
    pub tokens: usize,
    /// Its score.
    pub score: f64,
    /// What the score is made of.
    pub factors: FactorsItem,
    /// `full`, `outline` or `truncated`.
    pub form: &'static str,
    /// The line ranges that really stand in the text.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<(u32, u32)>"))]
    pub shown: Vec<Span>,
    /// Why the search took it, in a few plain words: what it has of the task, and what else speaks
    /// for it. Empty for what others gave.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// What else it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<OriginItem>,
    /// The lines that are shown.
    #[serde(skip)]
    pub text: String,
    /// Whether those lines are a file's own, and can be read there.
    #[serde(skip)]
    pub is_file: bool,
    /// The lines that are shown, where they are no file's and are asked for
    /// ([`Report::tell_texts`]): nobody can read them elsewhere.
    #[serde(rename = "text", skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

/// Something else that a chunk stands for: a source that was the same as its own, or a chunk that
/// was merged into it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OriginItem {
    /// The file.
    pub path: String,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The kind of source it is from.
    pub kind: &'static str,
    /// Who gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A chunk, or a whole source, that is not in the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExcludedItem {
    /// The file.
    pub path: String,
    /// The chunk's first line.
    pub start_line: Option<u32>,
    /// The chunk's last line.
    pub end_line: Option<u32>,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: &'static str,
    /// Who gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The chunk's tokens.
    pub tokens: usize,
    /// Its score.
    pub score: Option<f64>,
    /// What the score is made of.
    pub factors: Option<FactorsItem>,
    /// Why it is out, as a code.
    pub reason: &'static str,
    /// Why it is out, in words.
    pub detail: String,
    /// What else it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<OriginItem>,
}

/// What a score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FactorsItem {
    /// How well the chunk answers the task.
    pub relevance: f64,
    /// How lately it changed.
    pub recency: f64,
    /// The priority of its source's kind.
    pub source: f64,
}

/// What the stages counted.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportStats {
    /// Files that were searched.
    pub files_searched: usize,
    /// Sources that came to the decision.
    pub sources: usize,
    /// Sources that were the same as another, and merged with it.
    pub merged_sources: usize,
    /// Files that they belong to.
    pub files: usize,
    /// Chunks that they were cut into.
    pub chunks: usize,
    /// Chunks that are in.
    pub included: usize,
    /// Chunks and sources that are out.
    pub excluded: usize,
    /// Chunks that repeated the content of another.
    pub duplicates: usize,
    /// Chunks that overlapped another.
    pub overlaps: usize,
    /// Chunks that had nearly the same words as another.
    pub near_duplicates: usize,
    /// How many secrets each rule replaced on lines that are in.
    pub redactions: BTreeMap<&'static str, usize>,
    /// The share of the budget that is used.
    pub utilisation: f64,
    /// The format, or `template`.
    pub format: &'static str,
    /// The files that are in, each once, in the order of their best chunk.
    pub files_included: Vec<String>,
    /// Chunks that did not fit as they are: those that are out for it, and those that were cut.
    pub chunks_truncated: usize,
    /// Whether there is such a chunk.
    pub was_truncated: bool,
    /// The mean relevance of the chunks that are in; 0 where there are none.
    pub average_relevance: f64,
    /// The share of token counts that were remembered.
    pub cache_hit_rate: f64,
}

/// How long a stage took.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timing {
    /// The stage.
    pub stage: &'static str,
    /// Its milliseconds.
    pub ms: f64,
}

/// What a report is made of, beside the decision.
pub(crate) struct Circumstances {
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

impl Report {
    /// The lines that one provider gave and that are in, best first; `None` where there are none.
    pub fn part_of(&self, provider: &str) -> Option<String> {
        let given = self.included.iter().filter(|item| item.provider.as_deref() == Some(provider));
        let parts: Vec<&str> = given.map(|item| item.text.as_str()).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// Whether anything that a provider gave is in, also where another one gave the same.
    pub fn has_part_of(&self, provider: &str) -> bool {
        let is_by = |by: &Option<String>| by.as_deref() == Some(provider);
        let mut items = self.included.iter();
        items.any(|item| is_by(&item.provider) || item.also.iter().any(|it| is_by(&it.provider)))
    }

    /// Lets the JSON have the lines of what is no file: history, rules, diagnostics, results of tools,
    /// buffers that are not saved. Whoever shows chunks one by one needs them.
    pub fn tell_texts(&mut self) {
        for item in self.included.iter_mut().filter(|item| !item.is_file) {
            item.told = Some(item.text.clone());
        }
    }

    /// Says of what is in whether it is a file's own lines.
    pub(crate) fn tell_files(&mut self, elsewhere: &FxHashSet<(String, Kind)>) {
        for item in &mut self.included {
            let kind = item.kind.parse().unwrap_or(Kind::Other);
            item.is_file = !elsewhere.contains(&(item.path.clone(), kind));
        }
    }

    /// Adds a stage that came after the others.
    pub(crate) fn time(&mut self, stage: &'static str, took: std::time::Duration) {
        let ms = took.as_secs_f64() * 1_000.0;
        let last = self.timings.len().saturating_sub(1);
        if let Some(total) = self.timings.get_mut(last) {
            total.ms += ms;
        }
        self.timings.insert(last, Timing { stage, ms });
    }

    pub(crate) fn new(decision: Decision, around: Circumstances, counting: &Counting) -> Self {
        let Decision { included, excluded, total_tokens, stats, replaced: _ } = decision;
        let out_for_budget = excluded.iter().filter(|out| out.reason == Reason::Budget).count();
        let cut = included.iter().filter(|item| item.form == Form::Truncated).count();
        let chunks_truncated = out_for_budget + cut;
        let relevance: f64 = included.iter().map(|item| item.factors.relevance).sum();
        let included: Vec<IncludedItem> = included.into_iter().map(IncludedItem::from).collect();
        let excluded: Vec<ExcludedItem> =
            around.rejected.into_iter().chain(excluded).map(ExcludedItem::from).collect();
        let is_shown = |path: &str, line: u32| {
            let is_there = |span: &Span| span.start <= line && line <= span.end;
            included.iter().any(|item| item.path == path && item.shown.iter().any(is_there))
        };
        let redactions = around.redactions.shown(is_shown);
        let providers = with_parts(around.providers, &included);
        let variables = with_totals(around.variables, included.len(), total_tokens);
        let stats = ReportStats {
            files_searched: around.files_searched,
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
            utilisation: share(total_tokens, around.budget),
            format: around.format,
            files_included: each_once(included.iter().map(|item| item.path.as_str())),
            chunks_truncated,
            was_truncated: chunks_truncated > 0,
            average_relevance: relevance / included.len().max(1) as f64,
            cache_hit_rate: CacheStats::hit_rate(&counting.stats()),
        };
        let counter = counting.counter();
        Self {
            version: REPORT_VERSION,
            content: around.content,
            total_tokens,
            budget: around.budget,
            tokenizer: Tokenizer {
                name: counter.name().to_owned(),
                exact: counter.is_exact(),
                error: counter.error().map(str::to_owned),
            },
            included,
            excluded,
            redactions,
            stats,
            providers,
            rules: around.rules,
            variables,
            partial: around.partial,
            correlation_id: around.correlation_id,
            timings: around.timings,
            warnings: around.warnings,
            record: None,
        }
    }
}

/// What is in of what each provider gave.
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

impl From<Factors> for FactorsItem {
    fn from(factors: Factors) -> Self {
        let Factors { relevance, recency, source } = factors;
        Self { relevance, recency, source }
    }
}

impl From<Origin> for OriginItem {
    fn from(origin: Origin) -> Self {
        let Origin { path, span, kind, from } = origin;
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
            form: chunk.form.name(),
            shown: chunk.shown,
            text: chunk.text,
            why: Vec::new(),
            is_file: true,
            told: None,
            also: chunk.also.into_iter().map(OriginItem::from).collect(),
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
            reason: chunk.reason.code(),
            detail: chunk.detail,
            also: chunk.also.into_iter().map(OriginItem::from).collect(),
        }
    }
}
