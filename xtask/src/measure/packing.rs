//! How long does it take to pack 100 files, end to end and stage by stage?

use super::clock::{Sample, Times, time};
use super::corpus::Corpus;
use super::page::{Section, Verdict, number};
use super::sources::{self, Stopwatch};
use anyhow::{Result, ensure};
use kitbag_core::{Cancel, Packed, Settings, Stage, pack};
use kitbag_text::Source;
use kitbag_tokens::Counting;
use std::fmt::Write as _;
use std::time::Duration;

const REPETITIONS: usize = 30;

/// How many files are packed.
pub const FILES: usize = 100;

const STAGES: [Stage; 6] =
    [Stage::Chunk, Stage::Rank, Stage::Deduplicate, Stage::Select, Stage::Format, Stage::Verify];

/// The times of some packs.
#[derive(Default)]
struct Packs {
    whole: Times,
    stages: [Times; STAGES.len()],
}

/// Packs with nothing known, and again with the counts remembered.
pub fn section(corpus: &Corpus) -> Result<Section> {
    let files = sources::whole(sources::typical(corpus, FILES)?);
    let fresh = || Counting::named("o200k_base").expect("it is built in");
    let known = fresh();
    let (mut first, mut again) = (Packs::default(), Packs::default());
    once(&files, &known)?;
    for _ in 0..REPETITIONS {
        first.add(once(&files, &fresh())?);
        again.add(once(&files, &known)?);
    }
    let packed = once(&files, &known)?.packed;
    let bytes: usize = files.iter().map(|file| file.text.content().len()).sum();
    let text = format!(
        "{FILES} files of 5 to 10 KB in {} languages, {:.2} MB, into a pack of 32,000 tokens: {} chunks, of which {} \
         are in, {} tokens. Milliseconds, {REPETITIONS} repetitions on all CPUs; the vocabulary was loaded. *First* \
         knows nothing of the files, *again* remembers their token counts; each parses them.\n\n{}",
        corpus.source().count(),
        bytes as f64 / 1e6,
        packed.decision.stats.chunks,
        packed.decision.included.len(),
        packed.decision.total_tokens,
        table(&first, &again)?,
    );
    Ok(Section { title: "Packing 100 files", text, verdicts: verdicts(&first, &again) })
}

fn verdicts(first: &Packs, again: &Packs) -> Vec<Verdict> {
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

fn table(first: &Packs, again: &Packs) -> Result<String> {
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

/// One pack, with the time for all of it and for each stage.
struct Once {
    packed: Packed,
    whole: Sample,
    stages: Vec<(Stage, Duration)>,
}

/// Packs `files`.
fn once(files: &[Source], counting: &Counting) -> Result<Once> {
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let job = sources::job(files.to_vec(), &settings, counting, &cancel);
    let mut watch = Stopwatch::default();
    let budget = job.budget;
    let (packed, whole) = time(|| pack(job, &mut watch));
    let (packed, stages) = (packed?, watch.stop());
    ensure!(packed.decision.total_tokens > budget * 9 / 10, "the pack is not full");
    Ok(Once { packed, whole, stages })
}

impl Packs {
    fn add(&mut self, Once { whole, stages, .. }: Once) {
        self.whole.push(whole);
        for (stage, wall) in stages {
            self.stages[stage as usize].push(Sample { wall, cpu: Duration::ZERO });
        }
    }

    fn of(&self, stage: Stage) -> &Times {
        &self.stages[stage as usize]
    }
}
