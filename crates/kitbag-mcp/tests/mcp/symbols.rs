//! `find_symbol`.

use crate::fixture::Fixture;
use crate::wire::{Revision, Wire};
use serde_json::json;

async fn find(wire: &mut Wire, name: &str) -> String {
    let result = wire.call("find_symbol", json!({ "name": name })).await;
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(
        "app/src/session.py",
        "from auth import login\n\n\nclass UserService:\n    def get_user(self, name):\n        \
         # login is done by the caller\n        return login(name)\n\n\nclass Cache:\n    \
         def get_user(self, name):\n        return None\n\n\nhandler = login\n",
    );
    fixture
}

#[tokio::test]
async fn definitions_callers_and_references_are_listed() {
    let fixture = fixture();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let text = find(&mut wire, "login").await;
    let expected = [
        "Definitions (1):\nsrc/auth.rs:2-",
        " login: pub fn login(user: &str) -> bool {\n",
        "Callers (1):\nsrc/session.py:7 in UserService.get_user: return login(name)\n",
        "References (2):\nsrc/session.py:1",
        "src/session.py:15",
    ];
    for part in expected {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("is done by the caller"), "{text}");
}

#[tokio::test]
async fn qualified_and_misspelled_names_are_found() {
    let fixture = fixture();
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let text = find(&mut wire, "UserService::get_user()").await;
    assert!(
        text.starts_with("Definitions (1):\nsrc/session.py:5-7 UserService.get_user"),
        "{text}"
    );
    let text = find(&mut wire, "get_user").await;
    assert!(text.starts_with("Definitions (2):\n"), "{text}");
    let text = find(&mut wire, "LOGIN").await;
    assert!(text.starts_with("Definitions (1):\nsrc/auth.rs:2"), "another case: {text}");
    let text = find(&mut wire, "get_usr").await;
    assert!(text.contains("`get_usr` is not defined in this repository."), "{text}");
    assert!(text.contains("Similar names: `Cache.get_user`, `UserService.get_user`."), "{text}");
    let error = wire.fail("find_symbol", json!({ "name": " :: " })).await;
    assert!(error.starts_with("`name` must be an identifier"), "{error}");
    assert!(error.contains("`search_code`"), "{error}");
}

#[tokio::test]
async fn secrets_in_lines_are_replaced() {
    let fixture = Fixture::new();
    let secret = ["AKIA", "Q3EGUS4KSVDHG6TN"].concat();
    fixture.write("app/src/keys.py", &format!("github_key = '{secret}'\nprint(github_key)\n"));
    let mut wire = Wire::connect(fixture.state(), Revision::Legacy).await;
    let text = find(&mut wire, "github_key").await;
    assert!(text.contains("src/keys.py:1") && !text.contains(&secret), "{text}");
}
