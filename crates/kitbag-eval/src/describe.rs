//! Exports the ranking features of tasks with known answers as training data.
//!
//! The output begins with one line of JSON that names the features. Each task follows as a line of
//! JSON and raw numbers: the features and label of each file found, and for each chunk its
//! features, the rank of its file, its token count and the hunks of the answer that it contains.

use super::hidden::TaskTree;
use super::library::Library;
use super::setup::{EvalError, Options, by_repository};
use super::task::Task;
use kitbag::Engine;
use kitbag_core::Cancel;
use kitbag_index::{
    CHUNK_FEATURES, FILE_FEATURES, Features, FileKind, IndexView, KIND_FEATURES, ParsedTask,
    TASK_FEATURES,
};
use rayon::prelude::*;
use serde_json::json;
use std::io::Write;

/// Number of top-ranked files whose chunks are exported.
const MAX_FILES: usize = 60;

/// Writes the features of all tasks to `out`.
pub fn describe(
    engine: &Engine,
    tasks: &[Task],
    options: &Options<'_>,
    cancel: &Cancel,
    out: &mut dyn Write,
) -> Result<(), EvalError> {
    let names = json!({
        "files": FILE_FEATURES, "chunks": CHUNK_FEATURES, "task": TASK_FEATURES,
        "kind": KIND_FEATURES,
    });
    writeln!(out, "{names}")?;
    let counting = engine.default_counting();
    for group in by_repository(tasks, &options.repos)? {
        let mut library = Library::open(&group, options, &counting, cancel);
        let trees = library.read_all(engine, &group.tasks)?;
        let describe = |(task, tree): (&Task, TaskTree)| {
            cancel.check()?;
            let snapshot = library.snapshot(task, tree)?;
            let parsed = ParsedTask::new(&task.query);
            let features =
                snapshot.with_context(|context| Features::gather(&parsed, &snapshot.view, context));
            (options.progress)(1);
            Ok(describe_task(task, &parsed, &snapshot.view, &features))
        };
        let described: Vec<Result<Vec<u8>, EvalError>> =
            engine.install(|| trees.into_par_iter().map(describe).collect());
        library.close();
        for bytes in described {
            out.write_all(&bytes?)?;
        }
    }
    Ok(())
}

fn describe_task(
    task: &Task,
    parsed: &ParsedTask,
    view: &IndexView,
    features: &Features<'_>,
) -> Vec<u8> {
    let path = |file: usize| view.files()[file].path.as_str();
    let gold = |file: usize| {
        let gold = task.gold.iter().find(|gold| gold.path == path(file));
        gold.filter(|_| !task.is_foreign)
    };
    let chunks = features.chunks(0..features.candidates.len().min(MAX_FILES));
    let hunks: usize = task.gold.iter().map(|gold| gold.hunks.len()).sum();
    let paths: Vec<&str> = features.candidates.iter().map(|it| path(it.file)).collect();
    let title = ParsedTask::new(task.query.trim().lines().next().unwrap_or_default());
    let line = json!({
        "id": task.instance_id, "repo": task.repo, "files": features.candidates.len(),
        "chunks": chunks.len(), "gold": task.gold.len(), "hunks": hunks, "paths": paths,
        "task": features.task_fit, "foreign": task.is_foreign, "category": task.category,
        "kind": parsed.kind_features,
        "title_kind": title.kind_features,
    });
    let mut bytes = format!("{line}\n").into_bytes();
    let put = |bytes: &mut Vec<u8>, values: &[f32]| {
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    for it in &features.candidates {
        put(&mut bytes, &it.features);
        let is_code = view.files()[it.file].kind == FileKind::Code;
        let labels = [gold(it.file).is_some(), is_code];
        put(&mut bytes, &labels.map(|label| f32::from(u8::from(label))));
    }
    for it in &chunks {
        put(&mut bytes, &it.features);
        let chunk = features.stored_doc(it.candidate).map(|doc| &doc.chunks[it.chunk]);
        let Some(chunk) = chunk else { continue };
        let earlier = task.gold.iter().take_while(|gold| gold.path != path(it.file));
        let before: usize = earlier.map(|gold| gold.hunks.len()).sum();
        let of_file = gold(it.file).map_or(&[][..], |gold| &gold.hunks);
        let mut mask = 0u64;
        for (at, hunk) in of_file.iter().enumerate() {
            if hunk.shared_lines(chunk.span) > 0 && before + at < 64 {
                mask |= 1 << (before + at);
            }
        }
        for value in [it.candidate as u32, chunk.tokens, mask as u32, (mask >> 32) as u32] {
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}
