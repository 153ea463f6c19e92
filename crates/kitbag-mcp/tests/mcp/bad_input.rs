//! Malformed messages, wrong arguments, and limits.

use crate::fixture::Fixture;
use crate::wire::{BOTH, Revision, Wire};
use kitbag_mcp::{McpLimits, McpOptions};
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test]
async fn malformed_json_is_a_parse_error_with_the_id_if_it_can_be_read() {
    let fixture = Fixture::new();
    let deep = format!("{{\"id\":\"deep\",\"params\":{}", "[".repeat(100_000));
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for (line, id) in [
            ("hello", json!(null)),
            ("{\"jsonrpc\": \"2.0\"", json!(null)),
            ("\u{0}", json!(null)),
            ("[[[[", json!(null)),
            ("{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"tools/list\",\"params\":{", json!(null)),
            ("{\"method\":\"tools/list\",\"params\":{\"n\":1e999},\"id\":\"a\"}", json!("a")),
            (&deep, json!(null)),
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
async fn a_lone_surrogate_is_accepted() {
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
async fn json_that_is_not_a_message_is_an_invalid_request() {
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
async fn malformed_responses_and_notifications_are_not_answered() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for line in [
        "{\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"not JSON\"}}",
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
async fn an_overlong_line_is_rejected_and_the_next_one_is_read() {
    let fixture = Fixture::new();
    let limits = McpLimits { request_bytes: 10_000, ..McpLimits::default() };
    let options = McpOptions { limits, ..McpOptions::default() };
    let mut wire = Wire::connect(fixture.state_of(&["app"], options), Revision::Legacy).await;
    let task = "login ".repeat(20_000);
    let call = json!({ "name": "search_code", "arguments": { "task": task } });
    wire.begin("tools/call", call).await;
    let answer = wire.receive().await.unwrap();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(null)));
    let error = answer["error"]["message"].as_str().unwrap();
    assert_eq!(error, "the message is longer than 10000 bytes");
    assert_eq!(wire.call("search_code", json!({ "task": "login" })).await["isError"], false);
    assert!(wire.notifications.is_empty(), "{:?}", wire.notifications);
}

#[tokio::test]
async fn parameters_of_the_wrong_type_are_not_an_unknown_method() {
    let fixture = Fixture::new();
    let cases = [
        ("tools/call", json!({ "name": "search_code", "arguments": [1] }), "expected a map"),
        ("tools/call", json!({ "name": 5 }), "expected a string"),
        ("tools/call", json!({ "arguments": {} }), "missing field `name`"),
        ("resources/read", json!({}), "missing field `uri`"),
        ("prompts/get", json!({ "name": [] }), "expected a string"),
        (
            "completion/complete",
            json!({ "ref": 5 }),
            "invalid parameters for `completion/complete`: ",
        ),
    ];
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for (method, params, message) in cases.clone() {
            let answer = wire.request(method, params).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            let error = answer["error"]["message"].as_str().unwrap();
            assert!(error.contains(message), "{error}");
        }
    }
    let mut wire = Wire::raw(fixture.state(), Revision::Legacy);
    let answer = wire.request("initialize", json!({ "protocolVersion": "2025-11-25" })).await;
    let error = answer["error"]["message"].as_str().unwrap();
    assert!(error.contains("`initialize`") && error.contains("missing field"), "{answer}");
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
        let error = answer["error"]["message"].as_str().unwrap();
        assert_eq!(error, "unknown tool `pack_contxt`; did you mean `pack_context`?");
    }
}

#[tokio::test]
async fn errors_in_arguments_are_results_that_the_model_can_read() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state_with_all_tools(), Revision::Legacy).await;
    for (tool, arguments, message) in [
        (
            "search_code",
            json!({ "task": " " }),
            "Hint: describe in `task` what you are looking for",
        ),
        (
            "pack_context",
            json!({ "task": "a", "cursor": "3" }),
            "Hint: name the file in `document`",
        ),
        (
            "pack_context",
            json!({ "task": "a", "budget": 0 }),
            "`budget` must be from 1 to 1000000000, not 0",
        ),
        (
            "explain_chunk",
            json!({ "task": "a", "path": "a.rs", "line": 1, "deadline_ms": 0 }),
            "`deadline_ms` must be from 1 to",
        ),
        ("pack_context", json!({ "task": 5 }), "`task` must be a string, not `5`"),
        (
            "pack_context",
            json!({ "task": "a", "budget": -1 }),
            "`budget` must be from 1 to 1000000000, not -1",
        ),
        ("pack_context", json!({ "task": "a", "buget": 1 }), "did you mean `budget`?"),
        ("pack_context", json!({ "task": "a", "model": "gpt-4oo" }), "did you mean `gpt-4o`?"),
        ("pack_context", json!({ "task": "a", "files": ["gone.rs"] }), "gone.rs"),
        (
            "pack_context",
            json!({ "task": "a", "files": ["src/atuh.rs"] }),
            "did you mean `src/auth.rs`?",
        ),
        ("pack_context", json!({ "task": "a", "files": 5 }), "must be"),
        (
            "pack_context",
            json!({ "task": "a", "zzz": 5 }),
            "expected one of `task`, `budget`, `files`",
        ),
        ("find_symbol", json!({}), "`name` must be an identifier"),
        ("find_symbol", json!({ "name": "a", "limit": "many" }), "`limit` must be a whole number"),
        ("repo_overview", json!({ "depth": 3 }), "unknown argument `depth`"),
        ("pack_context", json!({ "task": "a", "include": ["a[" ] }), "a["),
        ("pack_context", json!({ "task": "a", "format": "yaml" }), "yaml"),
        ("pack_context", json!({ "task": "a", "options": { "model.name": "x" } }), "model.name"),
        ("pack_context", json!({ "sources": [{ "content": "x" }] }), "path"),
        ("pack_context", json!({ "task": "a", "redact": false }), "unknown argument `redact`"),
        (
            "pack_context",
            json!({ "task": "a", "tokenizer": "/etc/passwd" }),
            "unknown argument `tokenizer`",
        ),
        ("pack_context", json!({ "task": "a", "providers": ["serch"] }), "did you mean `search`?"),
        ("pack_context", json!({ "task": "a", "cursor": 0 }), "`cursor` must be a line"),
        ("search_code", json!({}), "Hint: describe in `task` what you are looking for"),
        ("search_code", json!({ "task": "a", "limit": 0 }), "`limit` must be from 1 to 200, not 0"),
        ("explain_chunk", json!({ "task": "a", "path": "a.rs" }), "missing field `line`"),
        ("set_provider_enabled", json!({ "id": "search" }), "missing field `enabled`"),
        (
            "set_provider_enabled",
            json!({ "id": "serch", "enabled": true }),
            "unknown provider `serch`\nHint: did you mean `search`?",
        ),
    ] {
        let error = wire.fail(tool, arguments.clone()).await;
        assert!(error.contains(message), "{tool} {arguments}: {error}");
        // A model has no command line.
        assert!(
            !error.contains("kitbag ") && !error.contains(" --"),
            "{tool} {arguments}: {error}"
        );
    }
}

