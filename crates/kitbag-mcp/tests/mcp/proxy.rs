//! The proxy with scripted servers: forwarding, enrichment, and restarts.

use crate::fixture::Fixture;
use crate::scripted::{Proxy, SERVER, call, options};
use kitbag::Engine;
use kitbag_mcp::proxy::{ProxyError, ProxyOptions, run};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn lines_are_forwarded_unchanged() {
    let fixture = Fixture::new();
    for budget in [0, 1_000] {
        let mut proxy = Proxy::start(&fixture, options(&fixture, "exec cat", budget));
        for line in [
            "{ \"jsonrpc\":  \"2.0\", \"id\" : 1e2, \"method\": \"ping\" }\t",
            "{\"method\":\"notifications/x\",\"params\":{\"n\":1.10,\"m\":123456789012345678901234567890}}",
            "{\"id\":\"a\",\"result\":{\"content\":[],\"caf\u{e9}\":\"\\u00e9\"}}",
            "[{\"id\":1,\"method\":\"ping\"}]",
            "{\"id\":7,\"method\":\"ping\"}\r",
            "null",
        ] {
            proxy.send(line).await;
            let mut got = proxy.receive().await;
            // `next_line` strips the carriage return.
            if line.ends_with('\r') {
                got.push('\r');
            }
            assert_eq!(got, line);
        }
    }
}

#[tokio::test]
async fn a_result_gets_a_block_and_a_note_and_is_otherwise_unchanged() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 500));
    proxy.initialize().await;
    let sent = call(3, "plain", &json!({ "q": "login" }));
    proxy.send(&sent).await;
    let line = proxy.receive().await;
    assert_eq!(proxy.log().last(), Some(&sent), "the call itself is unchanged");
    let (before, after) = (
        "{ \"jsonrpc\": \"2.0\", \"id\":3, \"result\": {\"content\": [{\"type\":\"text\",\"text\":\"done\"}",
        "], \"structuredContent\": {\"n\": 1.10,\"_context\":\"",
    );
    assert!(line.starts_with(before) && line.contains(after), "{line}");
    let result = &serde_json::from_str::<Value>(&line).unwrap()["result"];
    let text = result["content"][1]["text"].as_str().unwrap();
    assert!(text.starts_with("Added by Kitbag, not by the tool: code "), "{text}");
    assert!(text.contains("pub fn login("), "{text}");
    // Some clients hand only the structured content to their model.
    assert_eq!(result["structuredContent"]["_context"], text);
    let used = &result["_meta"]["contextUsed"];
    assert_eq!(used["names"][0], "src/auth.rs");
    let tokens = used["tokens"].as_u64().unwrap();
    assert!(0 < tokens && tokens <= 500, "{used}");
    assert_eq!(result["content"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_tool_with_the_context_argument_gets_the_context_in_it() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 500));
    proxy.initialize().await;
    let answer = proxy.ask(&call(4, "asking", &json!({ "q": "login" }))).await;
    assert_eq!(answer["result"]["content"], json!([]), "no block is added: {answer}");
    assert_eq!(answer["result"]["_meta"]["contextUsed"]["names"][0], "src/auth.rs");
    let got: Value = serde_json::from_str(proxy.log().last().unwrap()).unwrap();
    assert_eq!(got["params"]["arguments"]["q"], "login");
    let context = got["params"]["arguments"]["_context"].as_str().unwrap();
    assert!(context.contains("pub fn login("), "{context}");
}

#[tokio::test]
async fn only_selected_tools_are_enriched() {
    let fixture = Fixture::new();
    let none = |options: ProxyOptions| async {
        let mut proxy = Proxy::start(&fixture, options);
        proxy.initialize().await;
        let answer = proxy.ask(&call(3, "plain", &json!({ "q": "login" }))).await;
        answer["result"].get("_meta").is_none()
    };
    let with = |budget, tools: &[&str], no_tools: &[&str]| {
        let texts = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
        let (tools, no_tools) = (texts(tools), texts(no_tools));
        ProxyOptions { tools, no_tools, ..options(&fixture, SERVER, budget) }
    };
    assert!(none(with(0, &[], &[])).await);
    assert!(none(with(500, &["ask*"], &[])).await);
    assert!(none(with(500, &[], &["pl*"])).await);
    assert!(!none(with(500, &["pl*"], &["ask*"])).await);
}

