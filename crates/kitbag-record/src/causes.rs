//! Differences between two packs in their requests and settings.

use crate::shape::{Record, RecordedRequest};
use kitbag_config::{default_of, format_time};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Fields of a request that do not affect the decision, or that other entries cover.
const OMITTED: [&str; 8] = [
    "agent_id",
    "correlation_id",
    "has_budget",
    "options",
    "task",
    "task_characters",
    "tool",
    "via",
];

/// Describes every recorded difference that can affect the decision.
pub fn causes(before: &Record, after: &Record) -> Vec<String> {
    let (before_fields, after_fields) = (fields(before), fields(after));
    let changed = before_fields.iter().filter(|(name, value)| after_fields[*name] != **value);
    let describe = |(name, value): (&String, &Value)| match name.strip_suffix("_sha256") {
        Some(text) => format!("the {text} differs"),
        None => format!("{name}: {} -> {}", display(value), display(&after_fields[name])),
    };
    changed.map(describe).chain(settings(before, after)).collect()
}

/// Returns the properties of a pack that can differ, by name.
fn fields(record: &Record) -> Map<String, Value> {
    let RecordedRequest { now, selection, .. } = &record.request;
    let own = json!({
        "budget": record.budget,
        "tokenizer": record.tokenizer,
        "format": record.text.format,
        "template_sha256": record.text.template_sha256,
    });
    let overridden = json!({
        "now": now.map(format_time),
        "selection": selection.map(|(start, end)| format!("{start}-{end}")),
    });
    let objects = [own, json!(record.request), overridden].into_iter();
    let fields = objects.filter_map(|it| it.as_object().cloned()).flatten();
    fields.filter(|(name, _)| !OMITTED.contains(&name.as_str())).collect()
}

fn display(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(display).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Describes the settings that differ, one entry per key.
fn settings(before: &Record, after: &Record) -> Vec<String> {
    let (before, after) = (&before.settings, &after.settings);
    let keys: BTreeSet<&String> = before.changed.keys().chain(after.changed.keys()).collect();
    let describe = |key: &String| {
        let value = |changed: Option<&String>| {
            changed.cloned().or_else(|| default_of(key)).unwrap_or_else(|| "none".to_owned())
        };
        let (a, b) = (value(before.changed.get(key)), value(after.changed.get(key)));
        // The format is reported with the request.
        let is_new = a != b && key != "context.formatting.format";
        is_new.then(|| format!("{key}: {} -> {}", short(&a), short(&b)))
    };
    let own = (before.supplied_settings_sha256 != after.supplied_settings_sha256)
        .then(|| "the settings supplied by the program differ".to_owned());
    keys.into_iter().filter_map(describe).chain(own).collect()
}

/// Abbreviates a hash and returns any other value unchanged.
fn short(value: &str) -> &str {
    let is_hash = value.starts_with("sha256:") && value.is_ascii();
    if is_hash { &value[..value.len().min(15)] } else { value }
}
