//! The proxy before servers that do not read, talk too much, send odd JSON or leave programs behind.

use crate::behind::{LIMIT, Proxy, SERVER, call, options};
use crate::fixture::Fixture;
use kitbag_mcp::proxy::ProxyOptions;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";

/// A server that answers the handshake, and reads nothing more.
const DEAF: &str = r#"
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}'
exec sleep 1000
"#;

fn with_timeout(options: ProxyOptions) -> ProxyOptions {
    ProxyOptions { timeout: Some(Duration::from_secs(3)), ..options }
}

/// A notification of a megabyte.
fn large() -> String {
    json!({ "jsonrpc": "2.0", "method": "x", "params": "y".repeat(1 << 20) }).to_string()
}

#[tokio::test]
async fn a_server_that_does_not_read_is_hung_however_large_the_frame() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, with_timeout(options(&fixture, DEAF, 0)));
    proxy.ask(INITIALIZE).await;
    proxy.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}").await;
    proxy.send(&call(3, "plain", &json!({ "text": "y".repeat(1 << 20) }))).await;
    for id in [2, 3] {
        let answer: Value = serde_json::from_str(&proxy.receive().await).unwrap();
        assert_eq!(answer["id"], id);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("has said nothing for 3 s"), "{message}");
    }
    proxy.leave().await;
}

#[tokio::test]
async fn a_server_that_does_not_read_keeps_no_client_that_leaves() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, DEAF, 0));
    proxy.ask(INITIALIZE).await;
    proxy.send(&large()).await;
    proxy.leave().await;
}

#[tokio::test]
async fn a_server_that_does_not_read_is_hung_though_nobody_waits_for_an_answer() {
    let fixture = Fixture::new();
    // The second one reads on, and knows the handshake only.
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"again\":true}}";
    let second = format!(
        "grep --line-buffered '\"initialize\"' | while read -r line; do echo '{answer}'; done; exit"
    );
    let script = format!("if [ -e \"$LOG\" ]; then {second}; fi; : > \"$LOG\"; {DEAF}");
    let mut proxy = Proxy::start(&fixture, with_timeout(options(&fixture, &script, 0)));
    proxy.ask(INITIALIZE).await;
    let notification = large();
    // More than the proxy keeps, so that the client can only go on once the server is given up.
    for _ in 0..20 {
        proxy.send(&notification).await;
    }
    let answer = proxy.ask(INITIALIZE).await;
    assert_eq!(answer["result"]["again"], true, "{answer}");
}

#[tokio::test]
async fn both_sides_may_talk_at_once() {
    // It says much before it reads on, and so does the client.
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
async fn a_server_that_is_started_again_must_answer_its_handshake() {
    let fixture = Fixture::new();
    let script = format!("if [ -e \"$LOG\" ]; then exec sleep 1000; fi\n{SERVER}");
    let mut proxy = Proxy::start(&fixture, with_timeout(options(&fixture, &script, 0)));
    proxy.greet().await;
    let answer = proxy.ask(&call(3, "die", &json!({}))).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("has ended"), "{answer}");
    let answer = proxy.ask(&call(4, "plain", &json!({}))).await;
    assert_eq!(answer["id"], 4);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("did not answer at its handshake"), "{message}");
}

#[tokio::test]
async fn json_that_is_odd_passes_and_is_enriched_all_the_same() {
    let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    for odd in ["\"cut \\ud83d\"", "1e999", "-1E-999", &deep, "NaN"] {
        let fixture = Fixture::new();
        let answer = "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[],\"structuredContent\":{\"it\":ODD}}}";
        let answer = answer.replace("ODD", odd);
        let script = format!(
            "while IFS= read -r line; do printf '%s\\n' \"$line\" >> \"$LOG\"; printf '%s\\n' '{answer}'; done"
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
        assert!(line.contains(&format!("\"structuredContent\":{{\"it\":{odd}}}")), "{line}");
        assert!(line.contains("pub fn login(") && line.contains("contextUsed"), "{line}");
    }
}

/// A server that a shell starts, as many are, and that does not end by itself.
struct Wrapped {
    script: String,
    gone: oneshot::Receiver<()>,
}

impl Wrapped {
    /// While it lives, it holds a pipe open, which is read to its end.
    fn new(fixture: &Fixture) -> Self {
        let (pipe, inner) = (fixture.path("alive"), fixture.path("inner.sh"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        fixture.write("inner.sh", &format!("exec 3> '{}'\n{DEAF}", pipe.display()));
        let (told, gone) = oneshot::channel();
        std::thread::spawn(move || {
            assert_eq!(std::fs::read(pipe).unwrap(), b"");
            told.send(())
        });
        Self { script: format!("sh '{}'; true", inner.display()), gone }
    }

    async fn until_gone(self) {
        let gone = tokio::time::timeout(LIMIT, self.gone).await;
        gone.expect("what the server started should end with it").unwrap();
    }
}

#[tokio::test]
async fn what_a_server_started_ends_when_the_client_leaves() {
    let fixture = Fixture::new();
    let server = Wrapped::new(&fixture);
    let mut proxy = Proxy::start(&fixture, options(&fixture, &server.script, 0));
    proxy.ask(INITIALIZE).await;
    proxy.leave().await;
    server.until_gone().await;
}

#[tokio::test]
async fn what_a_server_started_ends_when_it_hangs() {
    let fixture = Fixture::new();
    let server = Wrapped::new(&fixture);
    let given = with_timeout(options(&fixture, &server.script, 0));
    let mut proxy = Proxy::start(&fixture, given);
    proxy.ask(INITIALIZE).await;
    let answer = proxy.ask(&call(3, "plain", &json!({}))).await;
    assert_eq!(answer["error"]["code"], -32603);
    server.until_gone().await;
}

#[tokio::test]
async fn what_a_server_started_ends_when_the_proxy_is_told_to_end() {
    let fixture = Fixture::new();
    let server = Wrapped::new(&fixture);
    let (end, ended) = oneshot::channel::<()>();
    let ended = async { ended.await.unwrap() };
    let given = options(&fixture, &server.script, 0);
    let mut proxy = Proxy::start_until(&fixture, given, ended);
    proxy.ask(INITIALIZE).await;
    end.send(()).unwrap();
    server.until_gone().await;
    proxy.leave().await;
}
