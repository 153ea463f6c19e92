//! Inheritance through `extends` and folders, and its errors.

use crate::fixture::{Repo, contexts, decision, problem_lines};
use insta::assert_snapshot;
use kitbag_rules::{Assembly, ContextRole, RuleOptions, Situation};

fn current(name: &str) -> Situation {
    Situation { context: Some(name.into()), ..Situation::default() }
}

fn roles(assembly: &Assembly) -> Vec<(&str, usize)> {
    let distance = |role: &ContextRole| match role {
        ContextRole::Current => 0,
        ContextRole::Ancestor(distance) => *distance,
        ContextRole::Injected { .. } => 99,
    };
    assembly.contexts.iter().map(|it| (it.context.id.as_str(), distance(&it.role))).collect()
}

// Shows: AC-007-2, RULES-02
#[test]
fn contexts_inherit_through_extends_and_folders() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "metadata: {name: Root}\n"),
        (".agent/contexts/team/default.yml", "metadata: {name: Team}\n"),
        (".agent/contexts/team/api/rest.yml", "extends: [base, security]\n"),
        (".agent/contexts/base.yml", ""),
        (".agent/contexts/team/security.md", "Check every input.\n"),
    ]);
    let assembly = repo.assemble(&current("team/api/rest"));
    // `security` is neither at the top nor next to `rest`.
    assert_snapshot!(problem_lines(&assembly.problems), @"error .agent/contexts/team/api/rest.yml:1:17: unknown context `security` in `extends` [did you mean `team/security`?]");
    assert_eq!(
        roles(&assembly),
        [("team/api/rest", 0), ("base", 1), ("team/default", 1), ("default", 2)]
    );
}

// Shows: AC-007-2
#[test]
fn child_overrides_values_and_rules_of_the_same_name() {
    let repo = Repo::with(&[
        (
            ".agent/contexts/parent.yml",
            "\
intent_context: {business_goal: parent's goal, intent_type: maintenance}
behavior_rules:
  - {trigger: before a commit, action: run the tests}
  - {name: style, trigger: new code, action: use tabs}
injection_rules:
  - {name: guide, inject: docs/parent.md}
  - {name: more, inject: docs/more.md}
",
        ),
        (
            ".agent/contexts/child.yml",
            "\
extends: parent
intent_context: {business_goal: child's goal}
behavior_rules:
  - {name: style, trigger: new code, action: use spaces}
injection_rules:
  - {name: guide, inject: docs/child.md}
",
        ),
        ("docs/parent.md", "parent"),
        ("docs/child.md", "child"),
        ("docs/more.md", "more"),
    ]);
    let assembly = repo.assemble(&current("child"));
    let child = &assembly.contexts[0];
    assert_eq!(child.business_goal.as_deref(), Some("child's goal"));
    assert_eq!(child.intent_type.as_deref(), Some("maintenance"), "inherited");
    let actions: Vec<&str> = assembly
        .contexts
        .iter()
        .flat_map(|it| &it.behavior_rules)
        .map(|rule| rule.action.as_str())
        .collect();
    assert_eq!(actions, ["use spaces", "run the tests"]);
    assert_eq!(decision(&assembly, "guide").injects, ["docs/child.md"]);
    assert_eq!(assembly.decisions.len(), 2);
    let parent = repo.assemble(&current("parent"));
    assert_eq!(decision(&parent, "guide").injects, ["docs/parent.md"]);
}

#[test]
fn cycle_is_reported_and_only_excludes_its_contexts() {
    let repo = Repo::with(&[
        (".agent/contexts/a.yml", "extends: c\n"),
        (".agent/contexts/b.yml", "metadata: {name: B}\nextends: a\n"),
        (".agent/contexts/c.yml", "extends: [b]\n"),
        (".agent/contexts/d.yml", "extends: a\n"),
        (".agent/contexts/self.yml", "extends: self\n"),
    ]);
    assert_snapshot!(repo.problems(), @"
    error .agent/contexts/a.yml:1:10: `extends` forms a cycle: a -> c -> b -> a [remove one `extends`]
    error .agent/contexts/self.yml:1:10: `extends` forms a cycle: self -> self [remove one `extends`]
    ");
    assert_eq!(contexts(&repo.assemble(&current("d"))), ["d"]);
    let broken = repo.try_assemble(&current("a"), &RuleOptions::default()).unwrap();
    assert!(broken.contexts.is_empty(), "the error was already reported");
}

#[test]
fn default_can_extend_a_context_of_its_folder() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "extends: base\n"),
        (".agent/contexts/base.yml", ""),
        (".agent/contexts/other.yml", ""),
    ]);
    assert_eq!(repo.problems(), "");
    assert_eq!(contexts(&repo.assemble(&Situation::default())), ["default", "base"]);
    assert_eq!(
        roles(&repo.assemble(&current("other"))),
        [("other", 0), ("default", 1), ("base", 2)]
    );
}

#[test]
fn diamond_is_loaded_once() {
    let repo = Repo::with(&[
        (".agent/contexts/child.yml", "extends: [left, right]\n"),
        (".agent/contexts/left.yml", "extends: top\n"),
        (".agent/contexts/right.yml", "extends: top\n"),
        (".agent/contexts/top.yml", ""),
    ]);
    let assembly = repo.assemble(&current("child"));
    assert_eq!(roles(&assembly), [("child", 0), ("left", 1), ("right", 1), ("top", 2)]);
    assert_eq!(repo.problems(), "");
}

#[test]
fn long_chains_are_supported() {
    let repo = Repo::with(&[]);
    for number in 0..300 {
        let parent =
            if number == 0 { String::new() } else { format!("extends: c{}\n", number - 1) };
        repo.write(&format!(".agent/contexts/c{number}.yml"), parent);
    }
    let assembly = repo.assemble(&current("c299"));
    assert_eq!((assembly.contexts.len(), assembly.problems.len()), (300, 0));
    repo.write(".agent/contexts/c0.yml", "extends: c299\n");
    let problems = repo.assemble(&Situation::default()).problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.starts_with("`extends` forms a cycle: c0 -> c299 -> c298"));
}
