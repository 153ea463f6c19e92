//! `kitbag chunk`.

use crate::args::{ChunkArgs, CutArg};
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{ChunkLimits, Chunked, Countings, Cut, Language, Text};
use serde_json::json;

/// The most bytes of a file that is cut, as in a pack.
const MOST_BYTES: u64 = 64 << 20;

/// Prints the chunks of a file.
pub fn chunk(args: &ChunkArgs) -> Result<(), Failure> {
    let settled = files::settled(&args.configured)?;
    let file = files::within(&args.configured.repo, &args.file);
    let text = Text::new(files::read_text(&file, MOST_BYTES)?);
    let counting = Countings::default().get(&settled.counter, &settled.tokenizer, "");
    let counting = counting.map_err(kitbag::Error::from)?;
    let limits = limits(args, settled.settings.chunking);
    let path = args.file.to_string_lossy();
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

/// What is configured, with what the command line says in its place.
fn limits(args: &ChunkArgs, mut limits: ChunkLimits) -> ChunkLimits {
    if let Some(most) = args.max_chunk_tokens {
        limits.max_chunk_tokens = most;
        limits.max_class_tokens = most;
    }
    let least = args.min_chunk_tokens.unwrap_or(limits.min_chunk_tokens);
    limits.min_chunk_tokens = least.min(limits.max_chunk_tokens);
    if let Some(by) = args.by {
        limits.languages.clear();
        limits.cut = match by {
            CutArg::Structure => Cut::Structure,
            CutArg::Lines => Cut::Lines,
            CutArg::Tokens => Cut::Tokens,
        };
    }
    limits
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
