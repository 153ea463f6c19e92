//! The sections of `kitbag show`.

use crate::ui;
use kitbag::{ProviderOutcome, Reason, Record, RecordedExclusion};
use std::collections::BTreeMap;

/// Tokens of the window, the reserves and the files.
pub fn tokens(record: &Record) -> String {
    let settings = &record.settings;
    let whole = settings.window.unwrap_or(record.budget);
    let row = |name: &str, tokens: usize| {
        vec![name.to_owned(), ui::thousands(tokens), format!("{:.1} %", percent(tokens, whole))]
    };
    let mut rows = Vec::new();
    if settings.window.is_some() {
        rows.push(row("window", whole));
        rows.push(row("reserved for the system prompt", settings.system_reserve));
        rows.push(row("reserved for the answer", settings.response_reserve));
    }
    let lines: usize = record.included.iter().map(|item| item.tokens).sum();
    rows.extend([
        row("pack budget", record.budget),
        row("pack", record.total_tokens),
        row("  lines of files", lines),
        row("  headers and fences", record.total_tokens.saturating_sub(lines)),
        row("unused", record.budget.saturating_sub(record.total_tokens)),
    ]);
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for item in &record.included {
        *files.entry(&item.path).or_default() += item.tokens;
    }
    let mut files: Vec<(&str, usize)> = files.into_iter().collect();
    files.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    let mut text = ui::heading("Token allocation") + &ui::table(rows);
    if !files.is_empty() {
        let row = |(path, tokens): (&str, usize)| vec![ui::thousands(tokens), path.to_owned()];
        text.push_str(&format!("\n{}", ui::heading("Tokens by file")));
        text.push_str(&ui::table(files.into_iter().map(row)));
    }
    text
}

/// A chunk with its score and factors, in the pack or not.
struct ScoredChunk<'a> {
    score: f64,
    factors: kitbag::FactorsItem,
    place: String,
    symbol: Option<&'a str>,
    outcome: String,
}

/// All scored chunks, best first.
pub fn ranking(record: &Record) -> String {
    let included = record.included.iter().map(|it| ScoredChunk {
        score: it.score,
        factors: it.factors,
        place: ui::place(&it.path, it.start_line, it.end_line),
        symbol: it.symbol.as_deref(),
        outcome: it.form.as_str().to_owned(),
    });
    let excluded = record.excluded.iter().filter_map(|it| {
        let (score, factors, symbol) = (it.score?, it.factors?, it.symbol.as_deref());
        let outcome = format!("out: {}", it.reason.as_str());
        Some(ScoredChunk { score, factors, place: place(it), symbol, outcome })
    });
    let mut scored: Vec<ScoredChunk<'_>> = included.chain(excluded).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place.cmp(&b.place)));
    let titles = ["", "score", "relevance", "recency", "source", "chunk", "symbol", "form"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(scored.into_iter().zip(1..).map(|(chunk, rank)| {
        let factors = [chunk.factors.relevance, chunk.factors.recency, chunk.factors.source];
        let mut row = vec![format!("{rank}."), format!("{:.3}", chunk.score)];
        row.extend(factors.map(|factor| format!("{factor:.2}")));
        row.extend([chunk.place, chunk.symbol.unwrap_or_default().to_owned(), chunk.outcome]);
        row
    }));
    let it = &record.settings;
    let formula = format!(
        "score = relevance x {} + recency x {} + source x {}",
        it.relevance_weight, it.recency_weight, it.source_weight
    );
    let mut text = format!("{}{}", ui::heading("Ranking"), ui::line(&formula));
    text.push_str(&ui::table_with_bold(rows, 5));
    if let Some(minimum) = it.min_score.filter(|_| record.included.is_empty()) {
        text.push_str(&ui::line(&format!("no chunk reaches the minimum score of {minimum}")));
    }
    text
}

/// Chunks that were left out, best first, and their number by reason.
pub fn excluded(record: &Record) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for item in &record.excluded {
        *reasons.entry(item.reason.as_str()).or_default() += 1;
    }
    let counts: Vec<String> = reasons.iter().map(|(name, it)| format!("{name} {it}")).collect();
    let mut text = ui::heading("Left out");
    if record.excluded.is_empty() {
        return text + &ui::line("nothing");
    }
    text.push_str(&ui::line(&counts.join(", ")));
    let row = |it: &RecordedExclusion| {
        vec![
            it.score.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}")),
            ui::counted(it.tokens, "token"),
            place(it),
            it.reason.as_str().to_owned(),
            it.detail.clone(),
        ]
    };
    text.push_str(&ui::table_with_bold(record.excluded.iter().map(row), 2));
    text
}

