//! Tests of the chunker.
#![allow(clippy::unwrap_used)]

mod embedded;
mod functional;
mod guards;
mod headed;
mod languages;
mod more;
mod objects;
mod properties;
mod sizes;

use crate::{ChunkLimits, ChunkedText, Text, check_invariants, chunk_text};
use kitbag_tokens::CachedCounter;
use std::fmt::Write;
use std::sync::LazyLock;

static COUNTER: LazyLock<CachedCounter> =
    LazyLock::new(|| CachedCounter::named("o200k_base").unwrap());

/// Limits with which nothing is merged and everything larger than `max` is split.
fn limits(max: u32) -> ChunkLimits {
    ChunkLimits { max_chunk_tokens: max, min_chunk_tokens: 0, ..ChunkLimits::default() }
}

/// Splits `source` and checks the invariants.
fn chunk_checked(path: &str, source: &str, limits: &ChunkLimits) -> ChunkedText {
    let text = Text::new(source);
    let chunked = chunk_text(path, &text, limits, &COUNTER);
    check_invariants(&text, &chunked).unwrap();
    for chunk in &chunked.chunks {
        let mut slice = text.slice(chunk.span).to_owned();
        if !slice.ends_with('\n') {
            slice.push('\n');
        }
        assert_eq!(COUNTER.count(&slice), chunk.tokens as usize, "tokens of {}", chunk.span);
    }
    chunked
}

/// Renders each chunk on a line: span, kind, part, symbol, definitions and outline.
fn render(chunked: &ChunkedText) -> String {
    let mut lines = String::new();
    if let Some(fallback) = chunked.fallback {
        writeln!(lines, "{fallback:?}").unwrap();
    }
    for chunk in &chunked.chunks {
        write!(lines, "{} {:?}", chunk.span, chunk.kind).unwrap();
        if let Some(part) = chunk.part {
            write!(lines, " {}/{}", part.number, part.of).unwrap();
        }
        write!(lines, " {}", chunk.symbol.as_deref().unwrap_or("-")).unwrap();
        if !chunk.defines.is_empty() {
            write!(lines, " [{}]", chunk.defines.join(" ")).unwrap();
        }
        for span in &chunk.outline {
            write!(lines, " {span}").unwrap();
        }
        lines.push('\n');
    }
    lines
}

/// Splits `source` without merging and compares the rendered chunks with `expect`.
#[track_caller]
fn check(path: &str, source: &str, expect: &str) {
    check_with(&limits(2_000), path, source, expect);
}

#[track_caller]
fn check_with(limits: &ChunkLimits, path: &str, source: &str, expect: &str) {
    let rendered = render(&chunk_checked(path, source, limits));
    let plain = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(rendered.trim()), plain(expect.trim()), "\n{rendered}");
}
