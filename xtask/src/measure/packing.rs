//! Time to pack 100 files, in total and by stage.

use super::clock::{Sample, Times, time};
use super::corpus::Corpus;
use super::page::{ReportSection, Verdict, number};
use super::sources::{self, Stopwatch};
use anyhow::{Result, ensure};
use kitbag_core::{Cancel, Packed, Settings, Stage, pack};
use kitbag_text::Source;
use kitbag_tokens::CachedCounter;
use std::fmt::Write as _;
use std::time::Duration;

const REPETITIONS: usize = 30;

/// Number of packed files.
pub const FILES: usize = 100;

const STAGES: [Stage; 6] =
    [Stage::Chunk, Stage::Rank, Stage::Deduplicate, Stage::Select, Stage::Format, Stage::Verify];

/// Times of several packs.
#[derive(Default)]
struct PackTimes {
    whole: Times,
    stages: [Times; STAGES.len()],
}

/// Measures packs without and with cached token counts.
pub fn section(corpus: &Corpus) -> Result<ReportSection> {
    let files = sources::whole(sources::typical(corpus, FILES)?);
    let fresh = || CachedCounter::named("o200k_base").expect("it is built in");
    let known = fresh();
    let (mut first, mut again) = (PackTimes::default(), PackTimes::default());
    pack_once(&files, &known)?;
    for _ in 0..REPETITIONS {
        first.add(pack_once(&files, &fresh())?);
        again.add(pack_once(&files, &known)?);
    }
    let packed = pack_once(&files, &known)?.packed;
    let bytes: usize = files.iter().map(|file| file.text.content().len()).sum();
    let text = format!(
        "{FILES} files of 5 to 10 KB in {} languages, {:.2} MB, into a pack of 32,000 tokens: {} chunks, of which {} \
         are in, {} tokens. Milliseconds, {REPETITIONS} repetitions on all CPUs; the vocabulary was loaded. *First* \
         has no cached token counts, *again* has them; both parse the files.\n\n{}",
        corpus.source().count(),
        bytes as f64 / 1e6,
        packed.decision.stats.chunks,
        packed.decision.included.len(),
        packed.decision.total_tokens,
        table(&first, &again)?,
    );
    Ok(ReportSection { title: "Packing 100 files", text, verdicts: verdicts(&first, &again) })
}

fn verdicts(first: &PackTimes, again: &PackTimes) -> Vec<Verdict> {
    let verdict = |what: &str, design: f64, aim: f64, times: &Times| {
        Verdict::at_most(what, "ms", design, aim, times.best(), times.median())
    };
    vec![
        verdict("100 files packed, the first time", 500.0, 50.0, &first.whole),
        verdict("100 files packed, again", 500.0, 50.0, &again.whole),
        verdict("of which selecting, the first time", 25.0, 25.0, first.of(Stage::Select)),
        verdict("of which formatting, the first time", 50.0, 50.0, first.of(Stage::Format)),
    ]
}

fn table(first: &PackTimes, again: &PackTimes) -> Result<String> {
    let mut table = String::from(
        "| stage | first, best | first, median | again, best | again, median |\n|---|---:|---:|---:|---:|\n",
    );
    let mut row = |name: &str, first: &Times, again: &Times| {
        let [a, b] = [first.best(), first.median()].map(number);
        let [c, d] = [again.best(), again.median()].map(number);
        writeln!(table, "| {name} | {a} | {b} | {c} | {d} |")
    };
    for stage in STAGES {
        row(stage.name(), first.of(stage), again.of(stage))?;
    }
    row("**all**", &first.whole, &again.whole)?;
    let [first, again] = [&first.whole, &again.whole].map(|times| number(times.best_cpu()));
    writeln!(table, "| all, CPU time of all threads | {first} | | {again} | |")?;
    Ok(table)
}

/// One pack with its times.
struct TimedPack {
    packed: Packed,
    whole: Sample,
    stages: Vec<(Stage, Duration)>,
}

fn pack_once(files: &[Source], counting: &CachedCounter) -> Result<TimedPack> {
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let job = sources::job(files.to_vec(), &settings, counting, &cancel);
    let mut watch = Stopwatch::default();
    let budget = job.budget;
    let (packed, whole) = time(|| pack(job, &mut watch));
    let (packed, stages) = (packed?, watch.stop());
    ensure!(packed.decision.total_tokens > budget * 9 / 10, "the pack is not full");
    Ok(TimedPack { packed, whole, stages })
}

impl PackTimes {
    fn add(&mut self, TimedPack { whole, stages, .. }: TimedPack) {
        self.whole.push(whole);
        for (stage, wall) in stages {
            self.stages[stage as usize].push(Sample { wall, cpu: Duration::ZERO });
        }
    }

    fn of(&self, stage: Stage) -> &Times {
        &self.stages[stage as usize]
    }
}
