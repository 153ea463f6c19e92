//! `pack_context` and `preview_context`.

use super::{Outcome, ToolError, item};
use crate::client::Client;
use crate::packs::Pack;
use crate::request::Arguments;
use kitbag::{Cancel, Report, Request};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// How much of what is left out a preview tells.
const MOST_EXCLUDED: usize = 50;

pub(super) async fn pack(
    client: &Client,
    arguments: &Arguments,
    cancel: &Cancel,
) -> Result<Outcome, ToolError> {
    let request = client.request(arguments, &[])?;
    let (pack, report) = packed(client, request, cancel).await?;
    let data = json!({
        "content": pack.text,
        "total_tokens": report.total_tokens,
        "budget": report.budget,
        "tokenizer": report.tokenizer,
        "included": included(&report),
        "excluded_count": report.excluded.len(),
        "partial": report.partial,
        "warnings": report.warnings,
        "resource": pack.uri(),
        "report": pack.report_uri(),
    });
    let text = if pack.text.is_empty() { nothing(&report) } else { pack.text.clone() };
    Ok(Outcome { text, data, pack: Some(pack) })
}

/// Makes a pack and keeps it for its client.
pub(crate) async fn packed(
    client: &Client,
    request: Request,
    cancel: &Cancel,
) -> Result<(Arc<Pack>, Report), kitbag::Error> {
    let task = request.task.clone();
    let report = client.state.engine.pack(request, cancel).await?;
    Ok((Arc::new(Pack::new(&task, &report)), report))
}

pub(super) async fn preview(
    client: &Client,
    arguments: &Arguments,
    cancel: &Cancel,
) -> Result<Outcome, ToolError> {
    let request = client.request(arguments, &[])?;
    let report = client.state.engine.preview(request, cancel).await?;
    let excluded = report.excluded.iter().take(MOST_EXCLUDED).map(|it| item(it, &["also"]));
    let data = json!({
        "total_tokens": report.total_tokens,
        "budget": report.budget,
        "tokenizer": report.tokenizer,
        "included": included(&report),
        "excluded": excluded.collect::<Vec<Value>>(),
        "excluded_count": report.excluded.len(),
        "warnings": report.warnings,
    });
    Ok(Outcome { text: listing(&report), data, pack: None })
}

fn included(report: &Report) -> Vec<Value> {
    report.included.iter().map(|it| item(it, &["also", "why"])).collect()
}

/// Why a pack is empty.
fn nothing(report: &Report) -> String {
    let mut text = "The pack is empty.".to_owned();
    for warning in &report.warnings {
        let _ = write!(text, "\n{warning}");
    }
    text
}

/// What is in and out, a line each.
fn listing(report: &Report) -> String {
    let mut text = format!(
        "{} of {} tokens, {} chunks in, {} out\n",
        report.total_tokens,
        report.budget,
        report.included.len(),
        report.excluded.len()
    );
    for it in &report.included {
        let symbol = it.symbol.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "+ {}:{}-{} {symbol} ({}, {} tokens, score {:.3})",
            it.path, it.start_line, it.end_line, it.form, it.tokens, it.score
        );
    }
    for it in report.excluded.iter().take(MOST_EXCLUDED) {
        let lines = match (it.start_line, it.end_line) {
            (Some(start), Some(end)) => format!(":{start}-{end}"),
            _ => String::new(),
        };
        let _ = writeln!(text, "- {}{lines} ({}: {})", it.path, it.reason, it.detail);
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "! {warning}");
    }
    text
}
