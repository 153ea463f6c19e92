//! The audit log: one line of JSON per pack, listing included and excluded chunks with reasons.
//!
//! The log is enabled by `context.record.audit`. It contains hashes but never text. A log that
//! exceeds the size limit is renamed to `audit.1.jsonl`, then `audit.2.jsonl` and so on. Old logs
//! are never deleted.

use crate::shape::Record;
use kitbag_repo::open_regular;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Size at which a log is rotated, in bytes.
const MAX_BYTES: u64 = 20 << 20;

/// Appends the entry of a record to the log in `folder`.
pub fn append(folder: &Path, record: &Record) -> io::Result<()> {
    let line = format!("{}\n", line(record));
    let path = folder.join("audit.jsonl");
    // Concurrent writers wait for the lock, so that lines are never interleaved.
    let mut create = OpenOptions::new();
    let lock = open_regular(create.create(true).append(true), &folder.join("audit.lock"))?;
    lock.lock()?;
    if fs::metadata(&path).is_ok_and(|there| there.len() > MAX_BYTES) {
        fs::rename(&path, next(folder))?;
    }
    open_regular(&mut create, &path)?.write_all(line.as_bytes())
}

/// Returns the path for a rotated log, numbered after all existing ones.
fn next(folder: &Path) -> PathBuf {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: std::ffi::OsString| -> Option<u64> {
        name.to_str()?.strip_prefix("audit.")?.strip_suffix(".jsonl")?.parse().ok()
    };
    let last = names.filter_map(|entry| number(entry.file_name())).max().unwrap_or(0);
    folder.join(format!("audit.{}.jsonl", last + 1))
}

fn line(record: &Record) -> Value {
    let included = record.included.iter().map(|item| {
        let runs = item.runs.iter();
        let runs = runs.map(|run| json!({"lines": run.span(), "sha256": run.sha256}));
        let runs: Vec<Value> = runs.collect();
        json!({"path": item.path, "kind": item.kind, "form": item.form, "runs": runs})
    });
    let excluded = record.excluded.iter().map(|item| {
        json!({"path": item.path, "lines": item.span(), "kind": item.kind, "reason": item.reason,
               "detail": item.detail})
    });
    json!({
        "version": record.version,
        "id": record.id,
        "created_at": record.created_at,
        "repo": record.repo,
        "agent_id": record.request.agent_id,
        "correlation_id": record.request.correlation_id,
        "task_sha256": record.request.task_sha256,
        "text_sha256": record.text.sha256,
        "total_tokens": record.total_tokens,
        "budget": record.budget,
        "redactions": record.redactions,
        "included": included.collect::<Vec<_>>(),
        "excluded": excluded.collect::<Vec<_>>(),
    })
}
