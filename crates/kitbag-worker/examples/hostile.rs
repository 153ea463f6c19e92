//! Parses generated hostile texts in every language, and prints what they cost at most.
//!
//! ```sh
//! cargo run --release -p kitbag-worker --example hostile [PAIRS [LANGUAGE]...]
//! ```
//!
//! Every shape is tried with 10 bytes and 8 kB. Shapes that cost more than others are tried with 100 kB
//! and 1 MB as well, until one exceeds a limit. The exit status is 1 if a text costs more than a second of
//! CPU time or 300 MB.

#![allow(clippy::print_stdout)]

#[path = "../tests/hostile/generator.rs"]
mod generator;

use generator::{HostileShape, shapes};
use kitbag_text::syntax::{ParseFailure, ParseLimits, ParseRequest, SyntaxParser};
use kitbag_text::{Cancel, ChunkLimits, Fallback, Language, languages};
use kitbag_worker::{WorkerCommand, WorkerPool};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MAX_TIME: Duration = Duration::from_secs(1);
const MAX_MEMORY: u64 = 300 << 20;
/// A shape that takes longer than this in a small size is tried in larger ones.
const SUSPICIOUS: Duration = Duration::from_millis(8);

/// What the texts of one language cost at most.
#[derive(Default)]
struct Costs {
    outcomes: BTreeMap<String, usize>,
    time: Duration,
    slowest: String,
    memory: u64,
    largest: String,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let pairs = arguments.next().and_then(|pairs| pairs.parse().ok()).unwrap_or(200);
    let chosen: Vec<String> = arguments.collect();
    let is_chosen = |it: &&Language| {
        it.has_grammar() && (chosen.is_empty() || chosen.iter().any(|name| name == it.name()))
    };
    std::thread::spawn(|| {
        loop {
            sample();
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    println!("| language | texts | most CPU time | | most memory | | outcomes |");
    println!("|---|---:|---:|---|---:|---|---|");
    let mut is_within = true;
    for language in languages().iter().filter(is_chosen) {
        is_within &= run(language, pairs);
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(language: &'static Language, pairs: usize) -> bool {
    let program = std::env::current_exe().expect("a path").with_file_name("../kitbag-parse-worker");
    let pool = WorkerPool::new(WorkerCommand { program, arguments: Vec::new() });
    let mut costs = Costs::default();
    for shape in shapes(language, pairs) {
        for bytes in [10, 8_000, 100_000, 1_000_000] {
            let (time, outcome) = try_text(&pool, &shape, bytes, &mut costs);
            let is_limited = outcome.is_err_and(Fallback::is_parser_failure);
            if is_limited || (bytes >= 8_000 && time < SUSPICIOUS) {
                break;
            }
        }
    }
    let outcomes: Vec<String> =
        costs.outcomes.iter().map(|(outcome, texts)| format!("{outcome}: {texts}")).collect();
    println!(
        "| {} | {} | {:.2} s | {} | {} MB | {} | {} |",
        language.name(),
        costs.outcomes.values().sum::<usize>(),
        costs.time.as_secs_f64(),
        costs.slowest,
        costs.memory >> 20,
        costs.largest,
        outcomes.join(", ")
    );
    costs.time <= MAX_TIME && costs.memory <= MAX_MEMORY
}

fn try_text(
    pool: &WorkerPool,
    shape: &HostileShape,
    bytes: usize,
    costs: &mut Costs,
) -> (Duration, Result<(), Fallback>) {
    let content = shape.text(bytes);
    for worker in workers() {
        // Resets the peak.
        _ = fs::write(worker.join("clear_refs"), "5");
    }
    PEAK.store(0, Ordering::Relaxed);
    sample();
    let cpu_before = CPU.load(Ordering::Relaxed);
    let limits = ParseLimits::from(&ChunkLimits::default());
    let cancel = Cancel::default();
    let request =
        ParseRequest { language: shape.language, content: &content, limits, cancel: &cancel };
    let outcome = match pool.comments(&request) {
        Ok(_) => Ok(()),
        Err(ParseFailure::Fallback(fallback)) => Err(fallback),
        Err(ParseFailure::Cancelled(_)) => unreachable!("nothing cancels it"),
    };
    sample();
    let time = Duration::from_millis(CPU.load(Ordering::Relaxed).saturating_sub(cpu_before));
    let memory = PEAK.load(Ordering::Relaxed);
    let name = outcome.map_or_else(|fallback| fallback.to_string(), |()| "parsed".to_owned());
    *costs.outcomes.entry(name).or_default() += 1;
    let description = || format!("`{}`, {bytes} bytes", shape.name.replace('|', "\\|"));
    if time >= costs.time {
        (costs.time, costs.slowest) = (time, description());
    }
    if memory >= costs.memory {
        (costs.memory, costs.largest) = (memory, description());
    }
    (time, outcome)
}

/// Largest memory of a worker since the beginning of the current text.
static PEAK: AtomicU64 = AtomicU64::new(0);

/// CPU time of all workers so far, in milliseconds.
static CPU: AtomicU64 = AtomicU64::new(0);

/// Updates [`PEAK`] and [`CPU`].
fn sample() {
    static KNOWN: Mutex<BTreeMap<PathBuf, u64>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no panic");
    for worker in workers() {
        PEAK.fetch_max(peak_memory(&worker).unwrap_or(0), Ordering::Relaxed);
        let cpu = cpu_time(&worker).unwrap_or(0);
        known.entry(worker).and_modify(|last| *last = cpu.max(*last)).or_insert(cpu);
    }
    CPU.store(known.values().sum(), Ordering::Relaxed);
}

/// Returns the folders in `/proc` of this process's children.
fn workers() -> Vec<PathBuf> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children = threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    let pids: Vec<String> = children
        .flat_map(|it| it.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    pids.iter().map(|pid| PathBuf::from("/proc").join(pid)).collect()
}

fn peak_memory(worker: &std::path::Path) -> Option<u64> {
    let status = fs::read_to_string(worker.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

fn cpu_time(worker: &std::path::Path) -> Option<u64> {
    let stat = fs::read_to_string(worker.join("stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks * 10)
}
