//! Rules and contexts in the calls of a proxy.

use crate::fixture::Fixture;
use crate::scripted::{Proxy, SERVER, call, options};
use kitbag::Engine;
use kitbag_mcp::proxy::{ProxyOptions, run};
use serde_json::{Value, json};

/// Creates a repository with contexts, and a rule for one of its files.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("app/src/other.rs", "pub fn other() {}\n");
    fixture.write(
        "app/.agent/contexts/default.yml",
        "metadata: {name: Everyday}\nintent_context: {business_goal: keep it working}\n\
         injection_rules:\n- {name: tokens, when: {paths: ['**/auth.rs']}, inject: helpers/tokens}\n\
         - {name: hunting, when: {words: [debug]}, inject: helpers/hunting}\n",
    );
    let contexts = [
        ("helpers/tokens", "never log a token"),
        ("helpers/hunting", "reproduce it before you change anything"),
        ("review", "find what others missed"),
    ];
    for (name, goal) in contexts {
        let path = format!("app/.agent/contexts/{name}.yml");
        fixture.write(&path, &format!("intent_context: {{business_goal: {goal}}}\n"));
    }
    fixture
}

/// Returns the context of a call of the tool `plain`.
async fn context(options: ProxyOptions, fixture: &Fixture, arguments: Value) -> String {
    let mut proxy = Proxy::start(fixture, options);
    proxy.initialize().await;
    let answer = proxy.ask(&call(3, "plain", &arguments)).await;
    let tokens = answer["result"]["_meta"]["contextUsed"]["tokens"].as_u64();
    assert!(tokens.is_some_and(|it| 0 < it && it <= 1_000), "{answer}");
    answer["result"]["content"][1]["text"].as_str().unwrap().to_owned()
}

// Shows: RULES-11
#[tokio::test]
async fn a_call_that_names_a_file_gets_the_rules_of_that_file() {
    let fixture = fixture();
    let context_of = async |path: &str| {
        context(options(&fixture, SERVER, 1_000), &fixture, json!({ "path": path })).await
    };
    let absolute = fixture.path("app/src/auth.rs").display().to_string();
    for path in ["src/auth.rs", "./src/auth.rs", &absolute] {
        let text = context_of(path).await;
        assert!(text.contains("keep it working"), "the current context is there: {text}");
        assert!(text.contains("never log a token"), "{path}: {text}");
        assert!(text.starts_with("Added by Kitbag, not by the tool: rules "), "{text}");
        // The caller knows the file that it names.
        assert!(!text.contains("pub fn login("), "{text}");
    }
    for path in ["src/other.rs", "gone/auth.rs"] {
        let text = context_of(path).await;
        assert!(text.contains("keep it working") && !text.contains("never log a token"), "{text}");
    }
}

// Shows: RULES-11
#[tokio::test]
async fn a_tool_with_the_context_argument_gets_the_rules() {
    let fixture = fixture();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 1_000));
    proxy.initialize().await;
    proxy.ask(&call(4, "asking", &json!({ "path": "src/auth.rs" }))).await;
    let got: Value = serde_json::from_str(proxy.log().last().unwrap()).unwrap();
    let text = got["params"]["arguments"]["_context"].as_str().unwrap();
    assert!(text.contains("never log a token"), "{text}");
    assert!(text.contains("pub fn login("), "a tool may not have read the file: {text}");
}

/// Returns the text that was added to the result of a call; empty if there is none.
async fn added(proxy: &mut Proxy, arguments: Value) -> String {
    let answer = proxy.ask(&call(3, "plain", &arguments)).await;
    let result = &answer["result"];
    let text = result["content"][1]["text"].as_str().unwrap_or_default().to_owned();
    let tokens = result["_meta"]["contextUsed"]["tokens"].as_u64().unwrap();
    assert_eq!(tokens == 0, text.is_empty(), "{answer}");
    assert_eq!(result["structuredContent"]["_context"].as_str().unwrap_or_default(), text);
    text
}

#[tokio::test]
async fn calls_about_nothing_in_the_repository_get_nothing() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 1_000));
    proxy.initialize().await;
    for arguments in
        [json!({ "a": 1, "b": 2 }), json!({ "city": "Chicago" }), json!({}), Value::Null]
    {
        assert_eq!(added(&mut proxy, arguments.clone()).await, "", "{arguments}");
    }
    assert!(added(&mut proxy, json!({ "q": "login" })).await.contains("pub fn login("));
    let strict = ProxyOptions { min_relevance: 1.0, ..options(&fixture, SERVER, 1_000) };
    let mut proxy = Proxy::start(&fixture, strict);
    proxy.initialize().await;
    assert_eq!(added(&mut proxy, json!({ "q": "login" })).await, "", "below the floor");
    for value in [-0.1, 1.5, f64::NAN] {
        let wrong = ProxyOptions { min_relevance: value, ..options(&fixture, SERVER, 1_000) };
        let (read, write) = (tokio::io::empty(), tokio::io::sink());
        let engine = Engine::with_threads(1).unwrap();
        let error = run(engine, wrong, read, write, |_| {}, std::future::pending()).await;
        let error = error.unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("from 0 to 1, not"), "{error}");
    }
}

