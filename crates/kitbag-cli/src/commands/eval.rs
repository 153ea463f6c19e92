//! `kitbag eval`.

use crate::args::EvalArgs;
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::{files, ui};
use indicatif::{ProgressBar, ProgressStyle};
use kitbag::eval::{
    Comparison, Evaluation, FoldModels, OWN, Options, Summary, Task, compare, describe, evaluate,
    parse_tasks, tasks_from_git,
};
use kitbag::{Cancel, Engine, Root, Settings, Weights, settled_with};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs the tasks, or compares two runs.
pub fn eval(args: EvalArgs) -> Result<(), Failure> {
    if let [before, after] = args.compare.as_slice() {
        let comparison = compare(&result(before)?, &result(after)?);
        let text = if args.json { json(&comparison) } else { comparison_table(&comparison) };
        return files::write(None, &text);
    }
    let (tasks, repos) = tasks(&args)?;
    let settings = settings(&args)?;
    let cancel = cancel_on_interrupt();
    let engine = Engine::new()?;
    let bar = progress(tasks.len());
    let step = |done: usize| bar.inc(done as u64);
    let cache = args.cache.clone().unwrap_or_else(default_cache);
    let models = args.models.as_deref().map(models).transpose()?;
    let options = Options { repos, cache, settings, models, progress: &step };
    if let Some(path) = &args.features {
        return features(&engine, &tasks, &options, &cancel, path);
    }
    let evaluation = evaluate(&engine, &tasks, &options, &cancel);
    bar.finish_and_clear();
    let evaluation = evaluation?;
    for warning in &evaluation.warnings {
        ui::warning(warning);
    }
    let text = if args.json { json(&evaluation) } else { table(&evaluation, &options.repos) };
    files::write(None, &text)
}

/// Writes what the tasks' files and chunks are described by.
fn features(
    engine: &Engine,
    tasks: &[Task],
    options: &Options<'_>,
    cancel: &Cancel,
    path: &Path,
) -> Result<(), Failure> {
    let unwritable = |error: std::io::Error| {
        Failure::run(format!("cannot write `{}`: {error}", path.display()), None)
    };
    let mut out = std::io::BufWriter::new(std::fs::File::create(path).map_err(unwritable)?);
    describe(engine, tasks, options, cancel, &mut out)?;
    out.flush().map_err(unwritable)
}

fn tasks(args: &EvalArgs) -> Result<(Vec<Task>, PathBuf), Failure> {
    let (mut tasks, repos) = match (args.from_git, &args.tasks, &args.repos) {
        (Some(count), _, _) => {
            let root = Root::open(&args.repo).map_err(kitbag::Error::from)?;
            (tasks_from_git(root.path(), count as usize)?, root.path().to_owned())
        }
        (None, Some(path), Some(repos)) => {
            let text = files::read_text(path, files::MOST_BYTES)?;
            let tasks = parse_tasks(&path.display().to_string(), &text);
            (tasks.map_err(|error| Failure::usage(error.to_string(), None))?, repos.clone())
        }
        _ => return Err(Failure::usage("there are no tasks", Some("give TASKS and --repos"))),
    };
    if let Some(only) = &args.only {
        tasks.retain(|task| task.instance_id.contains(only.as_str()));
    }
    Ok((tasks, repos))
}

fn settings(args: &EvalArgs) -> Result<Settings, Failure> {
    let mut settings = settled_with(&args.set).map_err(Failure::Configuration)?.settings;
    match args.weights.as_slice() {
        [] => {}
        &[relevance, recency, source] => settings.weights = Weights { relevance, recency, source },
        _ => {
            return Err(Failure::usage("--weights takes three numbers, such as 0.5,0.3,0.2", None));
        }
    }
    settings.check().map_err(|error| Failure::usage(error.to_string(), None))?;
    Ok(settings)
}

fn result(path: &Path) -> Result<Evaluation, Failure> {
    let unusable = |error: &dyn std::error::Error| {
        let hint = Some("it must be what `kitbag eval --json` wrote");
        Failure::usage(format!("`{}` is not a result: {error}", path.display()), hint)
    };
    let text = files::read_text(path, files::MOST_BYTES)?;
    let result: Evaluation = serde_json::from_str(&text).map_err(|error| unusable(&error))?;
    result.check().map_err(|error| unusable(&error))?;
    Ok(result)
}

fn default_cache() -> PathBuf {
    files::cache_folder().unwrap_or_else(std::env::temp_dir).join("eval")
}

/// What was learnt with projects left out.
fn models(path: &Path) -> Result<FoldModels, Failure> {
    let text = files::read_text(path, files::MOST_BYTES)?;
    FoldModels::parse(&text).map_err(|error| {
        let hint = Some("it must be what `scripts/learn` wrote as folds");
        Failure::usage(format!("`{}` has no weights: {error}", path.display()), hint)
    })
}

fn progress(tasks: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} tasks, {eta} left");
    let bar = ProgressBar::new(tasks as u64);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    format!("{}\n", text.expect("a result has string keys and finite numbers only"))
}

/// The figures; `repos` is where the repositories are.
fn table(evaluation: &Evaluation, repos: &Path) -> String {
    let mut head = vec!["".to_owned(), "n".to_owned()];
    head.extend(evaluation.summary.figures.iter().map(|(name, _)| name.clone()));
    head.push("ms".to_owned());
    let row = |name: &str, summary: &Summary| {
        let mut row = vec![name.to_owned(), summary.tasks.to_string()];
        row.extend(summary.figures.iter().map(|(_, value)| format!("{value:.1}")));
        row.push(format!("{:.0}", summary.median_ms));
        row
    };
    let mut rows = vec![head];
    rows.extend(
        evaluation.by_repo.iter().map(|(repo, summary)| row(&shown_name(repo, repos), summary)),
    );
    rows.push(row("all", &evaluation.summary));
    let used: Vec<String> = evaluation
        .summary
        .utilisation
        .iter()
        .map(|used| format!("{:.1} %", used * 100.0))
        .collect();
    format!(
        "{}\nused of 8k, 16k, 32k, median: {}; search and 8k pack, warm: median {:.0} ms, p90 {:.0} ms\n",
        ui::table(&rows),
        used.join(", "),
        evaluation.summary.median_ms,
        evaluation.summary.p90_ms,
    )
}

/// What a person calls a repository: one that is evaluated on its own commits, by its folder.
fn shown_name(repo: &str, repos: &Path) -> String {
    let whole = repos.canonicalize().unwrap_or_else(|_| repos.to_owned());
    let folder = whole.file_name().filter(|_| repo == OWN);
    folder.map_or_else(|| repo.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn comparison_table(comparison: &Comparison) -> String {
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
    let mut text = ui::table(&rows);
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
