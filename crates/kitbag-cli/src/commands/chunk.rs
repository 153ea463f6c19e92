//! `kitbag chunk`.

use crate::args::{ChunkArgs, CutArg};
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{ChunkLimits, Chunked, Counting, Cut, Language, Text};
use serde_json::json;

/// The most bytes of a file that is cut, as in a pack.
const MOST_BYTES: u64 = 64 << 20;

/// Prints the chunks of a file.
pub fn chunk(args: &ChunkArgs) -> Result<(), Failure> {
    let text = Text::new(files::read_text(&args.file, MOST_BYTES)?);
    let counting = Counting::named("o200k_base").expect("built in");
    let path = args.file.to_string_lossy();
    let defaults = ChunkLimits::default();
    let max_chunk_tokens = args.max_chunk_tokens.unwrap_or(defaults.max_chunk_tokens);
    let limits = ChunkLimits {
        max_chunk_tokens,
        min_chunk_tokens: args
            .min_chunk_tokens
            .unwrap_or(defaults.min_chunk_tokens)
            .min(max_chunk_tokens),
        cut: match args.by {
            CutArg::Structure => Cut::Structure,
            CutArg::Lines => Cut::Lines,
            CutArg::Tokens => Cut::Tokens,
        },
        ..defaults
    };
    let language = Language::of_text(&path, &text);
    let tally = counting.tally(text.content(), text.starts());
    let chunked = kitbag::chunk(&text, language, &limits, &counting, &tally);
    let name = language.map_or("unknown", Language::name);
    if args.json {
        let report = json!({
            "version": 1, "path": path, "language": name, "tokenizer": counting.counter().name(),
            "lines": text.line_count(), "fallback": chunked.fallback, "chunks": chunked.chunks,
        });
        return files::write(None, &format!("{report:#}\n"));
    }
    files::write(None, &listing(&chunked))?;
    if let Some(fallback) = chunked.fallback {
        ui::warning(&format!("cut by lines: {fallback}"));
    }
    let lines = ui::counted(text.line_count() as usize, "line");
    ui::note(&format!("{}, {lines} of {name}", ui::counted(chunked.chunks.len(), "chunk")));
    Ok(())
}

fn listing(chunked: &Chunked) -> String {
    let row = |chunk: &kitbag::Chunk| {
        let part = chunk.part.map(|part| format!("part {} of {}", part.number, part.of));
        let kind = json!(chunk.kind).as_str().unwrap_or_default().to_owned();
        vec![
            chunk.span.to_string(),
            format!("{} tokens", chunk.tokens),
            kind,
            chunk.symbol.clone().unwrap_or_default(),
            part.unwrap_or_default(),
        ]
    };
    ui::table(&chunked.chunks.iter().map(row).collect::<Vec<_>>())
}
