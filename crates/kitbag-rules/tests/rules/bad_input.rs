//! Invalid input is reported with its position and affects nothing else.

use crate::fixture::{Repo, contexts, doing, named, problem_lines, texts};
use insta::assert_snapshot;
use kitbag_rules::{ConditionOutcome, Severity, Situation};

/// Formats the problems of a default context.
fn problems_of(content: &str) -> String {
    Repo::with(&[(".agent/contexts/default.yml", content)]).problems()
}

#[test]
fn yaml_errors_have_line_and_column() {
    assert_snapshot!(problems_of("metadata:\n\tname: x\n"), @"error .agent/contexts/default.yml:2:2: invalid YAML: tabs disallowed within this context (block indentation) [indent with spaces]");
    assert_snapshot!(problems_of("metadata: {name: x\nextends: y\n"), @"error .agent/contexts/default.yml:2:8: invalid YAML: while parsing a flow mapping, did not find expected ',' or '}'");
    assert_snapshot!(problems_of("a: &x 1\nb: *x\n"), @"error .agent/contexts/default.yml:1:4: anchors are not supported [write the value out]");
    assert_snapshot!(problems_of("- a\n"), @"error .agent/contexts/default.yml:1:1: a context must be a mapping [start with a key such as `metadata:`]");
    let markdown = "---\nmetadata:\n  name: [\n---\nbody\n";
    let repo = Repo::with(&[(".agent/contexts/default.md", markdown)]);
    assert_snapshot!(repo.problems(), @"error .agent/contexts/default.md:4:1: invalid YAML: while parsing a node, did not find expected node content");
}