#[tokio::test]
async fn code_is_not_repeated_in_the_next_call_and_rules_are() {
    let fixture = fixture();
    fixture.write(
        "app/src/session.rs",
        "/// Ends a session at logout.\npub fn logout(session: u32) {\n    drop(session);\n}\n",
    );
    let mut proxy = Proxy::start(&fixture, options(&fixture, SERVER, 1_000));
    proxy.initialize().await;
    let first = added(&mut proxy, json!({ "q": "login" })).await;
    assert!(first.contains("keep it working") && first.contains("pub fn login("), "{first}");
    let second = added(&mut proxy, json!({ "q": "login" })).await;
    assert!(second.contains("keep it working") && !second.contains("pub fn login("), "{second}");
    // Only the part that is new.
    let third = added(&mut proxy, json!({ "q": "login logout session" })).await;
    assert!(third.contains("pub fn logout(") && !third.contains("pub fn login("), "{third}");
    assert!(third.contains("src/session.rs"), "{third}");
    // After a call about something else, or a change, it is sent again.
    added(&mut proxy, json!({ "city": "Chicago", "q": "logout" })).await;
    let again = added(&mut proxy, json!({ "q": "login" })).await;
    assert!(again.contains("pub fn login("), "{again}");
    let code = std::fs::read_to_string(fixture.path("app/src/auth.rs")).unwrap();
    fixture.write("app/src/auth.rs", &code.replace("pub fn login(", "pub async fn login("));
    let changed = added(&mut proxy, json!({ "q": "login" })).await;
    assert!(changed.contains("pub async fn login("), "{changed}");
}

/// A server that answers every request with its own id, and lists its tools on two pages.
const PAGED_SERVER: &str = r#"
while IFS= read -r line; do
  printf '%s\n' "$line" >> "$LOG"
  id=$(printf '%s' "$line" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/')
  case "$line" in
    *'"cursor":"two"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"asking","inputSchema":{"properties":{"_context":{}}}}]}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"plain"}],"nextCursor":"two"}}\n' "$id" ;;
    *'"dying"'*) exit 3 ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}\n' "$id" ;;
  esac
done
"#;

#[tokio::test]
async fn a_tool_gets_the_context_argument_on_its_first_call() {
    let fixture = Fixture::new();
    let mut proxy = Proxy::start(&fixture, options(&fixture, PAGED_SERVER, 1_000));
    let meta =
        json!({ "progressToken": 1, "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let params = json!({ "name": "asking", "arguments": { "q": "login" }, "_meta": meta });
    let first = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params });
    let answer = proxy.ask(&first.to_string()).await;
    assert_eq!((&answer["id"], &answer["result"]["content"]), (&json!(9), &json!([])), "{answer}");
    let log: Vec<Value> =
        proxy.log().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let methods: Vec<_> = log.iter().map(|it| it["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["tools/list", "tools/list", "tools/call"]);
    let version = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    assert_eq!(log[0]["params"], json!({ "_meta": version }));
    let context = log[2]["params"]["arguments"]["_context"].as_str().unwrap();
    assert!(context.contains("pub fn login("), "{context}");
    // The tools are known now.
    proxy.ask(&call(10, "plain", &json!({ "q": "login" }))).await;
    assert_eq!(proxy.log().len(), 4);
}

#[tokio::test]
async fn a_server_that_dies_while_its_tools_are_listed_causes_an_error() {
    let fixture = Fixture::new();
    let script =
        PAGED_SERVER.replace("*'\"tools/list\"'*)", "*'\"tools/list\"'*) exit 4 ;;\n *'never'*)");
    let mut proxy = Proxy::start(&fixture, options(&fixture, &script, 1_000));
    let answer = proxy.ask(&call(9, "asking", &json!({ "q": "login" }))).await;
    assert_eq!(answer["id"], 9);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("exit status: 4"), "{message}");
}

#[tokio::test]
async fn a_call_may_name_its_context_and_intent() {
    let fixture = fixture();
    let context_of =
        async |options: ProxyOptions, arguments| context(options, &fixture, arguments).await;
    let given = || options(&fixture, SERVER, 1_000);
    let text = context_of(given(), json!({ "q": "login", "context": "review" })).await;
    assert!(text.contains("find what others missed"), "{text}");
    let text = context_of(given(), json!({ "q": "login", "intent": "debug" })).await;
    assert!(text.contains("reproduce it before you change anything"), "{text}");
    // Another text is an argument like any other.
    let text =
        context_of(given(), json!({ "q": "login", "context": "It fails on Mondays." })).await;
    assert!(text.contains("keep it working") && text.contains("pub fn login("), "{text}");
    // The context of the proxy applies to calls that name none.
    let review = || ProxyOptions { context: Some("review".into()), ..given() };
    let text = context_of(review(), json!({ "q": "login" })).await;
    assert!(text.contains("find what others missed"), "{text}");
    let text = context_of(review(), json!({ "q": "login", "context": "helpers/hunting" })).await;
    assert!(text.contains("reproduce it") && !text.contains("what others missed"), "{text}");
}

#[tokio::test]
async fn an_unknown_context_is_an_error_at_the_start() {
    let fixture = fixture();
    let given = ProxyOptions { context: Some("reviw".into()), ..options(&fixture, SERVER, 1_000) };
    let (read, write) = (tokio::io::empty(), tokio::io::sink());
    let engine = Engine::with_threads(1).unwrap();
    let error = run(engine, given, read, write, |_| {}, std::future::pending()).await.unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("reviw"), "{error}");
}
