//! The settings of the decision itself: budget, priorities, ranking, chunking.

use super::Setting;
use crate::config::value::Shape::{Choice, Flag, Number, Tokens, Whole};

/// No window is as large as this.
const MOST: u64 = 1_000_000_000;

/// How files can be cut.
const CUTS: &[&str] = &["structure", "lines", "tokens"];

pub(super) const SETTINGS: &[Setting] = settings! {
    /// Whether packs have any content. When it is off, every pack is empty and says so.
    "context.enabled": Flag, "true", "false", NotRemote;
    /// How many sources go into a decision at most: first what the caller names and brings, then
    /// the best files that the search found. Without it there is no such limit.
    "context.max_sources": Whole(1, 1_000_000), "null", "100";
    /// How many milliseconds a provider may take.
    "context.strategy_timeout": Whole(1, 3_600_000), "5000", "500";
    /// How many providers run at the same time.
    "context.max_parallelism": Whole(1, 1_024), "6", "2", NotRemote;
    /// How many milliseconds a pack may take; what has arrived by then is packed.
    "context.deadline_ms": Whole(1, 3_600_000), "null", "500";

    /// The tokens of the window that packs are made for. Where the model's window is smaller, that
    /// one counts.
    "context.budget.total": Tokens(1, MOST), "100000", "150000";
    /// Tokens of the window that are kept free for the answer.
    "context.budget.response_reserve": Tokens(0, MOST), "8000", "15000";
    /// Tokens of the window that are kept free for the system prompt.
    "context.budget.system_reserve": Tokens(0, MOST), "2000", "8000";
    /// Tokens of the window that are kept free for the instruction.
    "context.budget.instruction_reserve": Tokens(0, MOST), "0", "500";
    /// Tokens of the window that are kept free for a completion.
    "context.budget.completion_reserve": Tokens(0, MOST), "0", "1000";
    /// Whether the tokens of the task and of the selected text are taken from the window, where no
    /// budget is given.
    "context.budget.deduct_request": Flag, "false", "true";
    /// The share of the budget that sources of this kind may have at most, what stands around them
    /// included. Kinds without a share have no such limit. All shares sum to 1 at most.
    "context.budget.categories.<kind>": Number(0.0, 1.0), "null", "0.4";

    /// The priority of sources of this kind, from 0 to 100: the third factor of a score.
    "context.source_priority.<kinds>": Whole(0, 100), "of_kind", "55";

    /// How much a score follows from how well a chunk answers the task. The three weights sum to 1.
    "context.ranking.relevance_weight": Number(0.0, 1.0), "0.5", "0.7";
    /// How much a score follows from how lately a chunk changed. The three weights sum to 1.
    "context.ranking.recency_weight": Number(0.0, 1.0), "0.3", "0.1";
    /// How much a score follows from the priority of its source. The three weights sum to 1.
    "context.ranking.source_weight": Number(0.0, 1.0), "0.2", "0.1";
    /// What comes first: what scores best, or what has the highest priority and then is the most
    /// relevant.
    "context.ranking.order": Choice(&["score", "priority"]), "score", "priority";
    /// Chunks that score less are left out. Without it none is.
    "context.ranking.min_score": Number(0.0, 1.0), "null", "0.2";

    /// The most tokens that a chunk may have. What is larger is taken apart or split.
    "context.chunking.max_chunk_tokens": Tokens(16, 1_000_000), "2000", "1500", NotRemote;
    /// Chunks with fewer tokens are joined with their neighbours.
    "context.chunking.min_chunk_tokens": Tokens(0, 1_000_000), "100", "150", NotRemote;
    /// Whether files are cut along functions, classes and sections where there are any, and not by
    /// lines.
    "context.chunking.prefer_structural": Flag, "true", "false", NotRemote;
    /// How many lines a chunk has where files are cut by lines.
    "context.chunking.lines_per_chunk": Whole(1, 100_000), "50", "80", NotRemote;
    /// How files of this language are cut, whatever `prefer_structural` says: along their structure,
    /// by lines, or by tokens.
    "context.chunking.languages.<language>": Choice(CUTS), "null", "lines", NotRemote;
    /// Files with more bytes are not parsed.
    "context.chunking.max_file_size_bytes": Whole(1, 67_108_864), "10485760", "1000000", NotRemote;
    /// How many milliseconds parsing a file may take, roughly: it is the parser's steps that are
    /// counted, so that the same file is always cut in the same way.
    "context.chunking.max_parse_time_ms": Whole(1, 60_000), "1000", "200", NotRemote;
    /// Files that are nested deeper are not parsed.
    "context.chunking.max_nesting_depth": Whole(1, 1_000), "50", "30", NotRemote;
    /// Whether a file that cannot be parsed, since it is too large, too deep, too slow or has too
    /// many errors, is cut by lines. When it is off, such a file is left out.
    "context.chunking.fallback_on_error": Flag, "true", "false", NotRemote;
};
