//! `kitbag mcp`.

use crate::fixture::{Fixture, Run};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

fn frame(id: u32, method: &str, params: Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    })
}

#[test]
fn standard_output_has_only_frames() {
    let fixture = Fixture::project();
    let call = json!({ "name": "pack_context", "arguments": { "task": "login", "budget": 500 } });
    let input = frame(1, "initialize", initialize()) + &frame(2, "tools/call", call);
    let run = fixture.feed(["mcp"], input);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let frames: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0]["result"]["serverInfo"]["name"], "kitbag");
    let text = frames[1]["result"]["content"][0]["text"].as_str().unwrap();
    let pack = fixture.run(["pack", "login", "--budget", "500"]).stdout;
    assert!(text.starts_with("Contents: ") && text.ends_with(&format!("\n\n{pack}")), "{text}");
}

#[test]
fn a_server_over_http_answers_until_it_is_interrupted() {
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.args(["mcp", "--http", "127.0.0.1:0"]).stdin(Stdio::null());
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap();
    let address = address.strip_suffix("/mcp").unwrap();
    let body = frame(1, "initialize", initialize());
    for (host, status) in [(address, "200"), ("evil.test", "403")] {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(
        (run.code, run.stdout.as_str(), rest.as_str()),
        (Some(130), "", "error: interrupted\n")
    );
}

#[test]
fn user_limits_apply_to_agents() {
    let fixture = Fixture::project();
    let settings = "../home/.config/kitbag/config.yml";
    fixture.write(settings, "server:\n  limits:\n    request_bytes: 2048\n");
    let long = json!({ "name": "pack_context", "arguments": { "task": "x".repeat(3_000) } });
    let short = json!({ "name": "pack_context", "arguments": { "task": "login" } });
    let first = frame(1, "initialize", initialize());
    let run = fixture.feed(["mcp"], first.clone() + &frame(2, "tools/call", long));
    let refused: Value = serde_json::from_str(run.stdout.lines().nth(1).unwrap()).unwrap();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert_eq!(message, "the message is longer than 2048 bytes");
    fixture.write(settings, "server:\n  limits:\n    timeout_ms: 1\n    concurrency: 1\n");
    let run = fixture.feed(["mcp"], first + &frame(2, "tools/call", short));
    let late: Value = serde_json::from_str(run.stdout.lines().nth(1).unwrap()).unwrap();
    assert_eq!(late["result"]["isError"], true, "{late}");
    let message = late["result"]["content"][0]["text"].as_str().unwrap();
    assert!(message.starts_with("the call took longer than 1 ms"), "{message}");
}

#[test]
fn the_configured_token_is_required_unless_overridden() {
    let fixture = Fixture::project();
    fixture.write("../home/.config/kitbag/config.yml", "server:\n  token_env: KITBAG_TEST_TOKEN\n");
    let listen = ["mcp", "--http", "127.0.0.1:0"];
    fixture
        .run(listen)
        .fails(2, &["`KITBAG_TEST_TOKEN` is not set, or empty", "`server.token_env`"]);
    let other = listen.into_iter().chain(["--token-env", "KITBAG_NO_SUCH_TOKEN"]);
    fixture.run(other).fails(2, &["`KITBAG_NO_SUCH_TOKEN` is not set, or empty"]);
    // Standard input and output need no token.
    let run = fixture.feed(["mcp"], frame(1, "initialize", initialize()));
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1));
}

#[test]
fn invalid_arguments_are_reported() {
    let fixture = Fixture::project();
    fixture.run(["mcp", "--repo", "nope"]).fails(2, &["no such folder: `nope`"]);
    fixture.run(["mcp", "--repo", ".", "--repo", "src/.."]).fails(2, &["duplicate repository"]);
    fixture.run(["mcp", "--http", "nowhere"]).fails(2, &["expected an address such as"]);
    let open = ["mcp", "--http", "0.0.0.0:0"];
    fixture.run(open).fails(2, &["other machines can reach", "--remote"]);
    let remote = open.into_iter().chain(["--remote"]);
    fixture.run(remote.clone()).fails(2, &["requires a token", "--token-env"]);
    let empty = remote.chain(["--token-env", "KITBAG_NO_SUCH_TOKEN"]);
    fixture.run(empty).fails(2, &["`KITBAG_NO_SUCH_TOKEN` is not set, or empty"]);
}

