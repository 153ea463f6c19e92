//! `search_code`.

use super::CallOutput;
use crate::results::{SearchPlace, SearchToolResult};
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, SearchFactor, SearchRequest, SearchResult};
use std::fmt::Write;

/// Maximum number of reasons per result.
const MAX_REASONS: usize = 3;

pub(super) async fn search(
    session: &ClientSession,
    mut request: SearchRequest,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    request.repo = Some(session.repo(request.repo.as_deref())?.path);
    let report = session.state.engine.search(request, cancel).await?;
    let results: Vec<SearchPlace<'_>> = report.results.iter().map(place).collect();
    let mut text = String::new();
    for place in &results {
        let SearchPlace { path, start_line, end_line, .. } = place;
        let name = place.symbol.unwrap_or(place.kind);
        let reasons = place.reasons.join(", ");
        let _ = writeln!(text, "{path}:{start_line}-{end_line} {name} ({reasons})");
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "! {warning}");
    }
    let (files_searched, warnings) = (report.files_searched, &report.warnings[..]);
    Ok(CallOutput::new(text, &SearchToolResult { results, files_searched, warnings }))
}

fn place(result: &SearchResult) -> SearchPlace<'_> {
    SearchPlace {
        path: &result.path,
        start_line: result.start_line,
        end_line: result.end_line,
        symbol: result.symbol.as_deref(),
        kind: result.kind,
        tokens: result.tokens,
        relevance: result.relevance,
        reasons: reasons(result),
    }
}

/// Returns the strongest factors for a result, or for its file if it has none of its own.
fn reasons(result: &SearchResult) -> Vec<&'static str> {
    let strongest = |factors: &[SearchFactor]| -> Vec<&'static str> {
        let positive = factors.iter().filter(|factor| factor.contribution > 0.0);
        positive.map(|factor| factor.name).take(MAX_REASONS).collect()
    };
    let own = strongest(&result.factors);
    if own.is_empty() { strongest(&result.file_factors) } else { own }
}
