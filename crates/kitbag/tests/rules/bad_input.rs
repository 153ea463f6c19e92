//! Bad input: told with its place, and costing nothing but itself.

use crate::fixture::{Repo, contexts, texts, told};
use insta::assert_snapshot;
use kitbag::rules::{Severity, Situation};

/// What is wrong with the default context.
fn wrong(content: &str) -> String {
    Repo::with(&[(".agent/contexts/default.yml", content)]).problems()
}

#[test]
fn yaml_errors_have_line_and_column() {
    assert_snapshot!(wrong("metadata:\n\tname: x\n"), @"");
    assert_snapshot!(wrong("metadata: {name: x\nextends: y\n"), @"");
    assert_snapshot!(wrong("a: &x 1\nb: *x\n"), @"");
    assert_snapshot!(wrong("- a\n"), @"");
    let markdown = "---\nmetadata:\n  name: [\n---\nbody\n";
    let repo = Repo::with(&[(".agent/contexts/default.md", markdown)]);
    assert_snapshot!(repo.problems(), @"");
}

#[test]
fn unknown_keys_and_wrong_types_name_the_nearest_and_the_place() {
    assert_snapshot!(wrong("\
metadat: {name: x}
metadata: {nmae: x}
intent_context: text
behavior_rules:
  - {trigger: t}
  - text
injection_rules:
  - {name: a, inject: x.md, whn: {}}
  - {name: b, condition: [c], inject: x.md}
  - {name: c}
  - {name: d, inject: x.md, when: {kinds: [diagnostic], matches: ['(']}}
  - {name: e, inject: x.md, when: {paths: ['src/[a']}}
metadata: {}
extends: {a: b}
"), @"");
}

#[test]
fn extends_to_nothing_is_told_where_it_stands() {
    assert_snapshot!(wrong("extends:\n  - bse\n"), @"");
    let files = [(".agent/contexts/default.yml", "extends: bse\n"), (".agent/contexts/base.yml", "")];
    let repo = Repo::with(&files);
    assert_snapshot!(repo.problems(), @"");
    assert_eq!(contexts(&repo.assemble(&Situation::default())), ["default"]);
    assert_snapshot!(wrong("extends: ../../secrets\n"), @"");
}

#[test]
fn nothing_outside_the_root_is_injected() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let repo = Repo::with(&[
        (
            ".agent/contexts/default.yml",
            "injection_rules:\n  - name: a\n    inject: [../secret.md, /etc/hostname, '../**', link.md, nothing.md, '*.xyz', .env]\n",
        ),
        (".env", "TOKEN=1"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret.md"), repo.dir.path().join("link.md"))
        .unwrap();
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(texts(&assembly), []);
    assert_snapshot!(told(&assembly.problems), @"");
}

#[test]
fn a_rule_file_of_ten_megabytes_is_rejected_with_its_reason() {
    let large = "x".repeat(10 << 20);
    let repo = Repo::with(&[
        ("AGENTS.md", &large),
        (".cursor/rules/large.mdc", &large),
        (".agent/contexts/large.yml", &large),
        (".agent/contexts/default.yml", "injection_rules: [{name: a, inject: large.txt}]\n"),
        ("large.txt", &large),
        ("CLAUDE.md", "small\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(texts(&assembly), [("CLAUDE.md", "small")]);
    assert_snapshot!(told(&assembly.problems), @"");
}

#[test]
fn what_is_not_utf8_is_an_error_in_yaml_and_replaced_in_text() {
    let repo = Repo::with(&[]);
    repo.write(".agent/contexts/default.yml", b"metadata:\n  name: caf\xe9\n");
    repo.write("AGENTS.md", b"# Caf\xe9\nBe kind.\n");
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(texts(&assembly), [("AGENTS.md", "# Caf\u{fffd}\nBe kind.")]);
    assert_snapshot!(told(&assembly.problems), @"");
}

#[test]
fn a_binary_file_is_not_injected() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "injection_rules: [{name: a, inject: a.bin}]\n"),
        ("a.bin", "a\0b"),
    ]);
    assert_snapshot!(repo.problems(), @"");
}

#[test]
fn too_many_files_are_told() {
    let repo = Repo::with(&[]);
    for number in 0..2_001 {
        repo.write(&format!(".claude/rules/r{number:04}.md"), "x");
    }
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(assembly.decisions.len(), 2_000);
    assert_eq!(assembly.problems[0].severity, Severity::Error);
    assert_snapshot!(told(&assembly.problems), @"");
}

#[test]
fn patterns_that_would_cost_too_much_are_refused() {
    let long = "a".repeat(2_000);
    let expression = "(a{1000}){1000}";
    let file = format!(
        "injection_rules:\n  - {{name: a, inject: x, when: {{paths: '{long}'}}}}\n  - {{name: b, inject: x, when: {{matches: '{expression}'}}}}\n"
    );
    assert_snapshot!(wrong(&file), @"");
}
