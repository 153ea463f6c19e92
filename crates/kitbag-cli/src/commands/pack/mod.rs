//! `kitbag pack` and `kitbag preview`.

mod formatting;
mod inputs;

use crate::args::{StoreArgs, parse_setting, parse_timestamp, value_name};
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::suggested::Suggested;
use crate::terminal::escaped;
use crate::{clipboard, engine, files, repos, ui};
use clap::{Args, ValueEnum};
use formatting::FormattingArgs;
use inputs::InputArgs;
use kitbag::{Cancel, Engine, Expected, Report, Request, parse_budget, parse_source_lines};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const EXAMPLES: &str = "Examples:
  kitbag pack \"why does login fail for Google OAuth users?\"
  kitbag pack --query-file issue.md --budget 8k -o context.md
  kitbag pack --diff main...HEAD --header \"Review this.\"
  kitbag pack \"explain the cache\" --format xml --tree
  kitbag pack \"handle the error\" --profile inline-edit --document src/a.rs --cursor 42
  kitbag pack \"how are cookies stored?\" --repo https://github.com/encode/httpx
  kitbag pack \"how are cookies stored?\" --repo ~/mirrors/httpx.git --ref 0.27.0
  kitbag pack \"rename the cache key\" --file src/cache.rs:10-80 --exclude 'docs/**'
  git ls-files '*.sql' | jq -cR '{path: .}' | kitbag pack \"add a column\" --sources -";

#[derive(Debug, Args)]
pub struct PackArgs {
    /// Task in plain language: a question, a bug report, a stack trace. Quotes are optional. Without a
    /// task or anything else to pack, the pack is an overview of the repository.
    task: Vec<String>,
    /// Read the task from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    query_file: Option<PathBuf>,
    /// Folder to search, with or without git, or the URL of a git repository, which is copied into the cache.
    /// Paths are relative to it. Can be repeated: paths then begin with the name of their repository
    /// [default: the repository of the current folder, whose files are preferred].
    #[arg(long, value_name = "DIR|URL")]
    pub repo: Vec<PathBuf>,
    /// Pack from all repositories that are named by `--repo`, or that are in the folder of `--repos`: those that
    /// the task is about, at most ten.
    #[arg(long)]
    all: bool,
    /// Folder of repositories for `--all`, such as bare mirrors: `owner/name`, `owner+name` or `name`, each
    /// with or without `.git`.
    #[arg(long, value_name = "DIR", requires = "all", conflicts_with = "repo")]
    repos: Option<PathBuf>,
    /// Branch, tag or commit to pack instead of the work tree [default: the work tree, or `HEAD` in a bare
    /// repository].
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Maximum number of tokens in the pack, such as `8000` or `32k` [default: the model's window
    /// minus the reserves, or 90,000].
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, allow_negative_numbers = true)]
    budget: Option<usize>,
    /// Size of the model's window, instead of a budget. Some of it is reserved for the prompt and the
    /// answer: 10,000 tokens unless configured otherwise.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, conflicts_with = "budget",
          allow_negative_numbers = true)]
    window: Option<usize>,
    /// Model that will read the pack, such as `gpt-4o`. It determines the tokenizer.
    #[arg(long, value_name = "NAME", value_parser = Suggested::models(), hide_possible_values = true)]
    model: Option<String>,
    /// Tokenizer to use instead of the model's: a name or the path of a `tokenizer.json`. `kitbag
    /// tokens --help` lists the names.
    #[arg(long, value_name = "NAME|PATH")]
    tokenizer: Option<String>,
    /// Review a change, as in `git diff`: the work tree against `HEAD`, or against BASE; `staged`; or a
    /// range such as `main...HEAD`. Implies `--profile review`.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "")]
    diff: Option<String>,
    /// File to include, optionally with lines: `src/a.rs:10-40`. Can be repeated.
    #[arg(long, value_name = "FILE[:A-B]")]
    file: Vec<String>,
    /// Read sources as JSON lines (`path`, `content`, `kind`, `start_line`, ...) from a file, or from
    /// standard input with `-`.
    #[arg(long, value_name = "FILE")]
    sources: Option<PathBuf>,
    /// Search only files that match this glob, such as `src/**`. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files that match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Do not redact secrets. By default, keys, tokens and passwords are replaced by markers such as
    /// `[REDACTED:github-token]`.
    #[arg(long)]
    no_redact: bool,
    /// Time that ages are relative to, such as `2026-11-15T12:00:00Z` [default: time of the newest
    /// change].
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp, allow_negative_numbers = true)]
    now: Option<i64>,
    /// How to handle chunks that do not fit [default: outline].
    #[arg(long, value_enum)]
    overflow: Option<OverflowArg>,
    /// Minimum score of a chunk, from 0 to 1.
    #[arg(long, value_name = "SCORE", value_parser = parse_score, allow_negative_numbers = true)]
    min_score: Option<f64>,
    /// Minimum number of chunks, if there are enough. Prefers small chunks to large ones, and
    /// truncates the best one if none fits.
    #[arg(long, value_name = "COUNT")]
    min_chunks: Option<usize>,
    /// Fill the budget, also with search results that are hardly relevant. By default, the pack ends
    /// where nothing else is likely to matter.
    #[arg(long)]
    fill: bool,
    /// Profile to apply: a named set of settings. Built in are `agent`, `review`, `overview`,
    /// `orchestrate`, `inline-edit`, `chunks` and `situation`; `context.profiles` adds more.
    #[arg(long, value_name = "NAME", value_parser = Suggested::profiles(), hide_possible_values = true)]
    profile: Option<String>,
    /// Override a setting for this run, such as `context.ranking.min_score=0.2`. Can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    formatting: FormattingArgs,
    /// Fail, with the reason, unless the pack includes this file or range. Can be repeated.
    #[arg(long, value_name = "FILE")]
    expect: Vec<String>,
    /// Do not record this pack. Commands such as `kitbag show` need the record.
    #[arg(long)]
    no_record: bool,
    /// Print a JSON object with the text and the full report.
    #[arg(long)]
    json: bool,
    /// Print the duration of each stage on standard error.
    #[arg(long)]
    timing: bool,
    /// Copy the text to the clipboard instead of printing it, through the system's clipboard tool or the
    /// terminal (OSC 52).
    #[arg(long, conflicts_with = "output")]
    copy: bool,
    /// Write to a file instead of standard output. The file is replaced atomically.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OverflowArg {
    /// Leave them out.
    Skip,
    /// Include their signatures and doc comments, if those fit, and truncate the best chunk of all.
    Outline,
    /// Truncate the first one to the remaining budget, and leave out the others.
    Truncate,
    /// Keep the header and a share of the `##` sections of the first one, and leave out the others.
    Proportional,
}

