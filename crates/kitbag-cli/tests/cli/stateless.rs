//! Servers without state of their own: what one of them knows, the others find in the store.

use crate::fixture::Fixture;
use crate::serve::Server;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A server on a machine of its own, which serves a clone of the same repository.
struct Machine {
    fixture: Fixture,
    server: Server,
}

fn machine(store: &TempDir, settings: &[&str]) -> Machine {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.git(&["remote", "add", "origin", "https://example.org/team/app.git"]);
    fixture.commit(1, "begin");
    let url = url(store);
    let mut arguments = vec!["--store", url.as_str()];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let server = Server::start(&fixture, &arguments, &[]);
    Machine { fixture, server }
}

fn url(store: &TempDir) -> String {
    format!("file://{}", store.path().display())
}

/// Returns the files in the store whose path contains `part`.
fn objects(store: &TempDir, part: &str) -> Vec<PathBuf> {
    fn files(folder: PathBuf, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { files(entry, found) } else { found.push(entry) }
        }
    }
    let mut found = Vec::new();
    files(store.path().to_owned(), &mut found);
    found.retain(|file| file.to_string_lossy().contains(part));
    found
}

impl Machine {
    fn ask(&self, head: &str, body: &Value) -> (String, Value) {
        let answer = self.server.ask(head, &body.to_string());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().to_owned();
        (status, serde_json::from_str(body).unwrap())
    }

    fn pack(&self, body: &Value) -> Value {
        let (status, pack) = self.ask("POST /v1/pack", body);
        assert_eq!(status, "200", "{pack}");
        pack
    }
}

fn has_login(pack: &Value) -> bool {
    pack["content"].as_str().unwrap().contains("pub fn login(")
}

const WRITES: [&str; 1] = ["store.write=true"];

#[test]
fn a_session_goes_on_with_another_server() {
    let store = tempfile::tempdir().unwrap();
    let machines = [machine(&store, &WRITES), machine(&store, &WRITES)];
    let request = json!({ "task": "why does login fail?", "session": "one" });
    assert!(has_login(&machines[0].pack(&request)));
    assert!(!has_login(&machines[1].pack(&request)), "the first server sent it");
    assert!(!has_login(&machines[0].pack(&request)));
    let repeated = json!({ "task": "why does login fail?", "session": "one", "repeat": true });
    assert!(has_login(&machines[1].pack(&repeated)));
    assert!(!has_login(&machines[0].pack(&request)), "sent again by the second server");
    let other = json!({ "task": "why does login fail?", "session": "two" });
    assert!(has_login(&machines[1].pack(&other)), "sessions share nothing");
    // Each pack replaces what it has read.
    assert_eq!(objects(&store, "/sessions/").len(), 2);
    for object in objects(&store, "/sessions/") {
        let text = String::from_utf8_lossy(&fs::read(object).unwrap()).into_owned();
        assert!(!text.contains("login") && !text.contains("auth"), "{text}");
    }
}

#[test]
fn sessions_stay_in_memory_unless_the_store_is_written_to() {
    let store = tempfile::tempdir().unwrap();
    let machines = [machine(&store, &[]), machine(&store, &[])];
    let request = json!({ "task": "why does login fail?", "session": "one" });
    assert!(has_login(&machines[0].pack(&request)));
    assert!(!has_login(&machines[0].pack(&request)));
    assert!(has_login(&machines[1].pack(&request)));
    assert!(objects(&store, "").is_empty());
}

#[test]
fn every_pack_of_a_session_says_that_the_store_cannot_be_used() {
    let fixture = Fixture::project();
    let store = ["--store", "s3://bucket/kitbag", "--set", "store.write=true"];
    let limit = ["--set", "store.timeout_ms=500"];
    // Nothing listens on this port.
    let variables = [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
    ];
    let server = Server::start(&fixture, &[&store[..], &limit].concat(), &variables);
    let machine = Machine { fixture, server };
    for _ in 0..3 {
        let pack = machine.pack(&json!({ "task": "why does login fail?", "session": "one" }));
        let warnings = pack["warnings"].to_string();
        assert!(warnings.contains("only this server knows the session"), "{warnings}");
    }
    let (status, problem) = machine.ask(&format!("GET /v1/packs/{}", "0".repeat(32)), &Value::Null);
    assert_eq!((status.as_str(), &problem["type"]), ("503", &json!("urn:kitbag:store")));
}

#[test]
fn a_pack_is_shown_by_a_server_that_did_not_make_it() {
    let store = tempfile::tempdir().unwrap();
    let [first, second] = [machine(&store, &WRITES), machine(&store, &WRITES)];
    let pack = first.pack(&json!({ "task": "why does login fail?" }));
    let id = pack["id"].as_str().unwrap().to_owned();
    // Stopping waits for the upload.
    assert_eq!(first.server.stop("-TERM").code, Some(0));
    for _ in 0..2 {
        let (status, shown) = second.ask(&format!("GET /v1/packs/{id}"), &Value::Null);
        assert_eq!(status, "200", "{shown}");
        assert_eq!(shown["id"], id.as_str());
        assert_eq!(shown["report"]["content"], pack["content"]);
        assert_eq!(shown["report"]["total_tokens"], pack["total_tokens"]);
    }
    let (status, _) = second.ask(&format!("GET /v1/packs/{}", "0".repeat(32)), &Value::Null);
    assert_eq!(status, "404");
    for object in objects(&store, "/packs/") {
        assert!(!object.to_string_lossy().contains(&id));
        fs::write(&object, "damaged").unwrap();
    }
    let third = machine(&store, &WRITES);
    let (status, problem) = third.ask(&format!("GET /v1/packs/{id}"), &Value::Null);
    assert_eq!((status.as_str(), &problem["type"]), ("404", &json!("urn:kitbag:unknown_pack")));
    drop(first.fixture);
}

#[test]
fn a_server_that_is_asked_to_stop_drains_first() {
    let store = tempfile::tempdir().unwrap();
    let machine = machine(&store, &["server.drain_ms=600000"]);
    let phase = || machine.ask("GET /readyz", &Value::Null);
    while phase().1["status"] == "starting" {}
    assert_eq!(phase(), ("200".into(), json!({ "status": "ready" })));
    machine.server.signal("-TERM");
    while phase().1["status"] == "ready" {}
    assert_eq!(phase(), ("503".into(), json!({ "status": "draining" })));
    assert_eq!(machine.ask("GET /healthz", &Value::Null).0, "200");
    assert!(has_login(&machine.pack(&json!({ "task": "why does login fail?" }))));
    let run = machine.server.stop("-TERM");
    assert_eq!(run.code, Some(130), "the second signal does not wait: {run:?}");
    assert!(!run.stderr.contains("ERROR"), "a probe is no error: {}", run.stderr);
}
