//! Time of ranking and deduplication, on many chunks that are already split.

use super::clock::{Sample, Times};
use super::corpus::Corpus;
use super::page::{ReportSection, Verdict, number};
use super::sources::{self, Stopwatch};
use anyhow::Result;
use kitbag_core::{Cancel, Settings, Stage, Stats, decide};
use kitbag_text::Source;
use kitbag_tokens::CachedCounter;
use std::time::Duration;

const REPETITIONS: usize = 60;

/// Measures the ranking of 1,000 chunks, with and without a given relevance.
pub fn ranking(corpus: &Corpus) -> Result<ReportSection> {
    let counting = CachedCounter::named("o200k_base").expect("it is built in");
    let cut = sources::cut(corpus, 1_000, &counting)?;
    let tokens: u32 = sources::pieces(&cut).map(|piece| piece.chunk.tokens).sum();
    let mut given = cut.clone();
    for (number, source) in given.iter_mut().enumerate() {
        source.relevance = Some(1.0 / (1 + number) as f64);
    }
    let settings = Settings::default();
    let (by_words, _) = stage(&cut, Stage::Rank, &settings, &counting)?;
    let (by_provider, _) = stage(&given, Stage::Rank, &settings, &counting)?;
    let text = format!(
        "1,000 chunks of {} files, {:.0} tokens each on average, scored and sorted, for a task of {} words. \
         Milliseconds, {REPETITIONS} repetitions.\n\n| relevance | best | median |\n|---|---:|---:|\n\
         | by keywords | {} | {} |\n| given by the provider | {} | {} |\n",
        cut.len(),
        f64::from(tokens) / 1_000.0,
        sources::TASK.split_whitespace().count(),
        number(by_words.best()),
        number(by_words.median()),
        number(by_provider.best()),
        number(by_provider.median()),
    );
    let verdict = Verdict::at_most(
        "1,000 chunks ranked, keywords included",
        "ms",
        100.0,
        5.0,
        by_words.best(),
        by_words.median(),
    );
    Ok(ReportSection { title: "Ranking 1,000 chunks", text, verdicts: vec![verdict] })
}

/// Measures the deduplication of 10,000 chunks, a tenth of them copies and a tenth overlapping.
pub fn deduplication(corpus: &Corpus) -> Result<ReportSection> {
    let counting = CachedCounter::named("o200k_base").expect("it is built in");
    let unique = sources::cut(corpus, 8_000, &counting)?;
    let repeated = sources::with_overlaps(sources::with_copies(unique, 0.125), 1.0 / 9.0);
    let tokens: u32 = sources::pieces(&repeated).map(|piece| piece.chunk.tokens).sum();
    let mut settings = Settings::default();
    let (times, stats) = stage(&repeated, Stage::Deduplicate, &settings, &counting)?;
    settings.deduplication.near_enabled = true;
    let (near, near_stats) = stage(&repeated, Stage::Deduplicate, &settings, &counting)?;
    let text = format!(
        "{} chunks of {} files, {:.1} million tokens; {} were found to be copies of others, ignoring white space, and {} \
         to overlap others.\n\nBest {} ms, median {} ms, of {REPETITIONS} repetitions. With near-duplicates, of which {} were found: \
         best {} ms, median {} ms.\n",
        stats.chunks,
        stats.files,
        f64::from(tokens) / 1e6,
        stats.duplicates,
        stats.overlaps,
        number(times.best()),
        number(times.median()),
        near_stats.near_duplicates,
        number(near.best()),
        number(near.median()),
    );
    let verdict = Verdict::at_most(
        "10,000 chunks deduplicated",
        "ms",
        50.0,
        50.0,
        times.best(),
        times.median(),
    );
    Ok(ReportSection { title: "Deduplicating 10,000 chunks", text, verdicts: vec![verdict] })
}

/// Measures one stage, and returns the statistics of the decision.
fn stage(
    sources: &[Source],
    stage: Stage,
    settings: &Settings,
    counting: &CachedCounter,
) -> Result<(Times, Stats)> {
    let cancel = Cancel::default();
    let mut times = Times::default();
    let mut stats = Stats::default();
    for repetition in 0..=REPETITIONS {
        let job = sources::job(sources.to_vec(), settings, counting, &cancel);
        let mut watch = Stopwatch::default();
        stats = decide(job, &mut watch)?.stats;
        let took = watch.stop().into_iter().find(|(other, _)| *other == stage);
        if repetition > 0 {
            let wall = took.map(|(_, took)| took).unwrap_or_default();
            times.push(Sample { wall, cpu: Duration::ZERO });
        }
    }
    Ok((times, stats))
}