/// Used as a template, any file would be printed verbatim, with its secrets.
#[tokio::test]
async fn a_request_cannot_set_the_template() {
    let fixture = Fixture::new();
    let secret = ["AKIA", "Q3EGUS4KSVDHG6TN"].concat();
    fixture.write("app/src/keys.py", &format!("aws = \"{secret}\"\n"));
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state_with_all_tools(), revision).await;
        for key in ["context.formatting.template", "profiles.agent.formatting.template"] {
            let options = json!({ key: "src/keys.py" });
            let request = json!({ "task": "aws keys", "budget": 500, "options": options });
            for tool in ["pack_context", "preview_context"] {
                let error = wire.fail(tool, request.clone()).await;
                assert!(!error.contains(&secret), "{error}");
                let rejected =
                    "formatting.template` cannot be set by a request\nHint: set `context.";
                assert!(error.contains(rejected), "{error}");
            }
        }
        let request = json!({ "task": "a", "options": { "context.record.enabled": false } });
        assert!(wire.fail("pack_context", request).await.contains("cannot be set by a request"));
    }
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_all_answered() {
    let fixture = Fixture::new();
    // On a slow machine, the last call waits longer than the default timeout.
    let limits =
        McpLimits { timeout: std::time::Duration::from_secs(3_600), ..McpLimits::default() };
    for (revision, tool) in [(Revision::Legacy, "pack_context"), (Revision::Modern, "search_code")]
    {
        let options = McpOptions { limits, ..McpOptions::default() };
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
async fn a_client_that_disconnects_during_a_call_ends_the_server() {
    let fixture = Fixture::new();
    for revision in BOTH {
        let mut wire = Wire::connect(fixture.state(), revision).await;
        for _ in 0..20 {
            let params = json!({ "name": "pack_context", "arguments": { "task": "login" } });
            wire.begin("tools/call", params).await;
        }
        wire.disconnect().await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_an_error() {
    let fixture = Fixture::new();
    let limits = McpLimits { timeout: std::time::Duration::ZERO, ..McpLimits::default() };
    let options = McpOptions { limits, ..McpOptions::default() };
    let mut wire = Wire::connect(fixture.state_of(&["app"], options), Revision::Legacy).await;
    let error = wire.fail("pack_context", json!({ "task": "login" })).await;
    assert!(error.starts_with("the call took longer than 0 ms"), "{error}");
}

#[tokio::test]
async fn an_unknown_revision_is_rejected_or_answered_with_a_known_one() {
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
async fn a_silent_client_is_not_an_error() {
    let fixture = Fixture::new();
    Wire::raw(fixture.state(), Revision::Legacy).disconnect().await.unwrap().unwrap();
}

#[tokio::test]
async fn a_repository_that_is_deleted_between_calls_is_an_error_the_model_can_act_on() {
    let fixture = Fixture::new();
    for revision in BOTH {
        fixture.write("gone/src/auth.rs", "pub fn login() {}\n");
        let state = fixture.state_of(&["app", "gone"], McpOptions::default());
        let mut wire = Wire::connect(state, revision).await;
        let arguments = json!({ "task": "login", "repo": "gone" });
        wire.call("pack_context", arguments.clone()).await;
        std::fs::remove_dir_all(fixture.path("gone")).unwrap();
        for (tool, arguments) in [
            ("pack_context", arguments.clone()),
            ("search_code", arguments),
            ("find_symbol", json!({ "name": "login", "repo": "gone" })),
        ] {
            let error = wire.fail(tool, arguments).await;
            assert!(error.contains("gone") && error.contains("moved or deleted"), "{error}");
        }
        let others = wire.call("pack_context", json!({ "task": "login", "repo": "app" })).await;
        assert!(others.to_string().contains("pub fn login("), "{others}");
    }
}

#[tokio::test]
async fn a_folder_that_is_not_a_project_is_refused_at_once() {
    let root = std::path::PathBuf::from("/");
    let engine = kitbag::Engine::with_threads(1).unwrap();
    let options = McpOptions { roots: true, ..McpOptions::default() };
    let state = kitbag_mcp::McpState::new(engine, &[root], options).unwrap();
    assert!(state.warnings()[0].contains("is not a project"), "{:?}", state.warnings());
    let mut wire = Wire::connect(state, Revision::Legacy).await;
    for (tool, arguments) in [
        ("pack_context", json!({ "task": "login" })),
        ("search_code", json!({ "task": "login" })),
        ("find_symbol", json!({ "name": "login" })),
    ] {
        let error = wire.fail(tool, arguments).await;
        assert!(
            error.contains("`/` is not a project: it is the root of the file system"),
            "{error}"
        );
        assert!(error.contains("open the folder of a project"), "{error}");
    }
}
