//! Tasks of the workspace that cargo does not have: checks, generated pages and measurements.

mod chunks;
mod commands;
mod conformance;
mod generate;
mod measure;
mod python;
mod redact;
mod schemas;
mod tidy;
mod typescript;

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

/// The allocator of the program `kitbag`, so that measurements apply to it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
usage: cargo xtask tidy                        check dependencies, cycles, sizes, links and wording
       cargo xtask tidy --report [PATH...]     list the violations and figures, without failing
       cargo xtask generate [--check]          write the pages that are generated from the code
       cargo xtask chunks FOLDER...            check the chunker's invariants on every file
       cargo xtask redact FOLDER...            list what redaction finds, and measure its speed
       cargo xtask measure FOLDER              measure performance (run by scripts/measure)";

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
        ["tidy", "--report", prefixes @ ..] => tidy::report(root(), prefixes),
        ["generate"] => generate::run(root(), false),
        ["generate", "--check"] => generate::run(root(), true),
        ["chunks", folders @ ..] if !folders.is_empty() => chunks::run(folders),
        ["redact", folders @ ..] if !folders.is_empty() => redact::run(folders),
        ["measure", folder] => measure::run(Path::new(folder)),
        [] => bail!(USAGE),
        [unknown, ..] => bail!("unknown task `{unknown}`\n{USAGE}"),
    }
}

/// The workspace's folder, the parent of this crate's.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}
