//! A small repository, and requests for it.

use kitbag::{Cancel, Engine, Error, Provider, Report, Request};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

pub fn write(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
    fs::write(path, content).expect("written");
}

/// Runs git, at a time in seconds since 1970.
pub fn git(folder: &Path, time: i64, arguments: &[&str]) {
    let date = format!("{time} +0000");
    let status = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(status.expect("git runs").success(), "git {arguments:?}");
}

/// Commits everything.
pub fn commit(folder: &Path, time: i64, message: &str) {
    if !folder.join(".git").exists() {
        git(folder, time, &["init", "--quiet"]);
    }
    git(folder, time, &["add", "--all"]);
    git(folder, time, &["commit", "--quiet", "--message", message]);
}

pub fn engine(providers: impl IntoIterator<Item = impl Provider + 'static>) -> Engine {
    let engine = Engine::with_threads(2).expect("threads");
    let add = |engine: Engine, provider| engine.with_provider(provider).expect("a new id");
    providers.into_iter().fold(engine, add)
}

/// A request that asks only providers of the tests' own: for a document that need not exist.
pub fn request(folder: &Path) -> Request {
    Request {
        repo: Some(folder.to_owned()),
        tool_results: vec![kitbag::ToolResult { label: "task".into(), content: "x\n".into() }],
        no_providers: vec!["tool_results".into()],
        profile: Some("orchestrate".into()),
        options: ["search", "style"]
            .map(|id| (format!("context.providers.{id}.enabled"), false.into()))
            .into(),
        ..Request::default()
    }
}

pub async fn pack(engine: &Engine, request: Request) -> Report {
    try_pack(engine, request).await.expect("a pack")
}

pub async fn try_pack(engine: &Engine, request: Request) -> Result<Report, Error> {
    engine.pack(request, &Cancel::default()).await
}

/// The outcome of a provider, and its detail.
pub fn outcome<'a>(report: &'a Report, id: &str) -> (&'static str, Option<&'a str>) {
    let item = report.providers.iter().find(|item| item.id == id).expect("it is reported");
    (item.outcome.as_str(), item.detail.as_deref())
}

/// The files that are in, in rank order.
pub fn paths(report: &Report) -> Vec<&str> {
    report.included.iter().map(|item| item.path.as_str()).collect()
}
