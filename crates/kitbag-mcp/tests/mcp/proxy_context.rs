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
        assert!(text.contains("pub fn login("), "{text}");
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
