//! The parts of a record, each made from what a report or a request has of it.

use super::hash;
use super::make::Circumstances;
use super::shape::{
    RecordedChunk, RecordedOut, RecordedProvider, RecordedRequest, RecordedRun, RecordedSettings,
    RecordedStats, RecordedText, RecordedTiming,
};
use crate::report::{IncludedItem, Report};
use kitbag_core::{Budget, Settings};
use kitbag_text::Kind;

pub fn chunk(item: &IncludedItem, is_file: bool) -> RecordedChunk {
    let also = item.also.iter();
    let also =
        also.map(|it| format!("{}:{}-{} ({})", it.path, it.start_line, it.end_line, it.kind));
    RecordedChunk {
        path: item.path.clone(),
        start_line: item.start_line,
        end_line: item.end_line,
        symbol: item.symbol.clone(),
        kind: item.kind.into(),
        provider: item.provider.clone(),
        part: item.part.clone(),
        tokens: item.tokens,
        score: item.score,
        factors: item.factors,
        form: item.form.into(),
        runs: runs(item),
        is_file,
        also: also.collect(),
    }
}

/// The runs of lines that are shown, each with the hash of its lines. The shown text has the lines of
/// all runs, one after the other.
fn runs(item: &IncludedItem) -> Vec<RecordedRun> {
    let mut lines = item.text.split_inclusive('\n');
    let run = |span: &kitbag_text::Span| {
        let own: String = lines.by_ref().take(span.lines() as usize).collect();
        RecordedRun { start_line: span.start, end_line: span.end, sha256: hash(own.as_bytes()) }
    };
    item.shown.iter().map(run).collect()
}

pub fn excluded(report: &Report) -> Vec<RecordedOut> {
    let out = |item: &crate::report::ExcludedItem| RecordedOut {
        path: item.path.clone(),
        start_line: item.start_line,
        end_line: item.end_line,
        symbol: item.symbol.clone(),
        kind: item.kind.into(),
        provider: item.provider.clone(),
        tokens: item.tokens,
        score: item.score,
        factors: item.factors,
        reason: item.reason.into(),
        detail: item.detail.clone(),
    };
    report.excluded.iter().map(out).collect()
}

pub fn request(around: &Circumstances<'_>) -> RecordedRequest {
    let request = around.request;
    let paths = |documents: &[crate::request::Document]| -> Vec<String> {
        documents.iter().map(|it| it.path.clone()).collect()
    };
    RecordedRequest {
        task_sha256: hash(request.task.trim().as_bytes()),
        task_characters: request.task.trim().chars().count(),
        profile: request.profile.clone().unwrap_or_else(|| "agent".to_owned()),
        model: request.model.clone(),
        gives_budget: request.budget.is_some(),
        now: around.now,
        references: request.references.clone(),
        document: request.document.as_ref().map(|it| it.path.clone()),
        cursor: request.cursor.map(|it| it.line),
        selection: request.selection.as_ref().map(|it| (it.start_line, it.end_line)),
        open_files: paths(&request.open_files),
        tool_results: request.tool_results.iter().map(|it| it.label.clone()).collect(),
        diagnostics: request.diagnostics.len(),
        given_sources: request.sources.len(),
        include: request.include.clone(),
        exclude: request.exclude.clone(),
        providers: request.providers.clone(),
        no_providers: request.no_providers.clone(),
        options: request.options.iter().map(|(key, _)| key.clone()).collect(),
        redact: around.redact,
        deadline_ms: request.deadline_ms,
        agent_id: request.agent_id.clone(),
        correlation_id: request.correlation_id.clone(),
        via: request.via.to_owned(),
    }
}

pub fn settings(around: &Circumstances<'_>, budget: usize) -> RecordedSettings {
    let (settings, given) = (around.settings, around.request.budget.is_some());
    let (response_reserve, system_reserve) = match around.settled.budget {
        Budget::Window { response_reserve, system_reserve, .. } if !given => {
            (response_reserve, system_reserve)
        }
        _ => (0, 0),
    };
    let priorities = Kind::ALL.iter().zip(settings.priorities);
    RecordedSettings {
        relevance_weight: settings.weights.relevance,
        recency_weight: settings.weights.recency,
        source_weight: settings.weights.source,
        min_score: settings.min_score,
        max_chunks: settings.formatting.max_chunks,
        window: (!given).then(|| budget + response_reserve + system_reserve),
        response_reserve,
        system_reserve,
        overlap_threshold: settings.deduplication.overlap_threshold,
        priorities: priorities.map(|(kind, own)| (kind.1.to_owned(), own)).collect(),
    }
}

pub fn text(report: &Report, settings: &Settings) -> RecordedText {
    let formatting = &settings.formatting;
    let hashed = |text: &Option<String>| text.as_ref().map(|text| hash(text.as_bytes()));
    let template = formatting.template.as_ref();
    RecordedText {
        sha256: hash(report.content.as_deref().unwrap_or_default().as_bytes()),
        format: report.stats.format.to_owned(),
        template: template.map(|it| it.name.clone()),
        group_by_file: formatting.group_by_file,
        line_numbers: formatting.line_numbers,
        scores: formatting.scores,
        detailed: formatting.detailed,
        sections: formatting.sections,
        header: hashed(&formatting.header),
        footer: hashed(&formatting.footer),
        separator: hashed(&formatting.separator),
        template_sha256: template.map(|it| hash(it.source.as_bytes())),
    }
}

pub fn providers(report: &Report) -> Vec<RecordedProvider> {
    let provider = |item: &crate::report::ProviderItem| RecordedProvider {
        id: item.id.clone(),
        outcome: item.outcome.into(),
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

pub fn owned(
    counts: &std::collections::BTreeMap<&'static str, usize>,
) -> std::collections::BTreeMap<String, usize> {
    counts.iter().map(|(rule, count)| ((*rule).to_owned(), *count)).collect()
}

pub fn timings(report: &Report) -> Vec<RecordedTiming> {
    let timing = |it: &crate::report::Timing| RecordedTiming { stage: it.stage.into(), ms: it.ms };
    report.timings.iter().map(timing).collect()
}

/// Why nothing is in, as the caller was told.
pub fn why_empty(report: &Report) -> Option<String> {
    let told = report.warnings.iter();
    let why = told.filter_map(|it| it.strip_prefix("the pack is empty: ")).next();
    why.map(str::to_owned).filter(|_| report.included.is_empty())
}
