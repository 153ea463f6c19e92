//! What should not be sent, and what should not happen.

use crate::fixture::Fixture;
use crate::wire::{BOTH, Revision, Wire};
use kitbag_mcp::{Limits, Options};
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test]
async fn lines_that_are_no_json_are_parse_errors_with_the_id_that_can_be_seen() {
    let fixture = Fixture::new();
    let deep = format!("{{\"id\":\"deep\",\"params\":{}", "[".repeat(100_000));
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for (line, id) in [
            ("hello", json!(null)),
            ("{\"jsonrpc\": \"2.0\"", json!(null)),
            ("\u{0}", json!(null)),
            ("[[[[", json!(null)),
            ("{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"tools/list\",\"params\":{", json!(70)),
            ("{\"method\":\"tools/list\",\"params\":{\"n\":1e999},\"id\":\"a\"}", json!("a")),
            (&deep, json!("deep")),
        ] {
            wire.send_text(line).await;
            let answer = wire.receive().await.unwrap();
            assert_eq!(
                (&answer["error"]["code"], &answer["id"]),
                (&json!(-32700), &id),
                "{answer}"
            );
        }
        for line in ["", " ", "\r", "\u{feff}"] {
            wire.send_text(line).await;
        }
        let result = wire.call("pack_context", json!({ "task": "login" })).await;
        assert_eq!(result["isError"], false);
        assert!(wire.notifications.is_empty(), "{:?}", wire.notifications);
    }
}

#[tokio::test]
async fn a_text_that_was_cut_within_a_character_is_read() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        let mut params = json!({ "name": "search_code", "arguments": { "task": "login CUT" } });
        if revision == Revision::Modern {
            params = crate::wire::with_meta(params);
        }
        let frame = json!({ "jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": params });
        wire.send_text(&frame.to_string().replace("CUT", "\\ud83d")).await;
        let answer = wire.receive().await.unwrap();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(50), &json!(false)));
    }
}

#[tokio::test]
async fn json_that_is_no_message_is_an_invalid_request() {
    let fixture = Fixture::new();
    for (line, id) in [
        ("{}", json!(null)),
        ("[]", json!(null)),
        ("5", json!(null)),
        ("{\"id\":1,\"method\":\"tools/list\"}", json!(1)),
        ("{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"tools/list\"}", json!("x")),
        ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"tools/list\"}", json!(null)),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/list\"}", json!(null)),
    ] {
        let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
        wire.send_text(line).await;
        let answer = wire.receive().await.unwrap();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &id), "{answer}");
        assert_eq!(wire.call("search_code", json!({ "task": "login" })).await["isError"], false);
    }
}

#[tokio::test]
async fn answers_and_notifications_are_never_complained_about() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for line in [
        "{\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"this is no JSON\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":5}",
        "{\"method\":\"window/logMessage\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":5}",
    ] {
        wire.send_text(line).await;
    }
    assert_eq!(wire.call("search_code", json!({ "task": "login" })).await["isError"], false);
    assert!(wire.notifications.is_empty(), "{:?}", wire.notifications);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_is_read() {
    let fixture = Fixture::new();
    let limits = Limits { request_bytes: 10_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut wire = Wire::connect(fixture.state_of(&["app"], options), Revision::Legacy).await;
    let task = "login ".repeat(20_000);
    let call = json!({ "name": "search_code", "arguments": { "task": task } });
    let id = wire.begin("tools/call", call).await;
    let answer = wire.answer(id).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let told = answer["error"]["message"].as_str().unwrap();
    assert_eq!(told, "a message may have 10000 bytes, and this one has more");
    // Some clients write the id last.
    let last =
        format!("{{\"method\":\"tools/list\",\"params\":{{\"a\":\"{task}\"}},\"id\":\"z\"}}");
    wire.send_text(&last).await;
    assert_eq!(wire.receive().await.unwrap()["id"], "z");
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/x", "params": { "a": task } }))
        .await;
    assert_eq!(wire.call("search_code", json!({ "task": "login" })).await["isError"], false);
    assert!(wire.notifications.is_empty(), "{:?}", wire.notifications);
}

#[tokio::test]
async fn parameters_of_another_shape_are_invalid_and_not_an_unknown_method() {
    let fixture = Fixture::new();
    let cases = [
        ("tools/call", json!({ "name": "search_code", "arguments": [1] }), "expected a map"),
        ("tools/call", json!({ "name": 5 }), "expected a string"),
        ("tools/call", json!({ "arguments": {} }), "missing field `name`"),
        ("resources/read", json!({}), "missing field `uri`"),
        ("prompts/get", json!({ "name": [] }), "expected a string"),
        ("completion/complete", json!({ "ref": 5 }), "`completion/complete` cannot be read: "),
    ];
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for (method, params, message) in cases.clone() {
            let answer = wire.request(method, params).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            let told = answer["error"]["message"].as_str().unwrap();
            assert!(told.contains(message), "{told}");
        }
    }
    let mut wire = Wire::raw(fixture.state(), Revision::Legacy);
    let answer = wire.request("initialize", json!({ "protocolVersion": "2025-11-25" })).await;
    let told = answer["error"]["message"].as_str().unwrap();
    assert!(told.contains("`initialize`") && told.contains("missing field"), "{answer}");
}

