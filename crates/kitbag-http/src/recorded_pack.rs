//! Packs of other processes and servers, restored from their records in the shape of this server's own packs.
//!
//! A record has no content: the text is rendered from the files, and left out if they have changed;
//! the task is known only if records keep tasks, or if a recent pack of this server has the same.

use crate::problem::Problem;
use crate::state::HttpState;
use crate::viewer::Viewer;
use kitbag::{Cancel, ChunkForm, ExportRequest, Reason, Record, RecordedChunk};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::Path;

/// Text of a chunk that is not part of a file, which records do not keep.
const TEXT_NOT_RECORDED: &str = "(not a file; the record of this pack keeps no text)\n";

/// Restores the pack that is shown as `id` from a record, as `{id, request, report}`.
pub(crate) async fn load(
    state: &HttpState,
    viewer: &Viewer,
    id: &str,
    record: &str,
    folder: &Path,
) -> Result<Value, Problem> {
    let (record, mut warnings) = state.engine.record(folder, Some(record)).map_err(|_| {
        Problem::not_found("the record of this pack no longer exists").with_code("unknown_pack")
    })?;
    let export = ExportRequest {
        repo: Some(folder.to_owned()),
        record: Some(record.id.clone()),
        ..ExportRequest::default()
    };
    let content = match state.engine.export(export, &Cancel::default()).await {
        Ok(exported) if exported.is_same => Some(exported.content),
        Ok(_) => None,
        Err(error) => {
            warnings.push(format!("the text can no longer be rendered: {error}"));
            None
        }
    };
    warnings.push("another process made this pack; this view is restored from its record".into());
    let task = record.request.task.clone();
    let task = task.or_else(|| viewer.packs.task(&record.request.task_sha256));
    let repository = state.repositories.at(folder);
    Ok(json!({
        "id": id,
        "request": request(&record, task, repository.map(|it| it.name)),
        "report": report(&record, content, warnings),
    }))
}

fn request(record: &Record, task: Option<String>, repository: Option<String>) -> Value {
    let recorded = &record.request;
    let list = |items: &[String]| (!items.is_empty()).then(|| json!(items));
    let fields = [
        ("task", task.map(Value::from)),
        ("repo", repository.map(Value::from)),
        ("profile", Some(recorded.profile.as_str().into())),
        ("budget", recorded.has_budget.then(|| record.budget.into())),
        ("model", recorded.model.as_deref().map(Value::from)),
        ("ref", recorded.commit.as_deref().map(Value::from)),
        ("references", list(&recorded.references)),
        ("document", recorded.document.as_deref().map(Value::from)),
        ("cursor", recorded.cursor.map(Value::from)),
        ("selection", recorded.selection.map(|(start, end)| format!("{start}-{end}").into())),
        ("open_files", list(&recorded.open_files)),
        ("include", list(&recorded.include)),
        ("exclude", list(&recorded.exclude)),
        ("providers", list(&recorded.providers)),
        ("no_providers", list(&recorded.no_providers)),
        ("agent_id", recorded.agent_id.as_deref().map(Value::from)),
        ("correlation_id", recorded.correlation_id.as_deref().map(Value::from)),
    ];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<String, Value>>())
}

fn report(record: &Record, content: Option<String>, mut warnings: Vec<String>) -> Value {
    if let Some(reason) = &record.why_empty {
        warnings.insert(0, format!("the pack is empty: {reason}"));
    }
    json!({
        "version": kitbag::REPORT_VERSION,
        "content": content,
        "total_tokens": record.total_tokens,
        "budget": record.budget,
        "tokenizer": {"name": record.tokenizer, "exact": record.exact},
        "included": record.included.iter().map(included).collect::<Vec<_>>(),
        "excluded": record.excluded.iter().map(|it| without_absent(json!(it))).collect::<Vec<_>>(),
        // Records count redactions, but do not locate them.
        "redactions": [],
        "stats": stats(record),
        "providers": record.providers,
        "variables": {},
        "partial": record.partial,
        "correlation_id": record.request.correlation_id,
        "timings": record.timings,
        "warnings": warnings,
    })
}

fn stats(record: &Record) -> Value {
    let stats = &record.stats;
    let truncated = record.included.iter().filter(|it| it.form == ChunkForm::Truncated).count();
    let over_budget = record.excluded.iter().filter(|it| it.reason == Reason::Budget).count();
    let relevance: f64 = record.included.iter().map(|it| it.factors.relevance).sum();
    json!({
        "files_searched": stats.files_searched,
        "sources": stats.sources,
        "merged_sources": stats.merged_sources,
        "files": record.sources.iter().map(|it| it.path.as_str()).collect::<HashSet<_>>().len(),
        "chunks": stats.chunks,
        "included": record.included.len(),
        "excluded": record.excluded.len(),
        "duplicates": stats.duplicates,
        "overlaps": stats.overlaps,
        "near_duplicates": stats.near_duplicates,
        "redactions": record.redactions,
        "utilization": record.total_tokens as f64 / record.budget.max(1) as f64,
        "format": record.text.format,
        "files_included": record.files(),
        "chunks_over_budget": truncated + over_budget,
        "was_truncated": truncated + over_budget > 0,
        "average_relevance": relevance / record.included.len().max(1) as f64,
        "cache_hit_rate": stats.cache_hit_rate,
    })
}

fn included(chunk: &RecordedChunk) -> Value {
    let shown = chunk.runs.iter().map(|run| [run.start_line, run.end_line]);
    without_absent(json!({
        "path": chunk.path, "start_line": chunk.start_line, "end_line": chunk.end_line,
        "symbol": chunk.symbol, "kind": chunk.kind, "tokens": chunk.tokens, "score": chunk.score,
        "factors": chunk.factors, "form": chunk.form, "shown": shown.collect::<Vec<_>>(),
        "provider": chunk.provider, "part": chunk.part, "pinned": chunk.pinned,
        "text": (!chunk.is_file).then_some(TEXT_NOT_RECORDED),
    }))
}

/// Removes the fields that reports omit instead of writing `null` or `false`.
fn without_absent(mut item: Value) -> Value {
    if let Value::Object(fields) = &mut item {
        let is_omitted = |name: &str| matches!(name, "provider" | "part" | "text");
        fields.retain(|name, value| !value.is_null() || !is_omitted(name));
        fields.retain(|name, value| name != "pinned" || *value == true);
    }
    item
}
