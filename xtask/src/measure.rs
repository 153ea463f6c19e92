//! Measurements of speed and memory for docs/performance.md.
//!
//! Each module below measures one thing next to a competitor or a lower bound, and returns a section
//! of the page. `scripts/measure` prepares the texts, runs this and writes the page.

mod chunking;
mod clock;
mod corpus;
mod memory;
mod packing;
mod page;
mod sources;
mod stages;
mod tokens;

pub use clock::cpu_time;
pub use memory::{TASK as MEMORY, run as memory};

use anyhow::Result;
use corpus::Corpus;
use std::path::Path;

/// Measures on the texts in `folder`, and prints the page. `tiktoken` is the command that counts with
/// Python tiktoken.
#[expect(clippy::print_stdout, reason = "the page is this program's output")]
pub fn run(folder: &Path, tiktoken: &[&str]) -> Result<()> {
    let corpus = Corpus::read(folder)?;
    let sections = [
        step("token counting", || tokens::section(&corpus, tiktoken))?,
        step("chunking", || chunking::section(&corpus))?,
        step("ranking", || stages::ranking(&corpus))?,
        step("deduplication", || stages::deduplication(&corpus))?,
        step("packing", || packing::section(&corpus))?,
        step("memory", || memory::section(&corpus, folder))?,
    ];
    print!("{}", page::render(&sections)?);
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a program for people at a terminal")]
fn step<T>(name: &str, work: impl FnOnce() -> T) -> T {
    eprintln!("measure: {name}");
    work()
}
