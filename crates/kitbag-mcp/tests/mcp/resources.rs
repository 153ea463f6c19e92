//! Packs as resources, prompts and completions.

use crate::fixture::Fixture;
use crate::wire::{BOTH, Revision, Wire};
use serde_json::{Value, json};

async fn uris(wire: &mut Wire, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let params = cursor.map_or(json!({}), |cursor| json!({ "cursor": cursor }));
    let answer = wire.request("resources/list", params).await;
    let listed = answer["result"]["resources"].as_array().unwrap();
    let uris = listed.iter().map(|it| it["uri"].as_str().unwrap().to_owned()).collect();
    (uris, answer["result"]["nextCursor"].as_str().map(str::to_owned))
}

#[tokio::test]
async fn a_pack_can_be_read_again_with_its_report() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        assert_eq!(uris(&mut wire, None).await.0, [""; 0]);
        let result = wire.call("pack_context", json!({ "task": "login" })).await;
        let data = &result["_meta"]["kitbag/pack"];
        let uri = data["uri"].as_str().unwrap();
        assert_eq!(uris(&mut wire, None).await.0, [uri]);
        let read = wire.request("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["result"]["contents"][0]["text"], result["content"][0]["text"], "{read}");
        assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown");
        let report = wire.request("resources/read", json!({ "uri": data["report"] })).await;
        let text = report["result"]["contents"][0]["text"].as_str().unwrap();
        let report: Value = serde_json::from_str(text).unwrap();
        assert_eq!(report["total_tokens"], data["total_tokens"]);
        assert!(report["excluded"].is_array() && report.get("content").is_none());
    }
}

#[tokio::test]
async fn a_long_list_is_paginated() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let mut made = Vec::new();
    for _ in 0..45 {
        let result = wire.call("pack_context", json!({ "task": "login", "budget": 50 })).await;
        made.push(result["_meta"]["kitbag/pack"]["uri"].as_str().unwrap().to_owned());
    }
    made.reverse();
    let (mut seen, mut cursor) = uris(&mut wire, None).await;
    let mut pages = 1;
    while let Some(next) = cursor {
        let (more, after) = uris(&mut wire, Some(&next)).await;
        seen.extend(more);
        cursor = after;
        pages += 1;
    }
    assert_eq!((pages, seen), (3, made));
    let answer = wire.request("resources/list", json!({ "cursor": "made up" })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn two_clients_never_see_each_others_packs() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let state = fixture.state();
        let mut one = Wire::connect(state.clone(), revision).await;
        let mut two = Wire::connect(state, revision).await;
        let result = one.call("pack_context", json!({ "task": "login" })).await;
        let uri = result["_meta"]["kitbag/pack"]["uri"].clone();
        assert_eq!(uris(&mut two, None).await.0, [""; 0]);
        let answer = two.request("resources/read", json!({ "uri": uri })).await;
        let code = if revision == Revision::Modern { -32602 } else { -32002 };
        assert_eq!(answer["error"]["code"], code, "{answer}");
        let reference = json!({ "type": "ref/resource", "uri": "kitbag://packs/{id}" });
        let params = json!({ "ref": reference, "argument": { "name": "id", "value": "" } });
        let answer = two.request("completion/complete", params.clone()).await;
        assert_eq!(answer["result"]["completion"]["values"], json!([]), "{answer}");
        let answer = one.request("completion/complete", params).await;
        assert_eq!(answer["result"]["completion"]["values"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn pack_uris_follow_templates() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let answer = wire.request("resources/templates/list", Value::Null).await;
    let templates = answer["result"]["resourceTemplates"].as_array().unwrap();
    let uris: Vec<&str> = templates.iter().map(|it| it["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(uris, ["kitbag://packs/{id}", "kitbag://packs/{id}/report"]);
    for uri in ["kitbag://packs/../../etc/passwd", "file:///etc/passwd", "kitbag://packs/00", ""] {
        let answer = wire.request("resources/read", json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
    }
}

#[tokio::test]
async fn a_prompt_has_the_task_and_its_code() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        let answer = wire.request("prompts/list", Value::Null).await;
        let prompts = answer["result"]["prompts"].as_array().unwrap();
        let names: Vec<&str> = prompts.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["task_with_context", "where_is"]);
        let arguments = json!({ "task": "why does login fail?", "budget": "1k" });
        let params = json!({ "name": "task_with_context", "arguments": arguments });
        let answer = wire.request("prompts/get", params).await;
        let messages = answer["result"]["messages"].as_array().unwrap();
        assert!(messages[0]["content"]["text"].as_str().unwrap().contains("pub fn login("));
        assert!(messages[1]["content"]["text"].as_str().unwrap().contains("why does login fail?"));
        let params = json!({ "name": "where_is", "arguments": { "what": "the login" } });
        let answer = wire.request("prompts/get", params).await;
        let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("`search_code`") && text.contains("the login"), "{text}");
    }
}

#[tokio::test]
async fn errors_in_prompt_arguments_name_the_argument() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for (params, message) in [
        (json!({ "name": "task_with_contxt" }), "did you mean `task_with_context`?"),
        (json!({ "name": "task_with_context" }), "`task` is required"),
        (
            json!({ "name": "task_with_context", "arguments": { "task": "a", "budget": "lots" } }),
            "`budget` must be a number of tokens",
        ),
    ] {
        let answer = wire.request("prompts/get", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let error = answer["error"]["message"].as_str().unwrap();
        assert!(error.contains(message), "{error}");
    }
}

#[tokio::test]
async fn arguments_are_completed() {
    let fixture = Fixture::new();
    let state = fixture.state_of(&["app", "paint"], kitbag_mcp::McpOptions::default());
    let mut wire = Wire::connect(state, Revision::Legacy).await;
    for (name, value, expected) in [
        ("repo", "", json!(["app", "paint"])),
        ("repo", "pa", json!(["paint"])),
        ("budget", "", json!(["2k", "4k", "8k", "16k", "32k"])),
        ("task", "", json!([])),
    ] {
        let reference = json!({ "type": "ref/prompt", "name": "task_with_context" });
        let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        let answer = wire.request("completion/complete", params).await;
        assert_eq!(answer["result"]["completion"]["values"], expected, "{answer}");
    }
}