#[test]
fn the_address_is_printed_as_json() {
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.args(["mcp", "--http", "127.0.0.1:0", "--json"]).stdin(Stdio::null());
    program.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().unwrap();
    let mut text = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    while !text.ends_with("}\n") {
        assert_ne!(said.read_line(&mut text).unwrap(), 0, "{text}");
    }
    let started: Value = serde_json::from_str(&text).unwrap();
    assert!(started["url"].as_str().unwrap().ends_with("/mcp"), "{started}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// The client reads nothing until it has sent everything that the server takes.
#[test]
fn a_flood_of_requests_is_answered_in_full() {
    const REQUESTS: u32 = 5_000;
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.args(["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writing = std::thread::spawn(move || {
        input.write_all(frame(0, "initialize", initialize()).as_bytes()).unwrap();
        for id in 1..=REQUESTS {
            let request = match id % 100 {
                0 => {
                    let arguments = json!({ "task": "login", "budget": 500 });
                    let call = json!({ "name": "pack_context", "arguments": arguments });
                    frame(id, "tools/call", call)
                }
                _ => frame(id, "tools/list", json!({})),
            };
            input.write_all(request.as_bytes()).unwrap();
        }
        // The end of the input.
        drop(input);
    });
    let mut answered = std::collections::BTreeSet::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        assert!(answered.insert(answer["id"].as_u64().unwrap()), "{answer}");
    }
    writing.join().unwrap();
    assert_eq!(answered.len(), REQUESTS as usize + 1);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A server on pipes, as clients start it.
pub struct StdioServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Number of calls, from which their ids are made: an id may not be used twice.
    calls: u32,
}

impl StdioServer {
    pub fn start(fixture: &Fixture, arguments: &[&str]) -> Self {
        Self::start_in(fixture, &fixture.path("."), arguments)
    }

    pub fn start_in(fixture: &Fixture, folder: &Path, arguments: &[&str]) -> Self {
        let mut program = fixture.command();
        program
            .current_dir(folder)
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = program.stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Self { child, input, output: BufReader::new(output), calls: 0 };
        server.send(&frame(0, "initialize", initialize()));
        server.receive();
        server
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).unwrap();
    }

    /// Returns the next answer, without the notifications before it.
    fn receive(&mut self) -> Value {
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let frame: Value = serde_json::from_str(&line).unwrap();
            if frame.get("id").is_some() {
                return frame;
            }
        }
    }

    /// Calls a tool, and returns its text and whether it is an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        self.calls += 1;
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&frame(self.calls, "tools/call", params));
        let answer = self.receive();
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, answer["result"]["isError"].as_bool().unwrap())
    }
}

#[test]
fn a_client_that_dies_during_a_call_ends_the_server() {
    let fixture = Fixture::project();
    for _ in 0..3 {
        let mut server = StdioServer::start(&fixture, &[]);
        let call = json!({ "name": "pack_context", "arguments": { "task": "login" } });
        for id in 1..20 {
            server.send(&frame(id, "tools/call", call.clone()));
        }
        // A dead client closes both ends, whatever is on the way.
        let StdioServer { mut child, input, output, .. } = server;
        drop((input, output));
        assert!(child.wait().unwrap().code().is_some(), "it ends by itself");
    }
    let run = fixture.run(["pack", "login"]);
    assert_eq!(run.code, Some(0), "the index is whole: {}", run.stderr);
}

