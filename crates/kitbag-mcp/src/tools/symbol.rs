//! `find_symbol`.

use super::CallOutput;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, SymbolPlace, SymbolReport, SymbolRequest, ToolAnswer};
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) async fn find(
    session: &ClientSession,
    tool: &'static str,
    mut request: SymbolRequest,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let repo = session.repo(request.repo.as_deref())?.path;
    request.repo = Some(repo.clone());
    let question = request.name.clone();
    let mut report = session.state.engine.find_symbol(request, cancel).await?;
    session.show_names(&mut report.warnings);
    let text = describe(&question, &report);
    let places = [&report.definitions, &report.callers, &report.references];
    let files: BTreeSet<&str> =
        places.into_iter().flatten().map(|place| place.path.as_str()).collect();
    let files = files.len();
    let answer = ToolAnswer { repo, interface: "mcp", tool, question, text: text.clone(), files };
    session.state.engine.log_usage(answer).await;
    Ok(CallOutput::new(text))
}

fn describe(asked: &str, report: &SymbolReport) -> String {
    let mut text = String::new();
    if report.definitions.is_empty() {
        let _ = writeln!(text, "`{asked}` is not defined in this repository.");
        if !report.suggestions.is_empty() {
            let names: Vec<String> =
                report.suggestions.iter().map(|it| format!("`{it}`")).collect();
            let _ = writeln!(text, "Similar names: {}.", names.join(", "));
        }
        if report.callers.is_empty() && report.references.is_empty() {
            text.push_str("Nothing refers to it. For a description in words, use `search_code`.\n");
        }
    }
    let lists = [
        ("Definitions", &report.definitions, report.definition_count),
        ("Callers", &report.callers, report.caller_count),
        ("References", &report.references, report.reference_count),
    ];
    for (title, places, count) in lists {
        if count > 0 {
            write_list(&mut text, title, places, count);
        }
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "Note: {warning}");
    }
    text
}

fn write_list(text: &mut String, title: &str, places: &[SymbolPlace], count: usize) {
    let _ = match count > places.len() {
        true => writeln!(text, "{title} ({} of {count}; `limit` for more):", places.len()),
        false => writeln!(text, "{title} ({count}):"),
    };
    let is_definition = title == "Definitions";
    for place in places {
        let SymbolPlace { path, line, end_line, .. } = place;
        let end = if end_line > line { format!("-{end_line}") } else { String::new() };
        let _ = write!(text, "{path}:{line}{end}");
        if let Some(symbol) = &place.symbol {
            let _ = write!(text, "{}{symbol}", if is_definition { " " } else { " in " });
        }
        let _ = writeln!(text, ": {}", place.text);
    }
}
