//! Sessions that a client names.

use crate::fixture::{AUTH, Fixture};
use crate::wire::{Revision, Wire};
use serde_json::{Value, json};

async fn pack(wire: &mut Wire, arguments: Value) -> String {
    let result = wire.call("pack_context", arguments).await;
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn code_is_sent_once_in_a_session() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state_with_all_tools(), Revision::Legacy).await;
    let request = json!({ "task": "why does login fail?", "session": "one" });
    // A preview sends nothing.
    wire.call("preview_context", request.clone()).await;
    let first = pack(&mut wire, request.clone()).await;
    assert!(first.contains("pub fn login("), "{first}");
    let second = pack(&mut wire, request.clone()).await;
    assert!(!second.contains("pub fn login("), "{second}");
    assert!(second.contains("Already sent: "), "{second}");
    assert!(second.contains("src/auth.rs:1-"), "{second}");
    let other = json!({ "task": "why does login fail?", "session": "two" });
    assert!(pack(&mut wire, other).await.contains("pub fn login("), "sessions share nothing");
    let none = json!({ "task": "why does login fail?" });
    assert!(pack(&mut wire, none).await.contains("pub fn login("), "no session, no memory");
    let again = json!({ "task": "why does login fail?", "session": "one", "repeat": true });
    assert!(pack(&mut wire, again).await.contains("pub fn login("));
    assert!(!pack(&mut wire, request).await.contains("pub fn login("), "it starts over");
}

#[tokio::test]
async fn changed_code_is_sent_again() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let request = json!({ "task": "login oauth token", "session": "s" });
    assert!(pack(&mut wire, request.clone()).await.contains("!token.is_empty()"));
    fixture.write("app/src/auth.rs", &AUTH.replace("!token.is_empty()", "token.len() > 1"));
    let changed = pack(&mut wire, request.clone()).await;
    assert!(changed.contains("token.len() > 1"), "{changed}");
    fixture.write("app/src/auth.rs", &AUTH.replace("    !token.is_empty()\n", "    true\n"));
    assert!(pack(&mut wire, request).await.contains("    true\n"));
}

#[tokio::test]
async fn a_wrong_session_is_an_error() {
    let fixture = Fixture::new();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    for (arguments, expected) in [
        (json!({ "task": "a", "session": " " }), "`session` must have from 1 to 200 characters"),
        (json!({ "task": "a", "session": "x".repeat(201) }), "`session` must have from 1 to"),
        (json!({ "task": "a", "repeat": true }), "`repeat` requires `session`"),
        (json!({ "task": "a", "session": 5 }), "`session` must be a string"),
    ] {
        let error = wire.fail("pack_context", arguments).await;
        assert!(error.starts_with(expected), "{error}");
    }
}
