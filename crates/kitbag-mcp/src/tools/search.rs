//! `search_code`.

use super::CallOutput;
use crate::repos::ServedRepo;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, SearchReport, SearchRequest, SearchResult, ToolAnswer};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Maximum number of matching lines per result.
const MAX_LINES: usize = 2;

/// Maximum number of reasons per result.
const MAX_REASONS: usize = 2;

/// Minimum relevance of a result without a matching line and a reason.
const MIN_RELEVANCE: f64 = 0.2;

pub(super) async fn search(
    session: &ClientSession,
    tool: &'static str,
    mut request: SearchRequest,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    request.fleet = session.fleet_of(request.repo.as_deref());
    if request.fleet.is_none() {
        let ServedRepo { path, folder, .. } = session.repo(request.repo.as_deref())?;
        (request.repo, request.folder) = (Some(path), folder);
    }
    // What was found in many repositories is in the usage of none.
    let logged = request.repo.clone().filter(|_| request.fleet.is_none());
    request.lines = MAX_LINES;
    let question = request.task.clone();
    let mut report = session.state.engine.search(request, cancel).await?;
    session.show_names(&mut report.warnings);
    let text = describe(&report);
    let files: BTreeSet<&str> = report.results.iter().map(|it| it.path.as_str()).collect();
    let files = files.len();
    if let Some(repo) = logged {
        let text = text.clone();
        let answer = ToolAnswer { repo, interface: "mcp", tool, question, text, files };
        session.state.engine.log_usage(answer).await;
    }
    Ok(CallOutput::new(text))
}

fn describe(report: &SearchReport) -> String {
    let mut text = String::new();
    for warning in &report.warnings {
        let _ = writeln!(text, "Note: {warning}");
    }
    // An unlikely place without a matching line or a reason is a guess that a model cannot judge.
    let is_justified = |it: &&SearchResult| {
        !it.lines.is_empty() || !it.why.is_empty() || it.relevance >= MIN_RELEVANCE
    };
    let results: Vec<&SearchResult> = report.results.iter().filter(is_justified).collect();
    for result in &results {
        write_result(&mut text, result);
    }
    let defined = results.iter().find_map(|it| defined_name(it));
    match (results.is_empty(), defined) {
        (true, _) => text.push_str("Next: other words, or `repo_overview` to see what there is.\n"),
        (false, None) => text.push_str("Next: `pack_context` with the same task for the code.\n"),
        (false, Some(name)) => {
            let _ = writeln!(
                text,
                "Next: `find_symbol` with `{name}` for its uses, or `pack_context` with the same task for \
                 the code."
            );
        }
    }
    text
}

/// Returns the name of the task that a result defines.
fn defined_name(result: &SearchResult) -> Option<&str> {
    result.why.iter().find_map(|why| why.strip_prefix("defines `")?.strip_suffix('`'))
}

fn write_result(text: &mut String, result: &SearchResult) {
    let SearchResult { path, start_line, end_line, .. } = result;
    let _ = write!(text, "{path}:{start_line}-{end_line}");
    if let Some(symbol) = &result.symbol {
        let _ = write!(text, " {symbol}");
    }
    let why: Vec<&str> = result.why.iter().take(MAX_REASONS).map(String::as_str).collect();
    if !why.is_empty() {
        let _ = write!(text, ": {}", why.join("; "));
    }
    text.push('\n');
    for line in &result.lines {
        let _ = writeln!(text, "  {}: {}", line.line, line.text);
    }
}
