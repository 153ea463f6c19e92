//! Conditions in plain language: judging, caching and undecided rules.

use crate::fixture::{Repo, about, decision, doing, named, problem_lines, texts};
use crate::server::{Answer, Server, openai, verdicts};
use kitbag_rules::{
    Assembly, ConditionJudge, ConditionOutcome, DecidedBy, JudgeSettings, RuleOptions,
    RulesSettings, Situation, UndecidedPolicy, judge_from_settings,
};
use std::sync::Arc;

const RULES: &str = "\
injection_rules:
  - {name: complexity, description: How to split work, condition: the task is complex, inject: a.md}
  - {name: css, condition: the task is about CSS, inject: b.md}
  - {name: both, condition: the task is complex, when: {paths: '*.rs'}, inject: c.md}
";

fn repo() -> Repo {
    Repo::with(&[
        (".agent/contexts/default.yml", RULES),
        ("a.md", "A"),
        ("b.md", "B"),
        ("c.md", "C"),
    ])
}

fn judge(server: &Server) -> Arc<dyn ConditionJudge> {
    let settings = JudgeSettings {
        endpoint: Some(server.address.clone()),
        model: Some("m".into()),
        ..JudgeSettings::default()
    };
    judge_from_settings(&settings, |_| None).unwrap().unwrap()
}

fn assemble(repo: &Repo, situation: &Situation, judge: Option<&dyn ConditionJudge>) -> Assembly {
    repo.assemble_with(situation, &RuleOptions { judge, ..RuleOptions::default() })
}

// Shows: AC-007-1, RULES-01
#[test]
fn judge_decides_all_conditions_in_one_call() {
    let server = Server::start(vec![openai(&verdicts(&["holds", "does_not_hold"]).to_string())]);
    let (repo, judge) = (repo(), judge(&server));
    let assembly = assemble(&repo, &doing("Build a distributed system"), Some(&*judge));
    assert_eq!(named(&assembly, ConditionOutcome::Holds), ["complexity"]);
    assert_eq!(named(&assembly, ConditionOutcome::Fails), ["css", "both"]);
    assert_eq!(texts(&assembly), [("a.md", "A")]);
    let complexity = decision(&assembly, "complexity");
    assert_eq!(complexity.reason, "the condition holds");
    assert_eq!(complexity.decided_by, Some(DecidedBy::Judge("openai:m".into())));
    assert_eq!(assembly.judge.as_deref(), Some("openai:m"));
    assert_eq!(decision(&assembly, "both").reason, "no given file matches `*.rs`");
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        asked[0].conditions(),
        ["the task is complex", "the task is about CSS"],
        "rules that matchers exclude are not judged"
    );
}

// Shows: RULES-01
#[test]
fn rule_with_matchers_and_condition_requires_both() {
    let situation = Situation { task: "x".into(), ..about(&["a.rs"]) };
    for (verdict, outcome) in [
        ("holds", ConditionOutcome::Holds),
        ("does_not_hold", ConditionOutcome::Fails),
        ("undecided", ConditionOutcome::Undecided),
    ] {
        let answer = verdicts(&["undecided", "undecided", verdict]).to_string();
        let server = Server::start(vec![openai(&answer)]);
        let assembly = assemble(&repo(), &situation, Some(&*judge(&server)));
        let both = decision(&assembly, "both");
        assert_eq!(both.outcome, outcome);
        assert!(both.reason.starts_with("`a.rs` matches `*.rs`; the "), "{}", both.reason);
    }
}

#[test]
fn verdicts_are_cached() {
    let server = Server::start(vec![openai(&verdicts(&["holds", "undecided"]).to_string())]);
    let (repo, judge) = (repo(), judge(&server));
    let first = assemble(&repo, &doing("one"), Some(&*judge));
    let second = assemble(&repo, &doing("one"), Some(&*judge));
    assert_eq!(server.asked().len(), 1, "undecided verdicts are cached too");
    assert_eq!(named(&first, ConditionOutcome::Holds), named(&second, ConditionOutcome::Holds));
    let now = Situation { now: Some(5), ..doing("one") };
    assemble(&repo, &now, Some(&*judge));
    assert_eq!(server.asked().len(), 1, "the time is not part of the situation");
    assemble(&repo, &doing("two"), Some(&*judge));
    assert_eq!(server.asked().len(), 2, "the task is");
}

#[test]
fn failure_leaves_conditions_undecided_and_is_not_cached() {
    let broken = Answer::Reply(404, Vec::new(), "{}".into());
    let fine = openai(&verdicts(&["holds", "holds"]).to_string());
    let server = Server::start(vec![broken, fine]);
    let (repo, judge) = (repo(), judge(&server));
    let assembly = assemble(&repo, &doing("one"), Some(&*judge));
    assert_eq!(named(&assembly, ConditionOutcome::Undecided), ["complexity", "css"]);
    assert_eq!(texts(&assembly), []);
    assert_eq!(
        problem_lines(&assembly.problems),
        "warning judge: conditions were not judged: status 404"
    );
    assert_eq!(decision(&assembly, "css").reason, "openai:m failed: status 404");
    let again = assemble(&repo, &doing("one"), Some(&*judge));
    assert_eq!(named(&again, ConditionOutcome::Holds), ["complexity", "css"]);
}

#[test]
fn similarity_orders_undecided_rules_and_decides_nothing() {
    let repo = repo();
    let assembly = assemble(&repo, &doing("the task is about CSS buttons"), None);
    assert_eq!(named(&assembly, ConditionOutcome::Undecided), ["complexity", "css"]);
    assert_eq!(texts(&assembly), [], "similarity does not decide");
    let offered: Vec<&str> = assembly.offered().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(offered, ["css", "complexity"], "the most similar first");
    assert_eq!(decision(&assembly, "css").reason, "the condition was not judged");
    assert_eq!(decision(&assembly, "css").decided_by, None);
}

#[test]
fn undecided_rules_can_be_injected() {
    let settings = RulesSettings { undecided: UndecidedPolicy::Inject, ..RulesSettings::default() };
    let options = RuleOptions { settings, ..RuleOptions::default() };
    let assembly = repo().assemble_with(&doing("x"), &options);
    assert_eq!(texts(&assembly), [("a.md", "A"), ("b.md", "B")]);
    assert_eq!(
        named(&assembly, ConditionOutcome::Undecided),
        ["complexity", "css"],
        "the outcome stays undecided"
    );
    assert!(assembly.offered().is_empty());
}

#[test]
fn rule_without_condition_always_applies() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "injection_rules: [{name: a, inject: a.md}]\n"),
        ("a.md", "A"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(decision(&assembly, "a").reason, "always");
    assert_eq!(texts(&assembly), [("a.md", "A")]);
}

#[test]
fn skill_whose_condition_holds_is_injected_with_its_body() {
    let repo = Repo::with(&[(
        ".claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Use when handling PDFs.\n---\n\n# PDF\nRun it.\n",
    )]);
    let server = Server::start(vec![openai(&verdicts(&["holds"]).to_string())]);
    let assembly = assemble(&repo, &doing("read a PDF"), Some(&*judge(&server)));
    assert_eq!(texts(&assembly), [(".claude/skills/pdf/SKILL.md", "# PDF\nRun it.")]);
    assert_eq!(assembly.rules[0].parts[0].line, 6);
}
