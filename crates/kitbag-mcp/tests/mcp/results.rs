//! What reaches a client's model: the list of tools, and the shape of results.

use crate::fixture::Fixture;
use crate::wire::{BOTH, Revision, Wire};
use kitbag::CachedCounter;
use kitbag_mcp::McpOptions;
use serde_json::{Value, json};

const BASIC: [&str; 4] = ["pack_context", "search_code", "find_symbol", "repo_overview"];

/// Maximum number of tokens of the list of tools, as it is sent.
const MAX_LIST_TOKENS: usize = 1_500;

async fn tools(wire: &mut Wire) -> Vec<Value> {
    let answer = wire.request("tools/list", Value::Null).await;
    answer["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn few_tools_are_listed_in_few_tokens() {
    let fixture = Fixture::new();
    let counter = CachedCounter::named("o200k_base").unwrap();
    for revision in BOTH {
        for (repos, roots) in
            [(&["app"][..], false), (&["app", "paint"][..], false), (&["app"][..], true)]
        {
            let options = McpOptions { roots, ..McpOptions::default() };
            let mut wire = Wire::connect(fixture.state_of(repos, options), revision).await;
            let answer = wire.request("tools/list", Value::Null).await;
            let tools = answer["result"]["tools"].as_array().unwrap();
            assert_eq!(names(tools), BASIC);
            let tokens = counter.count(&answer["result"].to_string());
            assert!(tokens < MAX_LIST_TOKENS, "{tokens} tokens");
            let has_repo = tools[0]["inputSchema"]["properties"].get("repo").is_some();
            assert_eq!(has_repo, roots || repos.len() > 1);
        }
    }
}

#[tokio::test]
async fn all_tools_have_plain_schemas_and_no_output_schema() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state_with_all_tools(), Revision::Legacy).await;
    let tools = tools(&mut wire).await;
    let rest = ["preview_context", "explain_chunk", "list_providers", "set_provider_enabled"];
    assert_eq!(names(&tools), [&BASIC[..], &rest[..]].concat());
    for tool in &tools {
        assert!(tool.get("outputSchema").is_none(), "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        let text = tool["inputSchema"].to_string();
        for trap in ["\"format\":\"u", "\"type\":[", "$ref", "anyOf", "oneOf"] {
            assert!(!text.contains(trap), "{trap} in {text}");
        }
        let changes = tool["name"] == "set_provider_enabled";
        assert_eq!(tool["annotations"]["readOnlyHint"], !changes, "{tool}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 80, "{tool}");
    }
    let pack = &tools[0]["inputSchema"]["properties"];
    assert!(pack["files"].is_object() && pack["document"].is_object(), "{pack}");
}

#[tokio::test]
async fn every_result_is_one_text_and_packs_have_a_size_hint() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        let tools = tools(&mut wire).await;
        assert_eq!(tools[0]["_meta"]["anthropic/maxResultSizeChars"], 500_000);
        for (tool, arguments) in [
            ("pack_context", json!({ "task": "why does login fail?", "budget": 300 })),
            ("search_code", json!({ "task": "login" })),
            ("find_symbol", json!({ "name": "login" })),
            ("repo_overview", json!({})),
        ] {
            let result = wire.call(tool, arguments).await;
            assert!(result.get("structuredContent").is_none(), "{result}");
            let content = result["content"].as_array().unwrap();
            assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{result}");
        }
    }
}

#[tokio::test]
async fn a_pack_begins_with_its_contents_within_the_budget() {
    let fixture = Fixture::new();
    let counter = CachedCounter::named("o200k_base").unwrap();
    for number in 0..40 {
        let body = "    let value = login(user);\n".repeat(10);
        let code = format!("/// Login step {number}.\npub fn login_step_{number}() {{\n{body}}}\n");
        fixture.write(&format!("app/src/step_{number}.rs"), &code);
    }
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for budget in [60, 300, 1_000, 2_000] {
        let request = json!({ "task": "why does login fail?", "budget": budget });
        let result = wire.call("pack_context", request).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        let tokens = counter.count(text);
        assert!(tokens <= budget, "{tokens} tokens of {budget}");
        assert_eq!(result["_meta"]["kitbag/pack"]["total_tokens"], tokens);
        if budget < 1_000 {
            continue;
        }
        assert!(text.starts_with("Contents: "), "{text}");
        let (head, _) = text.split_once("\n\n").unwrap();
        assert!(head.contains("has `login`") || head.contains("defines `login`"), "{head}");
        assert!(head.contains("\nLeft out for the budget: src/"), "{head}");
        assert!(head.contains(&format!("`budget: {}`", budget * 2)), "{head}");
        assert!(head.contains("`find_symbol`"), "{head}");
    }
}

#[tokio::test]
async fn search_results_have_lines_and_reasons_in_words() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let result = wire.call("search_code", json!({ "query": "login oauth", "limit": 1 })).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("src/auth.rs:1-"), "{text}");
    assert!(text.contains(": pub fn login(user: &str) -> bool {"), "{text}");
    assert!(text.contains("has `") || text.contains("defines `"), "{text}");
    assert!(!text.contains("bm25") && !text.contains("+0."), "{text}");
}

#[tokio::test]
async fn an_overview_describes_the_repository_within_its_budget() {
    let fixture = Fixture::new();
    let counter = CachedCounter::named("o200k_base").unwrap();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for arguments in [json!({}), json!({ "budget": 300 })] {
        let result = wire.call("repo_overview", arguments.clone()).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("auth.rs") && text.contains("Users login by OAuth."), "{text}");
        assert!(text.contains("pub fn login("), "{text}");
        let budget = arguments["budget"].as_u64().unwrap_or(4_000) as usize;
        assert!(counter.count(text) <= budget, "{text}");
    }
}
