//! `kitbag index`.

mod shared;

use crate::args::{StoreArgs, parse_store};
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::terminal::escaped;
use crate::{engine, files, repos, ui};
use clap::{Args, Subcommand};
use kitbag::{Cancel, Cleared, Engine, FailedRepository, IndexRefresh, IndexState, IndexStatus};
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "Examples:
  kitbag index
  kitbag index refresh --repo ~/project
  kitbag index clear --all
  kitbag index push --store s3://bucket/kitbag
  kitbag index pull --store s3://bucket/kitbag --ref v1.0";

#[derive(Debug, Args)]
pub struct IndexArgs {
    #[command(subcommand)]
    action: Option<IndexAction>,
    /// Folder of the repository [default: that of the current folder].
    #[arg(long, value_name = "DIR", global = true)]
    pub repo: Option<PathBuf>,
    /// Object store that shares indexes, such as `s3://bucket/prefix`, `gs://`, `az://` or `file:///path`
    /// [default: `store.url`].
    #[arg(long, value_name = "URL", global = true, value_parser = parse_store)]
    store: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

impl IndexArgs {
    fn repo(&self) -> &Path {
        repos::folder(self.repo.as_deref())
    }

    fn engine(&self) -> Result<Engine, CliError> {
        engine::open_with(&StoreArgs { store: self.store.clone() }.settings(&[]))
    }
}

#[derive(Debug, Clone, Subcommand)]
enum IndexAction {
    /// Show the location, size and problems of the index (the default), or of the shared one with `--store`.
    #[command(
        after_help = "Example:\n  kitbag index status --json\n  kitbag index status --store file:///srv/kitbag"
    )]
    Status,
    /// Update the index now.
    #[command(
        after_help = "Example:\n  kitbag index refresh --repo ~/project\n  kitbag index refresh --ref v1.0\n  \
                      kitbag index refresh --repos /srv/mirrors"
    )]
    Refresh {
        /// Branch, tag or commit to index instead of the work tree.
        #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
        revision: Option<String>,
        /// Index all repositories in a folder, as of `HEAD`, for requests with `--all`.
        #[arg(long, value_name = "DIR", conflicts_with_all = ["revision", "repo"])]
        repos: Option<PathBuf>,
    },
    /// Add to the object store what it lacks of the repository's index. What it has is not analyzed again.
    #[command(
        after_help = "Example:\n  kitbag index push --store s3://bucket/kitbag\n  kitbag index push --store file:///srv/kitbag --ref main\n  \
                      kitbag index push --store s3://bucket/kitbag --repos /srv/mirrors"
    )]
    Push {
        /// Branch, tag or commit to push instead of the work tree.
        #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
        revision: Option<String>,
        /// Push all repositories in a folder, as of `HEAD`, for requests with `--all`.
        #[arg(long, value_name = "DIR", conflicts_with_all = ["revision", "repo"])]
        repos: Option<PathBuf>,
    },
    /// Take the repository's index from the object store, and analyze what it lacks.
    #[command(after_help = "Example:\n  kitbag index pull --store s3://bucket/kitbag")]
    Pull {
        /// Branch, tag or commit to pull instead of the work tree.
        #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
        revision: Option<String>,
    },
    /// Collect what the object store no longer needs, of all repositories.
    #[command(
        after_help = "Example:\n  kitbag index gc --store s3://bucket/kitbag --older-than 30"
    )]
    Gc {
        /// Number of days after which segments and summaries that were not pushed again expire.
        #[arg(long, value_name = "DAYS", default_value_t = 90, allow_negative_numbers = true,
              value_parser = clap::value_parser!(u32).range(1..=36_500))]
        older_than: u32,
        /// Number of hours for which replaced lists, unlisted segments, sessions and records of packs are kept. No
        /// push may take half as long.
        #[arg(long, value_name = "HOURS", default_value_t = 24, allow_negative_numbers = true,
              value_parser = clap::value_parser!(u32).range(24..=8_760))]
        grace: u32,
    },
    /// Remove the index. The next pack builds it again.
    #[command(after_help = "Example:\n  kitbag index clear\n  kitbag index clear --all")]
    Clear {
        /// Remove the indexes of all repositories.
        #[arg(long)]
        all: bool,
    },
}

pub fn run(args: &IndexArgs) -> Result<(), CliError> {
    let cancel = cancel_on_interrupt();
    let without_effect = match &args.action {
        Some(IndexAction::Clear { .. }) => args.store.as_ref().map(|_| ("clear", "--store")),
        Some(IndexAction::Gc { .. }) => args.repo.as_ref().map(|_| ("gc", "--repo")),
        _ => None,
    };
    if let Some((action, option)) = without_effect {
        let hint = match action {
            "clear" => "it removes the index on this machine; `kitbag index gc` collects a store",
            _ => "it collects the indexes of all repositories",
        };
        let message = format!("`index {action}` takes no {option}");
        return Err(CliError::usage(message, Some(hint)));
    }
    match &args.action {
        None | Some(IndexAction::Status) if args.store.is_some() => shared::status(args, &cancel),
        None | Some(IndexAction::Status) => status(args, &cancel),
        Some(IndexAction::Push { repos: Some(folder), .. }) => {
            shared::push_all(args, folder, &cancel)
        }
        Some(IndexAction::Push { revision, .. }) => {
            shared::push(args, revision.as_deref(), &cancel)
        }
        Some(IndexAction::Pull { revision }) => shared::pull(args, revision.as_deref(), &cancel),
        Some(IndexAction::Gc { older_than, grace }) => {
            shared::collect(args, *older_than, *grace, &cancel)
        }
        Some(IndexAction::Refresh { repos: Some(folder), .. }) => {
            refresh_all(args, folder, &cancel)
        }
        Some(IndexAction::Refresh { revision, .. }) => refresh(args, revision.as_deref(), &cancel),
        Some(IndexAction::Clear { all }) => clear(args, *all, &cancel),
    }
}

