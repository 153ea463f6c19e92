//! `kitbag chunk`.

use crate::args::ConfigurationArgs;
use crate::exit::CliError;
use crate::{engine, files, ui};
use clap::{Args, ValueEnum};
use kitbag::{ChunkLimits, ChunkStrategy, ChunkedText, CounterRegistry, Language, Text};
use serde_json::json;
use std::path::PathBuf;

/// Maximum size of a file, the same as in a pack.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Args)]
pub struct ChunkArgs {
    /// File to split, or `-` for standard input.
    file: PathBuf,
    /// Branch, tag or commit to read the file from, instead of the work tree.
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Maximum number of tokens in a chunk [default: as configured, 2000].
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(16..))]
    max_chunk_tokens: Option<u32>,
    /// Merge chunks with fewer tokens into their neighbors [default: as configured, 100].
    #[arg(long, value_name = "TOKENS")]
    min_chunk_tokens: Option<u32>,
    /// How to split [default: as configured, structure].
    #[arg(long, value_enum)]
    by: Option<StrategyArg>,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrategyArg {
    /// At functions, classes and sections.
    Structure,
    /// Every 50 lines, or as configured.
    Lines,
    /// At the last line that --max-chunk-tokens allows.
    Tokens,
}

pub fn run(args: &ChunkArgs) -> Result<(), CliError> {
    let settled = engine::settings(&args.configuration, args.revision.as_deref())?;
    let text = Text::new(read(args)?);
    let counting = CounterRegistry::default().get(&settled.counter, &settled.tokenizer, "");
    let counting = counting.map_err(kitbag::Error::from)?;
    let limits = limits(args, settled.settings.chunking);
    let path = args.file.to_string_lossy();
    let chunked = kitbag::chunk_text(&path, &text, &limits, &counting);
    let language = Language::for_text(&path, &text).map_or("unknown", Language::name);
    if args.json {
        return files::print_json(&json!({
            "version": 1, "path": path, "language": language, "tokenizer": counting.counter().name(),
            "lines": text.line_count(), "fallback": chunked.fallback, "chunks": chunked.chunks,
        }));
    }
    files::print(&format_chunks(&chunked))?;
    if let Some(fallback) = chunked.fallback {
        ui::warning(&format!("split by lines: {fallback}"));
    }
    let lines = ui::counted(text.line_count() as usize, "line");
    ui::note(&format!("{}, {lines} of {language}", ui::counted(chunked.chunks.len(), "chunk")));
    Ok(())
}

/// Reads the file, or standard input.
fn read(args: &ChunkArgs) -> Result<String, CliError> {
    let repo = args.configuration.repo.as_deref();
    engine::read_text(repo, args.revision.as_deref(), &args.file, MAX_BYTES)
}

/// Applies the command line to the configured limits.
fn limits(args: &ChunkArgs, mut limits: ChunkLimits) -> ChunkLimits {
    if let Some(max) = args.max_chunk_tokens {
        limits.max_chunk_tokens = max;
        limits.max_class_tokens = max;
    }
    let min = args.min_chunk_tokens.unwrap_or(limits.min_chunk_tokens);
    limits.min_chunk_tokens = min.min(limits.max_chunk_tokens);
    if let Some(by) = args.by {
        limits.languages.clear();
        limits.strategy = match by {
            StrategyArg::Structure => ChunkStrategy::Structure,
            StrategyArg::Lines => ChunkStrategy::Lines,
            StrategyArg::Tokens => ChunkStrategy::Tokens,
        };
    }
    limits
}

fn format_chunks(chunked: &ChunkedText) -> String {
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
    ui::table(chunked.chunks.iter().map(row))
}
