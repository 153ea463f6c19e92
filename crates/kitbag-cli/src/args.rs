//! The command line, declared once: help and errors come from here.

mod agents;
mod evaluating;
mod service;

use crate::gathering::GatheringArgs;
use crate::inspect_args::{self as inspect, CompareArgs, CompletionsArgs, DiffArgs, ExplainArgs};
use crate::inspect_args::{ExportArgs, ManArgs, ShowArgs, SourcesArgs, VerifyArgs};
pub use agents::{ClientArg, InitArgs, McpArgs, ProxyArgs};
use agents::{INIT_EXAMPLE, MCP_EXAMPLE, PROXY_EXAMPLE};
use clap::{Args, Parser, Subcommand, ValueEnum};
use evaluating::EVAL_EXAMPLE;
pub use evaluating::EvalArgs;
use kitbag::{parse_budget, parse_time};
use service::SERVE_EXAMPLE;
pub use service::ServeArgs;
use std::path::PathBuf;

/// Packs the context a language model needs, to an exact token budget.
#[derive(Debug, Parser)]
#[command(name = "kitbag", version, long_version = LONG_VERSION, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = "Example:\n  kitbag pack \"why does login fail?\" --budget 8k")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Say nothing on standard error but what went wrong.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more, and log on standard error: `-v` what happens, `-vv` why, `-vvv` everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
}

/// The version and what it was built from.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit    ",
    env!("KITBAG_COMMIT"),
    "\ntarget    ",
    env!("KITBAG_TARGET"),
    "\nprofile   ",
    env!("KITBAG_PROFILE"),
    "\nfeatures  ",
    env!("KITBAG_FEATURES"),
);

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Pack the code that matters for a task.
    #[command(after_help = PACK_EXAMPLE)]
    Pack(PackArgs),
    /// Make the same decision as `pack`, and print what would go in instead of the text.
    #[command(after_help = "Example:\n  kitbag preview \"why does login fail?\" --budget 8k")]
    Preview(PackArgs),
    /// Show what the index finds for a task, ranked, with reasons.
    #[command(after_help = SEARCH_EXAMPLE)]
    Search(SearchArgs),
    /// Show, refresh or remove the index of a repository.
    #[command(after_help = INDEX_EXAMPLE)]
    Index(IndexArgs),
    /// Keep the index of a repository fresh while you work, until Ctrl-C.
    #[command(after_help = "Example:\n  kitbag watch --repo ~/project &")]
    Watch(WatchArgs),
    /// Show what is configured and why, check it, or write a file to begin with.
    #[command(after_help = CONFIG_EXAMPLE)]
    Config(ConfigArgs),
    /// List the rules that apply to a file or to the repository, whence and why.
    #[command(after_help = RULES_EXAMPLE)]
    Rules(RulesArgs),
    /// Let a repository's configuration name the judge of its rules.
    #[command(after_help = TRUST_EXAMPLE)]
    Trust(TrustArgs),
    /// Count the tokens of files or of standard input.
    #[command(after_help = TOKENS_EXAMPLE)]
    Tokens(TokensArgs),
    /// Show how a file is cut into chunks.
    #[command(after_help = "Example:\n  kitbag chunk src/main.rs")]
    Chunk(ChunkArgs),
    /// List the languages that are built in.
    #[command(after_help = "Example:\n  kitbag languages --json")]
    Languages(LanguagesArgs),
    /// Measure whether the right code gets into the pack, on tasks whose answer is known.
    #[command(after_help = EVAL_EXAMPLE)]
    Eval(EvalArgs),
    /// Serve agents over the Model Context Protocol.
    #[command(after_help = MCP_EXAMPLE)]
    Mcp(McpArgs),
    /// Connect a client, such as Claude Code or Cursor, to `kitbag mcp`.
    #[command(after_help = INIT_EXAMPLE)]
    Init(InitArgs),
    /// Put another MCP server behind this one, and give its tools context.
    #[command(after_help = PROXY_EXAMPLE)]
    Proxy(ProxyArgs),
    /// Serve programs over HTTP, with a page that shows what the model will see, and why.
    #[command(after_help = SERVE_EXAMPLE)]
    Serve(ServeArgs),
    /// Show what the last pack came to: what is in, what is out, and where the tokens went.
    #[command(after_help = inspect::SHOW_EXAMPLE)]
    Show(ShowArgs),
    /// Tell why a line is in the last pack or not, factor by factor, and what would have to change.
    #[command(after_help = inspect::EXPLAIN_EXAMPLE)]
    Explain(ExplainArgs),
    /// Compare two ranges of lines: what they share, and what deduplication decides.
    #[command(after_help = "Example:\n  kitbag compare src/a.rs:1-40 src/a.rs:20-60")]
    Compare(CompareArgs),
    /// Compare the lines of the last pack with the files as they are now.
    #[command(after_help = "Example:\n  kitbag verify && echo still true")]
    Verify(VerifyArgs),
    /// List the candidates of the last pack, and what validation made of them.
    #[command(after_help = "Example:\n  kitbag sources --filter rejected")]
    Sources(SourcesArgs),
    /// Tell what came, what went, and why, from one pack to another.
    #[command(after_help = "Examples:\n  kitbag diff\n  kitbag diff @2 @0")]
    Diff(DiffArgs),
    /// Render the last pack again from the files, as long as they have not changed.
    #[command(after_help = inspect::EXPORT_EXAMPLE)]
    Export(ExportArgs),
    /// Print the completions of a shell.
    #[command(after_help = inspect::COMPLETIONS_EXAMPLE)]
    Completions(CompletionsArgs),
    /// Print the man page, or write all man pages to a folder.
    #[command(after_help = inspect::MAN_EXAMPLE)]
    Man(ManArgs),
}

