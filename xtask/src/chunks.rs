//! Checks the chunker's invariants on every file of some folders: chunks are in order, do not overlap
//! and cover each non-blank line, and their token counts are exact.

use anyhow::{Context, Result, ensure};
use kitbag_repo::{Globs, Root, Tree, WorkTree};
use kitbag_text::{ChunkLimits, Text, check_invariants, chunk_text, decode};
use kitbag_tokens::CachedCounter;

/// Larger files are skipped.
const MAX_BYTES: u64 = 64 << 20;

/// Results for one folder.
#[derive(Default)]
struct ChunkerCheck {
    files: usize,
    bytes: usize,
    chunks: usize,
    fallbacks: usize,
    violations: Vec<String>,
}

/// Checks every file of `folders`, with the default limits and with small ones, and prints a line for
/// each folder.
#[expect(clippy::print_stdout, reason = "a program for people at a terminal")]
pub fn run(folders: &[&str]) -> Result<()> {
    let counting = CachedCounter::named("o200k_base").context("o200k_base is built in")?;
    let mut failed = 0;
    println!("  files        KB    chunks  by lines violations  folder");
    for folder in folders {
        let ChunkerCheck { files, bytes, chunks, fallbacks, violations } =
            check(folder, &counting)?;
        let (kilobytes, count) = (bytes / 1_000, violations.len());
        println!("{files:>7} {kilobytes:>9} {chunks:>9} {fallbacks:>9} {count:>10}  {folder}");
        for violation in &violations {
            println!("    {violation}");
        }
        failed += count;
    }
    ensure!(failed == 0, "{failed} violations");
    Ok(())
}

fn check(folder: &str, counting: &CachedCounter) -> Result<ChunkerCheck> {
    let root = Root::open(folder)?;
    let tree = WorkTree::walk(&root, &Globs::default());
    let small = ChunkLimits {
        max_chunk_tokens: 120,
        max_class_tokens: 60,
        min_chunk_tokens: 20,
        ..ChunkLimits::default()
    };
    let mut count = ChunkerCheck::default();
    for entry in tree.files() {
        let Ok(bytes) = tree.read(entry, MAX_BYTES) else { continue };
        let Ok(content) = decode(bytes) else { continue };
        let text = Text::new(content);
        count.files += 1;
        count.bytes += text.content().len();
        for limits in [&ChunkLimits::default(), &small] {
            check_file(&entry.path, &text, limits, counting, &mut count);
        }
    }
    Ok(count)
}

fn check_file(
    path: &str,
    text: &Text,
    limits: &ChunkLimits,
    counting: &CachedCounter,
    count: &mut ChunkerCheck,
) {
    let chunked = chunk_text(path, text, limits, counting);
    count.chunks += chunked.chunks.len();
    count.fallbacks += usize::from(chunked.fallback.is_some());
    if let Err(violation) = check_invariants(text, &chunked) {
        count.violations.push(format!("{path}: {violation}"));
    }
    for chunk in &chunked.chunks {
        let shown = text.slice(chunk.span);
        let ended = if shown.ends_with('\n') { shown.to_owned() } else { format!("{shown}\n") };
        let lines: String =
            (chunk.span.start..=chunk.span.end).map(|line| text.line(line)).collect();
        if lines != shown {
            count.violations.push(format!("{path}:{}: differs from the file's lines", chunk.span));
        }
        if ended.len() < 1 << 20 && counting.counter().count(&ended) != chunk.tokens as usize {
            count.violations.push(format!("{path}:{}: wrong token count", chunk.span));
        }
    }
}
