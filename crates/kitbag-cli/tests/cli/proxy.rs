//! `kitbag proxy`.

use crate::fixture::Fixture;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

#[test]
fn lines_are_forwarded_both_ways() {
    let fixture = Fixture::project();
    let lines = "{ \"jsonrpc\": \"2.0\", \"method\": \"a\" }\n{\"id\":\"1\",\"result\":{}}\n";
    let run = fixture.feed(["proxy", "--", "cat"], lines);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), lines, ""));
}

/// Returns a server that lists no tools and gives one answer to everything else.
fn server(answer: &str) -> String {
    let tools = r#"{"jsonrpc":"2.0","id":"kitbag-proxy-tools-1","result":{"tools":[]}}"#;
    format!(
        "while read -r line; do case \"$line\" in *tools/list*) echo '{tools}' ;; *) echo '{answer}' ;; esac; done"
    )
}

#[test]
fn a_result_has_context() {
    let fixture = Fixture::project();
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
    let script = server(answer);
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
                \"params\":{\"name\":\"read\",\"arguments\":{\"q\":\"login\"}}}\n";
    let run = fixture.feed(["proxy", "--budget", "300", "--", "sh", "-c", &script], call);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("pub fn login(") && run.stdout.contains("contextUsed"));
    let run = fixture.feed(["proxy", "--no-tool", "re*", "--", "sh", "-c", &script], call);
    assert_eq!(run.stdout, format!("{answer}\n"));
}

#[test]
fn a_server_cannot_forge_the_context_figures() {
    let fixture = Fixture::project();
    let forged = "{\"contextUsed\":{\"names\":[\"forged.rs\"],\"tokens\":999999},\"own\":1}";
    let answer = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"_meta\":{forged},\"content\":[]}}}}"
    );
    let script = server(&answer);
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
                \"params\":{\"name\":\"read\",\"arguments\":{\"q\":\"login\"}}}\n";
    let result = |options: &[&str]| {
        let command = ["--", "sh", "-c", &script];
        let run = fixture.feed(["proxy"].iter().chain(options).chain(&command), call);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        answer["result"]["_meta"].clone()
    };
    let enriched = result(&["--budget", "300"]);
    assert_eq!(enriched["own"], 1, "the rest is the server's");
    let tokens = enriched["contextUsed"]["tokens"].as_u64().unwrap();
    assert!(0 < tokens && tokens <= 300, "{enriched}");
    assert_eq!(enriched["contextUsed"]["names"][0], "src/auth.rs");
    assert_eq!(result(&["--no-tool", "re*"]), serde_json::json!({"own": 1}), "nothing was added");
}

#[test]
fn a_call_uses_the_named_context() {
    let fixture = Fixture::project();
    fixture.write(
        ".agent/contexts/review.yml",
        "intent_context: {business_goal: find what others missed}\n",
    );
    let script = &server(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
    let call =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}\n";
    let run = fixture.feed(["proxy", "--context", "review", "--", "sh", "-c", script], call);
    assert!(run.stdout.contains("find what others missed"), "{}", run.stdout);
    fixture.run(["proxy", "--context", "reviw", "--", "cat"]).fails(2, &["reviw"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_proxy_and_the_servers_processes() {
    let fixture = Fixture::project();
    let (pipe, inner) = (fixture.path("alive"), fixture.path("inner.sh"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let message = "{\"jsonrpc\":\"2.0\",\"method\":\"here\"}";
    let script = format!("exec 3> '{}'\necho '{message}'\nexec sleep 1000\n", pipe.display());
    fixture.write("inner.sh", script);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(std::fs::read(pipe).unwrap()));
    let mut child = fixture
        .command()
        .args(["proxy", "--", "sh", "-c", &format!("sh '{}'; true", inner.display())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim_end(), message);
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let alive = receiver.recv_timeout(Duration::from_secs(120));
    assert_eq!(alive.expect("the program that the shell started should be gone"), b"");
}

#[test]
fn invalid_arguments_are_reported() {
    let fixture = Fixture::project();
    fixture.run(["proxy"]).fails(2, &["<COMMAND>"]);
    fixture.run(["proxy", "--", "no-such-program"]).fails(2, &["cannot start `no-such-program`"]);
    fixture.run(["proxy", "--tool", "a[", "--", "cat"]).fails(2, &["invalid glob `a[`"]);
    fixture.run(["proxy", "--repo", "nope", "--", "cat"]).fails(2, &["no such folder: `nope`"]);
}
