//! `kitbag explain`.

use crate::exit::Failure;
use crate::inspect_args::ExplainArgs;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::Progress;
use crate::ui::Paint;
use crate::{files, ui};
use kitbag::{ExplainRequest, ExplainedChunk, Explanation, RecordError};

/// Prints why a line is in the pack, or why it is not.
pub fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let (path, line) = place(&args.place)?;
    let request = ExplainRequest {
        repo: Some(args.common.repo.clone()),
        record: args.record.clone(),
        path,
        line,
        task: args.task.clone(),
    };
    let cancel = cancel_on_interrupt();
    let progress = Progress::after_a_while();
    let engine = progress.tell(files::engine()?);
    let explanation = files::wait_for(engine.explain(request, &cancel));
    progress.clear();
    let explanation = explanation?;
    let json = args.common.json;
    files::write(None, &if json { files::json(&explanation) } else { told(&explanation) })?;
    ui::warnings(&explanation.warnings);
    Ok(())
}

/// `src/a.rs:42`, or the first line of `src/a.rs:42-50`.
fn place(text: &str) -> Result<(String, u32), Failure> {
    let wrong =
        || Failure::from(kitbag::Error::from(RecordError::Place { place: text.to_owned() }));
    let (path, lines) = text.rsplit_once(':').ok_or_else(wrong)?;
    let first = lines.split_once('-').map_or(lines, |(first, _)| first);
    let line = first.parse().ok().filter(|line| *line > 0).ok_or_else(wrong)?;
    if path.is_empty() { Err(wrong()) } else { Ok((path.to_owned(), line)) }
}

fn told(explanation: &Explanation) -> String {
    let place = format!("{}:{}", explanation.path, explanation.line);
    let (verdict, paint) = match explanation.verdict {
        "shown" => ("is in the pack", Paint::Good),
        "in" => ("is not shown, though its chunk is in the pack", Paint::Warn),
        "out" => ("is not in the pack", Paint::Bad),
        _ => ("was no candidate", Paint::Bad),
    };
    let mut text = ui::line(&format!("{place} {}", ui::paint_out(verdict, paint)));
    for chunk in &explanation.chunks {
        text.push('\n');
        text.push_str(&of_chunk(chunk));
    }
    text.push_str(&changes(&explanation.changes));
    if let Some(found) = &explanation.search {
        let rank = explanation.search_rank.unwrap_or_default();
        let lines = format!("{}-{}", found.start_line, found.end_line);
        text.push_str(&format!("\n{}", ui::heading("Search now")));
        text.push_str(&ui::line(&format!("lines {lines}, rank {rank}, {:.3}", found.score)));
        let factors = found.factors.iter().map(|it| ("chunk", it));
        let factors = factors.chain(found.file_factors.iter().map(|it| ("file", it)));
        let rows = factors.map(|(of, it)| {
            let (value, adds) = (format!("{:.3}", it.value), format!("{:+.3}", it.adds));
            vec![of.to_owned(), it.name.to_owned(), value, adds]
        });
        text.push_str(&ui::table(&rows.collect::<Vec<_>>()));
    }
    text
}

fn of_chunk(chunk: &ExplainedChunk) -> String {
    let symbol = chunk.symbol.as_ref().map(|it| format!(", {it}")).unwrap_or_default();
    let by = chunk.provider.as_ref().map(|it| format!(" by {it}")).unwrap_or_default();
    let mut text = ui::line(&format!(
        "lines {}-{}{symbol}: {}, {}{by}, {}",
        chunk.start_line,
        chunk.end_line,
        chunk.form,
        chunk.kind,
        ui::counted(chunk.tokens, "token")
    ));
    if let Some((reason, detail)) = chunk.reason.as_ref().zip(chunk.detail.as_ref()) {
        text.push_str(&ui::line(&format!("{reason}: {detail}")));
    }
    let rows = chunk.factors.iter().map(|it| {
        let why = chunk.no_time.filter(|_| it.name == "recency").unwrap_or_default();
        vec![
            it.name.to_owned(),
            format!("{:.2}", it.value),
            format!("x {}", it.weight),
            format!("{:+.3}", it.adds),
            why.to_owned(),
        ]
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if let Some((score, rank)) = chunk.score.zip(chunk.rank) {
        let of = format!("rank {rank} of {}", chunk.of);
        let score = format!("{score:.3}");
        rows.push(vec!["score".to_owned(), String::new(), of, score, String::new()]);
    }
    text.push_str(&ui::table(&rows));
    text.push_str(&changes(&chunk.changes));
    text
}

fn changes(changes: &[String]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let each: String = changes.iter().map(|it| ui::line(&format!("- {it}"))).collect();
    format!("{}{each}", ui::line("what would have to change:"))
}
