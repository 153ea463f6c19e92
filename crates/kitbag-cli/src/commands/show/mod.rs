//! `kitbag show`.

mod sections;

use crate::exit::Failure;
use crate::inspect_args::ShowArgs;
use crate::ui::Paint;
use crate::{files, layout, ui};
use kitbag::{Record, RecordList};
use sections::{chunks, dedup, excluded, ranking, share, timing, tokens};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What tells of one thing.
type Section = fn(&Record) -> String;

/// So many chunks are listed unless more are asked for.
const SHORT: usize = 10;

/// Prints what a pack came to.
pub fn show(args: &ShowArgs) -> Result<(), Failure> {
    let engine = files::engine()?;
    let repo = &args.common.repo;
    if args.list {
        let list = engine.records(repo)?;
        files::write(None, &if args.common.json { files::json(&list) } else { listing(&list) })?;
        ui::warnings(&list.warnings);
        if list.records.is_empty() {
            ui::note(&format!("no pack of `{}` is recorded yet", list.repo));
        }
        return Ok(());
    }
    let (record, warnings) = engine.record(repo, args.record.as_deref())?;
    let text = if args.common.json { files::json(&record) } else { told(&record, args) };
    files::write(None, &text)?;
    ui::warnings(&warnings);
    Ok(())
}

fn listing(list: &RecordList) -> String {
    let row = |(place, it): (usize, &kitbag::RecordSummary)| {
        vec![
            format!("@{place}"),
            it.id.clone(),
            kitbag::format_time(it.at),
            format!("{} of {} tokens", ui::thousands(it.total_tokens), ui::thousands(it.budget)),
            format!("{} of {}", ui::counted(it.chunks, "chunk"), ui::counted(it.files, "file")),
            format!("task {}", it.task),
        ]
    };
    let rows: Vec<Vec<String>> = list.records.iter().enumerate().map(row).collect();
    ui::table(&rows)
}

/// The sections that are asked for; the summary alone where none is.
fn told(record: &Record, args: &ShowArgs) -> String {
    let all = ui::is_verbose();
    let sections: [(bool, Section); 6] = [
        (args.tokens, tokens),
        (args.ranking, ranking),
        (args.excluded, excluded),
        (args.dedup, dedup),
        (args.chunks, chunks),
        (args.timing, timing),
    ];
    let mut parts: Vec<String> = Vec::new();
    if all || !sections.iter().any(|section| section.0) {
        parts.push(summary(record, if all { usize::MAX } else { SHORT }));
    }
    let wanted = sections.iter().filter(|section| all || section.0);
    parts.extend(wanted.map(|(_, section)| section(record)));
    parts.join("\n")
}

/// What is in, at a glance.
fn summary(record: &Record, most: usize) -> String {
    let used = share(record.total_tokens, record.budget);
    let columns = layout::width().map_or(30, |width| width.saturating_sub(10).clamp(8, 30));
    let exact = if record.exact { "" } else { ", an estimate" };
    let mut text = ui::heading("Pack");
    let mut line = |words: String| text.push_str(&ui::line(&words));
    line(format!("{} of {}", record.id, kitbag::format_time(record.at)));
    line(ui::paint_out(
        &format!("{} {used:.0} %", layout::bar(used / 100.0, columns)),
        Paint::Good,
    ));
    line(format!(
        "{} of {} ({}{exact})",
        ui::thousands(record.total_tokens),
        ui::counted(record.budget, "token"),
        record.tokenizer
    ));
    line(format!(
        "{} of {} in, {} left out, {} considered",
        ui::counted(record.included.len(), "chunk"),
        ui::counted(record.files().len(), "file"),
        ui::thousands(record.excluded.len()),
        ui::counted(record.stats.sources, "source"),
    ));
    if !record.redactions.is_empty() {
        let secrets = ui::counted(record.redactions.values().sum(), "secret");
        line(format!("{secrets} replaced by markers"));
    }
    if record.partial {
        line("cut off by the deadline".to_owned());
    }
    if let Some(why) = &record.empty {
        line(format!("empty: {why}"));
    }
    if !record.included.is_empty() {
        let _ = write!(text, "\n{}{}", ui::heading("Sources"), kinds(record));
        let _ = write!(text, "\n{}{}", ui::heading("Chunks"), best(record, most));
    }
    text
}

/// The tokens and chunks of each kind.
fn kinds(record: &Record) -> String {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for item in &record.included {
        let kind = kinds.entry(&item.kind).or_default();
        (kind.0, kind.1) = (kind.0 + item.tokens, kind.1 + 1);
    }
    let mut kinds: Vec<(&str, (usize, usize))> = kinds.into_iter().collect();
    kinds.sort_by_key(|(name, (tokens, _))| (std::cmp::Reverse(*tokens), *name));
    let row = |(name, (tokens, chunks)): &(&str, (usize, usize))| {
        let part = share(*tokens, record.total_tokens);
        vec![
            (*name).to_owned(),
            ui::counted(*tokens, "token"),
            ui::counted(*chunks, "chunk"),
            format!("{part:.0} %"),
        ]
    };
    ui::table(&kinds.iter().map(row).collect::<Vec<_>>())
}

/// The best chunks that are in.
fn best(record: &Record, most: usize) -> String {
    // Where all are of one kind, the list of kinds above has told it.
    let is_mixed = record.included.iter().any(|it| it.kind != record.included[0].kind);
    let row = |(place, it): (usize, &kitbag::RecordedChunk)| {
        vec![
            format!("{}.", place + 1),
            format!("{:.3}", it.score),
            ui::counted(it.tokens, "token"),
            format!("{}:{}-{}", it.path, it.start_line, it.end_line),
            it.symbol.clone().unwrap_or_default(),
            if it.form == "full" { String::new() } else { it.form.to_string() },
            if is_mixed { it.kind.to_string() } else { String::new() },
        ]
    };
    let rows: Vec<Vec<String>> = record.included.iter().enumerate().take(most).map(row).collect();
    let mut text = ui::table_of_results(&rows, 3);
    let more = record.included.len().saturating_sub(most);
    if more > 0 {
        text.push_str(&ui::line(&format!("and {more} more; --verbose has them all")));
    }
    text
}
