//! Secrets that redaction finds in some folders, and its speed, for `scripts/measure-redaction`. Prints
//! places and rules, never the secrets.

use crate::measure::cpu_time;
use anyhow::{Context, Result};
use kitbag_text::{Text, decode, find_secrets};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of timed scans; the fastest counts.
const TIMED_SCANS: usize = 5;

/// Prints a JSON object for each secret, and one with the totals.
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
            let row =
                text.row_starts().partition_point(|&start| start as usize <= secret.range.start);
            let path = path.to_string_lossy();
            println!("{}", json!({ "path": path, "line": row, "rule": secret.rule }));
        }
    }
    let bytes: usize = texts.iter().map(|(_, text)| text.content().len()).sum();
    let seconds = (0..TIMED_SCANS).map(|_| scan(&texts)).fold(f64::INFINITY, f64::min);
    println!("{}", json!({ "files": texts.len(), "bytes": bytes, "seconds": seconds }));
    Ok(())
}

/// Returns the CPU seconds for scanning all texts on one thread.
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
    let content = decode(fs::read(&path).ok()?).ok()?;
    Some((path, Text::new(content)))
}
