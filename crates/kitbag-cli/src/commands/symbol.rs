//! `kitbag symbol`.

use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::terminal::TextStyle;
use crate::{engine, files, repos, ui};
use clap::Args;
use kitbag::{SymbolPlace, SymbolReport, SymbolRequest};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag symbol login
  kitbag symbol UserService.get_user --include 'src/**'
  kitbag symbol Rack::Response --json";

#[derive(Debug, Args)]
pub struct SymbolArgs {
    /// Name of a function, class, method or constant, optionally qualified.
    name: String,
    /// Folder to search, with or without git. Paths are relative to it [default: the repository of the
    /// current folder].
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Search only files that match this glob, such as `src/**`. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Branch, tag or commit to search instead of the work tree [default: the work tree, or `HEAD` in a bare
    /// repository].
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Skip files that match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Maximum number of definitions, of callers and of other references.
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &SymbolArgs) -> Result<(), CliError> {
    let repo = args.repo.as_deref();
    let request = SymbolRequest {
        name: args.name.clone(),
        repo: Some(repos::folder(repo).to_owned()),
        revision: args.revision.clone(),
        include: repos::globs_in(repo, &args.include),
        exclude: repos::globs_in(repo, &args.exclude),
        limit: args.limit as usize,
        ..SymbolRequest::default()
    };
    let cancel = cancel_on_interrupt();
    let progress = IndexProgress::delayed();
    let engine = progress.attach(engine::open()?);
    let report = progress.block_on(engine.find_symbol(request, &cancel))?;
    files::print_report(args.json, &report, &report.warnings, |report| format_report(report, args))
}

fn format_report(report: &SymbolReport, args: &SymbolArgs) -> String {
    let mut text = String::new();
    if report.definitions.is_empty() {
        let mut line = format!("`{}` is not defined here", args.name);
        if !report.suggestions.is_empty() {
            line = format!("{line}; similar names: `{}`", report.suggestions.join("`, `"));
        }
        text.push_str(&line);
        text.push('\n');
    }
    let lists = [
        ("definitions", &report.definitions, report.definition_count),
        ("callers", &report.callers, report.caller_count),
        ("references", &report.references, report.reference_count),
    ];
    for (title, places, count) in lists.into_iter().filter(|(_, _, count)| *count > 0) {
        let shown = match count > places.len() {
            true => format!("{title}: {} of {count}\n", places.len()),
            false => format!("{title}: {count}\n"),
        };
        text.push_str(&shown);
        let styles = [TextStyle::Bold, TextStyle::Plain, TextStyle::Dim];
        text.push_str(&ui::styled_table(places.iter().map(row), &styles));
    }
    text
}

fn row(place: &SymbolPlace) -> Vec<String> {
    vec![
        format!("  {}", ui::place(&place.path, place.line, place.end_line)),
        place.symbol.clone().unwrap_or_default(),
        place.text.clone(),
    ]
}
