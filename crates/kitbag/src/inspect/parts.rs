//! Converts the parts of a request and its report to their recorded form.

use crate::redaction::without_secrets;
use crate::report::{ExcludedItem, IncludedItem, ProviderItem, Report};
use crate::request::Request;
use kitbag_config::RequestConfig;
use kitbag_core::{Budget, Format, Settings};
use kitbag_record::{
    RecordedChunk, RecordedExclusion, RecordedProvider, RecordedRequest, RecordedRun,
    RecordedSettings, RecordedStats, RecordedText, hash,
};
use kitbag_repo::Root;
use kitbag_text::{Kind, Language, Span};
use kitbag_tokens::CachedCounter;
use std::collections::BTreeMap;

/// Data formats whose symbols are keys or titles, and therefore content.
const DATA_LANGUAGES: [&str; 4] = ["json", "yaml", "toml", "html"];

/// Settings whose values are free text. Records store their hashes instead.
const TEXTS: [&str; 3] =
    ["context.formatting.header", "context.formatting.footer", "context.formatting.separator"];

/// Inputs of a record other than the draft and the report.
pub(crate) struct RecordInputs<'a> {
    pub request: &'a Request,
    pub config: &'a RequestConfig,
    pub settings: &'a Settings,
    pub root: &'a Root,
    pub counting: &'a CachedCounter,
    pub now: Option<i64>,
    pub redact: bool,
    /// Returns whether the deadline has passed. After that, no more sources are hashed.
    pub is_over: &'a dyn Fn() -> bool,
}

/// Returns whether the symbols of a file are names in code. Headings and keys are content, which
/// records must not contain.
fn is_code(path: &str) -> bool {
    Language::for_path(path, None).is_none_or(|it| {
        it.has_grammar() && !DATA_LANGUAGES.contains(&it.name()) || !it.has_structure()
    })
}

pub fn chunk(item: &IncludedItem) -> RecordedChunk {
    let duplicates = item.duplicates.iter();
    let duplicates =
        duplicates.map(|it| format!("{}:{}-{} ({})", it.path, it.start_line, it.end_line, it.kind));
    RecordedChunk {
        path: item.path.clone(),
        start_line: item.start_line,
        end_line: item.end_line,
        symbol: item.symbol.clone().filter(|_| item.is_file && is_code(&item.path)),
        kind: item.kind,
        provider: item.provider.clone(),
        part: item.part.clone(),
        tokens: item.tokens,
        score: item.score,
        factors: item.factors,
        form: item.form,
        runs: runs(item),
        is_file: item.is_file,
        duplicates: duplicates.collect(),
        pinned: item.pinned,
    }
}

/// Returns the shown runs of lines with their hashes. The text of `item` is the concatenation of
/// all runs.
fn runs(item: &IncludedItem) -> Vec<RecordedRun> {
    let mut lines = item.text.split_inclusive('\n');
    let run = |span: &Span| {
        let own: String = lines.by_ref().take(span.lines() as usize).collect();
        RecordedRun { start_line: span.start, end_line: span.end, sha256: hash(own.as_bytes()) }
    };
    item.shown.iter().map(run).collect()
}

pub fn excluded(report: &Report, is_file: impl Fn(&str, Kind) -> bool) -> Vec<RecordedExclusion> {
    let is_named = |it: &ExcludedItem| is_file(&it.path, it.kind) && is_code(&it.path);
    let out = |item: &ExcludedItem| RecordedExclusion {
        path: item.path.clone(),
        start_line: item.start_line,
        end_line: item.end_line,
        symbol: item.symbol.clone().filter(|_| is_named(item)),
        kind: item.kind,
        provider: item.provider.clone(),
        tokens: item.tokens,
        score: item.score,
        factors: item.factors,
        reason: item.reason,
        detail: item.detail.clone(),
        pinned: item.pinned,
    };
    report.excluded.iter().map(out).collect()
}

/// Returns a task as records keep it: without secrets.
fn kept_task(task: &str) -> String {
    without_secrets(task).into_owned()
}

pub fn request(inputs: &RecordInputs<'_>) -> RecordedRequest {
    let request = inputs.request;
    let labels = request.tool_results.iter().map(|it| match inputs.redact {
        true => without_secrets(&it.label).into_owned(),
        false => it.label.clone(),
    });
    RecordedRequest {
        task_sha256: hash(request.task.trim().as_bytes()),
        task_characters: request.task.trim().chars().count(),
        task: inputs.config.settings.keeps_tasks.then(|| kept_task(request.task.trim())),
        profile: request.profile.clone().unwrap_or_else(|| "agent".to_owned()),
        model: request.model.clone(),
        has_budget: request.budget.is_some(),
        now: inputs.now,
        commit: inputs.root.commit().map(|commit| commit.to_string()),
        references: request.references.clone(),
        folder: request.folder.clone(),
        diff: request.diff.clone(),
        document: request.document.as_ref().map(|it| it.path.clone()),
        cursor: request.cursor.map(|it| it.line),
        selection: request.selection.as_ref().map(|it| (it.start_line, it.end_line)),
        open_files: request.open_files.iter().map(|it| it.path.clone()).collect(),
        tool_results: labels.collect(),
        diagnostics: request.diagnostics.len(),
        source_count: request.sources.len(),
        include: request.include.clone(),
        exclude: request.exclude.clone(),
        providers: request.providers.clone(),
        no_providers: request.no_providers.clone(),
        options: request.all_options().into_iter().map(|(key, _)| key).collect(),
        deny: request.deny.clone(),
        context: request.context.clone(),
        intent_sha256: hashed(&request.intent),
        situation_sha256: hashed(&request.situation),
        redact: inputs.redact,
        deadline_ms: request.deadline_ms,
        agent_id: request.agent_id.clone(),
        correlation_id: request.correlation_id.clone(),
        via: request.via.to_owned(),
        tool: request.tool.to_owned(),
    }
}

