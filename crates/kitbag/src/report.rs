//! The report of a pack, shared by `--json`, MCP and HTTP.

use crate::fleet::ChosenRepository;
use crate::redaction::{RedactionItem, Redactions, by_rule};
use kitbag_core::{ChunkForm, Decision, Excluded, Included, MergedOrigin, PackBody, Reason};
use kitbag_record::{FactorsItem, ProviderOutcome, Timing, hash};
use kitbag_rules::RuleDecision;
use kitbag_text::{Kind, Provenance, Span};
use kitbag_tokens::{CacheStats, CachedCounter};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Version of [`Report`]. Incremented when a field is removed or changes its meaning.
pub const REPORT_VERSION: u32 = 1;

/// A pack, with details of how it was made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
    /// Folder that the user works in, relative to the repository, if it is only a part of it. The whole
    /// repository was searched, and the files of this folder were preferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_folder: Option<String>,
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
    /// Whether a deadline, or a limit of a parser, cut something off.
    pub partial: bool,
    /// Identifier of the request in logs and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Id of the commit that files were read from; absent if they were read from the work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Repositories that were chosen for the task from all of them, the most promising first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<ChosenRepository>,
    /// Duration of each stage, followed by the sum as `total`.
    pub timings: Vec<Timing>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// Name of the record of the pack, if one was saved. Not part of the JSON, because it differs
    /// from run to run.
    #[serde(skip)]
    pub record: Option<String>,
    /// Reason why the pack is empty, if it is; also one of the warnings.
    #[serde(skip)]
    pub why_empty: Option<String>,
    /// The text without its head, if the pack was to have one. A record can reproduce only that.
    #[serde(skip)]
    pub(crate) body: Option<BodyFacts>,
}

/// Facts about the text of a pack without its head.
#[derive(Debug, Clone)]
pub(crate) struct BodyFacts {
    /// SHA-256 of the text; `None` if it is the text of the pack, because no head fits.
    pub sha256: Option<String>,
    /// Number of tokens.
    pub tokens: usize,
    /// Number of tokens of the budget that were left for the head.
    pub reserve: usize,
}

impl BodyFacts {
    pub fn new(body: &PackBody) -> Self {
        let sha256 = body.text.as_ref().map(|text| hash(text.as_bytes()));
        Self { sha256, tokens: body.tokens, reserve: body.reserve }
    }
}

/// Outcome of a provider, and its share of the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: Kind,
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
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub form: ChunkForm,
    /// Line ranges that are actually in the text.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<(u32, u32)>"))]
    pub shown: Vec<Span>,
    /// Whether the caller named or supplied it, so that it was included before anything else.
    #[serde(skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// Short explanations of why the search selected the chunk, such as the words that it shares
    /// with the task. Empty for chunks of other providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Lines that match the task best, in the order of the file. Only in previews, which have no text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<MatchedLine>,
    /// Duplicates that this chunk represents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<OriginItem>,
    /// Content of the lines shown.
    #[serde(skip)]
    pub text: String,
    /// Whether those lines can be read from a file.
    #[serde(skip)]
    pub is_file: bool,
    /// Content of the lines shown, if they cannot be read from a file.
    #[serde(rename = "text", skip_serializing_if = "Option::is_none")]
    pub added_text: Option<String>,
}

/// A line of a result that matches the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MatchedLine {
    /// Number of the line.
    pub line: u32,
    /// Text of the line, without indentation.
    pub text: String,
}

/// A duplicate represented by a chunk: an identical source, or a chunk that was merged into it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OriginItem {
    /// Path of the file.
    pub path: String,
    /// First line of the duplicate.
    pub start_line: u32,
    /// Last line of the duplicate.
    pub end_line: u32,
    /// Kind of its source.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: Kind,
    /// Provider that gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A chunk, or a whole source, that is not in the pack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: Kind,
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
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub reason: Reason,
    /// Reason for the exclusion, in words.
    pub detail: String,
    /// Whether the caller named or supplied it, so that it was tried before anything else.
    #[serde(skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// Duplicates that this chunk represents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<OriginItem>,
}

