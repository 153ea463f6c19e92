//! `explain_chunk`: the decision of a pack about one line.

use super::CallOutput;
use crate::arguments::{Arguments, ExplainArguments};
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, ExcludedItem, IncludedItem, Report, SearchRequest, SearchResult, parse_json};
use std::fmt::Write;

/// Number of search results among which the line is looked up.
const SEARCH_LIMIT: usize = 2_000;

/// Maximum number of factors in the text.
const MAX_FACTORS: usize = 12;

pub(super) async fn explain(
    session: &ClientSession,
    mut arguments: Arguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let own = ["path", "line"].map(|name| (name, arguments.remove(name)));
    let ExplainArguments { path, line } = parse_json(&own.into_iter().collect())?;
    let path = path.trim_start_matches("./");
    let request = session.request(arguments)?;
    let search = SearchRequest {
        task: request.task.clone(),
        repo: request.repo.clone(),
        folder: request.folder.clone(),
        include: request.include.clone(),
        exclude: request.exclude.clone(),
        now: request.now,
        limit: SEARCH_LIMIT,
        ..SearchRequest::default()
    };
    let report = session.state.engine.preview(request, cancel).await?;
    let results = if search.task.trim().is_empty() {
        Vec::new()
    } else {
        session.state.engine.search(search, cancel).await?.results
    };
    let contains_line =
        |it: &SearchResult| it.path == path && (it.start_line..=it.end_line).contains(&line);
    let found = results.iter().position(contains_line).map(|at| (at + 1, &results[at]));
    Ok(explanation(&report, path, line, found))
}

/// Explains the smallest chunk that contains the line, among the included ones first.
fn explanation(
    report: &Report,
    path: &str,
    line: u32,
    found: Option<(usize, &SearchResult)>,
) -> CallOutput {
    let included = report.included.iter().zip(1..);
    let included = included
        .filter(|(it, _)| it.path == path && (it.start_line..=it.end_line).contains(&line))
        .min_by_key(|(it, _)| it.end_line - it.start_line);
    let lines = |it: &ExcludedItem| it.start_line.unwrap_or(1)..=it.end_line.unwrap_or(u32::MAX);
    let excluded = report.excluded.iter();
    let excluded = excluded
        .filter(|it| it.path == path && lines(it).contains(&line))
        .min_by_key(|it| lines(it).end() - lines(it).start());
    let mut text = match (included, excluded) {
        (Some((item, rank)), _) => included_text(report, rank, item),
        (None, Some(item)) => excluded_text(report, item),
        (None, None) => not_considered_text(path, line, found.map(|(rank, _)| rank)),
    };
    if let Some((rank, it)) = found {
        let _ =
            write!(text, "\nThe search ranks it {rank}, with a relevance of {:.3}:", it.relevance);
        for factor in it.factors.iter().chain(&it.file_factors).take(MAX_FACTORS) {
            let _ = write!(
                text,
                "\n  {:+.3} {} ({:.3})",
                factor.contribution, factor.name, factor.value
            );
        }
    }
    CallOutput::new(text)
}

fn included_text(report: &Report, rank: usize, item: &IncludedItem) -> String {
    let factors = &item.factors;
    format!(
        "{}:{}-{} is in the pack ({}), with rank {rank} of {}. Its score is {:.3}: relevance {:.3}, \
         recency {:.3}, source {:.3}. It has {} tokens.",
        item.path,
        item.start_line,
        item.end_line,
        item.form.as_str(),
        report.included.len(),
        item.score,
        factors.relevance,
        factors.recency,
        factors.source,
        item.tokens
    )
}

fn excluded_text(report: &Report, item: &ExcludedItem) -> String {
    let lines = match (item.start_line, item.end_line) {
        (Some(start), Some(end)) => format!(":{start}-{end}"),
        _ => String::new(),
    };
    let mut text = format!(
        "{}{lines} is not in the pack ({}): {}.",
        item.path,
        item.reason.as_str(),
        item.detail
    );
    if let Some(score) = item.score {
        let lowest = report.included.last().map_or(0.0, |item| item.score);
        let _ = write!(text, " Its score is {score:.3}; the lowest included one is {lowest:.3}.");
    }
    text
}

fn not_considered_text(path: &str, line: u32, search_rank: Option<usize>) -> String {
    let reason = match search_rank {
        Some(rank) => format!("the search ranks it {rank}, which is too low"),
        None => "the search did not find it, or the file or line does not exist".to_owned(),
    };
    format!("{path}:{line} was not considered: {reason}. Name it in `files` to have it considered.")
}
