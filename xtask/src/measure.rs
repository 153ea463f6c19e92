//! Speed and memory of counting, chunking and packing, for docs/performance.md.
//!
//! Prints rows of a Markdown table: the measurement, its limit, the best result and the median.
//! `scripts/measure` prepares the texts, adds the rows of tiktoken and writes the page.

mod corpus;

use anyhow::{Context, Result, ensure};
use corpus::Corpus;
use kitbag_core::{Cancel, Job, Observer, Settings, Stage, pack};
use kitbag_text::{ChunkLimits, Source, Text, chunk_text};
use kitbag_tokens::{CachedCounter, TokenCounter, Vocabulary};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Number of measurements of which the best and the median are printed.
const REPETITIONS: usize = 15;

/// A realistic task.
const TASK: &str = "Requests that carry an empty header fail: the parser raises a value error \
    when the name of a field is followed by whitespace only. It should skip such lines, keep the \
    message open, and report the position of the first byte. See `parse_header` and the tests of \
    the encoder; the cache must not remember the broken state.";

/// Measures on the texts in `folder`, and prints the rows.
pub fn run(folder: &Path) -> Result<()> {
    let corpus = Corpus::open(folder)?;
    let files = corpus.typical_files(100)?;
    // Before anything else is in memory.
    StageTimes::of_pack(&files, &counter())?;
    print_row(
        "Memory: 100 files packed, whole process",
        "100 MB",
        &format!("{:.1} MB", peak()?),
        "",
    );
    count_tokens(&corpus)?;
    for language in corpus.languages() {
        let (path, content) = corpus.joined(language)?;
        let text = Text::new(content);
        let chunk = || chunk_text(&path, &text, &ChunkLimits::default(), &counter());
        let name = format!("Chunking a file of 1 MB: {language}");
        measure(&name, 200, || Ok(cpu_ms(chunk)))?;
    }
    let counting = counter();
    let chunks = corpus.chunks(1_000, &counting)?;
    let ms = |stage: Stage, sources: &[Source], counting: &CachedCounter| {
        Ok(StageTimes::of_pack(sources, counting)?.ms(stage))
    };
    measure("1,000 chunks ranked", 100, || ms(Stage::Rank, &chunks, &counting))?;
    let chunks = corpus::with_repeats(corpus.chunks(8_000, &counting)?);
    measure("10,000 chunks deduplicated", 50, || ms(Stage::Deduplicate, &chunks, &counting))?;
    let total = |counting: &CachedCounter| Ok(StageTimes::of_pack(&files, counting)?.total_ms());
    measure("100 files packed, without cached counts", 500, || total(&counter()))?;
    measure("of which selecting", 25, || ms(Stage::Select, &files, &counter()))?;
    measure("of which formatting", 50, || ms(Stage::Format, &files, &counter()))?;
    measure("100 files packed, with cached counts", 500, || total(&counting))
}

/// Counts every source file on one thread, without a cache.
fn count_tokens(corpus: &Corpus) -> Result<()> {
    let texts = corpus.source_texts()?;
    let bytes: usize = texts.iter().map(String::len).sum();
    for vocabulary in Vocabulary::ALL {
        let count = || texts.iter().map(|text| vocabulary.count(text)).sum::<usize>();
        let ms = (0..REPETITIONS).map(|_| cpu_ms(count)).fold(f64::INFINITY, f64::min);
        let speed = format!("{:.1} MB/s", bytes as f64 / 1e3 / ms);
        print_row(&format!("Token counting: `{}`, Kitbag", vocabulary.name()), "", &speed, "");
    }
    Ok(())
}

/// Repeats a measurement in milliseconds after a warm-up, and prints the best and the median.
fn measure(name: &str, limit_ms: u32, mut work: impl FnMut() -> Result<f64>) -> Result<()> {
    work()?;
    let mut times = (0..REPETITIONS).map(|_| work()).collect::<Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    let [best, median] = [times[0], times[REPETITIONS / 2]].map(|ms| format!("{ms:.2} ms"));
    print_row(name, &format!("{limit_ms} ms"), &best, &median);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the rows are this program's output")]
fn print_row(name: &str, limit: &str, best: &str, median: &str) {
    println!("| {name} | {limit} | {best} | {median} |");
}

fn counter() -> CachedCounter {
    CachedCounter::named("o200k_base").expect("it is built in")
}

/// The start of each stage of a pack, and the end of the last.
struct StageTimes {
    stages: Vec<(Stage, Instant)>,
    end: Instant,
}

impl StageTimes {
    fn of_pack(sources: &[Source], counting: &CachedCounter) -> Result<Self> {
        let (settings, cancel) = (Settings::default(), Cancel::default());
        let sources = sources.to_vec();
        let (now, budget) = (Some(corpus::NOW), 32_000);
        let job = Job {
            sources,
            task: TASK,
            now,
            budget,
            settings: &settings,
            counting,
            cancel: &cancel,
        };
        let mut times = Self { stages: Vec::new(), end: Instant::now() };
        let packed = pack(job, &mut times)?;
        times.end = Instant::now();
        ensure!(packed.decision.total_tokens > budget * 9 / 10, "the pack is not full");
        Ok(times)
    }

    fn total_ms(&self) -> f64 {
        self.stages.first().map_or(0.0, |(_, start)| ms(self.end - *start))
    }

    fn ms(&self, stage: Stage) -> f64 {
        let mut from = self.stages.iter().skip_while(|(other, _)| *other != stage);
        let start = from.next().map_or(self.end, |(_, start)| *start);
        ms(from.next().map_or(self.end, |(_, start)| *start) - start)
    }
}

impl Observer for StageTimes {
    fn stage_started(&mut self, stage: Stage) {
        self.stages.push((stage, Instant::now()));
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// CPU time of `work` in milliseconds. On one thread, it is the time on an idle machine.
fn cpu_ms<T>(work: impl FnOnce() -> T) -> f64 {
    let before = cpu_time();
    black_box(work());
    ms(cpu_time().saturating_sub(before))
}

/// CPU time of the process so far.
pub fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// Peak resident memory of this process in megabytes.
fn peak() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status").context("no status of the process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    Ok(kilobytes.context("the status has no peak")?.trim().parse::<f64>()? * 1024.0 / 1e6)
}
