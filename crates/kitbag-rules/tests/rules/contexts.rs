//! Context files and injection rules.

use crate::fixture::{Repo, about, contexts, decision, doing, named, problem_lines, texts};
use kitbag_rules::{ConditionOutcome, RuleOptions, Situation, context_schema};
use kitbag_text::Kind;
use serde_json::Value;

const DEFAULT: &str = "\
metadata:
  name: Shop
  type: project
intent_context:
  business_goal: Sell more
  intent_type: feature
behavior_rules:
  - trigger: a price changes
    action: write it to the audit log
injection_rules:
  - name: payments
    when: {paths: [src/payments/**]}
    inject: [helpers/payments, docs/pci.md]
  - name: always
    inject: helpers/style
";

fn shop() -> Repo {
    Repo::with(&[
        (".agent/contexts/default.yml", DEFAULT),
        (".agent/contexts/helpers/payments.yaml", "metadata: {name: Payments, type: helper}\n"),
        (
            ".agent/contexts/helpers/style.md",
            "---\nmetadata: {type: guide}\n---\n\nWrite short functions.\n",
        ),
        ("docs/pci.md", "Never log card numbers.\n"),
    ])
}

// Shows: AC-007-2, RULES-02
#[test]
fn applicable_rule_injects_its_contexts_and_files() {
    let repo = shop();
    let assembly = repo.assemble(&about(&["src/payments/card.rs"]));
    assert_eq!(problem_lines(&assembly.problems), "");
    assert_eq!(contexts(&assembly), ["default", "helpers/payments", "helpers/style"]);
    assert_eq!(texts(&assembly), [("docs/pci.md", "Never log card numbers.\n")]);
    assert_eq!(
        decision(&assembly, "payments").reason,
        "`src/payments/card.rs` matches `src/payments/**`"
    );
    let elsewhere = repo.assemble(&about(&["src/cart.rs"]));
    assert_eq!(contexts(&elsewhere), ["default", "helpers/style"]);
    assert_eq!(texts(&elsewhere), []);
    assert_eq!(decision(&elsewhere, "payments").reason, "no given file matches `src/payments/**`");
}

#[test]
fn context_file_is_parsed() {
    let repo = shop();
    let (set, problems) = repo.reader.load(&repo.root(), &Situation::default());
    assert_eq!(problem_lines(&problems), "");
    let context = set.context("default").unwrap();
    assert_eq!((context.name.as_str(), context.kind.as_deref()), ("Shop", Some("project")));
    assert_eq!(context.business_goal.as_deref(), Some("Sell more"));
    assert_eq!(context.intent_type.as_deref(), Some("feature"));
    assert_eq!(context.behavior_rules[0].action, "write it to the audit log");
    let style = set.context("helpers/style").unwrap();
    assert_eq!(style.name, "style", "the name of its file");
    let body = style.body.clone().unwrap();
    assert_eq!((&*body.text, body.line), ("Write short functions.", 5));
}

// Shows: AC-007-2, RULES-03
#[test]
fn targets_of_several_rules_are_injected_once() {
    let rule = |name: &str| {
        format!("  - name: {name}\n    inject: [helpers/a, docs/a.md, 'docs/*.md', helpers/a]\n")
    };
    let file = format!("injection_rules:\n{}{}", rule("one"), rule("two"));
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", &file),
        (".agent/contexts/helpers/a.yml", "extends: default\n"),
        ("docs/a.md", "A\n"),
        ("docs/b.md", "B\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(problem_lines(&assembly.problems), "");
    assert_eq!(contexts(&assembly), ["default", "helpers/a"]);
    assert_eq!(texts(&assembly), [("docs/a.md", "A\n"), ("docs/b.md", "B\n")]);
}

#[test]
fn context_takes_precedence_over_file_and_folder_injects_its_files() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "injection_rules: [{name: a, inject: [docs, lib]}]\n"),
        (".agent/contexts/docs.md", "The context.\n"),
        ("docs/a.md", "the file\n"),
        ("lib/x.rs", "fn x() {}\n"),
        ("lib/y/z.rs", "fn z() {}\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(contexts(&assembly), ["default", "docs"]);
    let paths: Vec<&str> = texts(&assembly).iter().map(|it| it.0).collect();
    assert_eq!(paths, ["lib/x.rs", "lib/y/z.rs"]);
}

// Shows: RULES-01
#[test]
fn every_matcher_decides_without_a_model() {
    let rules = "\
injection_rules:
  - {name: paths, when: {paths: ['*.rs', '!tests']}, inject: x.md}
  - {name: languages, when: {languages: [python, Rust]}, inject: x.md}
  - {name: kinds, when: {kinds: diagnostics}, inject: x.md}
  - {name: words, when: {words: [rate limit, oauth]}, inject: x.md}
  - {name: matches, when: {matches: ['JIRA-\\d+']}, inject: x.md}
  - {name: all, when: {languages: rust, words: callback}, inject: x.md}
";
    let repo = Repo::with(&[(".agent/contexts/default.yml", rules), ("x.md", "X")]);
    let holds = |situation: &Situation| {
        let assembly = repo.assemble(situation);
        assert_eq!(problem_lines(&assembly.problems), "");
        assert_eq!(
            named(&assembly, ConditionOutcome::Undecided),
            [""; 0],
            "matchers always decide"
        );
        let names: Vec<String> =
            named(&assembly, ConditionOutcome::Holds).iter().map(|it| (*it).into()).collect();
        names.join(" ")
    };
    assert_eq!(holds(&about(&["src/a.rs"])), "paths languages");
    assert_eq!(holds(&about(&["tests/a.rs"])), "languages");
    assert_eq!(holds(&about(&["a.py"])), "languages");
    assert_eq!(holds(&doing("Fix jira-12 now")), "matches");
    assert_eq!(holds(&doing("the rate limit is wrong")), "words");
    assert_eq!(holds(&doing("limit the rate")), "");
    assert_eq!(holds(&doing("a coauthor")), "", "words are whole");
    let callback =
        Situation { task: "why does handleOAuthCallback fail?".into(), ..about(&["a.rs"]) };
    assert_eq!(holds(&callback), "paths languages words all");
    let kinds = Situation { kinds: vec![Kind::Diagnostics], ..Situation::default() };
    assert_eq!(holds(&kinds), "kinds");
}

#[test]
fn request_names_the_current_context() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "metadata: {name: D}\n"),
        (".agent/contexts/review.yml", "injection_rules: [{name: r, inject: x.md}]\n"),
        ("x.md", "X"),
    ]);
    let situation = Situation { context: Some("review".into()), ..Situation::default() };
    let assembly = repo.assemble(&situation);
    assert_eq!(contexts(&assembly), ["review", "default"]);
    assert_eq!(named(&assembly, ConditionOutcome::Holds), ["r"]);
    let situation = Situation { context: Some("reviw".into()), ..Situation::default() };
    let error = repo.try_assemble(&situation, &RuleOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "unknown context `reviw`");
    assert_eq!(error.hint().as_deref(), Some("did you mean `review`?"));
    let nothing = Repo::with(&[]).assemble(&Situation::default());
    assert!(nothing.contexts.is_empty() && nothing.problems.is_empty());
}

#[test]
fn changed_file_of_same_size_is_read_again() {
    let repo = Repo::with(&[(".agent/contexts/default.yml", "metadata: {name: A}\n")]);
    let name = || repo.assemble(&Situation::default()).contexts[0].context.name.clone();
    assert_eq!(name(), "A");
    repo.write(".agent/contexts/default.yml", "metadata: {name: B}\n");
    assert_eq!(name(), "B");
}

#[test]
fn schema_has_every_key() {
    let schema: Value = serde_json::from_str(&context_schema()).unwrap();
    let repo = shop();
    assert_eq!(repo.problems(), "");
    let properties = schema["properties"].as_object().unwrap();
    let keys: Vec<&String> = properties.keys().collect();
    assert_eq!(
        keys,
        ["metadata", "intent_context", "behavior_rules", "injection_rules", "extends"]
    );
    let rule = &schema["properties"]["injection_rules"]["items"];
    assert_eq!(rule["required"], serde_json::json!(["name", "inject"]));
    assert_eq!(rule["additionalProperties"], false);
    for (key, value) in rule["properties"].as_object().unwrap() {
        assert!(value["description"].as_str().is_some_and(|it| it.ends_with('.')), "{key}");
    }
}
