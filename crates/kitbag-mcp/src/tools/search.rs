//! `search_code`.

use super::CallOutput;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, SearchRequest, SearchResult};
use std::fmt::Write;

/// Maximum number of matching lines per result.
const MAX_LINES: usize = 2;

/// Maximum number of reasons per result.
const MAX_REASONS: usize = 2;

pub(super) async fn search(
    session: &ClientSession,
    mut request: SearchRequest,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    request.repo = Some(session.repo(request.repo.as_deref())?.path);
    request.lines = MAX_LINES;
    let report = session.state.engine.search(request, cancel).await?;
    let mut text = String::new();
    for warning in &report.warnings {
        let _ = writeln!(text, "Note: {warning}");
    }
    for result in &report.results {
        write_result(&mut text, result);
    }
    if !report.results.is_empty() {
        text.push_str("Next: `pack_context` with the same task for the code.\n");
    }
    Ok(CallOutput::new(text))
}

fn write_result(text: &mut String, result: &SearchResult) {
    let SearchResult { path, start_line, end_line, .. } = result;
    let name = result.symbol.as_deref().unwrap_or(result.kind);
    let _ = write!(text, "{path}:{start_line}-{end_line} {name}");
    let why: Vec<&str> = result.why.iter().take(MAX_REASONS).map(String::as_str).collect();
    if !why.is_empty() {
        let _ = write!(text, ": {}", why.join("; "));
    }
    text.push('\n');
    for line in &result.lines {
        let _ = writeln!(text, "  {}: {}", line.line, line.text);
    }
}
