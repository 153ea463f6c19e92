//! The arguments of the commands that look into packs, and of those that describe the program.

use clap::{Args, ValueEnum};
use kitbag::Format;
use std::path::PathBuf;

pub const SHOW_EXAMPLE: &str = "Examples:
  kitbag show
  kitbag show --excluded --ranking
  kitbag show --list
  kitbag show @1 --tokens";

pub const EXPLAIN_EXAMPLE: &str = "Examples:
  kitbag explain src/auth.rs:42
  kitbag explain src/auth.rs:42 --task \"why does login fail?\"";

pub const EXPORT_EXAMPLE: &str = "Examples:
  kitbag export -o context.md
  kitbag export @1 --format xml";

pub const COMPLETIONS_EXAMPLE: &str = "Examples:
  kitbag completions bash > ~/.local/share/bash-completion/completions/kitbag
  kitbag completions zsh > ~/.zfunc/_kitbag
  kitbag completions fish > ~/.config/fish/completions/kitbag.fish";

pub const MAN_EXAMPLE: &str = "Examples:
  kitbag man | man -l -
  kitbag man ~/.local/share/man/man1";

/// Which pack is looked into.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The repository's folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The pack: `@1` is the one before the last, and `--list` has the names [default: the last].
    #[arg(value_name = "ID")]
    pub record: Option<String>,
    /// List the packs that are recorded.
    #[arg(long)]
    pub list: bool,
    /// What is out, and why.
    #[arg(long)]
    pub excluded: bool,
    /// Everything that was scored, best first, with what each score is made of.
    #[arg(long)]
    pub ranking: bool,
    /// What the tokens went to.
    #[arg(long)]
    pub tokens: bool,
    /// What repeated something better, and what leaving it out saved.
    #[arg(long)]
    pub dedup: bool,
    /// The chunks of each file, in line order, and what became of them.
    #[arg(long)]
    pub chunks: bool,
    /// How long the stages and the providers took.
    #[arg(long)]
    pub timing: bool,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A line of a file, such as `src/auth.rs:42`.
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// The task of the pack: the index is searched again, and tells what made the relevance.
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// The pack [default: the last].
    #[arg(long, value_name = "ID")]
    pub record: Option<String>,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Some lines of a file, such as `src/a.rs:1-40`.
    #[arg(value_name = "FILE:A-B")]
    pub a: String,
    /// Other lines, of the same file or another.
    #[arg(value_name = "FILE:A-B")]
    pub b: String,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The pack [default: the last].
    #[arg(value_name = "ID")]
    pub record: Option<String>,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Args)]
pub struct SourcesArgs {
    /// The pack [default: the last].
    #[arg(value_name = "ID")]
    pub record: Option<String>,
    /// Only those that were modified, or only those that were rejected.
    #[arg(long, value_enum)]
    pub filter: Option<SourceFilter>,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SourceFilter {
    /// Files that git saw as changed or did not know, and files that changed since the pack.
    Modified,
    /// What may not be read, is no text, or was too much.
    Rejected,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The pack from which it is told [default: the one before the last].
    #[arg(value_name = "BEFORE", requires = "after")]
    pub before: Option<String>,
    /// The pack to which it is told [default: the last].
    #[arg(value_name = "AFTER")]
    pub after: Option<String>,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The pack [default: the last].
    #[arg(value_name = "ID")]
    pub record: Option<String>,
    /// Write to a file instead of standard output. It is replaced as a whole, or left as it was.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format, in place of the pack's own.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,
    /// The text at the beginning, which a record does not hold.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub header: Option<String>,
    /// The text at the end, which a record does not hold.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub footer: Option<String>,
    /// Leave out what has changed since, instead of refusing.
    #[arg(long)]
    pub partial: bool,
    #[command(flatten)]
    pub common: RecordArgs,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder to write all pages to; by default the first page goes to standard output.
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

fn format(name: &str) -> Result<Format, String> {
    name.parse().map_err(|error: kitbag::UnknownFormat| error.to_string())
}
