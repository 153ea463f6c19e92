//! `kitbag pack` and `kitbag preview`.

use crate::args::{FormatArg, FormattingArgs, OverflowArg, PackArgs};
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::Progress;
use crate::{files, ui};
use kitbag::{Engine, Expected, Report, Request, Template, parse_source_lines};
use std::path::{Path, PathBuf};

/// The most bytes of a template.
const MOST_TEMPLATE_BYTES: u64 = 1 << 20;

/// Prints the pack.
pub fn pack(args: PackArgs) -> Result<(), Failure> {
    let request = request(&args)?;
    let (engine, report) = decide(request, &args.set, true)?;
    let output =
        if args.json { files::json(&report) } else { report.content.clone().unwrap_or_default() };
    files::write(args.output.as_ref(), &output)?;
    tell(&report, args.timing);
    check_expected(&args, &engine, &report)
}

/// Prints what would be packed.
pub fn preview(args: PackArgs) -> Result<(), Failure> {
    let request = request(&args)?;
    let (engine, report) = decide(request, &args.set, false)?;
    let output = if args.json { files::json(&report) } else { listing(&report) };
    files::write(args.output.as_ref(), &output)?;
    tell(&report, args.timing);
    check_expected(&args, &engine, &report)
}

fn request(args: &PackArgs) -> Result<Request, Failure> {
    check_formatting(&args.formatting)?;
    files::check_output(args.output.as_ref())?;
    let from_stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    let readers = [&args.query_file, &args.sources].into_iter().filter(|it| from_stdin(it)).count();
    if readers + args.gathering.readers_of_stdin() > 1 {
        let hint = Some("give all but one of them as a file");
        return Err(Failure::usage("standard input can be read only once", hint));
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
    let template = args.formatting.template.as_deref().map(read_template).transpose()?;
    let mut request = Request {
        task,
        repo: Some(args.repo.clone()),
        budget: args.budget,
        window: args.window,
        model: args.model.clone(),
        tokenizer: args.tokenizer.as_deref().map(files::tokenizer).transpose()?,
        references: args.file.clone(),
        sources,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        redact: args.no_redact.then_some(false),
        now: args.now,
        profile: args.profile.clone(),
        options: options(args),
        no_record: args.no_record,
        via: "cli",
        template,
        ..Request::default()
    };
    args.gathering.fill(&mut request)?;
    Ok(request)
}

/// Fails where an expected file is not in the pack, with the first reason for each.
fn check_expected(args: &PackArgs, engine: &Engine, report: &Report) -> Result<(), Failure> {
    if args.expect.is_empty() {
        return Ok(());
    }
    let expected = Expected {
        repo: Some(args.repo.clone()),
        places: args.expect.clone(),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
    };
    let cancel = cancel_on_interrupt();
    let missing = files::wait_for(engine.missing(expected, report, &cancel))?;
    if missing.is_empty() {
        return Ok(());
    }
    let each = missing.iter().map(|it| format!("`{}` ({})", it.place, it.why));
    let each: Vec<String> = each.collect();
    let hint = "kitbag explain FILE:LINE tells what would have to change";
    let message = format!("expected, but not in the pack: {}", each.join(", "));
    Err(Failure::run(message, Some(hint)))
}

/// Refuses a layout of Markdown's for another format, as the command line does for a template.
fn check_formatting(args: &FormattingArgs) -> Result<(), Failure> {
    match args.format {
        Some(format) if args.detailed && format != FormatArg::Markdown => {
            let message = format!("`--detailed` cannot be used with `--format {}`", name(format));
            Err(Failure::usage(
                message,
                Some("it is a layout of Markdown's: leave one of them out"),
            ))
        }
        _ => Ok(()),
    }
}

/// What a format is called.
fn name(format: FormatArg) -> &'static str {
    match format {
        FormatArg::Markdown => "markdown",
        FormatArg::Xml => "xml",
        FormatArg::Json => "json",
        FormatArg::Plain => "plain",
    }
}

fn read_template(path: &Path) -> Result<Template, Failure> {
    let name = path.display().to_string();
    files::read_text(path, MOST_TEMPLATE_BYTES).map(|source| Template { name, source })
}

/// The flags that stand for settings, as options of the request.
fn options(args: &PackArgs) -> Vec<(String, serde_json::Value)> {
    let overflow = args.overflow.map(|overflow| match overflow {
        OverflowArg::Skip => "skip",
        OverflowArg::Outline => "outline",
        OverflowArg::Truncate => "truncate",
        OverflowArg::Proportional => "proportional",
    });
    let FormattingArgs { header, footer, separator, max_chunks, .. } = &args.formatting;
    let format = args.formatting.format.map(name);
    let on = |flag: bool| flag.then(|| true.into());
    let off = |flag: bool| flag.then(|| false.into());
    let text = |text: &Option<String>| text.as_deref().map(serde_json::Value::from);
    let shown = &args.formatting;
    let numbers = on(shown.line_numbers).or_else(|| off(shown.no_line_numbers));
    let set: [(&str, Option<serde_json::Value>); 12] = [
        ("selection.overflow", overflow.map(Into::into)),
        ("selection.min_chunks", args.min_chunks.map(Into::into)),
        ("ranking.min_score", args.min_score.map(Into::into)),
        ("formatting.format", format.map(Into::into)),
        ("formatting.header", text(header)),
        ("formatting.footer", text(footer)),
        ("formatting.separator", text(separator)),
        ("formatting.detailed", on(shown.detailed)),
        ("formatting.scores", on(shown.scores)),
        ("formatting.line_numbers", numbers),
        ("formatting.group_by_file", off(shown.no_grouping)),
        ("formatting.max_chunks", max_chunks.map(Into::into)),
    ];
    let given = set.into_iter().filter_map(|(key, value)| Some((format!("context.{key}"), value?)));
    given.collect()
}

fn decide(
    request: Request,
    set: &[(String, String)],
    text: bool,
) -> Result<(Engine, Report), Failure> {
    let cancel = cancel_on_interrupt();
    let progress = Progress::after_a_while();
    let engine = progress.tell(files::engine_with(set)?);
    let report = files::wait_for(async {
        if text {
            engine.pack(request, &cancel).await
        } else {
            engine.preview(request, &cancel).await
        }
    });
    progress.clear();
    report.map(|report| (engine, report))
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

/// How many secrets were replaced, by rule.
fn redactions(report: &Report) -> Option<String> {
    let counts = &report.stats.redactions;
    let rules = counts.iter().map(|(rule, count)| format!("{rule} {count}"));
    let rules: Vec<String> = rules.collect();
    let secrets = ui::counted(counts.values().sum(), "secret");
    (!rules.is_empty()).then(|| format!("{secrets} replaced by markers: {}", rules.join(", ")))
}

/// The one-line summary, and what else a person should know.
fn tell(report: &Report, timing: bool) {
    for warning in &report.warnings {
        ui::warning(warning);
    }
    if let Some(told) = redactions(report) {
        ui::note(&told);
    }
    if timing {
        let rows: Vec<Vec<String>> = report
            .timings
            .iter()
            .map(|timing| vec![timing.stage.to_owned(), format!("{:.1} ms", timing.ms)])
            .collect();
        ui::note(ui::table(&rows).trim_end());
    }
    if let Some(error) = &report.tokenizer.error {
        ui::note(&format!("{}: {error}", report.tokenizer.name));
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
