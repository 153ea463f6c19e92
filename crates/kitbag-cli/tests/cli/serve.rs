//! `kitbag serve`.

use crate::fixture::{Fixture, Run};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A token of the minimum length.
const TOKEN: &str = "hush-hush-hush-0";

pub struct Server {
    /// `None` once it was stopped.
    child: Option<Child>,
    address: String,
}

impl Server {
    pub fn start(fixture: &Fixture, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut program = fixture.command();
        program.args(["serve", "--listen", "127.0.0.1:0", "--json"]).args(arguments);
        program.envs(variables.iter().copied());
        program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let address =
            started["address"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { child: Some(child), address }
    }

    /// Returns the whole response.
    pub fn ask(&self, head: &str, body: &str) -> String {
        self.ask_with(&format!("{head} HTTP/1.1"), body)
    }

    /// Sends a request line with its version, and headers.
    pub fn ask_with(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head}\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}",
            self.address
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    pub fn signal(&self, signal: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
    }

    pub fn stop(mut self, signal: &str) -> Run {
        self.signal(signal);
        Run::from(self.child.take().unwrap().wait_with_output().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn the_server_packs_and_stops_on_a_signal() {
    for signal in ["-INT", "-TERM"] {
        let fixture = Fixture::project();
        let server = Server::start(&fixture, &[], &[]);
        let answer = server.ask("POST /v1/pack", r#"{"task": "why does login fail?"}"#);
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert!(answer.contains("pub fn login"));
        let run = server.stop(signal);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stderr_contains(&["serving work at http://127.0.0.1:"]);
    }
}

#[test]
fn a_token_from_the_environment_is_required() {
    let fixture = Fixture::project();
    let set = ["--set", "server.token_env=SECRET_OF_MINE"];
    let server = Server::start(&fixture, &set, &[("SECRET_OF_MINE", TOKEN)]);
    assert!(server.ask("GET /v1/repos", "").starts_with("HTTP/1.1 401"));
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let head = format!("GET /v1/repos HTTP/1.1\r\nauthorization: {scheme} {TOKEN}");
        assert!(server.ask_with(&head, "").starts_with("HTTP/1.1 200"), "{scheme}");
    }
    assert!(server.ask("GET /healthz", "").starts_with("HTTP/1.1 200"));
    let run = server.stop("-TERM");
    assert!(!run.stderr.contains(TOKEN));
    fixture.run(["serve", "--set", set[1]]).fails(2, &["`SECRET_OF_MINE` is not set, or empty"]);
}

#[test]
fn a_short_token_is_refused() {
    let fixture = Fixture::project();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--set", "server.token_env=SECRET_OF_MINE"];
    let mcp = ["mcp", "--http", "127.0.0.1:0", "--token-env", "SECRET_OF_MINE"];
    for (arguments, token) in [(&serve[..], "x"), (&serve, &TOKEN[1..]), (&mcp, "x")] {
        let output = fixture.command().env("SECRET_OF_MINE", token).args(arguments).output();
        let run = Run::from(output.unwrap());
        let length = "is too short: it needs at least 16 characters";
        run.fails(2, &["the token in `SECRET_OF_MINE`", length, "openssl rand -hex 32"]);
    }
}

#[test]
fn ambiguous_requests_are_refused() {
    let fixture = Fixture::project();
    let server = Server::start(&fixture, &[], &[]);
    for head in [
        "GET http://localhost/healthz HTTP/1.1",
        "GET http://evil.example/healthz HTTP/1.1",
        "GET /healthz HTTP/1.1\r\nhost: localhost",
        "GET /healthz HTTP/1.1\r\norigin: http://localhost\r\norigin: http://evil.example",
        "POST /mcp HTTP/1.1\r\nhost: localhost",
    ] {
        let answer = server.ask_with(head, "{}");
        assert!(answer.starts_with("HTTP/1.1 400 "), "{head}: {answer}");
    }
    assert!(server.ask("GET /healthz", "").starts_with("HTTP/1.1 200"));
    server.stop("-TERM");
}

#[test]
fn half_sent_bodies_do_not_keep_others_from_packing() {
    let fixture = Fixture::project();
    let limits = ["server.limits.concurrency=1", "server.limits.queue=0"];
    let server = Server::start(&fixture, &["--set", limits[0], "--set", limits[1]], &[]);
    let half = |path: &str| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: 100\r\n\r\n{{",
            server.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let open: Vec<TcpStream> =
        (0..40).map(|at| half(if at % 2 == 0 { "/v1/pack" } else { "/mcp" })).collect();
    let answer = server.ask("POST /v1/pack", r#"{"task": "why does login fail?"}"#);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    drop(open);
    server.stop("-TERM");
}

#[test]
fn invalid_arguments_fail_immediately() {
    let fixture = Fixture::project();
    fixture.run(["serve", "--repo", "none"]).fails(2, &["none"]);
    fixture.run(["serve", "--repo", ".", "--repo", "src/.."]).fails(2, &["duplicate repository"]);
    fixture.run(["serve", "--listen", "nowhere"]).fails(2, &["invalid address: `nowhere`"]);
    fixture.run(["serve", "--listen", "0.0.0.0:0"]).fails(2, &["requires a token", "hint: "]);
    let open = ["serve", "--set", "server.listen=0.0.0.0:0"];
    fixture.run(open).fails(2, &["opens `0.0.0.0:0` to other machines", "--listen"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fixture.run(["serve", "--listen", &address]).fails(1, &["cannot listen on"]);
}

#[test]
fn a_repository_cannot_open_the_server() {
    let fixture = Fixture::project();
    fixture.write(".agent/config.yml", "server:\n  listen: 0.0.0.0:1\n");
    let server = Server::start(&fixture, &[], &[]);
    assert!(server.address.starts_with("127.0.0.1:"));
    let answer = server.ask("POST /v1/pack", r#"{"task": "login"}"#);
    assert!(answer.starts_with("HTTP/1.1 422"), "{answer}");
    assert!(answer.contains("server.listen"));
    server.stop("-TERM");
}

/// Repeats a request until `is_done` accepts the response.
fn until(server: &Server, head: &str, is_done: impl Fn(&Value) -> bool) -> Value {
    loop {
        let answer = server.ask(head, "");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let value: Value = serde_json::from_str(body).unwrap();
        if is_done(&value) {
            return value;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn packs_of_agents_and_of_other_processes_are_in_the_list() {
    let fixture = Fixture::project();
    let server = Server::start(&fixture, &[], &[]);
    let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "pack_context", "arguments": {"task": "why does login fail?", "agent_id": "claude"},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                  "io.modelcontextprotocol/clientCapabilities": {}}}}"#;
    let head = "POST /mcp HTTP/1.1\r\naccept: application/json, text/event-stream\r\n\
        mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: pack_context";
    let answer = server.ask_with(head, call);
    assert!(answer.contains("pub fn login"), "{answer}");
    let foreign = server.ask_with(&format!("{head}\r\norigin: http://evil.example"), call);
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    let listed = until(&server, "GET /v1/packs", |it| it["packs"][0].is_object());
    let pack = &listed["packs"][0];
    assert_eq!((&pack["interface"], &pack["agent_id"]), (&"mcp".into(), &"claude".into()));
    assert_eq!((&pack["task"], &pack["is_own"]), (&"why does login fail?".into(), &true.into()));
    assert_eq!(fixture.run(["pack", "mix paint"]).code, Some(0));
    let listed = until(&server, "GET /v1/packs", |it| it["packs"][1].is_object());
    let pack = &listed["packs"][0];
    assert_eq!((&pack["interface"], &pack["is_own"]), (&"cli".into(), &false.into()));
    assert_eq!(pack["task"], "unknown task of 9 characters");
    assert_eq!(server.stop("-TERM").code, Some(0));
}
