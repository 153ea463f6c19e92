//! Exports the ranking features of tasks with known answers as training data.
//!
//! The output begins with one line of JSON that names the features. Each task follows as a line of
//! JSON and raw numbers: the features and label of each file found, and for each chunk its
//! features, the rank of its file, its token count and the hunks of the answer that it contains.

use super::library::Library;
use super::run::{EvalError, Options, by_repository};
use super::task::Task;
use kitbag::Engine;
use kitbag_core::Cancel;
use kitbag_index::{CHUNK_FEATURES, FILE_FEATURES, Features, FileKind, ParsedTask};
use rayon::prelude::*;
use serde_json::json;
use std::io::{self, Write};

/// Number of top-ranked files whose chunks are exported.
const FILES: usize = 60;

/// Writes the features of all tasks to `out`.
pub fn describe(
    engine: &Engine,
    tasks: &[Task],
    options: &Options<'_>,
    cancel: &Cancel,
    out: &mut dyn Write,
) -> Result<(), EvalError> {
    let head = json!({"files": FILE_FEATURES, "chunks": CHUNK_FEATURES});
    write_all(out, format!("{head}\n").as_bytes())?;
    let counting = engine.default_counting();
    for group in by_repository(tasks, &options.repos)? {
        let mut library = Library::open(&group.directory, group.repo, options, &counting, cancel);
        let mut trees = Vec::new();
        for task in &group.tasks {
            trees.push((*task, engine.install(|| library.read(task))?));
        }
        let described: Vec<Result<Vec<u8>, EvalError>> = engine.install(|| {
            trees
                .into_par_iter()
                .map(|(task, tree)| {
                    cancel.check()?;
                    let shelf = library.shelve(task, tree)?;
                    let understood = ParsedTask::new(&task.query);
                    let features = shelf.with_context(|context| {
                        Features::gather(&understood, &shelf.view, context)
                    });
                    (options.progress)(1);
                    Ok(describe_task(task, &shelf.view, &features))
                })
                .collect()
        });
        library.close();
        for bytes in described {
            write_all(out, &bytes?)?;
        }
    }
    Ok(())
}

fn describe_task(task: &Task, view: &kitbag_index::IndexView, features: &Features<'_>) -> Vec<u8> {
    let path = |file: usize| view.files()[file].path.as_str();
    let gold = |file: usize| task.gold.iter().find(|gold| gold.path == path(file));
    let chunks = features.chunks(0..features.candidates.len().min(FILES));
    let hunks: usize = task.gold.iter().map(|gold| gold.hunks.len()).sum();
    let paths: Vec<&str> = features.candidates.iter().map(|it| path(it.file)).collect();
    let line = json!({
        "id": task.instance_id, "repo": task.repo, "files": features.candidates.len(),
        "chunks": chunks.len(), "gold": task.gold.len(), "hunks": hunks, "paths": paths,
    });
    let mut bytes = format!("{line}\n").into_bytes();
    let put = |bytes: &mut Vec<u8>, values: &[f32]| {
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    for it in &features.candidates {
        put(&mut bytes, &it.features);
        let is_code = view.files()[it.file].kind == FileKind::Code;
        put(
            &mut bytes,
            &[f32::from(u8::from(gold(it.file).is_some())), f32::from(u8::from(is_code))],
        );
    }
    for it in &chunks {
        put(&mut bytes, &it.features);
        let chunk = features.stored_doc(it.candidate).map(|doc| &doc.chunks[it.chunk]);
        let Some(chunk) = chunk else { continue };
        let before: usize = task
            .gold
            .iter()
            .take_while(|gold| gold.path != path(it.file))
            .map(|it| it.hunks.len())
            .sum();
        let of_file = gold(it.file).map_or(&[][..], |gold| &gold.hunks);
        let mut mask = 0u64;
        for (at, hunk) in of_file.iter().enumerate() {
            if hunk.start <= chunk.span.end && chunk.span.start <= hunk.end && before + at < 64 {
                mask |= 1 << (before + at);
            }
        }
        for value in [it.candidate as u32, chunk.tokens, mask as u32, (mask >> 32) as u32] {
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

fn write_all(out: &mut dyn Write, bytes: &[u8]) -> Result<(), EvalError> {
    out.write_all(bytes).map_err(|error: io::Error| EvalError::Write { error })
}