#[tokio::test]
async fn an_unknown_method_and_an_unknown_tool_are_protocol_errors() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        let answer = wire.request("tools/juggle", json!({})).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        let answer = wire.request("tools/call", json!({ "name": "pack_contxt" })).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let told = answer["error"]["message"].as_str().unwrap();
        assert_eq!(told, "unknown tool `pack_contxt`; did you mean `pack_context`?");
    }
}

#[tokio::test]
async fn wrong_arguments_are_for_the_model_to_read() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for (tool, arguments, message) in [
        ("pack_context", json!({}), "there are no sources\nHint: say in `task` what you are doing"),
        ("search_code", json!({ "task": " " }), "Hint: say in `task` what you look for"),
        (
            "pack_context",
            json!({ "task": "a", "cursor": "3" }),
            "Hint: name the file in `document`",
        ),
        (
            "pack_context",
            json!({ "task": "a", "budget": 0 }),
            "`budget` is a whole number from 1 to",
        ),
        (
            "explain_chunk",
            json!({ "task": "a", "path": "a.rs", "line": 1, "deadline_ms": 0 }),
            "`deadline_ms` is",
        ),
        ("pack_context", json!({ "task": 5 }), "`task` must be a string, not `5`"),
        (
            "pack_context",
            json!({ "task": "a", "budget": -1 }),
            "`budget` must be a number of tokens",
        ),
        ("pack_context", json!({ "task": "a", "buget": 1 }), "did you mean `budget`?"),
        ("pack_context", json!({ "task": "a", "model": "gpt-4oo" }), "the nearest known model is"),
        ("pack_context", json!({ "task": "a", "references": ["gone.rs"] }), "gone.rs"),
        ("pack_context", json!({ "task": "a", "include": ["a[" ] }), "a["),
        ("pack_context", json!({ "task": "a", "format": "yaml" }), "yaml"),
        ("pack_context", json!({ "task": "a", "options": { "model.name": "x" } }), "model.name"),
        ("pack_context", json!({ "sources": [{ "content": "x" }] }), "path"),
        ("pack_context", json!({ "task": "a", "redact": false }), "no argument is called `redact`"),
        (
            "pack_context",
            json!({ "task": "a", "tokenizer": "/etc/passwd" }),
            "no argument is called",
        ),
        (
            "pack_context",
            json!({ "task": "a", "providers": ["serch"] }),
            "the nearest provider is `search`",
        ),
        ("pack_context", json!({ "task": "a", "cursor": 0 }), "`cursor` must be a line"),
        ("search_code", json!({}), "`task` is missing"),
        ("search_code", json!({ "task": "a", "limit": 0 }), "`limit` is a whole number from 1"),
        ("explain_chunk", json!({ "task": "a", "path": "a.rs" }), "`line` is missing"),
        ("set_provider_enabled", json!({ "id": "search" }), "`enabled` is missing"),
        (
            "set_provider_enabled",
            json!({ "id": "serch", "enabled": true }),
            "no provider is called `serch`\nHint: did you mean `search`?",
        ),
    ] {
        let told = wire.fail(tool, arguments.clone()).await;
        assert!(told.contains(message), "{tool} {arguments}: {told}");
        // A model has no command line.
        assert!(!told.contains("kitbag ") && !told.contains(" --"), "{tool} {arguments}: {told}");
    }
}

