//! Combinations of rules, contexts and conventions, as in real repositories.

use crate::fixture::{Repo, contexts, decision, named, problem_lines, texts};
use crate::server::{Server, openai, verdicts};
use kitbag_rules::{
    ConditionOutcome, DecidedBy, JudgeSettings, RuleOptions, Situation, judge_from_settings,
};
use kitbag_text::Kind;

fn monorepo() -> Repo {
    Repo::with(&[
        ("AGENTS.md", "Run `make test`. See @docs/style.md.\n"),
        ("docs/style.md", "Short functions.\n"),
        ("services/pay/AGENTS.md", "Money is in cents.\n"),
        (".cursor/rules/react.mdc", "---\nglobs: web/**/*.tsx\n---\nUse hooks.\n"),
        (
            ".github/instructions/sql.instructions.md",
            "---\napplyTo: '**/*.sql'\n---\nEvery migration goes both ways.\n",
        ),
        (".claude/rules/logging.md", "---\npaths: services/**\n---\nLog ids, never names.\n"),
        (
            ".claude/skills/release/SKILL.md",
            "---\nname: release\ndescription: Makes a release. Use when asked to release.\n---\nTag it.\n",
        ),
        (
            ".agent/contexts/default.yml",
            "\
metadata: {name: Company, type: organization}
injection_rules:
  - name: incident
    when: {kinds: [diagnostics], words: [outage, incident]}
    inject: helpers/incident
  - name: risky
    condition: the change could lose data
    inject: helpers/risk
",
        ),
        (".agent/contexts/pay/default.yml", "metadata: {name: Payments, type: team}\n"),
        (".agent/contexts/helpers/incident.md", "Say who is on call.\n"),
        (".agent/contexts/helpers/risk.md", "Write a plan to go back.\n"),
    ])
}

// Shows: RULES-06, RULES-08
#[test]
fn file_of_a_service_selects_its_rules() {
    let repo = monorepo();
    let situation = Situation {
        task: "add a column for refunds".into(),
        context: Some("pay/default".into()),
        paths: vec!["services/pay/db/001.sql".into()],
        ..Situation::default()
    };
    let assembly = repo.assemble(&situation);
    assert_eq!(problem_lines(&assembly.problems), "");
    assert_eq!(
        named(&assembly, ConditionOutcome::Holds),
        ["AGENTS.md", "services/pay/AGENTS.md", "logging", "sql"]
    );
    assert_eq!(named(&assembly, ConditionOutcome::Fails), ["react", "incident"]);
    let offered: Vec<&str> = assembly.offered().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(offered, ["release", "risky"]);
    let paths: Vec<&str> = texts(&assembly).iter().map(|it| it.0).collect();
    assert_eq!(
        paths,
        [
            "AGENTS.md",
            "docs/style.md",
            "services/pay/AGENTS.md",
            ".claude/rules/logging.md",
            ".github/instructions/sql.instructions.md",
        ]
    );
    assert_eq!(contexts(&assembly), ["pay/default", "default"]);
}

// Shows: RULES-06, RULES-08
#[test]
fn judge_and_matchers_decide_together() {
    let repo = monorepo();
    let server = Server::start(vec![openai(&verdicts(&["does_not_hold", "holds"]).to_string())]);
    let settings = JudgeSettings {
        endpoint: Some(server.address.clone()),
        model: Some("m".into()),
        ..JudgeSettings::default()
    };
    let judge = judge_from_settings(&settings, |_| None).unwrap().unwrap();
    let situation = Situation {
        task: "the outage of checkout".into(),
        kinds: vec![Kind::Diagnostics],
        facts: Some(serde_json::json!({"tool": "migrate"})),
        ..Situation::default()
    };
    let options = RuleOptions { judge: Some(&*judge), ..RuleOptions::default() };
    let assembly = repo.assemble_with(&situation, &options);
    assert_eq!(contexts(&assembly), ["default", "helpers/incident", "helpers/risk"]);
    assert_eq!(decision(&assembly, "release").outcome, ConditionOutcome::Fails);
    assert_eq!(decision(&assembly, "risky").decided_by, Some(DecidedBy::Judge("openai:m".into())));
    assert_eq!(decision(&assembly, "incident").reason, "the kind `diagnostics`, the word `outage`");
    assert_eq!(decision(&assembly, "incident").decided_by, Some(DecidedBy::Matchers));
}
