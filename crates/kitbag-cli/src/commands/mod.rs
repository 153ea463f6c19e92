//! The command line: one file for each command, with its arguments.

mod chunk;
mod compare;
mod completions;
mod config;
mod diff;
mod doctor;
mod eval;
mod explain;
mod export;
mod index;
mod init;
mod languages;
mod man;
mod map;
mod mcp;
mod pack;
mod proxy;
mod rules;
mod search;
mod serve;
mod server;
mod show;
mod sources;
mod symbol;
mod tokens;
mod trust;
mod usage;
mod verify;
mod watch;

use crate::exit::CliError;
use crate::{engine, logging, repos, ui};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Packs repository context for language models into an exact token budget.
#[derive(Debug, Parser)]
#[command(name = "kitbag", version, long_version = LONG_VERSION, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = "Example:\n  kitbag pack \"why does login fail?\" --budget 8k")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print only errors on standard error.
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Print more, and log to standard error: `-v` info, `-vv` debug, `-vvv` trace.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
}

/// The version, and how the program was built.
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
enum Command {
    /// Pack the code that is relevant to a task.
    #[command(after_help = pack::EXAMPLES)]
    Pack(pack::PackArgs),
    /// List what `pack` would include, without printing its text.
    #[command(after_help = "Example:\n  kitbag preview \"why does login fail?\" --budget 8k")]
    Preview(pack::PackArgs),
    /// Print an overview of a repository: files, README, entry points, central symbols.
    #[command(after_help = map::EXAMPLES)]
    Map(map::MapArgs),
    /// Search the index for a task, and print ranked results with reasons.
    #[command(after_help = search::EXAMPLES)]
    Search(search::SearchArgs),
    /// List the definitions, callers and references of a name.
    #[command(after_help = symbol::EXAMPLES)]
    Symbol(symbol::SymbolArgs),
    /// Show, refresh or remove the index of a repository.
    #[command(after_help = index::EXAMPLES)]
    Index(index::IndexArgs),
    /// Keep the index of a repository up to date until Ctrl-C.
    #[command(after_help = "Example:\n  kitbag watch --repo ~/project &")]
    Watch(watch::WatchArgs),
    /// Show, check or create the configuration.
    #[command(after_help = config::EXAMPLES)]
    Config(config::ConfigArgs),
    /// List the rules that apply to a file or the repository, with their source and reason.
    #[command(after_help = rules::EXAMPLES)]
    Rules(rules::RulesArgs),
    /// Allow settings of a repository that require trust, such as the judge of its rules.
    #[command(after_help = trust::EXAMPLES)]
    Trust(trust::TrustArgs),
    /// Count the tokens of files or of standard input.
    #[command(after_help = tokens::EXAMPLES)]
    Tokens(tokens::TokensArgs),
    /// Show how a file is split into chunks.
    #[command(after_help = "Example:\n  kitbag chunk src/main.rs")]
    Chunk(chunk::ChunkArgs),
    /// List the supported languages.
    #[command(after_help = "Example:\n  kitbag languages --json")]
    Languages(languages::LanguagesArgs),
    /// Measure retrieval on tasks with known answers.
    #[command(after_help = eval::EXAMPLES)]
    Eval(eval::EvalArgs),
    /// Serve agents over the Model Context Protocol.
    #[command(after_help = mcp::EXAMPLES)]
    Mcp(mcp::McpArgs),
    /// Connect a client, such as Claude Code or Cursor, to `kitbag mcp`.
    #[command(after_help = init::EXAMPLES)]
    Init(init::InitArgs),
    /// Run another MCP server behind a proxy that adds context to its tools.
    #[command(after_help = proxy::EXAMPLES)]
    Proxy(proxy::ProxyArgs),
    /// Serve an HTTP API, and a page that shows what the model will see and why.
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::ServeArgs),
    /// Show the last pack: its chunks, what was left out, and how the tokens were spent.
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Explain why a line is in the last pack or not, and what would change that.
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Compare two line ranges: their overlap, and whether deduplication removes one.
    #[command(after_help = "Example:\n  kitbag compare src/a.rs:1-40 src/a.rs:20-60")]
    Compare(compare::CompareArgs),
    /// Check whether the lines of the last pack are still in the files.
    #[command(after_help = "Example:\n  kitbag verify && echo unchanged")]
    Verify(verify::VerifyArgs),
    /// List the sources of the last pack, with their state.
    #[command(after_help = "Example:\n  kitbag sources --filter rejected")]
    Sources(sources::SourcesArgs),
    /// Compare two packs: what was added or removed, and why.
    #[command(after_help = "Examples:\n  kitbag diff\n  kitbag diff @2 @0")]
    Diff(diff::DiffArgs),
    /// Render the last pack again from the files, if they have not changed.
    #[command(after_help = export::EXAMPLES)]
    Export(export::ExportArgs),
    /// Show what was packed, for whom, and how many tokens it saved.
    #[command(after_help = usage::EXAMPLES)]
    Usage(usage::UsageArgs),
    /// Check the setup: repository, cache, configuration, index, clients; and say what to do.
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorArgs),
    /// Print shell completions.
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Print the man page, or write all man pages to a folder.
    #[command(after_help = man::EXAMPLES)]
    Man(man::ManArgs),
}

/// Parses a command line, which begins with the program, and runs its command.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Cli { command, quiet, verbose } = Cli::parse_from(arguments);
    let (repo, set) = command.configuration();
    let is_server = matches!(command, Command::Serve(_));
    logging::install(engine::logging_settings(repo, set), verbose, is_server);
    ui::set_verbosity(quiet, verbose);
    match command {
        Command::Pack(args) => pack::run(&args, false),
        Command::Preview(args) => pack::run(&args, true),
        Command::Map(args) => map::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Symbol(args) => symbol::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Tokens(args) => tokens::run(&args),
        Command::Chunk(args) => chunk::run(&args),
        Command::Languages(args) => languages::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Proxy(args) => proxy::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Sources(args) => sources::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Usage(args) => usage::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

impl Command {
    /// The repository and the `--set` that configure the logs of a command.
    fn configuration(&self) -> (Option<&Path>, &[(String, String)]) {
        let folder = |repo| Some(repos::folder(repo));
        match self {
            Self::Pack(args) | Self::Preview(args) => {
                (folder(args.repo.first().map(PathBuf::as_path)), &args.set)
            }
            Self::Map(args) => (folder(args.repo.as_deref()), &args.set),
            Self::Search(args) => (folder(args.repo.first().map(PathBuf::as_path)), &[]),
            Self::Symbol(args) => (folder(args.repo.as_deref()), &[]),
            Self::Index(args) => (folder(args.repo.as_deref()), &[]),
            Self::Watch(args) => (folder(args.repo.as_deref()), &[]),
            Self::Rules(args) => (Some(args.common.repo()), &[]),
            Self::Mcp(args) => (args.repo.first().map(PathBuf::as_path), &[]),
            Self::Proxy(args) => (folder(args.repo.as_deref()), &[]),
            Self::Serve(args) => (args.log_repo(), &args.set),
            _ => (None, &[]),
        }
    }
}
