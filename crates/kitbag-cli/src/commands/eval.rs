//! `kitbag eval`.

use crate::args::parse_setting;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, files, repos, ui};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use kitbag::{Cancel, Engine, Root, Settings, Weights, default_profile_settings};
use kitbag_eval::{
    Comparison, EvalError, Evaluation, FoldModels, OWN_REPOSITORY, Options, ReliabilityBin,
    Summary, Task, compare, describe, evaluate, foreign_tasks, parse_tasks, questions_from_git,
    tasks_from_git,
};
use std::io::Write;
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "Examples:
  kitbag eval --from-git 50
  kitbag eval tasks.jsonl --repos ~/repositories --json > after.json
  kitbag eval --compare before.json after.json";

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Tasks as JSON lines: `instance_id`, `repo`, `base_commit`, `query`, `gold`.
    #[arg(value_name = "TASKS", required_unless_present_any = ["from_git", "compare"])]
    tasks: Option<PathBuf>,
    /// Folder with the repositories, as `owner/name`, `owner+name` or `name`.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["from_git", "compare"])]
    repos: Option<PathBuf>,
    /// Derive tasks from the last N commits of the repository at `--repo`, and up to N questions from its
    /// doc comments, which are hidden from the search.
    #[arg(long, value_name = "N", conflicts_with_all = ["tasks", "repos"],
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    from_git: Option<u32>,
    /// Repository for `--from-git` [default: that of the current folder].
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Compare two results of `--json`.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"],
          conflicts_with_all = ["tasks", "repos", "from_git"])]
    compare: Vec<PathBuf>,
    /// Ranking weights of relevance, recency and source, with a sum of 1 [default: those of the
    /// profile `agent`].
    #[arg(long, value_name = "R,C,S", value_delimiter = ',', num_args = 1)]
    weights: Vec<f64>,
    /// Override a setting, such as `context.formatting.format=xml`. Can be repeated. Configuration
    /// files are not read, so that results can be compared.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// Run only tasks whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Folder that caches analyses between runs [default: in the user's cache folder].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Rank each task with weights learned from other projects, as written by `scripts/learn`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Run every task on the repository of another project, where nothing matters.
    #[arg(long, conflicts_with_all = ["compare", "from_git"])]
    foreign: bool,
    /// Write the features of each task's files and chunks for learning, instead of packing.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    features: Option<PathBuf>,
    /// Print JSON, with every task.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &EvalArgs) -> Result<(), CliError> {
    if let [before, after] = args.compare.as_slice() {
        let comparison = compare(&read_evaluation(before)?, &read_evaluation(after)?);
        return files::print_report(args.json, &comparison, &[], format_comparison);
    }
    let cancel = cancel_on_interrupt();
    let engine = Engine::new()?;
    let (tasks, repos) = tasks(args, &engine, &cancel)?;
    let (settings, stop_below) = settings(args)?;
    let bar = progress_bar(tasks.len());
    let progress = |done: usize| bar.inc(done as u64);
    let cache = args.cache.clone().unwrap_or_else(default_cache);
    let models = args.models.as_deref().map(read_models).transpose()?;
    let options = Options { repos, cache, settings, stop_below, models, progress: &progress };
    if let Some(path) = &args.features {
        return write_features(&engine, &tasks, &options, &cancel, path);
    }
    let evaluation = evaluate(&engine, &tasks, &options, &cancel);
    bar.finish_and_clear();
    let evaluation = evaluation?;
    let warnings = &evaluation.warnings;
    files::print_report(args.json, &evaluation, warnings, |it| {
        format_evaluation(it, &options.repos)
    })
}

fn write_features(
    engine: &Engine,
    tasks: &[Task],
    options: &Options<'_>,
    cancel: &Cancel,
    path: &Path,
) -> Result<(), CliError> {
    let unwritable = |error: std::io::Error| CliError::write(Some(path), &error);
    let mut out = std::io::BufWriter::new(std::fs::File::create(path).map_err(unwritable)?);
    describe(engine, tasks, options, cancel, &mut out)?;
    out.flush().map_err(unwritable)
}