#[tokio::test]
async fn an_error_is_forwarded_unchanged() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 500));
    proxy.initialize().await;
    proxy.send(&call(3, "refused", &json!({ "q": "login" }))).await;
    let expected = "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"no\"}}";
    assert_eq!(proxy.receive().await, expected);
}

#[tokio::test]
async fn a_failed_server_causes_an_error_and_is_restarted() {
    for (tool, cause) in [
        ("die", "exited (exit status: 3)"),
        ("broken", "sent a line that is not a message"),
        ("noise", "sent a line that is not a message"),
        ("hang", "has not sent anything for 0 s"),
    ] {
        let fixture = Fixture::new();
        let mut given = options(&fixture, SERVER, 0);
        if tool == "hang" {
            given.timeout = Some(Duration::from_millis(900));
        }
        let mut proxy = Proxy::start(&fixture, given);
        proxy.initialize().await;
        let answer = proxy.ask(&call(5, tool, &json!({}))).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(5), &json!(-32603)),
            "{tool}"
        );
        let error = answer["error"]["message"].as_str().unwrap();
        assert!(error.contains(cause), "{tool}: {error}");
        let answer = proxy.ask(&call(3, "plain", &json!({}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{tool}");
        let handshakes =
            |log: &[String]| log.iter().filter(|it| it.contains("initialize\"")).count();
        assert_eq!(handshakes(&proxy.log()), 2, "the handshake was repeated");
        let initialized =
            |log: &[String]| log.iter().filter(|it| it.contains("/initialized")).count();
        assert_eq!(initialized(&proxy.log()), 2);
    }
}

#[tokio::test]
async fn every_open_request_gets_the_error() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 0));
    proxy.initialize().await;
    proxy.send(&call(7, "hang", &json!({}))).await;
    proxy.send("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"hang\"}").await;
    let first = proxy.ask(&call(8, "die", &json!({}))).await;
    let mut ids = vec![first["id"].clone()];
    for _ in 0..2 {
        let answer: Value = serde_json::from_str(&proxy.receive().await).unwrap();
        assert_eq!(answer["error"]["code"], -32603);
        ids.push(answer["id"].clone());
    }
    assert_eq!(ids, [json!("x"), json!(7), json!(8)]);
}

#[tokio::test]
async fn a_banner_is_dropped() {
    let fixture = Fixture::new();
    let script = format!("echo 'Welcome!'\necho\n{SERVER}");
    let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 0));
    proxy.initialize().await;
}

#[tokio::test]
async fn a_cancelled_request_is_not_pending() {
    let fixture = Fixture::new();
    let given =
        ProxyOptions { timeout: Some(Duration::from_millis(900)), ..options(&fixture, SERVER, 0) };
    let mut proxy = Proxy::start(&fixture, given);
    proxy.initialize().await;
    proxy.send(&call(7, "hang", &json!({}))).await;
    let params = json!({ "requestId": 7 });
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    proxy.send(&cancelled.to_string()).await;
    let answer = proxy.ask(&call(3, "plain", &json!({}))).await;
    assert_eq!(answer["id"], 3, "{answer}");
    assert!(proxy.log().iter().any(|line| line.contains("notifications/cancelled")));
}

#[tokio::test]
async fn a_client_that_disconnects_ends_the_server() {
    let fixture = Fixture::new();
    let script = format!("{SERVER}\necho ended >> \"$LOG\"");
    let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 0));
    proxy.initialize().await;
    let log = proxy.log.clone();
    proxy.disconnect().await;
    assert!(std::fs::read_to_string(log).unwrap().ends_with("ended\n"));
}

#[tokio::test]
async fn start_errors_name_the_cause() {
    let fixture = Fixture::new();
    let failing = async |given: ProxyOptions| {
        let engine = Engine::with_threads(1).unwrap();
        let (read, write) = (tokio::io::empty(), tokio::io::sink());
        run(engine, given, read, write, |_| {}, std::future::pending()).await.unwrap_err()
    };
    let given =
        ProxyOptions { command: vec!["no-such-program".into()], ..options(&fixture, "", 0) };
    assert!(failing(given).await.to_string().starts_with("cannot start `no-such-program`: "));
    let given = ProxyOptions { tools: vec!["a[".into()], ..options(&fixture, "", 0) };
    assert!(failing(given).await.to_string().starts_with("invalid glob `a[`: "));
    let given = ProxyOptions { repo: fixture.path("gone"), ..options(&fixture, "", 5) };
    assert!(matches!(failing(given).await, ProxyError::Engine(_)));
}
