//! Safety, as a library user gets it: redaction, denied files, and the packer design's threats.

#![allow(clippy::unwrap_used)]

mod denied;
mod redaction;
mod threats;

use kitbag::{CachedCounter, Cancel, Engine, Report, Request};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with some files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        write(&folder, path, content);
    }
    folder
}

fn write(folder: &TempDir, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn request(folder: &TempDir, task: &str, budget: usize) -> Request {
    let repo = Some(folder.path().to_owned());
    Request { task: task.into(), repo, budget: Some(budget), now: Some(0), ..Request::default() }
}

async fn pack(request: Request) -> Report {
    let engine = Engine::new().unwrap();
    engine.pack(request, &Cancel::default()).await.unwrap()
}

fn text(report: &Report) -> &str {
    report.content.as_deref().unwrap()
}

fn count(text: &str) -> usize {
    CachedCounter::named("o200k_base").unwrap().counter().count(text)
}

/// Whether a report mentions a string anywhere, its text included.
fn mentions(report: &Report, what: &str) -> bool {
    serde_json::to_string(report).unwrap().contains(what)
}

/// A token of GitHub's form, which this file does not contain as one.
fn github_token(seed: usize) -> String {
    let body: String =
        (0..36).map(|at| char::from(b"aZ3kQ9xW7bT1mR5pL8"[(at * 7 + seed * 5) % 18])).collect();
    ["gh", "p_", &body].concat()
}

/// A private key's block, which this file does not contain as one.
fn private_key() -> String {
    let line = |seed: usize| -> String {
        (0..64)
            .map(|at| char::from(b"MIIEvQ+BAD/NBgkqhkiG9w0Baz7"[(at * 11 + seed * 13) % 27]))
            .collect()
    };
    let body: Vec<String> = (0..6).map(line).collect();
    let dashes = "-".repeat(5);
    format!(
        "{dashes}BEGIN PRIVATE KEY{dashes}\n{}\n{dashes}END PRIVATE KEY{dashes}\n",
        body.join("\n")
    )
}

fn paths(report: &Report) -> Vec<&str> {
    let mut paths: Vec<&str> = report.included.iter().map(|item| item.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The reasons of what is out, by path.
fn reasons(report: &Report, path: &str) -> Vec<&'static str> {
    report
        .excluded
        .iter()
        .filter(|item| item.path == path)
        .map(|item| item.reason.as_str())
        .collect()
}

/// Makes a link in a folder.
fn link(folder: &Path, to: &str, name: &str) {
    std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
}
