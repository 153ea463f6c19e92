//! `kitbag search`.

use crate::args::SearchArgs;
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::Progress;
use crate::ui::Paint;
use crate::{files, ui};
use kitbag::{SearchFactor, SearchReport, SearchRequest, SearchResult, WORTH_FACTORS};

/// How many factors make a short reason.
const SHORT: usize = 3;

/// Prints what the index finds.
pub fn search(args: &SearchArgs) -> Result<(), Failure> {
    let task = match &args.query_file {
        Some(path) => files::read_text(path, files::MOST_BYTES)?,
        None => args.task.clone().unwrap_or_default(),
    };
    let request = SearchRequest {
        task,
        repo: Some(args.repo.clone()),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        limit: args.limit as usize,
        files: args.files,
        ..SearchRequest::default()
    };
    let cancel = cancel_on_interrupt();
    let progress = Progress::after_a_while();
    let engine = progress.tell(files::engine()?);
    let report = files::wait_for(engine.search(request, &cancel));
    progress.clear();
    let report = report?;
    let text = if args.json { files::json(&report) } else { listing(&report, args) };
    files::write(None, &text)?;
    for warning in &report.warnings {
        ui::warning(warning);
    }
    Ok(())
}

/// The results, best first, each with its reason.
fn listing(report: &SearchReport, args: &SearchArgs) -> String {
    let paints = [Paint::Plain, Paint::Plain, Paint::Strong, Paint::Plain, Paint::Faint];
    let paints = if ui::has_colours() { &paints[..] } else { &[] };
    let rows: Vec<Vec<String>> = report.results.iter().map(|it| row(it, args)).collect();
    let table = ui::painted_table(&rows, paints);
    if !args.explain {
        return table;
    }
    let mut text = String::new();
    for (line, result) in table.lines().zip(&report.results) {
        text.push_str(line);
        text.push('\n');
        if !args.files {
            text.push_str(&explanation("chunk", result.score, &result.factors));
        }
        text.push_str(&explanation("file", result.file_score, &result.file_factors));
    }
    text
}

fn row(result: &SearchResult, args: &SearchArgs) -> Vec<String> {
    let place = if args.files {
        result.path.clone()
    } else {
        format!("{}:{}-{}", result.path, result.start_line, result.end_line)
    };
    let mut row = vec![
        format!("{:.3}", result.score),
        format!("{} tokens", result.tokens),
        place,
        result.symbol.clone().unwrap_or_else(|| result.kind.to_owned()),
    ];
    if !args.explain {
        row.push(reason(result));
    }
    row
}

/// The few factors that speak most for a result; those of its file where it has none of its own.
fn reason(result: &SearchResult) -> String {
    let own = if result.factors.is_empty() { &result.file_factors } else { &result.factors };
    // What a chunk gains by its place is no reason of its own.
    let speaks = |it: &&SearchFactor| it.adds > 0.0 && !WORTH_FACTORS.contains(&it.name);
    let best = own.iter().filter(speaks).take(SHORT);
    let best: Vec<String> = best.map(|it| format!("{} +{:.2}", it.name, it.adds)).collect();
    best.join(", ")
}

/// Every factor, with its value and what it adds.
fn explanation(of: &str, score: f32, factors: &[SearchFactor]) -> String {
    let mut rows = vec![vec![format!("    {of}"), String::new(), format!("{score:+.3}")]];
    rows.extend(factors.iter().map(|it| {
        vec![format!("      {}", it.name), format!("{:.3}", it.value), format!("{:+.3}", it.adds)]
    }));
    ui::table(&rows)
}