/// A pack, and the engine that can answer questions about it.
pub struct RequestedPack {
    pub report: Report,
    engine: Engine,
    cancel: Cancel,
}

/// Makes a pack with the user's configuration, and shows the progress of indexing.
pub fn request_pack(
    request: Request,
    set: &[(String, String)],
    is_preview: bool,
) -> Result<RequestedPack, CliError> {
    let progress = IndexProgress::delayed();
    let engine = progress.attach(engine::open_with(set)?);
    let cancel = cancel_on_interrupt();
    let report = progress.block_on(async {
        if is_preview {
            engine.preview(request, &cancel).await
        } else {
            engine.pack(request, &cancel).await
        }
    })?;
    Ok(RequestedPack { report, engine, cancel })
}

/// Runs `kitbag pack`, or `kitbag preview`, whose report has no text.
pub fn run(args: &PackArgs, is_preview: bool) -> Result<(), CliError> {
    let request = request(args)?;
    let repo = request.repo.clone().unwrap_or_default();
    let RequestedPack { report, engine, cancel } =
        request_pack(request, &args.store.settings(&args.set), is_preview)?;
    let output = match &report.content {
        _ if args.json => files::json(&report),
        Some(content) => content.clone(),
        None => format_included(&report),
    };
    if args.copy {
        let how = clipboard::copy(&output)?;
        ui::note(&format!("copied to the clipboard through {how}"));
    } else {
        files::write(args.output.as_deref(), &output)?;
    }
    print_summary(&report, args.timing);
    check_expected(args, &repo, &engine, &report, &cancel)?;
    engine.wait_for_indexing(&cancel);
    Ok(())
}

