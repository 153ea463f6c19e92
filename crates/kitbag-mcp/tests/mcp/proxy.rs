//! The proxy before servers that are shell scripts, good ones and bad ones.

use crate::behind::{Proxy, SERVER, call, options};
use crate::fixture::Fixture;
use kitbag::Engine;
use kitbag_mcp::proxy::{ProxyError, ProxyOptions, run};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn lines_pass_as_they_are() {
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
            // Reading by lines takes the carriage return away.
            if line.ends_with('\r') {
                got.push('\r');
            }
            assert_eq!(got, line);
        }
    }
}

#[tokio::test]
async fn a_result_gets_a_block_and_a_note_and_nothing_else() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 500));
    proxy.greet().await;
    let sent = call(3, "plain", &json!({ "path": "login" }));
    proxy.send(&sent).await;
    let line = proxy.receive().await;
    assert_eq!(proxy.log().last(), Some(&sent), "the call itself is as it was");
    let (before, after) = (
        "{ \"jsonrpc\": \"2.0\", \"id\":3, \"result\": {\"content\": [{\"type\":\"text\",\"text\":\"done\"}",
        "], \"structuredContent\": {\"n\": 1.10} ",
    );
    assert!(line.starts_with(before) && line.contains(after), "{line}");
    let result = &serde_json::from_str::<Value>(&line).unwrap()["result"];
    let text = result["content"][1]["text"].as_str().unwrap();
    assert!(text.contains("pub fn login("), "{text}");
    let used = &result["_meta"]["contextUsed"];
    assert_eq!(used["names"][0], "src/auth.rs");
    let tokens = used["tokens"].as_u64().unwrap();
    assert!(0 < tokens && tokens <= 500, "{used}");
    assert_eq!(result["content"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_tool_that_asks_gets_the_context_as_an_argument() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 500));
    proxy.greet().await;
    let answer = proxy.ask(&call(4, "asking", &json!({ "q": "login" }))).await;
    assert_eq!(answer["result"]["content"], json!([]), "no block is added: {answer}");
    assert_eq!(answer["result"]["_meta"]["contextUsed"]["names"][0], "src/auth.rs");
    let got: Value = serde_json::from_str(proxy.log().last().unwrap()).unwrap();
    assert_eq!(got["params"]["arguments"]["q"], "login");
    let context = got["params"]["arguments"]["_context"].as_str().unwrap();
    assert!(context.contains("pub fn login("), "{context}");
}

#[tokio::test]
async fn only_the_tools_that_are_wanted_are_enriched() {
    let fixture = Fixture::new();
    let none = |options: ProxyOptions| async {
        let mut proxy = Proxy::start(&fixture, options);
        proxy.greet().await;
        let answer = proxy.ask(&call(3, "plain", &json!({ "path": "login" }))).await;
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
async fn an_error_passes_as_it_is() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 500));
    proxy.greet().await;
    proxy.send(&call(3, "refused", &json!({ "path": "login" }))).await;
    let expected = "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"no\"}}";
    assert_eq!(proxy.receive().await, expected);
}

#[tokio::test]
async fn a_server_that_goes_wrong_gives_an_error_and_is_started_again() {
    for (tool, why) in [
        ("die", "has ended (exit status: 3)"),
        ("broken", "sent a line that is no message"),
        ("noise", "sent a line that is no message"),
        ("hang", "has said nothing for 0 s"),
    ] {
        let fixture = Fixture::new();
        let mut given = options(&fixture, SERVER, 0);
        if tool == "hang" {
            given.timeout = Some(Duration::from_millis(900));
        }
        let mut proxy = Proxy::start(&fixture, given);
        proxy.greet().await;
        let answer = proxy.ask(&call(5, tool, &json!({}))).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(5), &json!(-32603)),
            "{tool}"
        );
        let told = answer["error"]["message"].as_str().unwrap();
        assert!(told.contains(why), "{tool}: {told}");
        let answer = proxy.ask(&call(3, "plain", &json!({}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{tool}");
        let handshakes =
            |log: &[String]| log.iter().filter(|it| it.contains("initialize\"")).count();
        assert_eq!(handshakes(&proxy.log()), 2, "the handshake was made again");
        let told = |log: &[String]| log.iter().filter(|it| it.contains("/initialized")).count();
        assert_eq!(told(&proxy.log()), 2);
    }
}

#[tokio::test]
async fn every_request_that_is_open_gets_the_error() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 0));
    proxy.greet().await;
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
async fn a_banner_is_passed_over() {
    let fixture = Fixture::new();
    let script = format!("echo 'Welcome!'\necho\n{SERVER}");
    let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 0));
    proxy.greet().await;
}

#[tokio::test]
async fn a_cancelled_request_is_not_waited_for() {
    let fixture = Fixture::new();
    let given =
        ProxyOptions { timeout: Some(Duration::from_millis(900)), ..options(&fixture, SERVER, 0) };
    let mut proxy = Proxy::start(&fixture, given);
    proxy.greet().await;
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
async fn a_client_that_goes_ends_the_server_behind() {
    let fixture = Fixture::new();
    let script = format!("{SERVER}\necho ended >> \"$LOG\"");
    let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 0));
    proxy.greet().await;
    let log = proxy.log.clone();
    proxy.leave().await;
    assert!(std::fs::read_to_string(log).unwrap().ends_with("ended\n"));
}

#[tokio::test]
async fn what_cannot_be_started_is_named() {
    let fixture = Fixture::new();
    let failing = async |given: ProxyOptions| {
        let engine = Engine::with_threads(1).unwrap();
        let streams = (tokio::io::empty(), tokio::io::sink());
        run(engine, given, streams, |_| {}, std::future::pending()).await.unwrap_err()
    };
    let given =
        ProxyOptions { command: vec!["no-such-program".into()], ..options(&fixture, "", 0) };
    assert!(failing(given).await.to_string().starts_with("cannot start `no-such-program`: "));
    let given = ProxyOptions { tools: vec!["a[".into()], ..options(&fixture, "", 0) };
    assert!(failing(given).await.to_string().starts_with("`a[` is not a glob: "));
    let given = ProxyOptions { repo: fixture.path("gone"), ..options(&fixture, "", 5) };
    assert!(matches!(failing(given).await, ProxyError::Engine(_)));
}
