//! `pack_context` and `preview_context`.

use super::CallOutput;
use crate::arguments::Arguments;
use crate::packs::CachedPack;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, Report, Request};
use std::fmt::Write;
use std::sync::Arc;

/// Maximum number of excluded chunks in a preview.
const MAX_EXCLUDED: usize = 50;

pub(super) async fn pack(
    session: &ClientSession,
    tool: &'static str,
    arguments: Arguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let request = Request { tool, ..session.request(arguments)? };
    let (pack, report) = make_pack(session, request, cancel).await?;
    let text = if report.included.is_empty() {
        format!("The pack is empty.\n{}\n{}", report.warnings.join("\n"), pack.text)
    } else {
        pack.text.clone()
    };
    Ok(CallOutput { text, pack: Some(pack) })
}

/// Makes a pack that can be cached.
pub(crate) async fn make_pack(
    session: &ClientSession,
    request: Request,
    cancel: &Cancel,
) -> Result<(Arc<CachedPack>, Report), kitbag::Error> {
    let task = request.task.clone();
    let mut report = session.state.engine.pack(request, cancel).await?;
    session.show_names(&mut report.warnings);
    Ok((Arc::new(CachedPack::new(&task, &report)), report))
}

pub(super) async fn preview(
    session: &ClientSession,
    arguments: Arguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let mut report = session.state.engine.preview(session.request(arguments)?, cancel).await?;
    session.show_names(&mut report.warnings);
    Ok(CallOutput::new(listing(&report)))
}

/// Lists included and excluded chunks, a line each.
fn listing(report: &Report) -> String {
    let mut text = format!(
        "{} of {} tokens, {} chunks included, {} excluded\n",
        report.total_tokens,
        report.budget,
        report.included.len(),
        report.excluded.len()
    );
    for item in &report.included {
        let symbol = item.symbol.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "+ {}:{}-{} {symbol} ({}, {} tokens, score {:.3})",
            item.path,
            item.start_line,
            item.end_line,
            item.form.as_str(),
            item.tokens,
            item.score
        );
    }
    for item in report.excluded.iter().take(MAX_EXCLUDED) {
        let lines = match (item.start_line, item.end_line) {
            (Some(start), Some(end)) => format!(":{start}-{end}"),
            _ => String::new(),
        };
        let _ =
            writeln!(text, "- {}{lines} ({}: {})", item.path, item.reason.as_str(), item.detail);
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "! {warning}");
    }
    text
}
