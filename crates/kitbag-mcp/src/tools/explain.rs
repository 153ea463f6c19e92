//! `explain_chunk`: the decision of a pack, looked up at a line.

use super::{Outcome, ToolError, item};
use crate::catalogue::Name;
use crate::client::Client;
use crate::request::{Arguments, text, whole};
use kitbag::{Cancel, ExcludedItem, IncludedItem, Report, SearchRequest, SearchResult};
use serde_json::{Value, json};
use std::fmt::Write;

/// How many of the search's results are looked through.
const DEPTH: usize = 2_000;

pub(super) async fn explain(
    client: &Client,
    arguments: &Arguments,
    cancel: &Cancel,
) -> Result<Outcome, ToolError> {
    let request = client.request(arguments, &Name::Explain.about().own())?;
    let path = text(arguments, "path").unwrap_or_default().trim_start_matches("./").to_owned();
    let line = whole(arguments, "line").and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
    let search = SearchRequest {
        task: request.task.clone(),
        repo: request.repo.clone(),
        include: request.include.clone(),
        exclude: request.exclude.clone(),
        now: request.now,
        limit: DEPTH,
        ..SearchRequest::default()
    };
    let report = client.state.engine.preview(request, cancel).await?;
    let found = if search.task.trim().is_empty() {
        None
    } else {
        let found = client.state.engine.search(search, cancel).await?;
        let at = found.results.iter().position(|it| it.path == path && covers_found(it, line));
        at.map(|at| (at + 1, found.results[at].clone()))
    };
    Ok(told(&report, &path, line, found.as_ref()))
}

fn covers_found(it: &SearchResult, line: u32) -> bool {
    it.start_line <= line && line <= it.end_line
}

/// What the decision says of a line.
enum Verdict<'a> {
    In(usize, &'a IncludedItem),
    Out(&'a ExcludedItem),
    Unconsidered,
}

/// The smallest chunk that has the line, in the pack before out of it.
fn verdict<'a>(report: &'a Report, path: &str, line: u32) -> Verdict<'a> {
    let is_in = |it: &&(usize, &IncludedItem)| {
        it.1.path == path && it.1.start_line <= line && line <= it.1.end_line
    };
    let included = report.included.iter().enumerate();
    let smallest = included.collect::<Vec<_>>();
    let smallest = smallest.iter().filter(is_in).min_by_key(|it| it.1.end_line - it.1.start_line);
    if let Some((place, it)) = smallest {
        return Verdict::In(place + 1, it);
    }
    let has = |it: &&ExcludedItem| {
        let (start, end) = (it.start_line.unwrap_or(1), it.end_line.unwrap_or(u32::MAX));
        it.path == path && start <= line && line <= end
    };
    let size = |it: &&ExcludedItem| it.end_line.unwrap_or(u32::MAX) - it.start_line.unwrap_or(1);
    match report.excluded.iter().filter(has).min_by_key(size) {
        Some(it) => Verdict::Out(it),
        None => Verdict::Unconsidered,
    }
}

fn told(report: &Report, path: &str, line: u32, found: Option<&(usize, SearchResult)>) -> Outcome {
    let verdict = verdict(report, path, line);
    let (status, explanation) = match &verdict {
        Verdict::In(rank, it) => ("included", included(report, *rank, it)),
        Verdict::Out(it) => ("excluded", excluded(report, it)),
        Verdict::Unconsidered => ("not_considered", unconsidered(path, line, found)),
    };
    let mut data = json!({
        "status": status,
        "explanation": explanation,
        "path": path,
        "line": line,
    });
    match verdict {
        Verdict::In(rank, it) => {
            data["rank"] = rank.into();
            data["chunk"] = item(it, &["also", "why"]);
        }
        Verdict::Out(it) => data["chunk"] = item(it, &["also"]),
        Verdict::Unconsidered => {}
    }
    let mut text = explanation;
    if let Some((rank, it)) = found {
        data["search"] = searched(*rank, it);
        let _ =
            write!(text, "\nThe search has it at place {rank}, with a score of {:.3}:", it.score);
        for factor in it.factors.iter().chain(&it.file_factors).take(12) {
            let _ = write!(text, "\n  {:+.3} {} ({:.3})", factor.adds, factor.name, factor.value);
        }
    }
    Outcome { text, data, pack: None }
}

fn searched(rank: usize, it: &SearchResult) -> Value {
    json!({
        "rank": rank,
        "score": it.score,
        "factors": it.factors,
        "file_score": it.file_score,
        "file_factors": it.file_factors,
    })
}

fn included(report: &Report, rank: usize, it: &IncludedItem) -> String {
    let factors = &it.factors;
    format!(
        "{}:{}-{} is in the pack, {}, at place {rank} of {}. Its score is {:.3}: relevance {:.3}, \
         recency {:.3}, source {:.3}. It has {} tokens.",
        it.path,
        it.start_line,
        it.end_line,
        match it.form {
            "full" => "whole",
            "outline" => "as an outline",
            _ => "cut",
        },
        report.included.len(),
        it.score,
        factors.relevance,
        factors.recency,
        factors.source,
        it.tokens
    )
}

fn excluded(report: &Report, it: &ExcludedItem) -> String {
    let lines = match (it.start_line, it.end_line) {
        (Some(start), Some(end)) => format!(":{start}-{end}"),
        _ => String::new(),
    };
    let mut text = format!("{}{lines} is not in the pack ({}): {}.", it.path, it.reason, it.detail);
    if let Some(score) = it.score {
        let last = report.included.last().map_or(0.0, |it| it.score);
        let _ = write!(text, " Its score is {score:.3}; the last that is in has {last:.3}.");
    }
    text
}

fn unconsidered(path: &str, line: u32, found: Option<&(usize, SearchResult)>) -> String {
    let why = match found {
        Some((rank, _)) => format!("the search has it at place {rank}, too far down"),
        None => "the search did not find it, or there is no such file or line".to_owned(),
    };
    format!(
        "{path}:{line} was not considered: {why}. Name it in `references` to have it considered."
    )
}
