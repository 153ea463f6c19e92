//! `search_code`.

use super::{Outcome, ToolError};
use crate::client::Client;
use crate::request::{self, Arguments};
use kitbag::{Cancel, SearchFactor, SearchResult};
use serde_json::{Value, json};
use std::fmt::Write;

/// How many factors make a short reason.
const SHORT: usize = 3;

pub(super) async fn search(
    client: &Client,
    arguments: &Arguments,
    cancel: &Cancel,
) -> Result<Outcome, ToolError> {
    let request = request::search(&client.repo(arguments)?, arguments);
    let report = client.state.engine.search(request, cancel).await?;
    let mut text = String::new();
    for it in &report.results {
        let name = it.symbol.as_deref().unwrap_or(it.kind);
        let reasons = reasons(it).join(", ");
        let _ = writeln!(text, "{}:{}-{} {name} ({reasons})", it.path, it.start_line, it.end_line);
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "! {warning}");
    }
    let data = json!({
        "results": report.results.iter().map(result).collect::<Vec<Value>>(),
        "files_searched": report.files_searched,
        "warnings": report.warnings,
    });
    Ok(Outcome { text, data, pack: None })
}

fn result(it: &SearchResult) -> Value {
    let mut value = json!({
        "path": it.path,
        "start_line": it.start_line,
        "end_line": it.end_line,
        "kind": it.kind,
        "tokens": it.tokens,
        "score": it.score,
        "reasons": reasons(it),
    });
    if let Some(symbol) = &it.symbol {
        value["symbol"] = symbol.as_str().into();
    }
    value
}

/// The few factors that speak most for a result; those of its file where it has none of its own.
fn reasons(it: &SearchResult) -> Vec<&'static str> {
    let speaks = |factors: &[SearchFactor]| -> Vec<&'static str> {
        let speaking = factors.iter().filter(|factor| factor.adds > 0.0);
        speaking.map(|factor| factor.name).take(SHORT).collect()
    };
    let own = speaks(&it.factors);
    if own.is_empty() { speaks(&it.file_factors) } else { own }
}