pub fn settings(inputs: &RecordInputs<'_>, budget: usize) -> RecordedSettings {
    let (settings, given) = (inputs.settings, inputs.request.budget.is_some());
    let (response_reserve, system_reserve) = match inputs.config.settings.budget {
        Budget::Window { response_reserve, system_reserve, .. } if !given => {
            (response_reserve, system_reserve)
        }
        _ => (0, 0),
    };
    let priorities = Kind::ALL.iter().zip(settings.priorities);
    let changed = inputs.config.changed.iter();
    RecordedSettings {
        relevance_weight: settings.weights.relevance,
        recency_weight: settings.weights.recency,
        source_weight: settings.weights.source,
        min_score: settings.min_score,
        stop_below: settings.selection.stop_below,
        max_chunks: settings.formatting.max_chunks,
        window: (!given).then(|| budget + response_reserve + system_reserve),
        response_reserve,
        system_reserve,
        overlap_threshold: settings.deduplication.overlap_threshold,
        priorities: priorities.map(|(kind, own)| (kind.name().to_owned(), own)).collect(),
        changed: changed.map(|(key, value)| (key.clone(), flag_value(key, value))).collect(),
        supplied_settings_sha256: inputs
            .request
            .settings
            .as_ref()
            .map(|it| hash(format!("{it:?}").as_bytes())),
    }
}

/// Formats a setting as an argument of `--set`, or as a hash if it is free text.
fn flag_value(key: &str, value: &serde_json::Value) -> String {
    let text = kitbag_config::to_flag_value(value);
    if TEXTS.contains(&key) { format!("sha256:{}", hash(text.as_bytes())) } else { text }
}

fn hashed(text: &Option<String>) -> Option<String> {
    text.as_ref().map(|text| hash(text.as_bytes()))
}

pub fn text(report: &Report, settings: &Settings) -> RecordedText {
    let formatting = &settings.formatting;
    let template = formatting.template.as_ref();
    let content = report.content.as_deref().unwrap_or_default();
    let is_plain = template.is_none() && formatting.format == Format::Plain;
    let body = report.body.as_ref();
    let sha256 = body.and_then(|body| body.sha256.clone());
    RecordedText {
        sha256: sha256.unwrap_or_else(|| hash(content.as_bytes())),
        body_tokens: body.map_or(report.total_tokens, |body| body.tokens),
        head_reserve: body.map(|body| body.reserve),
        format: report.stats.format.to_owned(),
        template: template.map(|it| it.name.clone()),
        group_by_file: formatting.group_by_file,
        line_numbers: formatting.line_numbers,
        scores: formatting.scores,
        detailed: formatting.detailed,
        number_lines: formatting.number_lines,
        sections: formatting.sections,
        header: hashed(&formatting.header),
        footer: hashed(&formatting.footer),
        separator: hashed(&formatting.separator),
        template_sha256: template.map(|it| hash(it.source.as_bytes())),
        boundary: if is_plain { boundary(content) } else { None },
    }
}

/// Returns the length of the boundary lines, which are the longest lines of hyphens in the text.
fn boundary(content: &str) -> Option<usize> {
    let lines = content.lines().filter(|line| line.bytes().all(|byte| byte == b'-'));
    lines.map(str::len).max().filter(|length| *length > 0)
}

pub fn providers(report: &Report) -> Vec<RecordedProvider> {
    let provider = |item: &ProviderItem| RecordedProvider {
        id: item.id.clone(),
        outcome: item.outcome,
        sources: item.sources,
        chunks: item.chunks,
        tokens: item.tokens,
        ms: item.ms,
    };
    report.providers.iter().map(provider).collect()
}

pub fn stats(report: &Report) -> RecordedStats {
    let stats = &report.stats;
    RecordedStats {
        files_searched: stats.files_searched,
        sources: stats.sources,
        merged_sources: stats.merged_sources,
        chunks: stats.chunks,
        duplicates: stats.duplicates,
        overlaps: stats.overlaps,
        near_duplicates: stats.near_duplicates,
        cache_hit_rate: stats.cache_hit_rate,
        warnings: report.warnings.len(),
    }
}

pub fn owned(counts: &BTreeMap<&'static str, usize>) -> BTreeMap<String, usize> {
    counts.iter().map(|(rule, count)| ((*rule).to_owned(), *count)).collect()
}
