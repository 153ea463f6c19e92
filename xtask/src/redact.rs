//! What redaction finds in the files of folders, and how fast: the tool behind
//! `scripts/measure-redaction`. It prints places and rules, never what stands there.

use crate::measure::cpu_time;
use anyhow::{Context, Result};
use kitbag_text::{Text, decode, find_secrets};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// How often everything is scanned for the clock; the fastest counts.
const ROUNDS: usize = 5;

/// Prints a JSON object for each finding and one for the whole.
#[expect(clippy::print_stdout, reason = "the findings are this program's output")]
pub fn run(folders: &[&str]) -> Result<()> {
    let mut texts = Vec::new();
    for folder in folders {
        let mut paths = Vec::new();
        list(Path::new(folder), &mut paths).with_context(|| format!("cannot list `{folder}`"))?;
        paths.sort();
        texts.extend(paths.into_iter().filter_map(read));
    }
    for (path, text) in &texts {
        for secret in find_secrets(text.content()) {
            let row = text.starts().partition_point(|&start| start as usize <= secret.range.start);
            let path = path.to_string_lossy();
            println!("{}", json!({ "path": path, "line": row, "rule": secret.rule }));
        }
    }
    let bytes: usize = texts.iter().map(|(_, text)| text.content().len()).sum();
    let seconds = (0..ROUNDS).map(|_| scan(&texts)).fold(f64::INFINITY, f64::min);
    println!("{}", json!({ "files": texts.len(), "bytes": bytes, "seconds": seconds }));
    Ok(())
}

/// The CPU-seconds that one thread needs for all texts.
fn scan(texts: &[(PathBuf, Text)]) -> f64 {
    let before = cpu_time();
    let found: usize = texts.iter().map(|(_, text)| find_secrets(text.content()).len()).sum();
    std::hint::black_box(found);
    cpu_time().saturating_sub(before).as_secs_f64()
}

fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" {
            list(&entry.path(), paths)?;
        } else if kind.is_file() {
            paths.push(entry.path());
        }
    }
    Ok(())
}

fn read(path: PathBuf) -> Option<(PathBuf, Text)> {
    let decoded = decode(fs::read(&path).ok()?).ok()?;
    Some((path, Text::new(decoded.content)))
}
