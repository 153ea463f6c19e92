//! The proxy with servers that do not read, flood their output, send unusual JSON or leave processes.

use crate::fixture::Fixture;
use crate::scripted::{LIMIT, Proxy, SERVER, call, options};
use kitbag_mcp::proxy::ProxyOptions;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";

/// A server that answers the handshake and then stops reading.
const STALLED: &str = r#"
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}'
exec sleep 1000
"#;

fn with_timeout(options: ProxyOptions) -> ProxyOptions {
    ProxyOptions { timeout: Some(Duration::from_secs(3)), ..options }
}

/// Returns a notification of a megabyte.
fn large() -> String {
    json!({ "jsonrpc": "2.0", "method": "x", "params": "y".repeat(1 << 20) }).to_string()
}

#[tokio::test]
async fn a_server_that_does_not_read_times_out_with_large_messages() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, with_timeout(options(&fixture, STALLED, 0)));
    proxy.ask(INITIALIZE).await;
    proxy.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}").await;
    proxy.send(&call(3, "plain", &json!({ "text": "y".repeat(1 << 20) }))).await;
    for id in [2, 3] {
        let answer: Value = serde_json::from_str(&proxy.receive().await).unwrap();
        assert_eq!(answer["id"], id);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("has not sent anything for 3 s"), "{message}");
    }
    proxy.disconnect().await;
}

#[tokio::test]
async fn a_server_that_does_not_read_does_not_delay_the_end() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, STALLED, 0));
    proxy.ask(INITIALIZE).await;
    proxy.send(&large()).await;
    proxy.disconnect().await;
}

#[tokio::test]
async fn a_server_that_does_not_read_times_out_without_open_requests() {
    let fixture = Fixture::new();
    // The restarted server reads everything and answers only the handshake.
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"again\":true}}";
    let second = format!(
        "grep --line-buffered '\"initialize\"' | while read -r line; do echo '{answer}'; done; exit"
    );
    let script = format!("if [ -e \"$LOG\" ]; then {second}; fi; : > \"$LOG\"; {STALLED}");
    let mut proxy = Proxy::start(&fixture, with_timeout(options(&fixture, &script, 0)));
    proxy.ask(INITIALIZE).await;
    let notification = large();
    // More than the proxy queues, so that the client is blocked until the server has timed out.
    for _ in 0..20 {
        proxy.send(&notification).await;
    }
    let answer = proxy.ask(INITIALIZE).await;
    assert_eq!(answer["result"]["again"], true, "{answer}");
}

#[tokio::test]
async fn both_sides_may_send_at_once() {
    // It sends a lot before it reads on, and so does the client.
    let script = r#"
while read -r line; do
  yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"xxxxxxxxxxxxxxxx"}}' | head -n 20000
  n=$((n+1))
  echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{}}"
done"#;
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, script, 0));
    let (write, lines) = (&mut proxy.write, &mut proxy.lines);
    let sending = async {
        for (id, length) in [(1, 1), (2, 3 << 20)] {
            let line = call(id, "plain", &json!({ "text": "y".repeat(length) })) + "\n";
            write.write_all(line.as_bytes()).await.unwrap();
        }
    };
    let receiving = async {
        let (mut answers, mut notifications) = (0, 0);
        while answers < 2 {
            let line = lines.next_line().await.unwrap().unwrap();
            assert!(!line.contains("error"), "{line}");
            if line.contains("\"id\"") { answers += 1 } else { notifications += 1 }
        }
        notifications
    };
    let both = async { tokio::join!(sending, receiving) };
    let ((), notifications) = tokio::time::timeout(LIMIT, both).await.expect("in time");
    assert_eq!(notifications, 40_000);
}

#[tokio::test]
async fn a_restarted_server_must_answer_the_handshake() {
    let fixture = Fixture::new();
    let script = format!("if [ -e \"$LOG\" ]; then exec sleep 1000; fi\n{SERVER}");
    let mut proxy = Proxy::start(&fixture, with_timeout(options(&fixture, &script, 0)));
    proxy.initialize().await;
    let answer = proxy.ask(&call(3, "die", &json!({}))).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("exited"), "{answer}");
    let answer = proxy.ask(&call(4, "plain", &json!({}))).await;
    assert_eq!(answer["id"], 4);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("did not answer the handshake"), "{message}");
}

