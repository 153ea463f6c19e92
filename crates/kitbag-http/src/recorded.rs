//! Packs that other processes made, known by the records that they left: which there are, and what
//! a record tells, in the shape that packs of this server have.
//!
//! A record has no content. The text is rendered again from the files, and left out where they have
//! changed since; the task is known where a pack of this server had the same.

use crate::packs::PackSummary;
use crate::problem::Problem;
use crate::repos::Repo;
use crate::state::State;
use kitbag::{Cancel, ExportRequest, Record, RecordedChunk, RecordedOut, format_time};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often the records of other processes are looked for.
const EVERY: Duration = Duration::from_secs(1);

/// What stands in place of a text that a record does not have.
const NO_TEXT: &str = "(no file: another process packed it, and its record keeps no text)\n";

impl State {
    /// Takes over the packs of other processes, those that are there already and those that come,
    /// until the server ends. An engine without records has none.
    pub(crate) async fn follow_records(self: Arc<Self>) {
        let mut known: Vec<HashSet<String>> = vec![HashSet::new(); self.repos.len()];
        loop {
            let state = Arc::clone(&self);
            let looking = tokio::task::spawn_blocking(move || {
                let is_there = state.take_over(&mut known);
                (known, is_there)
            });
            match looking.await {
                Ok((seen, true)) => known = seen,
                _ => return,
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = self.stop.cancelled() => return,
            }
        }
    }

    /// Keeps and tells what is new, the oldest first; `false` where nothing is recorded at all.
    fn take_over(&self, known: &mut [HashSet<String>]) -> bool {
        let mut new: Vec<(Record, &Repo)> = Vec::new();
        for (repo, known) in self.repos.iter().zip(known) {
            let Ok(others) = self.engine.records_of_others(&repo.path, |id| known.contains(id))
            else {
                return false;
            };
            *known = others.ids.into_iter().collect();
            new.extend(others.new.into_iter().map(|record| (record, repo)));
        }
        new.sort_by_key(|(record, _)| record.at);
        for (record, repo) in new {
            let kept = self.packs.keep_record(&record, repo);
            self.feed.publish(&kept);
        }
        true
    }
}

/// What a list says of a recorded pack.
pub(crate) fn summary(record: &Record, repo: &Repo, task: Option<String>) -> PackSummary {
    let request = &record.request;
    let total = record.timings.last().map(|total| total.ms);
    let unknown = || format!("a task of {} characters, not kept", request.task_characters);
    PackSummary {
        id: record.id.clone(),
        time: format_time(record.at),
        repo: repo.name.clone(),
        has_task: task.is_some(),
        task: task.unwrap_or_else(unknown),
        profile: request.profile.clone(),
        total_tokens: record.total_tokens,
        budget: record.budget,
        included: record.included.len(),
        excluded: record.excluded.len(),
        duration_ms: total.unwrap_or_default(),
        agent_id: request.agent_id.clone(),
        correlation_id: request.correlation_id.clone(),
        partial: record.partial,
        source: if request.via.is_empty() { "library".into() } else { request.via.clone() },
        is_own: false,
    }
}

/// A recorded pack as an answer: `{id, request, report}`.
pub(crate) async fn shown(state: &State, id: &str, repo: &Path) -> Result<Value, Problem> {
    let (record, mut warnings) = state.engine.record(repo, Some(id)).map_err(|_| {
        Problem::not_found("another process made this pack, and its record is gone")
            .code("unknown_pack")
    })?;
    let asked = ExportRequest {
        repo: Some(repo.to_owned()),
        record: Some(id.to_owned()),
        ..ExportRequest::default()
    };
    let content = match state.engine.export(asked, &Cancel::default()).await {
        Ok(exported) if exported.is_same => Some(exported.content),
        Ok(_) => None,
        Err(error) => {
            warnings.push(format!("the text is not known any more: {error}"));
            None
        }
    };
    warnings.push("another process made this pack: this is what its record tells".to_owned());
    let task = state.packs.task(&record.request.task_sha256);
    let repo = state.repos.iter().find(|it| it.path == repo).map(|it| it.name.clone());
    Ok(json!({
        "id": record.id,
        "request": request(&record, task, repo),
        "report": report(&record, content, &warnings),
    }))
}

