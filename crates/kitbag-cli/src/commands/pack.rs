//! `kitbag pack` and `kitbag preview`.

use crate::args::{OverflowArg, PackArgs};
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::Progress;
use crate::{files, ui};
use kitbag::{Overflow, Report, Request, SelectionSettings, Settings, parse_source_lines};
use std::path::{Path, PathBuf};

/// Prints the pack.
pub fn pack(args: PackArgs) -> Result<(), Failure> {
    let request = request(&args)?;
    let report = decide(request, true)?;
    let output =
        if args.json { files::json(&report) } else { report.content.clone().unwrap_or_default() };
    files::write(args.output.as_ref(), &output)?;
    tell(&report, args.timing);
    Ok(())
}

/// Prints what would be packed.
pub fn preview(args: PackArgs) -> Result<(), Failure> {
    let request = request(&args)?;
    let report = decide(request, false)?;
    let output = if args.json { files::json(&report) } else { listing(&report) };
    files::write(args.output.as_ref(), &output)?;
    tell(&report, args.timing);
    Ok(())
}

fn request(args: &PackArgs) -> Result<Request, Failure> {
    files::check_output(args.output.as_ref())?;
    let from_stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    if from_stdin(&args.query_file) && from_stdin(&args.sources) {
        let hint = Some("give one of them as a file");
        return Err(Failure::usage("--query-file and --sources both read standard input", hint));
    }
    let task = match &args.query_file {
        Some(path) => files::read_text(path, files::MOST_BYTES)?,
        None => args.task.clone().unwrap_or_default(),
    };
    let sources = match &args.sources {
        Some(path) => {
            let name = if from_stdin(&args.sources) {
                "standard input".into()
            } else {
                path.display().to_string()
            };
            let lines = files::read_text(path, files::MOST_BYTES)?;
            parse_source_lines(&name, &lines).map_err(kitbag::Error::from)?
        }
        None => Vec::new(),
    };
    let overflow = match args.overflow {
        OverflowArg::Skip => Overflow::Skip,
        OverflowArg::Outline => Overflow::Outline,
        OverflowArg::Truncate => Overflow::Truncate,
        OverflowArg::Proportional => Overflow::Proportional,
    };
    let min_chunks = args.min_chunks;
    let selection = SelectionSettings { min_chunks, overflow, ..SelectionSettings::default() };
    Ok(Request {
        task,
        repo: Some(args.repo.clone()),
        budget: args.budget,
        window: args.window,
        model: args.model.clone(),
        references: args.file.clone(),
        sources,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        now: args.now,
        settings: Settings { selection, min_score: args.min_score, ..Settings::default() },
    })
}

fn decide(request: Request, text: bool) -> Result<Report, Failure> {
    let cancel = cancel_on_interrupt();
    let progress = Progress::after_a_while();
    let engine = progress.tell(files::engine()?);
    let report = files::wait_for(async {
        if text {
            engine.pack(request, &cancel).await
        } else {
            engine.preview(request, &cancel).await
        }
    });
    progress.clear();
    report
}

/// A line for each chunk that is in, best first.
fn listing(report: &Report) -> String {
    let row = |item: &kitbag::IncludedItem| {
        vec![
            format!("{:.3}", item.score),
            item.tokens.to_string(),
            item.form.to_owned(),
            format!("{}:{}-{}", item.path, item.start_line, item.end_line),
            item.symbol.clone().unwrap_or_default(),
        ]
    };
    ui::table(&report.included.iter().map(row).collect::<Vec<_>>())
}

/// The one-line summary, and what else a person should know.
fn tell(report: &Report, timing: bool) {
    for warning in &report.warnings {
        ui::warning(warning);
    }
    if timing {
        let rows: Vec<Vec<String>> = report
            .timings
            .iter()
            .map(|timing| vec![timing.stage.to_owned(), format!("{:.1} ms", timing.ms)])
            .collect();
        ui::note(ui::table(&rows).trim_end());
    }
    let mut files: Vec<&str> = report.included.iter().map(|item| item.path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let estimate = if report.tokenizer.exact { "" } else { ", an estimate" };
    ui::note(&format!(
        "{} of {} ({}{estimate}), {} of {}, {} left out",
        ui::thousands(report.total_tokens),
        ui::counted(report.budget, "token"),
        report.tokenizer.name,
        ui::counted(report.included.len(), "chunk"),
        ui::counted(files.len(), "file"),
        ui::thousands(report.excluded.len()),
    ));
}