#[tokio::test]
async fn unusual_json_is_forwarded_unchanged_and_enriched() {
    let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    for odd in ["\"cut \\ud83d\"", "1e999", "-1E-999", &deep] {
        let fixture = Fixture::new();
        let answer = "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[],\"structuredContent\":{\"it\":ODD}}}";
        let answer = answer.replace("ODD", odd);
        let tools =
            "{\"jsonrpc\":\"2.0\",\"id\":\"kitbag-proxy-tools-1\",\"result\":{\"tools\":[]}}";
        let script = format!(
            "while IFS= read -r line; do printf '%s\\n' \"$line\" >> \"$LOG\"
            case \"$line\" in *tools/list*) echo '{tools}' ;; *) printf '%s\\n' '{answer}' ;; esac; done"
        );
        let params =
            format!("{{\"name\":\"plain\",\"arguments\":{{\"odd\":{odd},\"q\":\"login\"}}}}");
        let sent = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{params}}}"
        );
        let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 0));
        proxy.send(&sent).await;
        assert_eq!(proxy.receive().await, answer);
        assert_eq!(proxy.log(), [sent.as_str()]);
        let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 500));
        proxy.send(&sent).await;
        let line = proxy.receive().await;
        let structured = format!("\"structuredContent\":{{\"it\":{odd},\"_context\":\"");
        assert!(line.contains(&structured), "{line}");
        assert!(line.contains("pub fn login(") && line.contains("contextUsed"), "{line}");
    }
}

/// Some servers and clients write `NaN`, which is not JSON.
#[tokio::test]
async fn a_line_with_nan_is_forwarded_unchanged() {
    let fixture = Fixture::new();
    let answer = "{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[],\"n\":NaN},\"id\":3}";
    let script = format!("while IFS= read -r line; do printf '%s\\n' '{answer}'; done");
    let given = with_timeout(options(&fixture, &script, 500));
    let mut proxy = Proxy::start(&fixture, given);
    proxy.send(&call(3, "plain", &json!({ "q": 0 })).replace(":0", ":NaN")).await;
    assert_eq!(proxy.receive().await, answer);
    proxy.disconnect().await;
}

/// A server that is started by a shell and does not exit by itself.
struct WrappedServer {
    script: String,
    exited: oneshot::Receiver<()>,
}

impl WrappedServer {
    /// The server holds a pipe open while it lives, which is read to its end.
    fn new(fixture: &Fixture) -> Self {
        let (pipe, inner) = (fixture.path("alive"), fixture.path("inner.sh"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        fixture.write("inner.sh", &format!("exec 3> '{}'\n{STALLED}", pipe.display()));
        let (sender, exited) = oneshot::channel();
        std::thread::spawn(move || {
            assert_eq!(std::fs::read(pipe).unwrap(), b"");
            sender.send(())
        });
        Self { script: format!("sh '{}'; true", inner.display()), exited }
    }

    async fn wait_for_exit(self) {
        let exited = tokio::time::timeout(LIMIT, self.exited).await;
        exited.expect("descendants of the server should exit with it").unwrap();
    }
}

#[tokio::test]
async fn descendants_exit_when_the_client_disconnects() {
    let fixture = Fixture::new();
    let server = WrappedServer::new(&fixture);
    let mut proxy = Proxy::start(&fixture, options(&fixture, &server.script, 0));
    proxy.ask(INITIALIZE).await;
    proxy.disconnect().await;
    server.wait_for_exit().await;
}

#[tokio::test]
async fn descendants_exit_when_the_server_hangs() {
    let fixture = Fixture::new();
    let server = WrappedServer::new(&fixture);
    let given = with_timeout(options(&fixture, &server.script, 0));
    let mut proxy = Proxy::start(&fixture, given);
    proxy.ask(INITIALIZE).await;
    let answer = proxy.ask(&call(3, "plain", &json!({}))).await;
    assert_eq!(answer["error"]["code"], -32603);
    server.wait_for_exit().await;
}

#[tokio::test]
async fn descendants_exit_when_the_proxy_is_interrupted() {
    let fixture = Fixture::new();
    let server = WrappedServer::new(&fixture);
    let (interrupt, interrupted) = oneshot::channel::<()>();
    let interrupted = async { interrupted.await.unwrap() };
    let given = options(&fixture, &server.script, 0);
    let mut proxy = Proxy::start_until(&fixture, given, interrupted);
    proxy.ask(INITIALIZE).await;
    interrupt.send(()).unwrap();
    server.wait_for_exit().await;
    proxy.disconnect().await;
}