fn request(args: &PackArgs) -> Result<Request, CliError> {
    args.formatting.check()?;
    files::check_output(args.output.as_deref())?;
    let own_inputs = [&args.query_file, &args.sources].into_iter().flatten();
    let inputs = own_inputs.chain(args.inputs.files());
    if inputs.filter(|path| files::is_stdio(path)).count() > 1 {
        let hint = Some("use a file for all but one of them");
        return Err(CliError::usage("only one argument can read standard input", hint));
    }
    let named = args.repo.first().map(PathBuf::as_path);
    let (words, diff) = task_and_diff(args);
    let task = files::read_task(&words, args.query_file.as_deref())?;
    let sources = match &args.sources {
        Some(path) => {
            let lines = files::read_text(path, files::MAX_BYTES)?;
            let name = files::input_name(path);
            let mut sources = parse_source_lines(&name, &lines).map_err(kitbag::Error::from)?;
            for source in sources.iter_mut().filter(|it| Path::new(&it.path).exists()) {
                source.path = repos::file_in(named, &source.path);
            }
            sources
        }
        None => Vec::new(),
    };
    check_several(args)?;
    let fleet = args.all.then(|| repos::fleet(&args.repo, args.repos.as_deref())).transpose()?;
    let (repo, repos) = match args.repo.as_slice() {
        _ if args.all => (None, Vec::new()),
        [] | [_] => (Some(repos::local_folder(named)?), Vec::new()),
        all => (None, repos::named(all)?),
    };
    // Globs of a request to all repositories are relative to each of them.
    let globs =
        |globs: &[String]| if args.all { globs.to_vec() } else { repos::globs_in(named, globs) };
    let mut request = Request {
        task,
        diff,
        repo,
        repos,
        fleet: fleet.map(Arc::new),
        folder: repos::subfolder(named).filter(|_| !args.all).map(str::to_owned),
        revision: args.revision.clone(),
        budget: args.budget,
        window: args.window,
        model: args.model.clone(),
        tokenizer: args.tokenizer.as_deref().map(engine::parse_tokenizer).transpose()?,
        references: args.file.iter().map(|file| repos::file_in(named, file)).collect(),
        sources,
        include: globs(&args.include),
        exclude: globs(&args.exclude),
        redact: args.no_redact.then_some(false),
        now: args.now,
        profile: args.profile.clone(),
        options: options(args),
        fill: args.fill,
        no_record: args.no_record,
        via: "cli",
        tool: "pack",
        template: args.formatting.template()?,
        ..Request::default()
    };
    args.inputs.apply(named, &mut request)?;
    if names_input(args) {
        // What was named and turns out to be empty is an error, not a wish for the overview.
        request.profile =
            request.profile.or_else(|| request.diff.is_none().then(|| "agent".to_owned()));
    }
    Ok(request)
}

/// Fails if arguments name files, which would have to be in one of several repositories.
fn check_several(args: &PackArgs) -> Result<(), CliError> {
    let own = [
        ("--diff", args.diff.is_some()),
        ("--file", !args.file.is_empty()),
        ("--sources", args.sources.is_some()),
        ("--expect", !args.expect.is_empty()),
        ("--ref", args.all && args.revision.is_some()),
    ];
    let mut named = own.into_iter().chain(args.inputs.names_files());
    match named.find(|(_, is_given)| *is_given) {
        Some((flag, _)) if args.repo.len() > 1 || args.all => {
            let message = format!("`{flag}` cannot be used with several repositories");
            Err(CliError::usage(message, Some("name one `--repo`")))
        }
        _ => Ok(()),
    }
}

/// Whether the command line names a task or sources.
fn names_input(args: &PackArgs) -> bool {
    !args.task.is_empty() || args.query_file.is_some() || args.sources.is_some()
}

/// Returns the words of the task and the diff. A revision has no spaces, so text after `--diff` that has
/// some is the task.
fn task_and_diff(args: &PackArgs) -> (Vec<String>, Option<String>) {
    let is_task =
        |diff: &&String| args.task.is_empty() && diff.trim().contains(char::is_whitespace);
    match args.diff.as_ref().filter(is_task) {
        Some(task) => (vec![task.clone()], Some(String::new())),
        None => (args.task.clone(), args.diff.clone()),
    }
}

