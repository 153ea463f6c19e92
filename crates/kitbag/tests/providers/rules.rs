//! Rules as a provider: the rules design's situation, through the engine.

use crate::custom::Own;
use crate::repository::{engine, folder, outcome};
use kitbag::rules::DecidedBy;
use kitbag::{Cancel, Document, Report, Request};
use std::path::Path;

const DEFAULT: &str = "\
metadata: {name: Shop, type: project}
intent_context: {business_goal: Sell books, intent_type: maintenance}
behavior_rules:
  - {trigger: a price changes, action: run the price tests}
injection_rules:
  - name: payments
    when: {paths: ['src/pay/**']}
    inject: [helpers/payments]
  - name: legal
    condition: the change concerns what customers sign
    inject: [helpers/legal]
";

fn shop() -> tempfile::TempDir {
    folder(&[
        (".agent/contexts/default.yml", DEFAULT),
        (
            ".agent/contexts/helpers/payments.md",
            "---\nmetadata: {name: Payments}\n---\nNever log a card.\n",
        ),
        (".agent/contexts/helpers/legal.md", "---\nmetadata: {name: Legal}\n---\nAsk first.\n"),
        ("AGENTS.md", "# Agents\n\nRun `make check`.\n"),
        ("src/pay/card.py", "def charge():\n    pass\n"),
    ])
}

fn request(folder: &Path) -> Request {
    Request {
        task: "charge the card twice".into(),
        repo: Some(folder.to_owned()),
        profile: Some("situation".into()),
        document: Some(Document { path: "src/pay/card.py".into(), content: None }),
        ..Request::default()
    }
}

async fn pack(request: Request) -> Report {
    let none: [Own; 0] = [];
    engine(none).pack(request, &Cancel::default()).await.expect("a pack")
}

#[tokio::test]
async fn what_applies_to_a_situation_is_in_under_its_titles() {
    let folder = shop();
    let report = pack(request(folder.path())).await;
    let text = report.content.clone().expect("a text");
    assert_eq!(outcome(&report, "rules").0, "ok");
    for words in
        ["## Current Situation\n", "## Active Contexts\n", "Sell books", "Never log a card."]
    {
        assert!(text.contains(words), "no {words} in:\n{text}");
    }
    assert!(text.contains("run the price tests") && text.contains("Run `make check`."), "{text}");
    assert!(!text.contains("Ask first."), "no one judged it:\n{text}");
    assert!(text.contains("## Rules to Consider\n") && text.contains("legal"), "{text}");
    assert!(report.total_tokens <= 4_000);
    let verdict = |name: &str| report.rules.iter().find(|it| it.name == name).expect("decided");
    assert!(verdict("payments").injected && !verdict("legal").injected);
    assert_eq!(verdict("payments").decided_by, Some(DecidedBy::Matchers));
}

#[tokio::test]
async fn a_small_budget_keeps_the_essentials() {
    let folder = shop();
    let report = pack(Request { budget: Some(160), ..request(folder.path()) }).await;
    assert!(report.total_tokens <= 160);
    assert!(report.content.expect("a text").contains("Shop"));
}

#[tokio::test]
async fn rules_are_off_in_other_profiles_unless_they_are_asked_for() {
    let folder = shop();
    let plain = Request { profile: None, ..request(folder.path()) };
    assert_eq!(outcome(&pack(plain.clone()).await, "rules").0, "off");
    let asked = pack(Request { providers: vec!["rules".into()], ..plain }).await;
    assert_eq!(outcome(&asked, "rules").0, "ok");
}

#[tokio::test]
async fn where_no_rule_applies_the_situation_alone_is_not_shown() {
    let folder = shop();
    std::fs::remove_dir_all(folder.path().join(".agent")).expect("it was there");
    std::fs::remove_file(folder.path().join("AGENTS.md")).expect("it was there");
    let situation = Some("{\"tool\":\"charge\"}".into());
    let report = pack(Request { situation, profile: None, ..request(folder.path()) }).await;
    let text = report.content.clone().expect("a text");
    assert!(text.contains("def charge()") && !text.contains("rules/"), "{text}");
}

#[tokio::test]
async fn a_context_that_is_not_there_is_an_error_that_names_the_nearest() {
    let folder = shop();
    let none: [Own; 0] = [];
    let request = Request { context: Some("defualt".into()), ..request(folder.path()) };
    let error = engine(none).pack(request, &Cancel::default()).await.expect_err("it is unknown");
    assert!(error.is_usage(), "{error}");
}