/// Statistics of the stages.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
    pub utilization: f64,
    /// Format of the text, or `template`.
    pub format: &'static str,
    /// Files in the pack without duplicates, in the order of their best chunk.
    pub files_included: Vec<String>,
    /// Number of chunks that were left out or truncated because they did not fit.
    pub chunks_over_budget: usize,
    /// Whether any chunk was left out or truncated because it did not fit.
    pub was_truncated: bool,
    /// Mean relevance of the chunks in the pack; 0 if there are none.
    pub average_relevance: f64,
    /// Share of token counts that were found in the cache.
    pub cache_hit_rate: f64,
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
        items.any(|item| {
            is_by(&item.provider) || item.duplicates.iter().any(|it| is_by(&it.provider))
        })
    }

    /// Adds to the JSON the lines that cannot be read from a file: history, rules, diagnostics,
    /// tool results and unsaved buffers. Clients that show chunks individually need them.
    pub fn add_texts(&mut self) {
        for item in self.included.iter_mut().filter(|item| !item.is_file) {
            item.added_text = Some(item.text.clone());
        }
    }

    /// Adds a stage that ran after the others.
    pub(crate) fn add_timing(&mut self, stage: &'static str, duration: Duration) {
        let ms = duration.as_secs_f64() * 1_000.0;
        let last = self.timings.len().saturating_sub(1);
        if let Some(total) = self.timings.get_mut(last) {
            total.ms += ms;
        }
        self.timings.insert(last, Timing { stage: stage.into(), ms });
    }

    /// Returns the timings of the stages, without the total, which is the last timing.
    pub(crate) fn stages(&self) -> &[Timing] {
        match self.timings.split_last() {
            Some((_total, stages)) => stages,
            None => &[],
        }
    }

    /// Lists the included files that rules are for, although they do not apply.
    pub(crate) fn set_rule_files(&mut self) {
        let mut seen = BTreeSet::new();
        let paths = self.included.iter().filter(|item| item.is_file).map(|item| item.path.as_str());
        let paths: Vec<&str> = paths.filter(|&path| seen.insert(path)).collect();
        for rule in &mut self.rules {
            rule.set_pack_files(paths.iter().copied());
        }
    }

    /// Sets the providers, with the number of included chunks and tokens of each.
    pub(crate) fn set_providers(&mut self, mut providers: Vec<ProviderItem>) {
        for provider in &mut providers {
            let own = |item: &&IncludedItem| item.provider.as_ref() == Some(&provider.id);
            let own: Vec<&IncludedItem> = self.included.iter().filter(own).collect();
            provider.chunks = own.len();
            provider.tokens = own.iter().map(|item| item.tokens).sum();
        }
        self.providers = providers;
    }

    /// Sets the variables, and adds the totals.
    pub(crate) fn set_variables(&mut self, variables: BTreeMap<&'static str, serde_json::Value>) {
        self.variables = variables;
        self.variables.insert("FragmentCount", self.included.len().into());
        self.variables.insert("TotalTokens", self.total_tokens.into());
    }

    /// Creates the report of a decision. The caller sets what does not depend on it.
    pub(crate) fn new(
        decision: Decision,
        rejected: Vec<Excluded>,
        redactions: Redactions,
        budget: usize,
        counting: &CachedCounter,
    ) -> Self {
        let total_tokens = decision.total_tokens;
        let mut stats = ReportStats::new(&decision, budget, counting);
        let included: Vec<IncludedItem> = decision.included.into_iter().map(Into::into).collect();
        let excluded = rejected.into_iter().chain(decision.excluded);
        let excluded: Vec<ExcludedItem> = excluded.map(Into::into).collect();
        let redactions = redactions.shown(|path, line| {
            let mut own = included.iter().filter(|item| item.path == path);
            own.any(|item| item.shown.iter().any(|span| span.contains_line(line)))
        });
        (stats.excluded, stats.redactions) = (excluded.len(), by_rule(&redactions));
        let counter = counting.counter();
        Self {
            version: REPORT_VERSION,
            content: None,
            total_tokens,
            budget,
            tokenizer: Tokenizer {
                name: counter.name().to_owned(),
                exact: counter.is_exact(),
                error: counter.error_margin().map(str::to_owned),
            },
            preferred_folder: None,
            included,
            excluded,
            redactions,
            stats,
            providers: Vec::new(),
            rules: Vec::new(),
            variables: BTreeMap::new(),
            partial: false,
            correlation_id: None,
            commit: None,
            repositories: Vec::new(),
            timings: Vec::new(),
            warnings: Vec::new(),
            record: None,
            body: None,
            why_empty: None,
        }
    }
}