/// What a record has of its request.
fn request(record: &Record, task: Option<String>, repo: Option<String>) -> Value {
    let it = &record.request;
    let texts = |texts: &[String]| (!texts.is_empty()).then(|| json!(texts));
    let fields = [
        ("task", task.map(Value::from)),
        ("repo", repo.map(Value::from)),
        ("profile", Some(it.profile.as_str().into())),
        ("budget", it.gives_budget.then(|| record.budget.into())),
        ("model", it.model.as_deref().map(Value::from)),
        ("references", texts(&it.references)),
        ("document", it.document.as_deref().map(Value::from)),
        ("cursor", it.cursor.map(Value::from)),
        ("selection", it.selection.map(|(start, end)| format!("{start}-{end}").into())),
        ("open_files", texts(&it.open_files)),
        ("include", texts(&it.include)),
        ("exclude", texts(&it.exclude)),
        ("providers", texts(&it.providers)),
        ("no_providers", texts(&it.no_providers)),
        ("agent_id", it.agent_id.as_deref().map(Value::from)),
        ("correlation_id", it.correlation_id.as_deref().map(Value::from)),
    ];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<String, Value>>())
}

/// What a record tells, in the shape of a report.
fn report(record: &Record, content: Option<String>, warnings: &[String]) -> Value {
    let chunks = record.included.iter().map(included).collect::<Vec<_>>();
    let out = record.excluded.iter().map(excluded).collect::<Vec<_>>();
    let providers = record.providers.iter().map(|it| {
        json!({"id": it.id, "outcome": it.outcome, "sources": it.sources, "chunks": it.chunks,
               "tokens": it.tokens, "ms": it.ms})
    });
    let timings = record.timings.iter().map(|it| json!({"stage": it.stage, "ms": it.ms}));
    json!({
        "version": kitbag::REPORT_VERSION,
        "content": content,
        "total_tokens": record.total_tokens,
        "budget": record.budget,
        "tokenizer": {"name": record.tokenizer, "exact": record.exact},
        "included": chunks,
        "excluded": out,
        // A record has their number, and not their lines.
        "redactions": [],
        "stats": stats(record),
        "providers": providers.collect::<Vec<_>>(),
        "variables": {},
        "partial": record.partial,
        "correlation_id": record.request.correlation_id,
        "timings": timings.collect::<Vec<_>>(),
        "warnings": record.empty.iter().map(|why| format!("the pack is empty: {why}"))
            .chain(warnings.iter().cloned()).collect::<Vec<_>>(),
    })
}

fn stats(record: &Record) -> Value {
    let stats = &record.stats;
    let cut = record.included.iter().filter(|it| it.form == "truncated").count();
    let cut = cut + record.excluded.iter().filter(|it| it.reason == "budget").count();
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
        "utilisation": record.total_tokens as f64 / record.budget.max(1) as f64,
        "format": record.text.format,
        "files_included": record.files(),
        "chunks_truncated": cut,
        "was_truncated": cut > 0,
        "average_relevance": relevance / record.included.len().max(1) as f64,
        "cache_hit_rate": stats.cache_hit_rate,
    })
}

fn included(it: &RecordedChunk) -> Value {
    let shown = it.runs.iter().map(|run| [run.start_line, run.end_line]);
    let mut value = json!({
        "path": it.path, "start_line": it.start_line, "end_line": it.end_line, "symbol": it.symbol,
        "kind": it.kind, "tokens": it.tokens, "score": it.score, "factors": it.factors,
        "form": it.form, "shown": shown.collect::<Vec<_>>(),
    });
    let optional = [
        ("provider", it.provider.clone()),
        ("part", it.part.clone()),
        ("text", (!it.is_file).then(|| NO_TEXT.to_owned())),
    ];
    for (name, text) in optional {
        if let Some(text) = text {
            value[name] = text.into();
        }
    }
    value
}

fn excluded(it: &RecordedOut) -> Value {
    let mut value = json!({
        "path": it.path, "start_line": it.start_line, "end_line": it.end_line, "symbol": it.symbol,
        "kind": it.kind, "tokens": it.tokens, "score": it.score, "factors": it.factors,
        "reason": it.reason, "detail": it.detail,
    });
    if let Some(provider) = &it.provider {
        value["provider"] = provider.as_str().into();
    }
    value
}
