//! Packs of other processes are listed and published, each once.

use crate::fixture::Fixture;
use kitbag::{Cancel, ConfigSources, Engine, Request};
use kitbag_http::HttpOptions;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server that shares its folder of records with other processes.
struct RecordingServer {
    fixture: Fixture,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), kitbag_http::ServeError>>,
}

fn engine(records: &Path) -> Engine {
    Engine::with_threads(2).unwrap().with_records(records)
}

impl RecordingServer {
    async fn new(fixture: Fixture) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = async { drop(stopped.await) };
        let serving = tokio::spawn(kitbag_http::serve(
            fixture.state.clone(),
            listener,
            kitbag_http::Router::new(),
            ended,
        ));
        Self { fixture, stop, serving }
    }

    async fn packs(&self) -> Vec<Value> {
        let listed = self.fixture.get("/v1/packs").await.json();
        listed["packs"].as_array().unwrap().clone()
    }

    /// Waits until the listed packs satisfy a condition.
    async fn until(&self, is_done: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        loop {
            let packs = self.packs().await;
            if is_done(&packs) {
                return packs;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap().unwrap();
    }
}

async fn pack_in_another_process(records: &TempDir, repo: PathBuf, task: &str) -> String {
    let request = Request {
        task: task.into(),
        repo: Some(repo),
        budget: Some(400),
        agent_id: Some("claude".into()),
        via: "mcp",
        ..Request::default()
    };
    let report = engine(records.path()).pack(request, &Cancel::default()).await.unwrap();
    report.record.unwrap()
}

#[tokio::test]
async fn a_pack_of_another_process_is_listed_published_and_shown() {
    let records = tempfile::tempdir().unwrap();
    let fixture = Fixture::with_engine(engine(records.path()), HttpOptions::default());
    let app = fixture.dir.path().join("app");
    let before = pack_in_another_process(&records, app.clone(), "before the server began").await;
    let served = RecordingServer::new(fixture).await;
    served.until(|packs| packs.len() == 1).await;
    // The server's own pack leaves a record too, but is listed once, as its own.
    let request = json!({"task": "why does login fail?", "budget": 400});
    let own = served.fixture.post("/v1/pack", &request).await.json();
    let theirs = pack_in_another_process(&records, app, "why does login fail?").await;
    let packs = served.until(|packs| packs.len() >= 3).await;
    let ids: Vec<&str> = packs.iter().map(|pack| pack["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [theirs.as_str(), own["id"].as_str().unwrap(), before.as_str()]);
    assert_eq!((&packs[0]["interface"], &packs[0]["is_own"]), (&json!("mcp"), &json!(false)));
    assert_eq!((&packs[0]["repo"], &packs[0]["agent_id"]), (&json!("app"), &json!("claude")));
    assert_eq!(packs[0]["task"], "why does login fail?", "the task of its own pack");
    assert_eq!(packs[0]["total_tokens"], own["total_tokens"]);
    assert_eq!(packs[2]["task"], "unknown task of 23 characters");
    assert_eq!((&packs[2]["has_task"], &packs[1]["has_task"]), (&json!(false), &json!(true)));
    let shown = served.fixture.get(&format!("/v1/packs/{theirs}")).await.json();
    assert_eq!(shown["request"]["task"], "why does login fail?");
    assert_eq!(shown["report"]["content"], own["content"]);
    assert_eq!(shown["report"]["included"][0]["path"], own["included"][0]["path"]);
    assert_eq!(shown["report"]["included"][0]["shown"], own["included"][0]["shown"]);
    let unknown = served.fixture.get(&format!("/v1/packs/{before}")).await.json();
    assert!(unknown["request"].get("task").is_none(), "{unknown}");
    served.end().await;
}

#[tokio::test]
async fn a_recorded_pack_has_the_shape_of_a_report_without_stale_text() {
    let records = tempfile::tempdir().unwrap();
    let fixture = Fixture::with_engine(engine(records.path()), HttpOptions::default());
    let app = fixture.dir.path().join("app");
    let theirs = pack_in_another_process(&records, app.clone(), "why does login fail?").await;
    let served = RecordingServer::new(fixture).await;
    served.until(|packs| packs.len() == 1).await;
    let request = json!({"task": "why does login fail?", "budget": 400, "agent_id": "claude"});
    let own = served.fixture.post("/v1/pack", &request).await.json();
    let shown = served.fixture.get(&format!("/v1/packs/{theirs}")).await.json();
    let keys = |value: &Value| -> Vec<String> {
        // Records do not keep these fields.
        let own = ["id", "why", "duplicates", "correlation_id"];
        let keys = value.as_object().unwrap().keys().filter(|key| !own.contains(&key.as_str()));
        let mut keys: Vec<String> = keys.cloned().collect();
        keys.sort();
        keys
    };
    let report = &shown["report"];
    assert_eq!(keys(report), keys(&own));
    for part in ["/stats", "/tokenizer", "/included/0", "/excluded/0", "/providers/0", "/timings/0"]
    {
        let (theirs, ours) = (report.pointer(part), own.pointer(part));
        assert_eq!(theirs.map(keys), ours.map(keys), "{part}");
    }
    fs::write(app.join("src/auth.rs"), "fn other() {}\n").unwrap();
    let shown = served.fixture.get(&format!("/v1/packs/{theirs}")).await.json();
    assert!(shown["report"]["content"].is_null());
    let warnings = shown["report"]["warnings"].to_string();
    assert!(warnings.contains("the text can no longer be rendered"), "{warnings}");
    served.end().await;
}

#[tokio::test]
async fn records_keep_tasks_if_the_user_says_so_and_summaries_name_files() {
    let records = tempfile::tempdir().unwrap();
    let sources = ConfigSources {
        set: vec![("context.record.tasks".into(), "true".into())],
        ..ConfigSources::default()
    };
    let fixture = Fixture::with_engine(engine(records.path()), HttpOptions::default());
    let request = Request {
        task: "why does login fail?".into(),
        repo: Some(fixture.dir.path().join("app")),
        ..Request::default()
    };
    let before = engine(records.path()).with_config(sources);
    let id = before.pack(request, &Cancel::default()).await.unwrap().record.unwrap();
    let served = RecordingServer::new(fixture).await;
    let packs = served.until(|packs| packs.len() == 1).await;
    assert_eq!(
        (&packs[0]["task"], &packs[0]["has_task"]),
        (&json!("why does login fail?"), &json!(true))
    );
    assert_eq!(packs[0]["files"][0], "src/auth.rs");
    let shown = served.fixture.get(&format!("/v1/packs/{id}")).await.json();
    assert_eq!(shown["request"]["task"], "why does login fail?");
    served.end().await;
}

#[tokio::test]
async fn progress_of_indexing_is_reported() {
    let options = HttpOptions::default();
    let progress = Arc::clone(&options.progress);
    let fixture = Fixture::with_options(options);
    let idle = json!({"done": 0, "total": 0, "summarized": 0, "repositories": 0});
    assert_eq!(fixture.get("/v1/progress").await.json(), idle);
    progress.update(3, 10);
    progress.update_summaries(2, 5);
    let busy = json!({"done": 3, "total": 10, "summarized": 2, "repositories": 5});
    assert_eq!(fixture.get("/v1/progress").await.json(), busy);
}

#[tokio::test]
async fn a_server_without_records_works() {
    let served = RecordingServer::new(Fixture::new()).await;
    served.fixture.post("/v1/pack", &json!({"task": "login"})).await;
    assert_eq!(served.packs().await.len(), 1);
    served.end().await;
}