fn tasks(
    args: &EvalArgs,
    engine: &Engine,
    cancel: &Cancel,
) -> Result<(Vec<Task>, PathBuf), CliError> {
    let (mut tasks, repos) = match (args.from_git, &args.tasks, &args.repos) {
        (Some(count), _, _) => {
            let root =
                Root::open(repos::folder(args.repo.as_deref())).map_err(kitbag::Error::from)?;
            let mut tasks = tasks_from_git(root.path(), count as usize)?;
            tasks.extend(questions_from_git(engine, root.path(), count as usize, cancel)?);
            (tasks, root.path().to_owned())
        }
        (None, Some(path), Some(repos)) => {
            let text = files::read_text(path, files::MAX_BYTES)?;
            let tasks = parse_tasks(&path.display().to_string(), &text);
            (tasks.map_err(|error| CliError::usage(error.to_string(), None))?, repos.clone())
        }
        _ => {
            return Err(CliError::usage(
                "no tasks given",
                Some("pass TASKS and --repos, or --from-git"),
            ));
        }
    };
    if let Some(only) = &args.only {
        tasks.retain(|task| task.instance_id.contains(only.as_str()));
    }
    if args.foreign {
        tasks = foreign_tasks(&tasks);
    }
    Ok((tasks, repos))
}

/// Returns the settings of packs that fill their budgets, and the relevance at which others end.
fn settings(args: &EvalArgs) -> Result<(Settings, Option<f64>), CliError> {
    let settings = default_profile_settings(&args.set).map_err(CliError::Configuration)?;
    let mut settings = settings.settings;
    // Budgets are comparable only if all of them are filled.
    let stop_below = settings.selection.stop_below.take();
    match args.weights.as_slice() {
        [] => {}
        &[relevance, recency, source] => settings.weights = Weights { relevance, recency, source },
        _ => {
            let message = "`--weights` requires three numbers, such as 0.5,0.3,0.2";
            return Err(CliError::usage(message, None));
        }
    }
    settings.check().map_err(|error| CliError::usage(error.to_string(), None))?;
    Ok((settings, stop_below))
}

fn read_evaluation(path: &Path) -> Result<Evaluation, CliError> {
    let invalid = |error: &dyn std::error::Error| {
        let message = format!("`{}` is not an evaluation: {error}", path.display());
        CliError::usage(message, Some("use a file written by `kitbag eval --json`"))
    };
    let text = files::read_text(path, files::MAX_BYTES)?;
    let evaluation: Evaluation = serde_json::from_str(&text).map_err(|error| invalid(&error))?;
    evaluation.check().map_err(|error| invalid(&error))?;
    Ok(evaluation)
}

fn default_cache() -> PathBuf {
    engine::cache_folder().unwrap_or_else(std::env::temp_dir).join("eval")
}

fn read_models(path: &Path) -> Result<FoldModels, CliError> {
    let text = files::read_text(path, files::MAX_BYTES)?;
    FoldModels::parse(&text).map_err(|error| {
        let hint = Some("use the folds written by `scripts/learn`");
        CliError::usage(format!("`{}` has no weights: {error}", path.display()), hint)
    })
}

fn progress_bar(tasks: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} tasks, {eta} left");
    let bar = ProgressBar::new(tasks as u64);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A table of the figures. `repos` is the folder of the repositories.
