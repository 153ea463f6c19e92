//! How fast is it, and how much memory does it take? The measurements behind docs/performance.md.
//!
//! Each part below measures one thing, with its rival or its floor in the same run, and gives a
//! section of the page. `scripts/measure` lays out the texts, starts this, and keeps the page.

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

/// Measures over the texts in `folder`, and prints the page. `rival` is the command that counts as
/// Python tiktoken does.
#[expect(clippy::print_stdout, reason = "the page is this program's output")]
pub fn run(folder: &Path, rival: &[&str]) -> Result<()> {
    let corpus = Corpus::read(folder)?;
    let sections = [
        step("token counting", || tokens::section(&corpus, rival))?,
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
