//! Settings of a pack's content and format: deduplication, selection, formatting, tokens, providers
//! and rules.

use super::Setting;
use crate::value::ValueType::{Bool, Choice, Integer, List, Number, Text, Tokens};

/// Treatments of chunks that do not fit.
const OVERFLOWS: &[&str] = &["skip", "outline", "truncate", "proportional"];

/// Formats of packs.
const FORMATS: &[&str] = &["markdown", "xml", "json", "plain"];

pub(super) const SETTINGS: &[Setting] = settings! {
    /// Enable deduplication.
    "context.deduplication.enabled": Bool, "true", "false", Free;
    /// Leave out chunks with the same content as a better one, ignoring whitespace.
    "context.deduplication.content_hash_enabled": Bool, "true", "false", Free;
    /// Leave out chunks that share lines with a better chunk of the same file.
    "context.deduplication.overlap_detection_enabled": Bool, "true", "false", Free;
    /// Minimum share of the longer chunk's lines at which two chunks overlap.
    "context.deduplication.overlap_threshold": Number(0.0, 1.0), "0.3", "0.5", Free;
    /// Leave out chunks with nearly the same words as a better one.
    "context.deduplication.near_enabled": Bool, "false", "true", Free;
    /// Minimum share of common words at which two chunks are near-duplicates.
    "context.deduplication.near_threshold": Number(0.01, 1.0), "0.85", "0.95", Free;
    /// Ignore whitespace when comparing contents.
    "context.deduplication.normalize_whitespace": Bool, "true", "false", Free;
    /// Ignore comments when comparing contents.
    "context.deduplication.ignore_comments": Bool, "false", "true", Free;
    /// Distinguish upper and lower case when comparing contents.
    "context.deduplication.case_sensitive": Bool, "true", "false", Free;
    /// Merge overlapping chunks into one with the better rank, up to the maximum size of a chunk.
    "context.deduplication.merge_overlaps": Bool, "false", "true", Free;
    /// Maximum number of contents that deduplication remembers. The least recently matched are
    /// forgotten first, so that their duplicates are kept.
    "context.deduplication.cache_max_size": Integer(1, 10_000_000), "5000", "1000", NotRemote, Free;

    /// Minimum number of chunks in a pack, if there is enough content. Large chunks are skipped in favor
    /// of smaller ones. The budget takes precedence: if no chunk fits, the best one is truncated.
    "context.selection.min_chunks": Integer(0, 100_000), "0", "3", Free;
    /// Take chunks from all kinds of sources in turn, starting with the kind that has the fewest tokens.
    "context.selection.balance": Bool, "false", "true", Free;
    /// Treatment of chunks that do not fit: leave them out (`skip`); include their signatures and doc
    /// comments if those fit, and truncate the best chunk of all if none that fits is half as relevant
    /// (`outline`); truncate the first at a line, with a marker, if more than 100 tokens remain
    /// (`truncate`); or keep its header and a share of its `##` sections (`proportional`).
    "context.selection.overflow": Choice(OVERFLOWS), "outline", "skip", Free;
    /// Minimum relevance of a search result. Those below it are left out, even if they would fit, unless
    /// `min_chunks` requires them. If even the best result is below 0.1, only the first 400 tokens of the
    /// results are kept. What the caller names or supplies is not affected. `--fill` and the request
    /// field `fill` switch it off.
    "context.selection.stop_below": Number(0.0, 1.0), "null", "0.1", Free;
    /// Include the files, tool results and sources that the caller names or supplies before anything
    /// else. If they do not fit, their most relevant parts are included.
    "context.selection.pin": Bool, "false", "true", Free;

    /// Format of the pack.
    "context.formatting.format": Choice(FORMATS), "markdown", "xml";
    /// Template file of the repository that renders the pack instead of a format. Only the user can set
    /// it: a template can exhaust memory, and any other file would be disclosed in full.
    "context.formatting.template": Text, "null", "prompts/pack.j2", UserOnly;
    /// Text before the pack.
    "context.formatting.header": Text, "null", "The code of this project:";
    /// Text after the pack.
    "context.formatting.footer": Text, "null", "End of the code.";
    /// Group the chunks of a file, in line order, instead of listing each chunk separately, best first.
    "context.formatting.group_by_file": Bool, "true", "false";
    /// Show the line numbers of each chunk.
    "context.formatting.line_numbers": Bool, "true", "false";
    /// Show path, lines and relevance on separate lines, in Markdown.
    "context.formatting.detailed": Bool, "false", "true";
    /// Begin the pack with its contents: what is in it and why, and what was left out. The lines count
    /// towards the budget.
    "context.formatting.contents": Bool, "false", "true";
    /// Begin each line with its number, as in `42|`.
    "context.formatting.number_lines": Bool, "false", "true";
    /// Put the task before the pack, after the header.
    "context.formatting.with_task": Bool, "false", "true";
    /// Group chunks by provider, each under a title, in Markdown.
    "context.formatting.sections": Bool, "false", "true";
    /// Show the relevance of chunks in Markdown and plain text, and their score in XML and JSON.
    "context.formatting.scores": Bool, "false", "true";
    /// Maximum number of chunks in a pack.
    "context.formatting.max_chunks": Integer(1, 1_000_000), "null", "20", Lower;
    /// Separator between files in Markdown and plain text, instead of a blank line.
    "context.formatting.separator": Text, "null", "---";

    /// Count tokens exactly, with the model's tokenizer, instead of estimating.
    "context.tokenizer.use_exact": Bool, "true", "false";
    /// Cache token counts.
    "context.tokenizer.cache_enabled": Bool, "true", "false", NotRemote;
    /// Maximum number of cached token counts.
    "context.tokenizer.cache_size": Integer(1, 100_000_000), "10000", "50000", NotRemote;
    /// Use a separate cache for each tenant of a server, so that timing does not disclose what another
    /// tenant packed.
    "context.tokenizer.timing_mitigation": Bool, "true", "false", NotRemote;

    /// Store indexes on disk, in the user's cache folder. If disabled, they live as long as the process.
    "context.cache.enabled": Bool, "true", "false", NotRemote;

    /// Record each pack in the user's cache folder: paths, lines, hashes, scores and reasons, but no
    /// content. Commands such as `kitbag show` read the records.
    "context.record.enabled": Bool, "true", "false", NotRemote;
    /// Add a line to the audit log for each recorded pack: what was included, what was left out, and why.
    "context.record.audit": Bool, "false", "true", UserOnly;
    /// Keep the task in the record of each pack, without secrets, so that the history of the page shows it
    /// after a restart.
    "context.record.tasks": Bool, "false", "true", UserOnly;

    /// Files of the repository that document its conventions, for the provider `style`, in addition to
    /// AGENTS.md, CLAUDE.md, CONTRIBUTING.md and .editorconfig.
    "context.style.guides": List, "[]", "[docs/style.md]";

    /// Enable the provider. Profiles may have another default.
    "context.providers.<provider>.enabled": Bool, "of_provider", "true";
    /// Maximum number of items from the provider.
    "context.providers.<provider>.max_items": Integer(0, 1_000_000), "null", "3";
    /// Maximum number of tokens from the provider.
    "context.providers.<provider>.max_tokens": Tokens(0, 1_000_000_000), "null", "2000";
    /// Timeout of the provider, in milliseconds.
    "context.providers.<provider>.timeout_ms": Integer(1, 3_600_000), "null", "500";

    /// Treatment of rules whose condition is undecided: list or inject them.
    "context.rules.undecided": Choice(&["list", "inject"]), "list", "inject";
    /// Order of the instructions of nested folders (AGENTS.md, CLAUDE.md).
    "context.rules.order": Choice(&["root_first", "leaf_first"]), "root_first", "leaf_first";
};
