//! `kitbag explain`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::terminal::{TextStyle, stdout_styled};
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{
    ChunkForm, ExplainRequest, ExplainedChunk, Explanation, LineVerdict, RecordError, ScoreFactor,
    SearchResult,
};

pub const EXAMPLES: &str = "Examples:
  kitbag explain src/auth.rs:42
  kitbag explain src/auth.rs:42 --task \"why does login fail?\"";

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Line of a file, such as `src/auth.rs:42`.
    #[arg(value_name = "FILE:LINE")]
    place: String,
    /// Task of the pack. Searches the index again to explain the relevance.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Pack to explain [default: the last].
    #[arg(long, value_name = "ID")]
    record: Option<String>,
    #[command(flatten)]
    common: RepoArgs,
}

pub fn run(args: &ExplainArgs) -> Result<(), CliError> {
    let (path, line) = parse_place(&args.place)?;
    let request = ExplainRequest {
        repo: Some(args.common.repo().to_owned()),
        record: args.record.clone(),
        path: args.common.file(&path),
        line,
        task: args.task.clone(),
    };
    let cancel = cancel_on_interrupt();
    let progress = IndexProgress::delayed();
    let engine = progress.attach(engine::open()?);
    let explanation = progress.block_on(engine.explain(request, &cancel))?;
    files::print_report(args.common.json, &explanation, &explanation.warnings, format_explanation)
}

/// Parses `src/a.rs:42`; of `src/a.rs:42-50`, takes the first line.
fn parse_place(text: &str) -> Result<(String, u32), CliError> {
    let invalid =
        || CliError::from(kitbag::Error::from(RecordError::Place { place: text.to_owned() }));
    let (path, lines) = text.rsplit_once(':').ok_or_else(invalid)?;
    let first = lines.split_once('-').map_or(lines, |(first, _)| first);
    let line = first.parse().ok().filter(|line| *line > 0).ok_or_else(invalid)?;
    if path.is_empty() { Err(invalid()) } else { Ok((path.to_owned(), line)) }
}

fn format_explanation(explanation: &Explanation) -> String {
    let (verdict, style) = match explanation.verdict {
        LineVerdict::Shown => ("is in the pack", TextStyle::Green),
        LineVerdict::In => ("is not shown, but its chunk is in the pack", TextStyle::Yellow),
        LineVerdict::Out => ("is not in the pack", TextStyle::Red),
        LineVerdict::NotACandidate => ("was not a candidate", TextStyle::Red),
    };
    let place = format!("{}:{}", explanation.path, explanation.line);
    let reason = explanation.reason.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
    let mut text = ui::line(&format!("{place} {}{reason}", stdout_styled(verdict, style)));
    for chunk in &explanation.chunks {
        text.push('\n');
        text.push_str(&format_chunk(chunk));
    }
    text.push_str(&format_changes(&explanation.changes));
    if let Some(found) = &explanation.search {
        text.push_str(&format_search(found, explanation.search_rank.unwrap_or_default()));
    }
    text
}

fn format_search(found: &SearchResult, rank: usize) -> String {
    let lines = format!("{}-{}", found.start_line, found.end_line);
    let factors = found.factors.iter().map(|it| ("chunk", it));
    let factors = factors.chain(found.file_factors.iter().map(|it| ("file", it)));
    let rows = factors.map(|(of, it)| {
        let (value, adds) = (format!("{:.3}", it.value), format!("{:+.3}", it.contribution));
        vec![of.to_owned(), it.name.to_owned(), value, adds]
    });
    format!(
        "\n{}{}{}",
        ui::heading("Search"),
        ui::line(&format!("lines {lines}, rank {rank}, relevance {:.3}", found.relevance)),
        ui::table(rows)
    )
}

fn format_chunk(chunk: &ExplainedChunk) -> String {
    let symbol = chunk.symbol.as_ref().map(|it| format!(", {it}")).unwrap_or_default();
    let provider = chunk.provider.as_ref().map(|it| format!(" from {it}")).unwrap_or_default();
    let mut text = ui::line(&format!(
        "lines {}-{}{symbol}: {}, {}{provider}, {}",
        chunk.start_line,
        chunk.end_line,
        chunk.form.map_or("out", ChunkForm::as_str),
        chunk.kind,
        ui::counted(chunk.tokens, "token")
    ));
    if let Some(detail) = &chunk.detail {
        let reason = chunk.reason.map(|it| format!("{}: ", it.as_str())).unwrap_or_default();
        text.push_str(&ui::line(&format!("{reason}{detail}")));
    }
    let rows = chunk.factors.iter().map(|it| {
        let is_recency = it.name == ScoreFactor::Recency;
        let reason = chunk.missing_time_reason.filter(|_| is_recency).unwrap_or_default();
        vec![
            it.name.as_str().to_owned(),
            format!("{:.2}", it.value),
            format!("x {}", it.weight),
            format!("{:+.3}", it.contribution),
            reason.to_owned(),
        ]
    });
    let total = chunk.score.zip(chunk.rank).map(|(score, rank)| {
        let rank = format!("rank {rank} of {}", chunk.of);
        vec!["score".to_owned(), String::new(), rank, format!("{score:.3}")]
    });
    text.push_str(&ui::table(rows.chain(total)));
    text.push_str(&format_changes(&chunk.changes));
    text
}

fn format_changes(changes: &[String]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let items: String = changes.iter().map(|it| ui::line(&format!("- {it}"))).collect();
    format!("{}{items}", ui::line("to include it:"))
}