#[test]
fn unknown_keys_and_wrong_types_are_reported() {
    assert_snapshot!(problems_of("\
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
"), @"
    error .agent/contexts/default.yml:1:1: unknown key `metadat` [did you mean `metadata`?]
    error .agent/contexts/default.yml:2:12: unknown key `metadata.nmae` [did you mean `name`?]
    error .agent/contexts/default.yml:3:17: `intent_context` must be a mapping
    error .agent/contexts/default.yml:5:5: an item of `behavior_rules` has no `action`
    error .agent/contexts/default.yml:6:5: an item of `behavior_rules` must be a mapping
    error .agent/contexts/default.yml:8:29: unknown key `injection_rules.whn` [did you mean `when`?]
    error .agent/contexts/default.yml:9:26: `injection_rules.condition` must be a string
    error .agent/contexts/default.yml:10:5: an item of `injection_rules` has no `inject`
    error .agent/contexts/default.yml:11:44: unknown kind `diagnostic` in `injection_rules.when.kinds` [did you mean `diagnostics`?]
    error .agent/contexts/default.yml:11:67: invalid expression `(`: unclosed group
    error .agent/contexts/default.yml:12:44: invalid glob `src/[a`: unclosed character class; missing ']'
    error .agent/contexts/default.yml:13:1: `metadata` is set twice; it was first set at 2:1 [remove one of the two]
    error .agent/contexts/default.yml:14:10: `extends` must be a string or a list of strings
    ");
}

#[test]
fn unknown_context_in_extends_is_reported() {
    assert_snapshot!(problems_of("extends:\n  - bse\n"), @"error .agent/contexts/default.yml:2:5: unknown context `bse` in `extends`");
    let files =
        [(".agent/contexts/default.yml", "extends: bse\n"), (".agent/contexts/base.yml", "")];
    let repo = Repo::with(&files);
    assert_snapshot!(repo.problems(), @"error .agent/contexts/default.yml:1:10: unknown context `bse` in `extends` [did you mean `base`?]");
    assert_eq!(contexts(&repo.assemble(&Situation::default())), ["default"]);
    assert_snapshot!(problems_of("extends: ../../secrets\n"), @"error .agent/contexts/default.yml:1:10: `extends` leads outside the folder of contexts: `../../secrets`");
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
    assert_snapshot!(problem_lines(&assembly.problems), @"
    error .agent/contexts/default.yml:3:14: `../secret.md` in `inject` is outside the repository
    error .agent/contexts/default.yml:3:28: `/etc/hostname` in `inject` is outside the repository
    error .agent/contexts/default.yml:3:43: `../**` in `inject` is outside the repository
    error .agent/contexts/default.yml:3:52: `link.md` in `inject` is outside the repository
    error .agent/contexts/default.yml:3:61: `nothing.md` in `inject` is neither a context of `.agent/contexts` nor a file
    warning .agent/contexts/default.yml:3:73: no file matches `*.xyz` in `inject`
    error .agent/contexts/default.yml:3:82: cannot inject: denied by the pattern `.env`: `.env`
    ");
}

#[test]
fn large_rule_files_are_rejected() {
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
    assert_snapshot!(problem_lines(&assembly.problems), @"
    error .agent/contexts/large.yml: 10485760 bytes are too large for a rule file; the maximum is 1048576
    error .cursor/rules/large.mdc: 10485760 bytes are too large for a rule file; the maximum is 1048576
    error AGENTS.md: 10485760 bytes are too large for a rule file; the maximum is 1048576
    error large.txt: 10485760 bytes are too large for a rule file; the maximum is 1048576
    ");
}

#[test]
fn invalid_utf8_is_an_error_in_yaml_and_replaced_in_text() {
    let repo = Repo::with(&[]);
    repo.write(".agent/contexts/default.yml", b"metadata:\n  name: caf\xe9\n");
    repo.write("AGENTS.md", b"# Caf\xe9\nBe kind.\n");
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(texts(&assembly), [("AGENTS.md", "# Caf\u{fffd}\nBe kind.")]);
    assert_snapshot!(problem_lines(&assembly.problems), @"
    error .agent/contexts/default.yml:2:12: not UTF-8 [save the file as UTF-8]
    warning AGENTS.md:1:6: not UTF-8; invalid bytes are replaced [save the file as UTF-8]
    ");
}

#[test]
fn binary_file_is_not_injected() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "injection_rules: [{name: a, inject: a.bin}]\n"),
        ("a.bin", "a\0b"),
    ]);
    assert_snapshot!(repo.problems(), @"error a.bin: binary file");
}

#[test]
fn number_of_files_is_limited() {
    let repo = Repo::with(&[]);
    for number in 0..2_001 {
        repo.write(&format!(".claude/rules/r{number:04}.md"), "x");
    }
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(assembly.decisions.len(), 2_000);
    assert_eq!(assembly.problems[0].severity, Severity::Error);
    assert_snapshot!(problem_lines(&assembly.problems), @"error .claude/rules: more than 2000 files");
}

#[test]
fn expensive_patterns_are_rejected() {
    let long = "a".repeat(2_000);
    let expression = "(a{1000}){1000}";
    let file = format!(
        "injection_rules:\n  - {{name: a, inject: x, when: {{paths: '{long}'}}}}\n  - {{name: b, inject: x, when: {{matches: '{expression}'}}}}\n"
    );
    assert_snapshot!(problems_of(&file), @"
    error .agent/contexts/default.yml:2:40: pattern longer than 1000 bytes
    error .agent/contexts/default.yml:3:42: invalid expression `(a{1000}){1000}`: Compiled regex exceeds size limit of 1048576 bytes
    ");
}

#[test]
fn second_rule_with_the_same_name_is_ignored_with_a_warning() {
    let rules = "\
injection_rules:
  - {name: a, when: {words: [x]}, inject: a.md}
  - {name: b, when: {words: [x]}, inject: a.md}
  - {name: a, when: {words: [y]}, inject: a.md}
";
    let repo = Repo::with(&[(".agent/contexts/default.yml", rules), ("a.md", "A")]);
    let assembly = repo.assemble(&doing("x"));
    assert_snapshot!(problem_lines(&assembly.problems), @"warning .agent/contexts/default.yml:4:5: line 2 has a rule of the same name: `a` [the first one is used; rename the other]");
    assert_eq!(named(&assembly, ConditionOutcome::Holds), ["a", "b"]);
}
