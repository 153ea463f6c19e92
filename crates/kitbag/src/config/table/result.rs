//! The settings of what a decision keeps and how it looks: deduplication, selection, formatting,
//! tokens, providers, rules.

use super::Setting;
use crate::config::value::Shape::{Choice, Flag, List, Number, Text, Tokens, Whole};

/// What becomes of chunks that do not fit.
const OVERFLOWS: &[&str] = &["skip", "outline", "truncate", "proportional"];

/// How packs are formatted.
const FORMATS: &[&str] = &["markdown", "xml", "json", "plain"];

pub(super) const SETTINGS: &[Setting] = settings! {
    /// Whether repetitions are left out at all.
    "context.deduplication.enabled": Flag, "true", "false";
    /// Whether a chunk with the same content as a better one is left out, white space aside.
    "context.deduplication.content_hash_enabled": Flag, "true", "false";
    /// Whether a chunk that shares lines with a better one of the same file is left out.
    "context.deduplication.overlap_detection_enabled": Flag, "true", "false";
    /// The share of the longer chunk's lines from which two chunks of a file overlap.
    "context.deduplication.overlap_threshold": Number(0.0, 1.0), "0.3", "0.5";
    /// Whether a chunk that uses nearly the same words as a better one is left out.
    "context.deduplication.near_enabled": Flag, "false", "true";
    /// The share of two chunks' words that they have in common, from which they are nearly the same.
    "context.deduplication.near_threshold": Number(0.01, 1.0), "0.85", "0.95";
    /// Whether white space is left aside when contents are compared.
    "context.deduplication.normalize_whitespace": Flag, "true", "false";
    /// Whether comments are left aside when contents are compared.
    "context.deduplication.ignore_comments": Flag, "false", "true";
    /// Whether upper and lower case are told apart when contents are compared.
    "context.deduplication.case_sensitive": Flag, "true", "false";
    /// Whether two chunks that overlap become one, with the better rank, as long as it is not larger
    /// than a chunk may be.
    "context.deduplication.merge_overlaps": Flag, "false", "true";
    /// How many contents that occur more than once are remembered at most. Copies of those that were
    /// forgotten stay.
    "context.deduplication.cache_max_size": Whole(1, 10_000_000), "5000", "1000", NotRemote;

    /// How many chunks a pack has at least, if there is as much content: large ones are passed over
    /// for smaller ones. The budget wins: if not even one fits, the best one is cut.
    "context.selection.min_chunks": Whole(0, 100_000), "0", "3";
    /// Whether the kinds of sources take turns, the one that has had the fewest tokens first.
    "context.selection.balance": Flag, "false", "true";
    /// What becomes of chunks that do not fit: they are left out (`skip`); their signatures and doc
    /// comments go in, as long as they fit (`outline`); the first of them is cut at a line, with a
    /// marker, if more than 100 tokens remain (`truncate`); or it keeps its header and a share of
    /// its `##` sections (`proportional`).
    "context.selection.overflow": Choice(OVERFLOWS), "outline", "skip";

    /// The format of the text.
    "context.formatting.format": Choice(FORMATS), "markdown", "xml";
    /// The file of a template that makes the text, in place of a format. The path is that of a file
    /// of the repository. Only the user may name one: a template can be written to use up the memory,
    /// and a file that is none would come out whole.
    "context.formatting.template": Text, "null", "prompts/pack.j2", UserOnly;
    /// A text before the pack.
    "context.formatting.header": Text, "null", "The code of this project:";
    /// A text after the pack.
    "context.formatting.footer": Text, "null", "End of the code.";
    /// Whether chunks of one file stand together, in line order, and not each alone, best first.
    "context.formatting.group_by_file": Flag, "true", "false";
    /// Whether the lines that are shown are named by their numbers.
    "context.formatting.line_numbers": Flag, "true", "false";
    /// Whether path, lines and relevance stand on lines of their own, in Markdown.
    "context.formatting.detailed": Flag, "false", "true";
    /// Whether what each provider gave stands under a title of its own, in Markdown.
    "context.formatting.sections": Flag, "false", "true";
    /// Whether the relevance of what is shown stands beside it in Markdown and plain text, and the
    /// score in XML and JSON.
    "context.formatting.scores": Flag, "false", "true";
    /// The most chunks that a pack may have.
    "context.formatting.max_chunks": Whole(1, 1_000_000), "null", "20";
    /// What stands between two files in Markdown and plain text, in place of a blank line.
    "context.formatting.separator": Text, "null", "---";

    /// Whether tokens are counted as the model counts them, and not estimated.
    "context.tokenizer.use_exact": Flag, "true", "false";
    /// Whether counts are remembered.
    "context.tokenizer.cache_enabled": Flag, "true", "false", NotRemote;
    /// How many counts are remembered at most.
    "context.tokenizer.cache_size": Whole(1, 100_000_000), "10000", "50000", NotRemote;
    /// Whether tenants of a server have caches of their own, so that nobody learns from timing what
    /// another one packed.
    "context.tokenizer.timing_mitigation": Flag, "true", "false", NotRemote;

    /// Whether indexes are kept on disk, in the user's cache folder. When it is off they live as
    /// long as the program.
    "context.cache.enabled": Flag, "true", "false", NotRemote;

    /// Whether each pack leaves a record in the user's cache folder: paths, lines, hashes, scores and
    /// reasons, never content. `kitbag show` and its like read it.
    "context.record.enabled": Flag, "true", "false", NotRemote;
    /// Whether each recorded pack also leaves a line in an audit log: what went in, what did not, and
    /// why.
    "context.record.audit": Flag, "false", "true", UserOnly;

    /// Files of the repository that tell its conventions, for the provider `style`, beside AGENTS.md,
    /// CLAUDE.md, CONTRIBUTING.md and .editorconfig.
    "context.style.guides": List, "[]", "[docs/style.md]";

    /// Whether the provider is asked. A profile may have another default.
    "context.providers.<provider>.enabled": Flag, "of_provider", "true";
    /// How many items it gives at most.
    "context.providers.<provider>.max_items": Whole(0, 1_000_000), "null", "3";
    /// How many tokens it gives at most.
    "context.providers.<provider>.max_tokens": Tokens(0, 1_000_000_000), "null", "2000";
    /// How many milliseconds it may take.
    "context.providers.<provider>.timeout_ms": Whole(1, 3_600_000), "null", "500";

    /// What becomes of a rule whose condition nobody could judge: it is listed, or injected.
    "context.rules.undecided": Choice(&["list", "inject"]), "list", "inject";
    /// In which order the instructions of nested folders (AGENTS.md, CLAUDE.md) stand.
    "context.rules.order": Choice(&["root_first", "leaf_first"]), "root_first", "leaf_first";
};