fn status(args: &IndexArgs, cancel: &Cancel) -> Result<(), CliError> {
    let engine = engine::open()?;
    let status = engine::block_on(engine.index_status(args.repo(), cancel))?;
    files::print_report(args.json, &status, &[], |status: &IndexStatus| {
        status.indexes.iter().map(format_index).collect::<Vec<_>>().join("\n")
    })?;
    if status.indexes.is_empty() {
        ui::note(&format!("no index of `{}` yet; the first pack creates it", status.repo));
    }
    Ok(())
}

fn format_index(index: &IndexState) -> String {
    let line = |name: &str, value: &str| ui::line(&format!("{name:<10} {}", escaped(value)));
    let mut text = line("folder", &index.folder);
    text.push_str(&line("of", if index.of_commits { "commits" } else { "the work tree" }));
    text.push_str(&line("tokenizer", index.tokenizer));
    text.push_str(&line("size", &ui::size(index.bytes)));
    text.push_str(&line("files", &ui::thousands(index.files)));
    text.push_str(&line("contents", &ui::thousands(index.contents)));
    text.push_str(&line("segments", &ui::thousands(index.segments)));
    text.extend(index.used.map(|used| line("last used", &kitbag::format_time(used))));
    text.extend(index.trouble.as_ref().map(|problem| line("problem", problem)));
    text
}

/// Indexes and summarizes the repositories in a folder.
fn refresh_all(args: &IndexArgs, folder: &Path, cancel: &Cancel) -> Result<(), CliError> {
    let progress = IndexProgress::immediate();
    let engine = progress.attach(args.engine()?);
    let repos = repos::in_folder(folder)?;
    let summarized = progress.block_on(engine.summarize(repos, cancel))?;
    if args.json {
        files::print_json(&summarized)?;
    }
    ui::warnings(&summarized.warnings);
    for FailedRepository { name, reason, .. } in &summarized.failed {
        ui::warning(&format!("`{name}` cannot be indexed: {reason}"));
    }
    if !args.json {
        ui::note(&format!("{} indexed", kitbag::plural(summarized.repositories, "repository")));
    }
    // Indexes that could not be saved are useless to this command.
    summarized
        .unkept
        .as_ref()
        .map_or(Ok(()), |reason| Err(CliError::run(reason.as_str(), None)))?;
    all_done(summarized.failed.len(), "cannot be indexed")
}

/// Fails if some repositories were left out.
fn all_done(failed: usize, what: &str) -> Result<(), CliError> {
    let message = || format!("{} {what}", kitbag::plural(failed, "repository"));
    if failed == 0 { Ok(()) } else { Err(CliError::run(message(), None)) }
}

fn refresh(args: &IndexArgs, revision: Option<&str>, cancel: &Cancel) -> Result<(), CliError> {
    let progress = IndexProgress::immediate();
    let engine = progress.attach(args.engine()?);
    let refreshed = progress.block_on(engine.refresh_index(args.repo(), revision, cancel))?;
    if args.json {
        files::print_json(&refreshed)?;
    }
    let unkept = refreshed.unkept.as_ref();
    for warning in refreshed.warnings.iter().filter(|warning| Some(*warning) != unkept) {
        ui::warning(warning);
    }
    if !args.json {
        ui::note(&format_refresh(&refreshed));
    }
    // An index that could not be saved is useless to this command.
    unkept.map_or(Ok(()), |reason| Err(CliError::run(reason.as_str(), None)))
}

/// Summarizes an update of the index in one line.
pub fn format_refresh(it: &IndexRefresh) -> String {
    let mut parts = vec![ui::counted(it.files, "file")];
    let counts = [
        (it.unchanged, "unchanged"),
        (it.known, "with known content"),
        (it.analyzed, "analyzed"),
        (it.not_text, "not text"),
        (it.too_large, "too large"),
        (it.unreadable, "unreadable"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    parts.extend(counts.map(|(count, label)| format!("{} {label}", ui::thousands(count))));
    format!("{}; {}", parts.join(", "), ui::duration(it.ms))
}

fn clear(args: &IndexArgs, all: bool, cancel: &Cancel) -> Result<(), CliError> {
    let engine = engine::open()?;
    let cleared = engine::block_on(async {
        if all {
            engine.clear_all_indexes(cancel).await
        } else {
            engine.clear_index(args.repo(), cancel).await
        }
    })?;
    if args.json {
        files::print_json(&cleared)?;
    } else {
        print_cleared(&cleared, args, all);
    }
    match cleared.busy.first() {
        None => Ok(()),
        Some(folder) => {
            let message = format!("another process is writing the index in `{folder}`");
            Err(CliError::run(message, Some("try again in a moment")))
        }
    }
}

fn print_cleared(cleared: &Cleared, args: &IndexArgs, all: bool) {
    for folder in &cleared.removed {
        ui::note(&format!("removed `{}`", escaped(folder)));
    }
    if cleared.removed.is_empty() && cleared.busy.is_empty() {
        let repo =
            if all { "any repository".into() } else { format!("`{}`", args.repo().display()) };
        ui::note(&format!("no index of {repo} found"));
    }
}