const PACK_EXAMPLE: &str = "Examples:
  kitbag pack \"why does login fail for Google OAuth users?\"
  kitbag pack --query-file issue.md --budget 8k -o context.md
  kitbag pack \"review the cache\" --format xml --header \"Review this.\"
  kitbag pack \"handle the error\" --profile inline-edit --document src/a.rs --cursor 42
  kitbag pack \"rename the cache key\" --file src/cache.rs:10-80 --exclude 'docs/**'
  git diff --name-only | jq -cR '{path: .}' | kitbag pack \"review this\" --sources -";

const SEARCH_EXAMPLE: &str = "Examples:
  kitbag search \"why does login fail for Google OAuth users?\"
  kitbag search --query-file issue.md --files --limit 5
  kitbag search \"cache key\" --include 'src/**' --explain";

const INDEX_EXAMPLE: &str = "Examples:
  kitbag index
  kitbag index refresh --repo ~/project
  kitbag index clear --all";

const CONFIG_EXAMPLE: &str = "Examples:
  kitbag config
  kitbag config show context.budget
  kitbag config check
  kitbag config init";

const RULES_EXAMPLE: &str = "Examples:
  kitbag rules
  kitbag rules src/auth/login.rs
  kitbag rules src/auth/login.rs --task \"fix the OAuth callback\" --json";

const TRUST_EXAMPLE: &str = "Examples:
  kitbag trust --show
  kitbag trust --repo ~/project
  kitbag trust --revoke";

const TOKENS_EXAMPLE: &str = "Examples:
  kitbag tokens src/main.rs
  git diff | kitbag tokens -
  kitbag tokens src/main.rs --tokenizer models/qwen3/tokenizer.json --claimed 1200";

