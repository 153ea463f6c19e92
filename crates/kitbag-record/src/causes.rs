//! Differences between two packs in their requests and settings.

use crate::shape::{Record, RecordedRequest};
use kitbag_config::default_of;
use kitbag_config::format_time;
use std::collections::BTreeSet;

/// Describes every recorded difference that can affect the decision.
pub fn causes(before: &Record, after: &Record) -> Vec<String> {
    let mut told = Vec::new();
    if before.request.task_sha256 != after.request.task_sha256 {
        told.push("the task is another".to_owned());
    }
    let pairs = of_pack(before).into_iter().zip(of_pack(after));
    let request = of_request(&before.request).into_iter().zip(of_request(&after.request));
    for ((name, a), (_, b)) in pairs.chain(request) {
        if a != b {
            told.push(format!("{name}: {a} -> {b}"));
        }
    }
    let hashes = |it: &RecordedRequest| {
        [("the intent", it.intent_sha256.clone()), ("the situation", it.situation_sha256.clone())]
    };
    for ((name, a), (_, b)) in hashes(&before.request).into_iter().zip(hashes(&after.request)) {
        if a != b {
            told.push(format!("{name} is another"));
        }
    }
    told.extend(settings(before, after));
    told
}

/// Returns the budget, tokenizer, format and template of a pack as text.
fn of_pack(record: &Record) -> [(&'static str, String); 4] {
    [
        ("budget", record.budget.to_string()),
        ("tokenizer", record.tokenizer.clone()),
        ("format", record.text.format.clone()),
        ("template", record.text.template_sha256.clone().unwrap_or_else(none)),
    ]
}

/// Returns the fields of a request as text.
fn of_request(it: &RecordedRequest) -> [(&'static str, String); 18] {
    let list = |list: &[String]| if list.is_empty() { none() } else { list.join(" ") };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(none);
    [
        ("profile", it.profile.clone()),
        ("model", text(&it.model)),
        ("files named", list(&it.references)),
        ("document", text(&it.document)),
        ("cursor", it.cursor.map_or_else(none, |line| line.to_string())),
        ("selection", it.selection.map_or_else(none, |(start, end)| format!("{start}-{end}"))),
        ("open files", list(&it.open_files)),
        ("results of tools", list(&it.tool_results)),
        ("outputs of compilers, linters and tests", it.diagnostics.to_string()),
        ("sources given", it.given_sources.to_string()),
        ("included", list(&it.include)),
        ("excluded", list(&it.exclude)),
        ("denied", list(&it.deny)),
        ("providers on", list(&it.providers)),
        ("providers off", list(&it.no_providers)),
        ("context", text(&it.context)),
        ("deadline", it.deadline_ms.map_or_else(none, |ms| format!("{ms} ms"))),
        ("ages are measured from", it.now.map_or_else(none, format_time)),
    ]
}

/// Describes the settings that differ, one entry per key.
fn settings(before: &Record, after: &Record) -> Vec<String> {
    let (a, b) = (&before.settings, &after.settings);
    let keys: BTreeSet<&String> = a.changed.keys().chain(b.changed.keys()).collect();
    let mut told: Vec<String> = Vec::new();
    for key in keys {
        let of = |it: Option<&String>| it.cloned().or_else(|| default_of(key)).unwrap_or_else(none);
        let (a, b) = (of(a.changed.get(key)), of(b.changed.get(key)));
        // The budget and the format have been reported already.
        if a != b && key != "context.formatting.format" {
            told.push(format!("{key}: {} -> {}", short(&a), short(&b)));
        }
    }
    if before.request.redact != after.request.redact && told.iter().all(|it| !it.contains("redact"))
    {
        let (a, b) = (before.request.redact, after.request.redact);
        told.push(format!("secrets replaced: {a} -> {b}"));
    }
    if a.handed_in != b.handed_in {
        told.push("the settings that the program handed in are others".to_owned());
    }
    told
}

/// Abbreviates a hash and returns any other value unchanged.
fn short(value: &str) -> &str {
    let is_hash = value.starts_with("sha256:") && value.is_ascii();
    if is_hash { &value[..value.len().min(15)] } else { value }
}

fn none() -> String {
    "none".to_owned()
}
