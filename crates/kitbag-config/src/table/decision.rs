//! Settings of the decision: budget, priorities, ranking and chunking.

use super::Setting;
use crate::value::ValueType::{Bool, Choice, Integer, Number, Tokens};

/// Upper bound for token counts; no model has a window this large.
const MAX_TOKENS: u64 = 1_000_000_000;

/// Ways to split files.
const STRATEGIES: &[&str] = &["structure", "lines", "tokens"];

pub(super) const SETTINGS: &[Setting] = settings! {
    /// Enable packing. If disabled, every pack is empty, with a warning.
    "context.enabled": Bool, "true", "false", NotRemote, Disable;
    /// Maximum number of sources in a pack: first those of the request, then the best files that the
    /// search finds. Unlimited by default.
    "context.max_sources": Integer(1, 1_000_000), "null", "100", Lower;
    /// Timeout of a provider, in milliseconds.
    "context.strategy_timeout": Integer(1, 3_600_000), "5000", "500";
    /// Maximum number of providers that run concurrently.
    "context.max_parallelism": Integer(1, 1_024), "6", "2", NotRemote;
    /// Deadline of a pack, in milliseconds. Sources that have not arrived by then are left out.
    "context.deadline_ms": Integer(1, 3_600_000), "null", "500";

    /// Size of the model's context window, in tokens. A smaller window of the model takes precedence.
    "context.budget.total": Tokens(1, MAX_TOKENS), "100000", "150000", Budget;
    /// Tokens of the window reserved for the response.
    "context.budget.response_reserve": Tokens(0, MAX_TOKENS), "8000", "15000", Budget;
    /// Tokens of the window reserved for the system prompt.
    "context.budget.system_reserve": Tokens(0, MAX_TOKENS), "2000", "8000", Budget;
    /// Tokens of the window reserved for the instruction.
    "context.budget.instruction_reserve": Tokens(0, MAX_TOKENS), "0", "500", Budget;
    /// Tokens of the window reserved for a completion.
    "context.budget.completion_reserve": Tokens(0, MAX_TOKENS), "0", "1000", Budget;
    /// Deduct the tokens of the task and the selected text from the window, unless the request sets a
    /// budget.
    "context.budget.deduct_request": Bool, "false", "true", Enable;
    /// Maximum share of the budget for sources of this kind, including headers and separators. Kinds
    /// without a share are unlimited. The shares must sum to at most 1.
    "context.budget.categories.<kind>": Number(0.0, 1.0), "null", "0.4", Lower;

    /// Priority of sources of this kind, from 0 to 100; one of the three factors of a score.
    "context.source_priority.<kinds>": Integer(0, 100), "of_kind", "55", Free;

    /// Weight of a chunk's relevance to the task in its score. The three weights must sum to 1; those that
    /// are not set share the rest in proportion to their defaults.
    "context.ranking.relevance_weight": Number(0.0, 1.0), "0.5", "0.7", Free;
    /// Weight of a chunk's last change in its score; see `relevance_weight`.
    "context.ranking.recency_weight": Number(0.0, 1.0), "0.3", "0.1", Free;
    /// Weight of the source's priority in a chunk's score; see `relevance_weight`.
    "context.ranking.source_weight": Number(0.0, 1.0), "0.2", "0.1", Free;
    /// Order of chunks: by score, or by priority and then relevance.
    "context.ranking.order": Choice(&["score", "priority"]), "score", "priority", Free;
    /// Minimum score of a chunk. Without it, no chunk is left out for its score.
    "context.ranking.min_score": Number(0.0, 1.0), "null", "0.2", Free;

    /// Maximum number of tokens in a chunk. Larger units are split. The index counts tokens of
    /// `o200k_base`, whatever the model, so that models share it.
    "context.chunking.max_chunk_tokens": Tokens(16, 1_000_000), "2000", "1500", NotRemote, Free;
    /// Minimum number of tokens in a chunk. Smaller ones are merged with their neighbors.
    "context.chunking.min_chunk_tokens": Tokens(0, 1_000_000), "100", "150", NotRemote, Free;
    /// Split files at functions, classes and sections where possible, instead of by lines.
    "context.chunking.prefer_structural": Bool, "true", "false", NotRemote, Free;
    /// Number of lines in a chunk of a file that is split by lines.
    "context.chunking.lines_per_chunk": Integer(1, 100_000), "50", "80", NotRemote, Free;
    /// How to split files of this language, overriding `prefer_structural`: by structure, lines or
    /// tokens.
    "context.chunking.languages.<language>": Choice(STRATEGIES), "null", "lines", NotRemote, Free;
    /// Maximum size of a file that is parsed, in bytes.
    "context.chunking.max_file_size_bytes": Integer(1, 67_108_864), "10485760", "1000000", NotRemote, Lower;
    /// Approximate time limit for parsing a file, in milliseconds. Parser steps are counted instead of
    /// time, so that a file is always split in the same way.
    "context.chunking.max_parse_time_ms": Integer(1, 60_000), "1000", "200", NotRemote, Lower;
    /// Maximum nesting depth of a file that is parsed.
    "context.chunking.max_nesting_depth": Integer(1, 1_000), "50", "30", NotRemote, Lower;
    /// Split a file by lines if it cannot be parsed, because it is too large, too deeply nested, too
    /// slow or has too many errors. If disabled, such a file is left out.
    "context.chunking.fallback_on_error": Bool, "true", "false", NotRemote, Free;
};