/// The flags that override settings, as options of the request.
fn options(args: &PackArgs) -> Vec<(String, Value)> {
    let own: [(&str, Option<Value>); 3] = [
        ("selection.overflow", args.overflow.map(|it| value_name(it).into())),
        ("selection.min_chunks", args.min_chunks.map(Into::into)),
        ("ranking.min_score", args.min_score.map(Into::into)),
    ];
    let options = own.into_iter().chain(args.formatting.options());
    options.filter_map(|(key, value)| Some((format!("context.{key}"), value?))).collect()
}

/// Fails if a file of `--expect` is not in the pack.
fn check_expected(
    args: &PackArgs,
    repo: &Path,
    engine: &Engine,
    report: &Report,
    cancel: &Cancel,
) -> Result<(), CliError> {
    if args.expect.is_empty() {
        return Ok(());
    }
    let named = args.repo.first().map(PathBuf::as_path);
    let expected = Expected {
        repo: Some(repo.to_owned()),
        places: args.expect.iter().map(|place| repos::file_in(named, place)).collect(),
        include: repos::globs_in(named, &args.include),
        exclude: repos::globs_in(named, &args.exclude),
    };
    let missing = engine::block_on(engine.missing(expected, report, cancel))?;
    if missing.is_empty() {
        return Ok(());
    }
    let reasons = missing.iter().map(|it| format!("`{}` ({})", it.place, it.why));
    let reasons: Vec<String> = reasons.collect();
    let message = format!("expected files are not in the pack: {}", reasons.join(", "));
    Err(CliError::run(message, Some("kitbag explain FILE:LINE shows what would include them")))
}

/// A line for each included chunk, best first, with the reasons and the matching lines below it.
fn format_included(report: &Report) -> String {
    let row = |item: &kitbag::IncludedItem| {
        vec![
            format!("{:.3}", item.score),
            item.tokens.to_string(),
            item.form.as_str().to_owned(),
            ui::place(&item.path, item.start_line, item.end_line),
            item.symbol.clone().unwrap_or_default(),
        ]
    };
    let of_item =
        |item: &kitbag::IncludedItem| ui::table([row(item)]) + &ui::reasons(&item.why, &item.lines);
    report.included.iter().map(of_item).collect()
}

/// Prints warnings and a summary of a pack on standard error.
pub fn print_summary(report: &Report, timing: bool) {
    ui::warnings(&report.warnings);
    ui::searched(&report.repositories);
    if let Some(folder) = &report.preferred_folder {
        let folder = escaped(folder);
        ui::note(&format!(
            "files in `{folder}` are preferred; `--repo .` searches only this folder"
        ));
    }
    let redactions = &report.stats.redactions;
    if !redactions.is_empty() {
        let rules: Vec<String> =
            redactions.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        let secrets = ui::counted(redactions.values().sum(), "secret");
        ui::note(&format!("{secrets} redacted: {}", rules.join(", ")));
    }
    if timing {
        let row = |it: &kitbag::Timing| vec![it.stage.to_string(), format!("{:.1} ms", it.ms)];
        ui::note(ui::table(report.timings.iter().map(row)).trim_end());
    }
    if let Some(error) = &report.tokenizer.error {
        ui::note(&format!("{}: {error}", report.tokenizer.name));
    }
    let mut files: Vec<&str> = report.included.iter().map(|item| item.path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let estimated = if report.tokenizer.exact { "" } else { ", estimated" };
    ui::note(&format!(
        "{} of {} ({}{estimated}), {} of {}, {} left out",
        ui::thousands(report.total_tokens),
        ui::counted(report.budget, "token"),
        report.tokenizer.name,
        ui::counted(report.included.len(), "chunk"),
        ui::counted(files.len(), "file"),
        ui::thousands(report.excluded.len()),
    ));
}

fn parse_score(value: &str) -> Result<f64, String> {
    let score = value.trim().parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| "expected a score from 0 to 1, such as `0.4`".to_owned())
}
