//! `kitbag search`.

use crate::args::StoreArgs;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::terminal::TextStyle;
use crate::{engine, files, repos, ui};
use clap::Args;
use kitbag::{SearchFactor, SearchReport, SearchRequest, SearchResult};
use std::path::PathBuf;
use std::sync::Arc;

pub const EXAMPLES: &str = "Examples:
  kitbag search \"why does login fail for Google OAuth users?\"
  kitbag search --query-file issue.md --files --limit 5
  kitbag search \"cache key\" --include 'src/**' --explain
  kitbag search --all --repos /srv/mirrors \"who retries failed uploads?\"";

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Task in plain language: a question, a bug report, a stack trace. Quotes are optional.
    task: Vec<String>,
    /// Read the task from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    query_file: Option<PathBuf>,
    /// Folder to search, with or without git, or the URL of a git repository. Paths are relative to it. Can be
    /// repeated with `--all` [default: the repository of the current folder, whose files are preferred].
    #[arg(long, value_name = "DIR|URL")]
    pub repo: Vec<PathBuf>,
    /// Search the repositories of `--repos` or of each `--repo`: first those that the task is about are found, at
    /// most ten, then the code in them. Paths begin with the name of the repository.
    #[arg(long)]
    all: bool,
    /// Folder of repositories for `--all`, such as bare mirrors: `owner/name`, `owner+name` or `name`, each
    /// with or without `.git`.
    #[arg(long, value_name = "DIR", requires = "all", conflicts_with = "repo")]
    repos: Option<PathBuf>,
    /// Branch, tag or commit to search instead of the work tree [default: the work tree, or `HEAD` in a bare
    /// repository].
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Search only files that match this glob, such as `src/**`. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files that match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Maximum number of results.
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print files instead of chunks.
    #[arg(long)]
    files: bool,
    /// Number of matching lines to print with each result, up to 100.
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(0..=100))]
    lines: u32,
    /// Print all factors of each score.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    store: StoreArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &SearchArgs) -> Result<(), CliError> {
    let named = match args.repo.as_slice() {
        [_, _, ..] if !args.all => {
            let hint = "it finds the ones that the task is about, and searches those";
            return Err(CliError::usage("several repositories require --all", Some(hint)));
        }
        repos => repos.first().map(PathBuf::as_path),
    };
    // Globs of a request to all repositories are relative to each of them.
    let globs =
        |globs: &[String]| if args.all { globs.to_vec() } else { repos::globs_in(named, globs) };
    let (repo, fleet) = match args.all {
        true => (None, Some(Arc::new(repos::fleet(&args.repo, args.repos.as_deref())?))),
        false => (Some(repos::local_folder(named)?), None),
    };
    let request = SearchRequest {
        task: files::read_task(&args.task, args.query_file.as_deref())?,
        repo,
        fleet,
        folder: repos::subfolder(named).filter(|_| !args.all).map(str::to_owned),
        revision: args.revision.clone(),
        include: globs(&args.include),
        exclude: globs(&args.exclude),
        limit: args.limit as usize,
        files: args.files,
        // Reasons come with the lines.
        lines: args.lines.max(1) as usize,
        ..SearchRequest::default()
    };
    let cancel = cancel_on_interrupt();
    let progress = IndexProgress::delayed();
    let engine = progress.attach(engine::open_with(&args.store.settings(&[]))?);
    let mut report = progress.block_on(engine.search(request, &cancel))?;
    if args.lines == 0 {
        report.results.iter_mut().for_each(|result| result.lines.clear());
    }
    if !args.json {
        ui::searched(&report.repositories);
    }
    files::print_report(args.json, &report, &report.warnings, |report| format_results(report, args))
}

fn format_results(report: &SearchReport, args: &SearchArgs) -> String {
    report.results.iter().map(|result| format_result(result, args)).collect()
}

/// A line for the result, and below it the reasons and the matching lines, or the factors of its score.
fn format_result(result: &SearchResult, args: &SearchArgs) -> String {
    let place = match args.files {
        true => result.path.clone(),
        false => ui::place(&result.path, result.start_line, result.end_line),
    };
    let symbol = result.symbol.clone().unwrap_or_else(|| result.kind.to_owned());
    let tokens = ui::counted(result.tokens, "token");
    let row = vec![ui::relevance(result.relevance), place, symbol, tokens];
    let styles = [TextStyle::Plain, TextStyle::Bold, TextStyle::Plain, TextStyle::Dim];
    let mut text = ui::styled_table([row], &styles);
    if !args.explain {
        text.push_str(&ui::reasons(&result.why, &result.lines));
        return text;
    }
    if !args.files {
        text.push_str(&format_factors("chunk", result.score, &result.factors));
    }
    text.push_str(&format_factors("file", result.file_score, &result.file_factors));
    text
}

fn format_factors(of: &str, score: f32, factors: &[SearchFactor]) -> String {
    let total = vec![format!("    {of}"), String::new(), format!("{score:+.3}")];
    let row = |it: &SearchFactor| {
        vec![
            format!("      {}", it.name),
            format!("{:.3}", it.value),
            format!("{:+.3}", it.contribution),
        ]
    };
    ui::table([total].into_iter().chain(factors.iter().map(row)))
}