/// A file that is no template comes out as it is when it is used as one: that would bring every
/// secret of a repository out in clear.
#[tokio::test]
async fn a_file_with_secrets_does_not_come_out_as_a_template() {
    let fixture = Fixture::new();
    let secret = ["AKIA", "Q3EGUS4KSVDHG6TN"].concat();
    fixture.write("app/src/keys.py", &format!("aws = \"{secret}\"\n"));
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for key in ["context.formatting.template", "profiles.agent.formatting.template"] {
            let options = json!({ key: "src/keys.py" });
            let asked = json!({ "task": "aws keys", "budget": 500, "options": options });
            for tool in ["pack_context", "preview_context"] {
                let told = wire.fail(tool, asked.clone()).await;
                assert!(!told.contains(&secret), "{told}");
                let refused =
                    "formatting.template` cannot be set by a request\nHint: the user decides";
                assert!(told.contains(refused), "{told}");
            }
        }
        let asked = json!({ "task": "a", "options": { "context.record.enabled": false } });
        assert!(wire.fail("pack_context", asked).await.contains("cannot be set by a request"));
    }
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_all_answered() {
    let fixture = Fixture::new();
    // A slow machine takes longer than a call may wait.
    let limits = Limits { timeout: std::time::Duration::from_secs(3_600), ..Limits::default() };
    for (revision, tool) in
        [(Revision::Legacy, "preview_context"), (Revision::Modern, "search_code")]
    {
        let options = Options { limits, ..Options::default() };
        let mut wire = Wire::connect(fixture.state_of(&["app"], options), revision).await;
        let mut open = BTreeSet::new();
        for number in 0..1_000 {
            let arguments = json!({ "task": format!("login {number}") });
            let params = json!({ "name": tool, "arguments": arguments });
            open.insert(wire.begin("tools/call", params).await);
        }
        while !open.is_empty() {
            let frame = wire.receive().await.unwrap();
            assert_eq!(frame["result"]["isError"], false, "{frame}");
            assert!(open.remove(&frame["id"].as_u64().unwrap()), "{frame}");
        }
    }
}

#[tokio::test]
async fn a_client_that_goes_in_mid_call_ends_the_server() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for _ in 0..20 {
            let params = json!({ "name": "pack_context", "arguments": { "task": "login" } });
            wire.begin("tools/call", params).await;
        }
        wire.leave().await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_says_so() {
    let fixture = Fixture::new();
    let limits = Limits { timeout: std::time::Duration::ZERO, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut wire = Wire::connect(fixture.state_of(&["app"], options), Revision::Legacy).await;
    let told = wire.fail("pack_context", json!({ "task": "login" })).await;
    assert!(told.starts_with("the call took longer than 0 ms"), "{told}");
}

#[tokio::test]
async fn a_revision_that_nobody_knows_is_refused_or_answered_with_one_that_is_known() {
    let fixture = Fixture::new();
    let mut wire = Wire::raw(fixture.state(), Revision::Legacy);
    let mut params = crate::wire::initialize();
    params["protocolVersion"] = "1999-01-01".into();
    let answer = wire.request("initialize", params).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    let mut wire = Wire::raw(fixture.state(), Revision::Legacy);
    let mut params = crate::wire::with_meta(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1999-01-01".into();
    let answer = wire.request("tools/list", params).await;
    assert!(answer["error"]["data"]["supported"].is_array(), "{answer}");
}

#[tokio::test]
async fn a_silent_client_is_no_error() {
    let fixture = Fixture::new();
    Wire::raw(fixture.state(), Revision::Legacy).leave().await.unwrap().unwrap();
}