impl ReportStats {
    fn new(decision: &Decision, budget: usize, counting: &CachedCounter) -> Self {
        let Decision { included, excluded, total_tokens, stats, replaced_chars: _ } = decision;
        let over_budget = excluded.iter().filter(|out| out.reason == Reason::Budget).count();
        let cut = included.iter().filter(|item| item.form == ChunkForm::Truncated).count();
        let chunks_over_budget = over_budget + cut;
        // The sum of no numbers would be -0.
        let relevance = included.iter().fold(0.0, |sum, item| sum + item.factors.relevance);
        let mut seen = FxHashSet::default();
        let files = included.iter().map(|item| &item.path).filter(|path| seen.insert(*path));
        Self {
            sources: stats.sources,
            merged_sources: stats.merged_sources,
            files: stats.files,
            chunks: stats.chunks,
            included: included.len(),
            duplicates: stats.duplicates,
            overlaps: stats.overlaps,
            near_duplicates: stats.near_duplicates,
            utilization: if budget == 0 { 0.0 } else { *total_tokens as f64 / budget as f64 },
            files_included: files.cloned().collect(),
            chunks_over_budget,
            was_truncated: chunks_over_budget > 0,
            average_relevance: relevance / included.len().max(1) as f64,
            cache_hit_rate: CacheStats::hit_rate(&counting.stats()),
            ..Self::default()
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn provider(from: Option<Arc<Provenance>>) -> Option<String> {
    from.map(|from| from.provider.clone())
}

impl From<MergedOrigin> for OriginItem {
    fn from(origin: MergedOrigin) -> Self {
        let MergedOrigin { path, span, kind, from } = origin;
        let (start_line, end_line) = (span.start, span.end);
        Self { path, start_line, end_line, kind, provider: provider(from) }
    }
}

impl From<Included> for IncludedItem {
    fn from(chunk: Included) -> Self {
        Self {
            path: chunk.path,
            start_line: chunk.span.start,
            end_line: chunk.span.end,
            symbol: chunk.symbol,
            kind: chunk.kind,
            provider: provider(chunk.from),
            part: chunk.part.map(|part| format!("{} of {}", part.number, part.of)),
            tokens: chunk.tokens,
            score: chunk.score,
            factors: chunk.factors.into(),
            form: chunk.form,
            shown: chunk.shown,
            pinned: chunk.is_pinned,
            text: chunk.text,
            why: Vec::new(),
            lines: Vec::new(),
            is_file: true,
            added_text: None,
            duplicates: chunk.merged_from.into_iter().map(OriginItem::from).collect(),
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
            kind: chunk.kind,
            provider: provider(chunk.from),
            tokens: chunk.tokens,
            score: chunk.score,
            factors: chunk.factors.map(FactorsItem::from),
            reason: chunk.reason,
            detail: chunk.detail,
            pinned: chunk.is_pinned,
            duplicates: chunk.merged_from.into_iter().map(OriginItem::from).collect(),
        }
    }
}
