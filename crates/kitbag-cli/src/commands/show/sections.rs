//! The sections of `kitbag show`.

use crate::ui;
use kitbag::{Kind, ProviderOutcome, Reason, Record, RecordedOut};
use std::collections::BTreeMap;
use std::fmt::Write;

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
    rows.push(row("pack budget", record.budget));
    rows.push(row("pack", record.total_tokens));
    let lines: usize = record.included.iter().map(|item| item.tokens).sum();
    rows.push(row("  lines of files", lines));
    rows.push(row("  headers and fences", record.total_tokens.saturating_sub(lines)));
    rows.push(row("unused", record.budget.saturating_sub(record.total_tokens)));
    let mut files: Vec<(&str, usize)> = Vec::new();
    for path in record.files() {
        let own = record.included.iter().filter(|item| item.path == path);
        files.push((path, own.map(|item| item.tokens).sum()));
    }
    files.sort_by_key(|(path, tokens)| (std::cmp::Reverse(*tokens), *path));
    let mut text = format!("{}{}", ui::heading("Token allocation"), ui::table(&rows));
    if !files.is_empty() {
        let rows: Vec<Vec<String>> = files
            .iter()
            .map(|(path, tokens)| vec![ui::thousands(*tokens), (*path).to_owned()])
            .collect();
        let _ = write!(text, "\n{}{}", ui::heading("Tokens by file"), ui::table(&rows));
    }
    text
}

/// A chunk with its score, in the pack or not.
struct ScoredChunk<'a> {
    score: f64,
    factors: kitbag::FactorsItem,
    place: String,
    symbol: Option<&'a str>,
    outcome: String,
}

impl ScoredChunk<'_> {
    fn row(&self, rank: usize) -> Vec<String> {
        vec![
            format!("{rank}."),
            format!("{:.3}", self.score),
            format!("{:.2}", self.factors.relevance),
            format!("{:.2}", self.factors.recency),
            format!("{:.2}", self.factors.source),
            self.place.clone(),
            self.symbol.unwrap_or_default().to_owned(),
            self.outcome.clone(),
        ]
    }
}

/// All scored chunks, best first.
pub fn ranking(record: &Record) -> String {
    let included = record.included.iter().map(|it| ScoredChunk {
        score: it.score,
        factors: it.factors,
        place: format!("{}:{}-{}", it.path, it.start_line, it.end_line),
        symbol: it.symbol.as_deref(),
        outcome: it.form.as_str().to_owned(),
    });
    let excluded = record.excluded.iter().filter_map(|it| {
        Some(ScoredChunk {
            score: it.score?,
            factors: it.factors?,
            place: place(it),
            symbol: it.symbol.as_deref(),
            outcome: format!("out: {}", it.reason.as_str()),
        })
    });
    let mut scored: Vec<ScoredChunk<'_>> = included.chain(excluded).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place.cmp(&b.place)));
    let titles = ["", "score", "relevance", "recency", "source", "chunk", "symbol", "form"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(scored.iter().zip(1..).map(|(chunk, rank)| chunk.row(rank)));
    let it = &record.settings;
    let formula = format!(
        "score = relevance x {} + recency x {} + source x {}",
        it.relevance_weight, it.recency_weight, it.source_weight
    );
    let mut text = format!("{}{}", ui::heading("Ranking"), ui::line(&formula));
    text.push_str(&ui::table_with_bold(&rows, 5));
    let found = record.sources.iter().filter(|it| it.kind == Kind::SearchResult);
    let (timed, timeless): (Vec<_>, Vec<_>) = found.partition(|it| it.timestamp.is_some());
    if !timed.is_empty() && !timeless.is_empty() {
        let note = "only search results close to the best match have a time; the recency of the others is 0";
        text.push_str(&ui::line(note));
    }
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
    let row = |it: &RecordedOut| {
        vec![
            it.score.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}")),
            ui::counted(it.tokens, "token"),
            place(it),
            it.reason.as_str().to_owned(),
            it.detail.clone(),
        ]
    };
    text.push_str(&ui::table_with_bold(&record.excluded.iter().map(row).collect::<Vec<_>>(), 2));
    text
}

/// Duplicates, and the tokens that leaving them out saved.
pub fn dedup(record: &Record) -> String {
    const DUPLICATES: [Reason; 3] = [Reason::Duplicate, Reason::Overlap, Reason::NearDuplicate];
    let stats = &record.stats;
    let duplicates = record.excluded.iter().filter(|it| DUPLICATES.contains(&it.reason));
    let duplicates: Vec<&RecordedOut> = duplicates.collect();
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
    let mut text = format!("{}{}", ui::heading("Deduplication"), ui::table(&rows));
    let each = duplicates.iter().map(|it| vec![place(it), it.detail.clone()]);
    let each: Vec<Vec<String>> = each.collect();
    if !each.is_empty() {
        text.push('\n');
        text.push_str(&ui::table_with_bold(&each, 0));
    }
    for item in record.included.iter().filter(|item| !item.also.is_empty()) {
        let place = format!("{}:{}-{}", item.path, item.start_line, item.end_line);
        text.push_str(&ui::line(&format!("{place} also represents {}", item.also.join(", "))));
    }
    text
}

/// Chunks by file, in line order.
pub fn chunks(record: &Record) -> String {
    let mut rows: Vec<(&str, u32, Vec<String>)> = Vec::new();
    for it in &record.included {
        let part = it.part.as_ref().map(|part| format!(", part {part}")).unwrap_or_default();
        let row = vec![
            format!("{}:{}-{}", it.path, it.start_line, it.end_line),
            it.symbol.clone().unwrap_or_default(),
            ui::counted(it.tokens, "token"),
            format!("{}{part}", it.form.as_str()),
        ];
        rows.push((&it.path, it.start_line, row));
    }
    for it in record.excluded.iter().filter(|it| it.span().is_some()) {
        let row = vec![
            place(it),
            it.symbol.clone().unwrap_or_default(),
            ui::counted(it.tokens, "token"),
            format!("out: {}", it.reason.as_str()),
        ];
        rows.push((&it.path, it.start_line.unwrap_or_default(), row));
    }
    rows.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    let rows: Vec<Vec<String>> = rows.into_iter().map(|row| row.2).collect();
    format!("{}{}", ui::heading("Chunks by file"), ui::table_with_bold(&rows, 0))
}

/// Duration of stages and providers.
pub fn timing(record: &Record) -> String {
    let ms = |ms: f64| format!("{ms:.1} ms");
    let rows = record.timings.iter().map(|it| vec![it.stage.to_string(), ms(it.ms)]);
    let rows: Vec<Vec<String>> = rows.collect();
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
    let providers: Vec<Vec<String>> = providers.collect();
    format!(
        "{}{}\n{}{}",
        ui::heading("Timing"),
        ui::table(&rows),
        ui::heading("Providers"),
        ui::table(&providers)
    )
}

fn place(item: &RecordedOut) -> String {
    match item.span() {
        Some(span) => format!("{}:{span}", item.path),
        None => item.path.clone(),
    }
}

pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
