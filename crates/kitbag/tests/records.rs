//! The record that a pack leaves, as a user of the library sees it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kitbag::{Cancel, Document, Drift, Engine, Error, ExportRequest, RecordError, Request};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const LOGIN: &str = "/// Logs in.\npub fn login() {\n    session();\n}\n";

fn repository() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("repo")).unwrap();
    fs::write(dir.path().join("repo/login.rs"), LOGIN).unwrap();
    dir
}

fn engine(dir: &Path) -> Engine {
    Engine::new().unwrap().with_records(dir.join("records"))
}

fn request(dir: &Path) -> Request {
    Request { task: "login".into(), repo: Some(dir.join("repo")), ..Request::default() }
}

#[tokio::test]
async fn a_pack_knows_its_record_and_a_preview_has_none() {
    let dir = repository();
    let (engine, cancel) = (engine(dir.path()), Cancel::default());
    let preview = engine.preview(request(dir.path()), &cancel).await.unwrap();
    assert_eq!(preview.record, None);
    let quiet = Request { no_record: true, ..request(dir.path()) };
    assert_eq!(engine.pack(quiet, &cancel).await.unwrap().record, None);
    let repo = dir.path().join("repo");
    let none = engine.record(&repo, None).unwrap_err();
    assert!(matches!(none, Error::Record(RecordError::None { unreadable: 0, .. })), "{none}");
    let report = engine.pack(request(dir.path()), &cancel).await.unwrap();
    let (record, warnings) = engine.record(&repo, None).unwrap();
    assert_eq!((Some(&record.id), warnings), (report.record.as_ref(), Vec::new()));
    assert_eq!(record.total_tokens, report.total_tokens);
    assert_eq!(record.included.len(), report.included.len());
    assert!(report.timings.iter().any(|it| it.stage == "record"));
}

#[tokio::test]
async fn packs_at_the_same_time_each_leave_a_record() {
    let dir = repository();
    let (engine, cancel) = (engine(dir.path()), Cancel::default());
    let pack = || engine.pack(request(dir.path()), &cancel);
    let (a, b, c) = tokio::join!(pack(), pack(), pack());
    let mut ids: Vec<String> =
        [a, b, c].into_iter().map(|it| it.unwrap().record.unwrap()).collect();
    let list = engine.records(&dir.path().join("repo")).unwrap();
    let mut kept: Vec<String> = list.records.into_iter().map(|it| it.id).collect();
    ids.sort();
    kept.sort();
    assert_eq!(ids, kept);
}

#[tokio::test]
async fn an_unsaved_buffer_is_not_taken_for_the_file() {
    let dir = repository();
    let (engine, cancel) = (engine(dir.path()), Cancel::default());
    let repo = dir.path().join("repo");
    let content = "pub fn login_unsaved() {}\n".to_owned();
    let document = Document { path: "./login.rs".into(), content: Some(content) };
    let request = Request { document: Some(document), ..request(dir.path()) };
    let request = Request { no_providers: vec!["search".into()], ..request };
    engine.pack(request, &cancel).await.unwrap();
    let verified = engine.verify(&repo, None, None, &cancel).await.unwrap();
    assert!(verified.is_unchanged);
    assert!(verified.ranges.iter().all(|it| it.state == Drift::NotAFile), "{verified:?}");
    let export = ExportRequest { repo: Some(repo), ..ExportRequest::default() };
    let refused = engine.export(export, &cancel).await.unwrap_err();
    assert!(refused.to_string().contains("is not from a file"), "{refused}");
}

#[tokio::test]
async fn what_was_packed_is_exported_as_it_was() {
    let dir = repository();
    let (engine, cancel) = (engine(dir.path()), Cancel::default());
    let report = engine.pack(request(dir.path()), &cancel).await.unwrap();
    let request =
        || ExportRequest { repo: Some(dir.path().join("repo")), ..ExportRequest::default() };
    let exported = engine.export(request(), &cancel).await.unwrap();
    assert!(exported.is_same);
    assert_eq!(Some(exported.content), report.content);
    assert_eq!(exported.total_tokens, report.total_tokens);
    fs::write(dir.path().join("repo/login.rs"), LOGIN.replace("session", "sessions")).unwrap();
    let refused = engine.export(request(), &cancel).await.unwrap_err();
    assert!(matches!(refused, Error::Record(RecordError::Drifted { .. })), "{refused}");
}

#[test]
fn an_engine_without_a_folder_has_no_records() {
    let dir = repository();
    let error = Engine::new().unwrap().records(&dir.path().join("repo")).unwrap_err();
    assert!(matches!(error, Error::Record(RecordError::NoFolder)), "{error}");
    assert_eq!(error.hint().as_deref(), Some("set XDG_CACHE_HOME or HOME"));
}

#[tokio::test]
async fn a_template_with_a_secret_is_the_same_when_it_is_rendered_again() {
    let dir = repository();
    let secret = ["AKIA", "Q3EGUS4KSVDHG6TN"].concat();
    let template = format!("aws = \"{secret}\"\n{{{{ TotalTokens }}}}\n");
    fs::write(dir.path().join("repo/mine.j2"), template).unwrap();
    let (engine, cancel) = (engine(dir.path()), Cancel::default());
    let options = vec![("context.formatting.template".to_owned(), "mine.j2".into())];
    let report = engine.pack(Request { options, ..request(dir.path()) }, &cancel).await.unwrap();
    assert!(report.content.unwrap().starts_with("aws = \"[REDACTED:"));
    let repo = Some(dir.path().join("repo"));
    let exported = engine.export(ExportRequest { repo, ..ExportRequest::default() }, &cancel).await;
    assert!(!exported.unwrap().content.contains(&secret));
}
