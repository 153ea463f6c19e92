//! Chores of the workspace that cargo does not know: `tidy`, `generate`, `chunks`, `redact`, and what
//! `scripts/measure` and `scripts/mutate-conformance` ask for.

mod chunks;
mod commands;
mod conformance;
mod generate;
mod measure;
mod redact;
mod tidy;

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

/// The allocator of the program `kitbag`, so that what is measured here is what it does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
usage: cargo xtask tidy
       cargo xtask generate [--check]          (the pages that are made from the code)
       cargo xtask shown                       (which test shows which requirement)
       cargo xtask chunks FOLDER...            (the chunker's promises, on every file)
       cargo xtask redact FOLDER...            (what redaction finds, and how fast)
       cargo xtask measure FOLDER COMMAND...   (run by scripts/measure)";

#[expect(clippy::print_stderr, reason = "a program for people at a terminal")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["tidy"] => tidy::run(root()),
        ["generate"] => generate::run(root(), false),
        ["generate", "--check"] => generate::run(root(), true),
        ["shown"] => conformance::list(root()),
        ["chunks", folders @ ..] if !folders.is_empty() => chunks::run(folders),
        ["redact", folders @ ..] if !folders.is_empty() => redact::run(folders),
        ["measure", folder, rival @ ..] if !rival.is_empty() => {
            measure::run(Path::new(folder), rival)
        }
        [measure::MEMORY, folder, paths @ ..] => measure::memory(Path::new(folder), paths),
        [] => bail!(USAGE),
        [unknown, ..] => bail!("unknown task `{unknown}`\n{USAGE}"),
    }
}

/// The workspace's folder: the one above this crate's.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}