#[test]
fn a_repository_that_is_deleted_between_calls_is_an_error_that_names_it() {
    let fixture = Fixture::project();
    fixture.write("../gone/src/a.rs", "pub fn login() {}\n");
    let gone = fixture.path("../gone");
    let mut server = StdioServer::start(&fixture, &["--repo", gone.to_str().unwrap()]);
    assert!(server.call("pack_context", json!({ "task": "login" })).0.contains("pub fn login"));
    std::fs::remove_dir_all(&gone).unwrap();
    for (tool, arguments) in [
        ("pack_context", json!({ "task": "login" })),
        ("search_code", json!({ "task": "login" })),
        ("find_symbol", json!({ "name": "login" })),
        ("repo_overview", json!({})),
    ] {
        let (text, is_error) = server.call(tool, arguments);
        assert!(is_error && text.contains("gone") && text.contains("moved or deleted"), "{text}");
    }
    std::fs::create_dir_all(gone.join("src")).unwrap();
    std::fs::write(gone.join("src/b.rs"), "pub fn login_again() {}\n").unwrap();
    let (text, is_error) = server.call("pack_context", json!({ "task": "login again" }));
    assert!(!is_error && text.contains("pub fn login_again"), "{text}");
}

#[test]
fn calls_of_each_tool_are_in_the_usage_report() {
    let fixture = Fixture::project();
    let mut server = StdioServer::start(&fixture, &[]);
    let (pack, _) = server.call("pack_context", json!({ "task": "login" }));
    server.call("pack_context", json!({ "task": "mix paint" }));
    let (found, _) = server.call("search_code", json!({ "task": "login" }));
    server.call("find_symbol", json!({ "name": "login" }));
    server.call("repo_overview", json!({}));
    fixture.run(["pack", "login"]);
    fixture.run(["map"]);
    let report = fixture.json(["usage", "--json"]);
    let row = |tool: &str| {
        let rows = report["tools"].as_array().unwrap().iter();
        let mut rows = rows.filter(|it| it["tool"] == tool);
        rows.next().unwrap_or_else(|| panic!("no {tool}: {report}")).clone()
    };
    let calls = ["pack_context", "search_code", "find_symbol", "repo_overview", "pack", "map"]
        .map(|tool| row(tool)["calls"].as_u64().unwrap());
    assert_eq!(calls, [2, 1, 1, 1, 1, 1]);
    assert_eq!(
        (&row("pack_context")["interface"], &row("map")["interface"]),
        (&json!("mcp"), &json!("cli"))
    );
    let tokens = |text: &str| {
        fixture.write("../counted", text);
        let counted = fixture.json(["tokens", "../counted", "--json"]);
        counted["total_tokens"].as_u64().unwrap()
    };
    assert_eq!(row("search_code")["tokens"], tokens(&found));
    assert!(row("pack_context")["tokens"].as_u64().unwrap() > tokens(&pack));
    assert!(row("pack_context")["whole_file_tokens"].as_u64().unwrap() > 0);
    assert!(row("search_code")["whole_file_tokens"].is_null(), "a search replaces no files");
    let run = fixture.run(["usage"]);
    assert!(
        run.stdout.contains("mcp pack_context") && run.stdout.contains("cli map"),
        "{}",
        run.stdout
    );
}

#[test]
fn ambiguous_and_half_sent_requests_over_http_are_refused() {
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.args(["mcp", "--http", "127.0.0.1:0", "--json"]).stdin(Stdio::null());
    program.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    while !line.ends_with("}\n") {
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "{line}");
    }
    let started: Value = serde_json::from_str(&line).unwrap();
    let url = started["url"].as_str().unwrap().strip_prefix("http://").unwrap();
    let address = url.strip_suffix("/mcp").unwrap();
    let body = frame(1, "initialize", initialize());
    let send = |target: &str, extra: &str, length: usize| {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n{extra}\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let answer = |mut stream: TcpStream| {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let half: Vec<TcpStream> = (0..50).map(|_| send("/mcp", "", body.len() + 1)).collect();
    assert!(answer(send("/mcp", "", body.len())).starts_with("HTTP/1.1 200 "));
    let absolute = format!("http://{address}/mcp");
    for (target, extra) in [
        ("/mcp", format!("Host: {address}\r\n")),
        ("/mcp", "Origin: http://localhost\r\nOrigin: http://evil.test\r\n".to_owned()),
        (absolute.as_str(), String::new()),
    ] {
        let answer = answer(send(target, &extra, body.len()));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{target} {extra}: {answer}");
    }
    // A body that stalls is given up, and its connection is closed.
    for stream in half {
        let answer = answer(stream);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 "), "{answer}");
        assert!(!answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
