//! Parses generated hostile texts in every language, and prints what they cost at most.
//!
//! ```sh
//! cargo run --release -p kitbag-worker --example hostile [PAIRS [LANGUAGE]...]
//! cargo run --release -p kitbag-worker --example hostile large FOLDER [LANGUAGE]...
//! ```
//!
//! Every shape is tried with 10 bytes and 8 kB. Shapes that cost more than others are tried with 100 kB
//! and 1 MB as well, until one exceeds a limit. The exit status is 1 if a text costs more than a second of
//! CPU time or 300 MB.
//!
//! With `large`, the shapes that cost most with 100 kB are tried with 2, 5 and 10 MB, and compared with texts
//! of the same size that consist of the files of a folder. The exit status is 1 if one costs a second or 300 MB
//! more than those.

#![allow(clippy::print_stdout)]

#[path = "../tests/hostile/generator.rs"]
mod generator;

use generator::{HostileShape, shapes};
use kitbag_text::syntax::{ParseFailure, ParseLimits, ParseRequest, SyntaxParser};
use kitbag_text::{Cancel, ChunkLimits, Fallback, Language, languages};
use kitbag_worker::{WorkerCommand, WorkerPool};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
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

/// Sizes of large texts, and the number of shapes that are tried in these sizes.
const LARGE_BYTES: [usize; 3] = [2_000_000, 5_000_000, 10_000_000];
const LARGE_SHAPES: usize = 5;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    let folder = if first.as_deref() == Some("large") { arguments.next() } else { None };
    let pairs = first.and_then(|pairs| pairs.parse().ok()).unwrap_or(200);
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
    if let Some(folder) = folder {
        return large(languages().iter().filter(is_chosen), &PathBuf::from(folder));
    }
    println!("| language | texts | most CPU time | | most memory | | outcomes |");
    println!("|---|---:|---:|---|---:|---|---|");
    let mut is_within = true;
    for language in languages().iter().filter(is_chosen) {
        is_within &= run(language, pairs);
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn pool() -> WorkerPool {
    let program = std::env::current_exe().expect("a path").with_file_name("../kitbag-parse-worker");
    WorkerPool::new(WorkerCommand { program, arguments: Vec::new() })
}

/// Compares large hostile texts with ordinary ones.
fn large(languages: impl Iterator<Item = &'static Language>, folder: &Path) -> ExitCode {
    println!("| language | bytes | ordinary | | most CPU time | | most memory | |");
    println!("|---|---:|---:|---:|---:|---|---:|---|");
    let mut is_within = true;
    for language in languages {
        let shapes = costliest(language);
        let ordinary = files(language, folder);
        for bytes in LARGE_BYTES {
            let mut costs = Costs::default();
            for shape in &shapes {
                // Every text has a new worker, whose memory is that of the text.
                let name = format!("`{}`", shape.name.replace('|', "\\|"));
                _ = try_text(&pool(), shape.language, &shape.text(bytes), &name, &mut costs);
            }
            let mut usual = Costs::default();
            if !ordinary.is_empty() {
                let text = cut(ordinary.repeat(bytes.div_ceil(ordinary.len())), bytes);
                _ = try_text(&pool(), language, &text, "", &mut usual);
            }
            is_within &=
                costs.time <= usual.time + MAX_TIME && costs.memory <= usual.memory + MAX_MEMORY;
            println!(
                "| {} | {} | {:.2} s | {} MB | {:.2} s | {} | {} MB | {} |",
                language.name(),
                bytes,
                usual.time.as_secs_f64(),
                usual.memory >> 20,
                costs.time.as_secs_f64(),
                costs.slowest,
                costs.memory >> 20,
                costs.largest,
            );
        }
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the shapes that cost most in a small size.
fn costliest(language: &'static Language) -> Vec<HostileShape> {
    let pool = pool();
    let mut costs: Vec<(Duration, HostileShape)> = shapes(language, 5)
        .into_iter()
        .map(|shape| {
            let content = shape.text(100_000);
            (try_text(&pool, language, &content, "", &mut Costs::default()).0, shape)
        })
        .collect();
    costs.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    costs.into_iter().take(LARGE_SHAPES).map(|(_, shape)| shape).collect()
}

/// Returns the files of a language in a folder, one after the other.
fn files(language: &'static Language, folder: &Path) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
        paths.sort();
        for path in paths {
            let is_language = Language::for_path(&path.to_string_lossy(), None)
                .is_some_and(|it| it.name() == language.name());
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if is_language && text.len() < LARGE_BYTES[2] {
                text += &fs::read_to_string(path).unwrap_or_default();
            }
        }
    }
    text
}

fn cut(mut text: String, bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(bytes));
    text
}

fn run(language: &'static Language, pairs: usize) -> bool {
    let pool = pool();
    let mut costs = Costs::default();
    for shape in shapes(language, pairs) {
        for bytes in [10, 8_000, 100_000, 1_000_000] {
            let name = format!("`{}`, {bytes} bytes", shape.name.replace('|', "\\|"));
            let (time, outcome) = try_text(&pool, language, &shape.text(bytes), &name, &mut costs);
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
    language: &'static Language,
    content: &str,
    name: &str,
    costs: &mut Costs,
) -> (Duration, Result<(), Fallback>) {
    for worker in workers() {
        // Resets the peak.
        _ = fs::write(worker.join("clear_refs"), "5");
    }
    PEAK.store(0, Ordering::Relaxed);
    sample();
    let cpu_before = CPU.load(Ordering::Relaxed);
    let limits = ParseLimits::from(&ChunkLimits::default());
    let cancel = Cancel::default();
    let request = ParseRequest { language, content, limits, cancel: &cancel };
    let outcome = match pool.comments(&request) {
        Ok(_) => Ok(()),
        Err(ParseFailure::Fallback(fallback)) => Err(fallback),
        Err(ParseFailure::Cancelled(_)) => unreachable!("nothing cancels it"),
    };
    sample();
    let time = Duration::from_millis(CPU.load(Ordering::Relaxed).saturating_sub(cpu_before));
    let memory = PEAK.load(Ordering::Relaxed);
    let kind = outcome.map_or_else(|fallback| fallback.to_string(), |()| "parsed".to_owned());
    *costs.outcomes.entry(kind).or_default() += 1;
    if time >= costs.time {
        (costs.time, costs.slowest) = (time, name.to_owned());
    }
    if memory >= costs.memory {
        (costs.memory, costs.largest) = (memory, name.to_owned());
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