#[derive(Debug, Args)]
pub struct PackArgs {
    /// What you are doing, in plain language: a question, a bug report, a stack trace.
    pub task: Option<String>,
    /// Read the task from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub query_file: Option<PathBuf>,
    /// The folder to search, a git repository or not. Paths are relative to it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// The most tokens the pack may have, such as `8000` or `32k`. By default what the model's
    /// window leaves, and 90,000 where no model is named.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, allow_negative_numbers = true)]
    pub budget: Option<usize>,
    /// The model's window, in place of a budget: what is reserved for the prompt and the answer is
    /// kept free, 10,000 tokens unless configured otherwise.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, conflicts_with = "budget",
          allow_negative_numbers = true)]
    pub window: Option<usize>,
    /// The model that will read the pack, such as `gpt-4o`: it decides how tokens are counted.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Count with this tokenizer in place of the model's: a name, or the path of a
    /// `tokenizer.json`. `kitbag tokens --help` has the names.
    #[arg(long, value_name = "NAME|PATH")]
    pub tokenizer: Option<String>,
    /// A file that the pack should have, with optional lines: `src/a.rs:10-40`. Can be repeated.
    #[arg(long, value_name = "FILE[:A-B]")]
    pub file: Vec<String>,
    /// Sources as JSON lines (`path`, `content`, `kind`, `start_line`, ...) from a file, or from
    /// standard input with `-`.
    #[arg(long, value_name = "FILE")]
    pub sources: Option<PathBuf>,
    /// Search only files that match this glob, such as `src/**`. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Do not search files that match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Leave secrets inside files as they are. By default keys, tokens and passwords are replaced by
    /// markers such as `[REDACTED:github-token]`.
    #[arg(long)]
    pub no_redact: bool,
    /// The time that ages are measured from, such as `2026-11-15T12:00:00Z`; by default that of the
    /// newest change.
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    pub now: Option<i64>,
    /// What becomes of chunks that do not fit [default: outline].
    #[arg(long, value_enum)]
    pub overflow: Option<OverflowArg>,
    /// Leave out chunks that score less, from 0 to 1.
    #[arg(long, value_name = "SCORE", value_parser = score, allow_negative_numbers = true)]
    pub min_score: Option<f64>,
    /// How many chunks the pack has at the least, if there are as many: large ones are passed over
    /// for smaller ones, and if not even one fits, the best one is cut.
    #[arg(long, value_name = "COUNT")]
    pub min_chunks: Option<usize>,
    /// A profile: a named set of settings. `agent`, `orchestrate`, `inline-edit`, `chunks` and
    /// `situation` are built in; a configuration can have more, as `context.profiles`.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Set a key of the configuration for this run, such as `context.ranking.min_score=0.2`. Can be
    /// repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    #[command(flatten)]
    pub gathering: GatheringArgs,
    #[command(flatten)]
    pub formatting: FormattingArgs,
    /// Fail unless this file or range is in the pack, and say why it is not. Can be repeated.
    #[arg(long, value_name = "FILE")]
    pub expect: Vec<String>,
    /// Leave no record of this pack for `kitbag show` and its like.
    #[arg(long)]
    pub no_record: bool,
    /// Print one JSON object: the text and everything there is to say about it.
    #[arg(long)]
    pub json: bool,
    /// Show how long each stage took, on standard error.
    #[arg(long)]
    pub timing: bool,
    /// Write to a file instead of standard output. It is replaced as a whole, or left as it was.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How the text looks.
