//! Peak memory of packing 100 files, measured in a separate process.

use super::corpus::{Corpus, CorpusFile};
use super::packing::FILES;
use super::page::{ReportSection, Verdict, number};
use super::sources;
use anyhow::{Context, Result, ensure};
use kitbag_core::{Cancel, Settings, pack};
use kitbag_tokens::CachedCounter;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Name of the task that runs in the separate process.
pub const TASK: &str = "measure-memory";

const PROCESSES: usize = 3;

/// Packs in fresh processes, and reports the largest peak.
pub fn section(corpus: &Corpus, folder: &Path) -> Result<ReportSection> {
    let files = sources::typical(corpus, FILES)?;
    let mut found =
        (0..PROCESSES).map(|_| measure_process(folder, &files)).collect::<Result<Vec<_>>>()?;
    found.sort_by(|a, b| a.after.total_cmp(&b.after));
    let largest = &found[PROCESSES - 1];
    let quickest = found.iter().map(|found| found.pack_ms).fold(f64::INFINITY, f64::min);
    let text = format!(
        "A fresh process that packs the same {FILES} files once: {} MB resident at its peak (the largest of {PROCESSES}), \
         of which {} MB were allocated before the first token was counted: the program and the files. The pack took {} ms, including loading \
         the vocabulary (the best of {PROCESSES}).\n",
        number(largest.after),
        number(largest.before),
        number(quickest),
    );
    let what = "memory for packing 100 files, whole process";
    let (best, median) = (found[0].after, found[PROCESSES / 2].after);
    let verdict = Verdict::at_most(what, "MB", 100.0, 100.0, best, median);
    Ok(ReportSection { title: "Memory", text, verdicts: vec![verdict] })
}

/// Peak megabytes of a process before and after packing, and the time in milliseconds.
struct MemoryUse {
    before: f64,
    after: f64,
    pack_ms: f64,
}

fn measure_process(folder: &Path, files: &[&CorpusFile]) -> Result<MemoryUse> {
    let paths = files.iter().map(|file| &file.path);
    let done = Command::new(std::env::current_exe()?).arg(TASK).arg(folder).args(paths).output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let output = String::from_utf8(done.stdout)?;
    let numbers = output.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let [before, after, pack_ms] = numbers[..] else {
        anyhow::bail!("expected three numbers: `{output}`");
    };
    Ok(MemoryUse { before, after, pack_ms })
}

/// The task of the separate process: packs the files at `paths` and prints its numbers.
#[expect(clippy::print_stdout, reason = "the answer is this program's output")]
pub fn run(folder: &Path, paths: &[&str]) -> Result<()> {
    let files =
        paths.iter().map(|path| CorpusFile::read(folder, path)).collect::<Result<Vec<_>>>()?;
    let files = sources::whole(&files);
    let counting = CachedCounter::named("o200k_base").context("it is built in")?;
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let before = peak()?;
    let started = Instant::now();
    let packed = pack(sources::job(files, &settings, &counting, &cancel), &mut ())?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    ensure!(!packed.text.is_empty(), "nothing was packed");
    println!("{before} {} {took}", peak()?);
    Ok(())
}

/// Peak resident memory of this process in megabytes.
fn peak() -> Result<f64> {
    let status =
        fs::read_to_string("/proc/self/status").context("cannot read the status of the process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    Ok(kilobytes.context("the status has no peak")?.trim().parse::<f64>()? * 1024.0 / 1e6)
}
