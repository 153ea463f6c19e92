//! `kitbag search`.

use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::terminal::TextStyle;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{CHUNK_SCORE_FACTORS, SearchFactor, SearchReport, SearchRequest, SearchResult};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag search \"why does login fail for Google OAuth users?\"
  kitbag search --query-file issue.md --files --limit 5
  kitbag search \"cache key\" --include 'src/**' --explain";

/// Number of factors that are listed as the reason for a result.
const REASON_FACTORS: usize = 3;

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Task in plain language: a question, a bug report, a stack trace. Quotes are optional.
    task: Vec<String>,
    /// Read the task from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    query_file: Option<PathBuf>,
    /// Folder to search, with or without git. Paths are relative to it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
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
    /// Print all factors of each score.
    #[arg(long)]
    explain: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &SearchArgs) -> Result<(), CliError> {
    let request = SearchRequest {
        task: files::read_task(&args.task, args.query_file.as_deref())?,
        repo: Some(args.repo.clone()),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        limit: args.limit as usize,
        files: args.files,
        ..SearchRequest::default()
    };
    let cancel = cancel_on_interrupt();
    let progress = IndexProgress::delayed();
    let engine = progress.attach(engine::open()?);
    let report = progress.block_on(engine.search(request, &cancel))?;
    files::print_report(args.json, &report, &report.warnings, |report| format_results(report, args))
}

fn format_results(report: &SearchReport, args: &SearchArgs) -> String {
    let styles =
        [TextStyle::Plain, TextStyle::Plain, TextStyle::Bold, TextStyle::Plain, TextStyle::Dim];
    if !args.explain {
        return ui::styled_table(report.results.iter().map(|it| row(it, args)), &styles);
    }
    let mut text = String::new();
    for result in &report.results {
        text.push_str(&ui::styled_table([row(result, args)], &styles));
        if !args.files {
            text.push_str(&format_factors("chunk", result.score, &result.factors));
        }
        text.push_str(&format_factors("file", result.file_score, &result.file_factors));
    }
    text
}

fn row(result: &SearchResult, args: &SearchArgs) -> Vec<String> {
    let place = if args.files {
        result.path.clone()
    } else {
        ui::place(&result.path, result.start_line, result.end_line)
    };
    let mut row = vec![
        ui::relevance(result.relevance),
        format!("{} tokens", result.tokens),
        place,
        result.symbol.clone().unwrap_or_else(|| result.kind.to_owned()),
    ];
    if !args.explain {
        row.push(reason(result));
    }
    row
}

/// The factors that add most to a result; those of its file if it has none of its own.
fn reason(result: &SearchResult) -> String {
    let own = if result.factors.is_empty() { &result.file_factors } else { &result.factors };
    // The rank of the file is not a reason for the chunk.
    let is_reason =
        |it: &&SearchFactor| it.contribution > 0.0 && !CHUNK_SCORE_FACTORS.contains(&it.name);
    let best = own.iter().filter(is_reason).take(REASON_FACTORS);
    let best: Vec<String> = best.map(|it| format!("{} +{:.2}", it.name, it.contribution)).collect();
    best.join(", ")
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