/// Duplicates, and the tokens that leaving them out saved.
pub fn dedup(record: &Record) -> String {
    const DUPLICATES: [Reason; 3] = [Reason::Duplicate, Reason::Overlap, Reason::NearDuplicate];
    let stats = &record.stats;
    let duplicates = record.excluded.iter().filter(|it| DUPLICATES.contains(&it.reason));
    let duplicates: Vec<&RecordedExclusion> = duplicates.collect();
    let saved: usize = duplicates.iter().map(|it| it.tokens).sum();
    let all: usize = record.included.iter().map(|it| it.tokens).sum::<usize>()
        + record.excluded.iter().map(|it| it.tokens).sum::<usize>();
    let unique =
        stats.chunks.saturating_sub(stats.duplicates + stats.overlaps + stats.near_duplicates);
    let row = |name: &str, count: usize| vec![name.to_owned(), ui::thousands(count)];
    let mut rows = vec![
        row("identical sources merged", stats.merged_sources),
        row("chunks", stats.chunks),
        row("exact duplicates removed", stats.duplicates),
        row("overlaps removed or merged", stats.overlaps),
        row("near-duplicates removed", stats.near_duplicates),
        row("unique chunks kept", unique),
        row("tokens saved", saved),
    ];
    rows[6].push(format!("{:.0} %", percent(saved, all)));
    let mut text = ui::heading("Deduplication") + &ui::table(rows);
    if !duplicates.is_empty() {
        text.push('\n');
        let each = duplicates.iter().map(|it| vec![place(it), it.detail.clone()]);
        text.push_str(&ui::table_with_bold(each, 0));
    }
    for item in record.included.iter().filter(|item| !item.duplicates.is_empty()) {
        let place = ui::place(&item.path, item.start_line, item.end_line);
        text.push_str(&ui::line(&format!(
            "{place} also represents {}",
            item.duplicates.join(", ")
        )));
    }
    text
}

/// Chunks by file, in line order.
pub fn chunks(record: &Record) -> String {
    let row = |place: String, symbol: &Option<String>, tokens: usize, outcome: String| {
        vec![place, symbol.clone().unwrap_or_default(), ui::counted(tokens, "token"), outcome]
    };
    let included = record.included.iter().map(|it| {
        let part = it.part.as_ref().map(|part| format!(", part {part}")).unwrap_or_default();
        let (place, outcome) = (
            ui::place(&it.path, it.start_line, it.end_line),
            format!("{}{part}", it.form.as_str()),
        );
        (&it.path, it.start_line, row(place, &it.symbol, it.tokens, outcome))
    });
    let excluded = record.excluded.iter().filter_map(|it| {
        let outcome = format!("out: {}", it.reason.as_str());
        Some((&it.path, it.span()?.start, row(place(it), &it.symbol, it.tokens, outcome)))
    });
    let mut rows: Vec<(&String, u32, Vec<String>)> = included.chain(excluded).collect();
    rows.sort_by_key(|(path, line, _)| (*path, *line));
    let rows = rows.into_iter().map(|(_, _, row)| row);
    ui::heading("Chunks by file") + &ui::table_with_bold(rows, 0)
}

/// Duration of stages and providers.
pub fn timing(record: &Record) -> String {
    let ms = |ms: f64| format!("{ms:.1} ms");
    let stages = record.timings.iter().map(|it| vec![it.stage.to_string(), ms(it.ms)]);
    let is_listed = |it: &&kitbag::RecordedProvider| {
        ui::is_verbose()
            || it.sources > 0
            || !matches!(it.outcome, ProviderOutcome::Empty | ProviderOutcome::Off)
    };
    let providers = record.providers.iter().filter(is_listed).map(|it| {
        vec![
            it.id.clone(),
            ms(it.ms),
            it.outcome.to_string(),
            ui::counted(it.sources, "source"),
            ui::counted(it.chunks, "chunk"),
            ui::counted(it.tokens, "token"),
        ]
    });
    let (timing, providers_heading) = (ui::heading("Timing"), ui::heading("Providers"));
    format!("{timing}{}\n{providers_heading}{}", ui::table(stages), ui::table(providers))
}

fn place(item: &RecordedExclusion) -> String {
    match item.span() {
        Some(span) => format!("{}:{span}", item.path),
        None => item.path.clone(),
    }
}

pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
