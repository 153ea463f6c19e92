//! `kitbag show`.

mod sections;

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::terminal::{self, TextStyle, stdout_styled};
use crate::{engine, files, table, ui};
use clap::Args;
use kitbag::{ChunkForm, Record, RecordList};
use sections::{chunks, dedup, excluded, percent, ranking, timing, tokens};
use std::collections::BTreeMap;
use std::fmt::Write;

pub const EXAMPLES: &str = "Examples:
  kitbag show
  kitbag show --excluded --ranking
  kitbag show --list
  kitbag show @1 --tokens";

/// Number of chunks that are listed without `--verbose`.
const LISTED_CHUNKS: usize = 10;

type FormatSection = fn(&Record) -> String;

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Pack to show: `@1` is the one before the last; `--list` prints the names [default: the last].
    #[arg(value_name = "ID")]
    record: Option<String>,
    /// List the recorded packs.
    #[arg(long)]
    list: bool,
    /// List what was left out, and why.
    #[arg(long)]
    excluded: bool,
    /// List all scored chunks, best first, with the factors of each score.
    #[arg(long)]
    ranking: bool,
    /// Show how the tokens were spent.
    #[arg(long)]
    tokens: bool,
    /// List the duplicates, and the tokens that leaving them out saved.
    #[arg(long)]
    dedup: bool,
    /// List the chunks of each file in line order, with their outcome.
    #[arg(long)]
    chunks: bool,
    /// Show the duration of stages and providers.
    #[arg(long)]
    timing: bool,
    #[command(flatten)]
    common: RepoArgs,
}

pub fn run(args: &ShowArgs) -> Result<(), CliError> {
    let engine = engine::open()?;
    let repo = args.common.repo();
    if args.list {
        let list = engine.records(repo)?;
        files::print_report(args.common.json, &list, &list.warnings, format_list)?;
        if list.records.is_empty() {
            ui::note(&format!("no packs of `{}` recorded yet", list.repo));
        }
        return Ok(());
    }
    let (mut record, warnings) = engine.record(repo, args.record.as_deref())?;
    record.redact_names();
    files::print_report(args.common.json, &record, &warnings, |it| format_record(it, args))
}

fn format_list(list: &RecordList) -> String {
    let row = |(place, it): (usize, &kitbag::RecordSummary)| {
        vec![
            format!("@{place}"),
            it.id.clone(),
            kitbag::format_time(it.created_at),
            format!("{} of {} tokens", ui::thousands(it.total_tokens), ui::thousands(it.budget)),
            format!("{} of {}", ui::counted(it.chunks, "chunk"), ui::counted(it.files, "file")),
            format!("task {}", it.task),
        ]
    };
    ui::table(list.records.iter().enumerate().map(row))
}

/// The requested sections, or the summary if there are none.
fn format_record(record: &Record, args: &ShowArgs) -> String {
    let all = ui::is_verbose();
    let sections: [(bool, FormatSection); 6] = [
        (args.tokens, tokens),
        (args.ranking, ranking),
        (args.excluded, excluded),
        (args.dedup, dedup),
        (args.chunks, chunks),
        (args.timing, timing),
    ];
    let mut parts: Vec<String> = Vec::new();
    if all || !sections.iter().any(|(is_requested, _)| *is_requested) {
        parts.push(summary(record, if all { usize::MAX } else { LISTED_CHUNKS }));
    }
    let requested = sections.iter().filter(|(is_requested, _)| all || *is_requested);
    parts.extend(requested.map(|(_, section)| section(record)));
    parts.join("\n")
}

fn summary(record: &Record, limit: usize) -> String {
    let used = percent(record.total_tokens, record.budget);
    let columns = terminal::width().map_or(30, |width| width.saturating_sub(10).clamp(8, 30));
    let exact = if record.exact { "" } else { ", estimated" };
    let mut text = ui::heading("Pack");
    let mut line = |line: String| text.push_str(&ui::line(&line));
    line(format!("{} of {}", record.id, kitbag::format_time(record.created_at)));
    let bar = format!("{} {used:.0} %", table::bar(used / 100.0, columns));
    line(stdout_styled(&bar, TextStyle::Green));
    line(format!(
        "{} of {} ({}{exact})",
        ui::thousands(record.total_tokens),
        ui::counted(record.budget, "token"),
        record.tokenizer
    ));
    line(format!(
        "{} of {} included, {} left out, {} considered",
        ui::counted(record.included.len(), "chunk"),
        ui::counted(record.files().len(), "file"),
        ui::thousands(record.excluded.len()),
        ui::counted(record.stats.sources, "source"),
    ));
    if !record.redactions.is_empty() {
        let secrets = ui::counted(record.redactions.values().sum(), "secret");
        line(format!("{secrets} redacted"));
    }
    if record.partial {
        line("partial: a deadline or a parser limit cut something off".to_owned());
    }
    if let Some(reason) = &record.why_empty {
        line(format!("empty: {reason}"));
    }
    if !record.included.is_empty() {
        let _ = write!(text, "\n{}{}", ui::heading("Sources"), kinds(record));
        let _ = write!(text, "\n{}{}", ui::heading("Chunks"), best(record, limit));
    }
    text
}

/// A table of the tokens and chunks of each kind.
fn kinds(record: &Record) -> String {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for item in &record.included {
        let kind = kinds.entry(item.kind.name()).or_default();
        (kind.0, kind.1) = (kind.0 + item.tokens, kind.1 + 1);
    }
    let mut kinds: Vec<(&str, (usize, usize))> = kinds.into_iter().collect();
    kinds.sort_by_key(|(name, (tokens, _))| (std::cmp::Reverse(*tokens), *name));
    let row = |(name, (tokens, chunks)): &(&str, (usize, usize))| {
        let part = percent(*tokens, record.total_tokens);
        vec![
            (*name).to_owned(),
            ui::counted(*tokens, "token"),
            ui::counted(*chunks, "chunk"),
            format!("{part:.0} %"),
        ]
    };
    ui::table(kinds.iter().map(row))
}

/// A table of the best `limit` chunks.
fn best(record: &Record, limit: usize) -> String {
    // A single kind is in the table of kinds already.
    let is_mixed = record.included.iter().any(|it| it.kind != record.included[0].kind);
    let row = |(place, it): (usize, &kitbag::RecordedChunk)| {
        vec![
            format!("{}.", place + 1),
            format!("{:.3}", it.score),
            ui::counted(it.tokens, "token"),
            ui::place(&it.path, it.start_line, it.end_line),
            it.symbol.clone().unwrap_or_default(),
            if it.form == ChunkForm::Full { "" } else { it.form.as_str() }.to_owned(),
            if is_mixed { it.kind.to_string() } else { String::new() },
        ]
    };
    let mut text = ui::table_with_bold(record.included.iter().enumerate().take(limit).map(row), 3);
    let more = record.included.len().saturating_sub(limit);
    if more > 0 {
        text.push_str(&ui::line(&format!("and {more} more; list them with --verbose")));
    }
    text
}