#[derive(Debug, Args)]
pub struct FormattingArgs {
    /// The format of the text [default: markdown].
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// Make the text by a template of your own (MiniJinja), in place of a format.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "detailed"])]
    pub template: Option<PathBuf>,
    /// A text at the beginning of the pack.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub header: Option<String>,
    /// A text at the end of the pack.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub footer: Option<String>,
    /// What stands between two files in Markdown and plain text, in place of a blank line.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub separator: Option<String>,
    /// In Markdown, show path, lines and relevance on lines of their own.
    #[arg(long)]
    pub detailed: bool,
    /// Show how relevant each part is.
    #[arg(long)]
    pub scores: bool,
    /// Name the lines that are shown by their numbers (the default).
    #[arg(long, overrides_with = "no_line_numbers")]
    pub line_numbers: bool,
    /// Do not name the lines that are shown.
    #[arg(long, overrides_with = "line_numbers")]
    pub no_line_numbers: bool,
    /// Show each chunk alone, best first, instead of the chunks of a file together.
    #[arg(long)]
    pub no_grouping: bool,
    /// Pack so many chunks at the most.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub max_chunks: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// A header for each file, and fenced blocks of code.
    Markdown,
    /// A `<context>` of `<code-context>` elements.
    Xml,
    /// An object with a list of chunks.
    Json,
    /// Text with a boundary line.
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OverflowArg {
    /// They are left out.
    Skip,
    /// Their signatures and doc comments go in, as long as they fit.
    Outline,
    /// The first is cut at a line to what remains, the others are left out.
    Truncate,
    /// The first keeps its header and a share of its `##` sections, the others are left out.
    Proportional,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What you are looking for, in plain language: a question, a bug report, a stack trace.
    pub task: Option<String>,
    /// Read the task from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub query_file: Option<PathBuf>,
    /// The folder to search, a git repository or not. Paths are relative to it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Search only files that match this glob, such as `src/**`. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Do not search files that match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Show so many results at most.
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Show files instead of chunks.
    #[arg(long)]
    pub files: bool,
    /// Show everything that speaks for and against each result, with what it adds to the score.
    #[arg(long)]
    pub explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct IndexArgs {
    #[command(subcommand)]
    pub action: Option<IndexAction>,
    /// The repository's folder.
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    pub repo: PathBuf,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub enum IndexAction {
    /// Show where the index is, how large, and whether anything is wrong with it (the default).
    #[command(after_help = "Example:\n  kitbag index status --json")]
    Status,
    /// Bring the index up to date now.
    #[command(after_help = "Example:\n  kitbag index refresh --repo ~/project")]
    Refresh,
    /// Remove the index. The next pack builds it anew.
    #[command(after_help = "Example:\n  kitbag index clear\n  kitbag index clear --all")]
    Clear {
        /// Remove the indexes of all repositories.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
    /// The repository's folder.
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    pub repo: PathBuf,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigAction {
    /// Show what holds, and where each value comes from (the default).
    #[command(after_help = "Example:\n  kitbag config show context.budget --profile review")]
    Show {
        /// Only this setting, or the settings of this section.
        key: Option<String>,
        /// What holds for this profile.
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        /// What would hold with this setting. Can be repeated.
        #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
        set: Vec<(String, String)>,
    },
    /// Tell everything that is wrong with the configuration.
    #[command(after_help = "Example:\n  kitbag config check --repo ~/project")]
    Check,
    /// Write a configuration in which every setting is explained and none is set.
    #[command(after_help = "Example:\n  kitbag config init\n  kitbag config init --user")]
    Init {
        /// Write the user-wide file, not the repository's.
        #[arg(long)]
        user: bool,
        /// Replace a file that is there.
        #[arg(long)]
        force: bool,
        /// Print it instead.
        #[arg(long, conflicts_with_all = ["user", "force"])]
        stdout: bool,
    },
}

#[derive(Debug, Args)]
pub struct RulesArgs {
    /// A file or folder, relative to the repository. Without one, what holds for the repository.
    pub path: Option<PathBuf>,
    /// The repository's folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// The current context, a file under `.agent/contexts` [default: default].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// What you are doing: conditions in plain language are then judged, if a judge is configured.
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// The time that ages are measured from, such as `2026-11-15T12:00:00Z`; by default that of the
    /// newest change.
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    pub now: Option<i64>,
    /// Also list the rules that do not apply.
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The repository's folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Show what the repository wants and whether you trust it, and change nothing.
    #[arg(long, conflicts_with = "revoke")]
    pub show: bool,
    /// Trust nothing of the repository any more.
    #[arg(long)]
    pub revoke: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The repository's folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Print a JSON object, on a line of its own, each time that the index is brought up to date.
    #[arg(long)]
    pub json: bool,
}

/// Whose configuration holds.
#[derive(Debug, Args)]
pub struct ConfiguredArgs {
    /// The repository's folder, whose configuration holds. Files are relative to it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// A profile: a named set of settings, as `context.profiles` has them.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Set a key of the configuration for this run, such as `context.chunking.lines_per_chunk=80`.
    /// Can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub struct TokensArgs {
    /// The files, or `-` for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub files: Vec<PathBuf>,
    /// Count as this model does; by default as the configuration says.
    #[arg(long, value_name = "NAME", conflicts_with = "tokenizer")]
    pub model: Option<String>,
    /// Count with `o200k_base`, `cl100k_base` or the `tokenizer.json` at a path; or estimate by
    /// `claude`, `claude-4.7`, `gemini`, `characters` or `words`.
    #[arg(long, value_name = "NAME|PATH")]
    pub tokenizer: Option<String>,
    /// Fail unless all files together have this many tokens, give or take 1 %.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, allow_negative_numbers = true)]
    pub claimed: Option<usize>,
    #[command(flatten)]
    pub configured: ConfiguredArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ChunkArgs {
    /// The file to cut, or `-` for standard input.
    pub file: PathBuf,
    /// The most tokens a chunk may have [default: as configured, 2000].
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(16..))]
    pub max_chunk_tokens: Option<u32>,
    /// Chunks with fewer tokens are joined with their neighbours [default: as configured, 100].
    #[arg(long, value_name = "TOKENS")]
    pub min_chunk_tokens: Option<u32>,
    /// How to cut [default: as configured, structure].
    #[arg(long, value_enum)]
    pub by: Option<CutArg>,
    #[command(flatten)]
    pub configured: ConfiguredArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CutArg {
    /// Along functions, classes and sections.
    Structure,
    /// Every 50 lines, or as many as are configured.
    Lines,
    /// At the last line that --max-chunk-tokens allows.
    Tokens,
}

#[derive(Debug, Args)]
pub struct LanguagesArgs {
    #[command(flatten)]
    pub configured: ConfiguredArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `KEY=VALUE`; whether there is such a key is for the configuration to say.
fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("not a key with a value: `KEY=VALUE`")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

fn time(value: &str) -> Result<i64, String> {
    parse_time(value).map_err(|error| error.to_string())
}

fn score(value: &str) -> Result<f64, String> {
    let score = value.trim().parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| "not a score from 0 to 1, such as `0.4`".to_owned())
}