fn format_evaluation(evaluation: &Evaluation, repos: &Path) -> String {
    let mut head = vec!["".to_owned(), "n".to_owned()];
    head.extend(evaluation.summary.figures.iter().map(|(name, _)| name.clone()));
    let row = |name: &str, summary: &Summary| {
        let mut row = vec![name.to_owned(), summary.tasks.to_string()];
        // Commits and questions have different figures.
        row.extend(evaluation.summary.figures.iter().map(|(name, _)| {
            let figure = summary.figures.iter().find(|(it, _)| it == name);
            figure.map_or_else(|| "-".to_owned(), |(_, value)| format!("{value:.1}"))
        }));
        row
    };
    let mut rows = vec![head];
    rows.extend(
        evaluation.by_repo.iter().map(|(repo, summary)| row(&repo_name(repo, repos), summary)),
    );
    rows.extend(evaluation.by_category.iter().map(|(name, summary)| row(name, summary)));
    rows.push(row("all", &evaluation.summary));
    let mut text = format!("{}\n", ui::table(rows));
    let summary = &evaluation.summary;
    if evaluation.outcomes.iter().any(|outcome| !outcome.utilization.is_empty()) {
        let used = summary.utilization.iter().map(|used| format!("{:.1} %", used * 100.0));
        let used = used.collect::<Vec<_>>().join(", ");
        text.push_str(&format!("median use of 8k, 16k, 32k: {used}\n"));
    }
    if evaluation.outcomes.iter().any(|outcome| outcome.stopped.is_some()) {
        let tokens = summary.stopped_tokens;
        text.push_str(&format!("mean pack with the stop, at most 32k: {tokens:.0} tokens\n"));
    }
    let (median, p90) = (summary.median_ms, summary.p90_ms);
    text.push_str(&format!("warm search and 8k pack: median {median:.0} ms, p90 {p90:.0} ms\n"));
    text.push_str(&format_reliability(&summary.reliability));
    text
}

/// A table of the relevance of chunks and the share of them that matter.
fn format_reliability(bins: &[ReliabilityBin]) -> String {
    let filled: Vec<&ReliabilityBin> = bins.iter().filter(|bin| bin.chunks > 0).collect();
    if filled.is_empty() {
        return String::new();
    }
    let head = ["relevance from", "chunks", "mean relevance", "matter"].map(str::to_owned);
    let row = |bin: &&ReliabilityBin| {
        let share = |part: f64| format!("{:.3}", part / bin.chunks as f64);
        let (mean, matter) = (share(bin.relevance), share(bin.matter as f64));
        vec![bin.from.to_string(), bin.chunks.to_string(), mean, matter]
    };
    let rows = std::iter::once(head.to_vec()).chain(filled.iter().map(row));
    format!("\n{}", ui::table(rows))
}

/// Name of a repository; one that is evaluated on its own commits is named by its folder.
fn repo_name(repo: &str, repos: &Path) -> String {
    let whole = repos.canonicalize().unwrap_or_else(|_| repos.to_owned());
    let folder = whole.file_name().filter(|_| repo == OWN_REPOSITORY);
    folder.map_or_else(|| repo.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn format_comparison(comparison: &Comparison) -> String {
    let head = ["", "before", "after", "change", "won", "lost"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for figure in &comparison.figures {
        rows.push(vec![
            figure.name.clone(),
            format!("{:.1}", figure.before),
            format!("{:.1}", figure.after),
            format!("{:+.1}", figure.after - figure.before),
            figure.won.len().to_string(),
            figure.lost.len().to_string(),
        ]);
    }
    let mut text = ui::table(rows);
    text.push_str(&format!("\n{} tasks in both", comparison.tasks));
    if comparison.unmatched > 0 {
        text.push_str(&format!(", {} in one only", comparison.unmatched));
    }
    text.push('\n');
    if let Some(figure) = comparison.figures.iter().find(|figure| figure.name == "H@8k") {
        text.push_str(&format!("won at H@8k: {}\n", figure.won.join(" ")));
        text.push_str(&format!("lost at H@8k: {}\n", figure.lost.join(" ")));
    }
    text
}

impl From<EvalError> for CliError {
    fn from(error: EvalError) -> Self {
        match &error {
            error if error.is_cancelled() => Self::Interrupted,
            EvalError::NoRepository { .. } => Self::usage(error.to_string(), None),
            EvalError::NoTasks => {
                let hint = "a commit becomes a task if it changes code and has a parent";
                Self::usage(error.to_string(), Some(hint))
            }
            _ => Self::run(error.to_string(), None),
        }
    }
}
