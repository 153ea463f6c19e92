//! Bad input: told with its place, and costing nothing but itself.

use crate::fixture::{Repo, contexts, doing, named, texts, told};
use insta::assert_snapshot;
use kitbag::rules::{Severity, Situation, Truth};

/// What is wrong with the default context.
fn wrong(content: &str) -> String {
    Repo::with(&[(".agent/contexts/default.yml", content)]).problems()
}

#[test]
fn yaml_errors_have_line_and_column() {
    assert_snapshot!(wrong("metadata:\n\tname: x\n"), @"error .agent/contexts/default.yml:2:2: not YAML: tabs disallowed within this context (block indentation) [indent with spaces]");
    assert_snapshot!(wrong("metadata: {name: x\nextends: y\n"), @"error .agent/contexts/default.yml:2:8: not YAML: while parsing a flow mapping, did not find expected ',' or '}'");
    assert_snapshot!(wrong("a: &x 1\nb: *x\n"), @"error .agent/contexts/default.yml:1:4: an anchor [anchors and aliases are not read; write the value out]");
    assert_snapshot!(wrong("- a\n"), @"error .agent/contexts/default.yml:1:1: a context is a section of keys [begin with a key such as `metadata:`]");
    let markdown = "---\nmetadata:\n  name: [\n---\nbody\n";
    let repo = Repo::with(&[(".agent/contexts/default.md", markdown)]);
    assert_snapshot!(repo.problems(), @"error .agent/contexts/default.md:4:1: not YAML: while parsing a node, did not find expected node content");
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
"), @"
    error .agent/contexts/default.yml:1:1: unknown key `metadat` [the nearest key is `metadata`]
    error .agent/contexts/default.yml:2:12: unknown key `metadata.nmae` [the nearest key is `metadata.name`]
    error .agent/contexts/default.yml:3:17: `intent_context` must be a section of keys
    error .agent/contexts/default.yml:5:5: an item of `behavior_rules` has no `action`
    error .agent/contexts/default.yml:6:5: an item of `behavior_rules` must be a section of keys
    error .agent/contexts/default.yml:8:29: unknown key `injection_rules.whn` [the nearest key is `injection_rules.when`]
    error .agent/contexts/default.yml:9:26: `injection_rules.condition` must be a text
    error .agent/contexts/default.yml:10:5: an item of `injection_rules` has no `inject`
    error .agent/contexts/default.yml:11:44: unknown kind `diagnostic` in `injection_rules.when.kinds` [the nearest kind is `diagnostics`]
    error .agent/contexts/default.yml:11:67: unclosed group in the expression `(`
    error .agent/contexts/default.yml:12:44: unclosed character class; missing ']' in the glob `src/[a`
    error .agent/contexts/default.yml:13:1: `metadata` is there twice; the first is at 2:1 [remove one of them]
    error .agent/contexts/default.yml:14:10: `extends` must be a text or a list of texts
    ");
}

#[test]
fn extends_to_nothing_is_told_where_it_stands() {
    assert_snapshot!(wrong("extends:\n  - bse\n"), @"error .agent/contexts/default.yml:2:5: `extends` names no context: `bse`");
    let files =
        [(".agent/contexts/default.yml", "extends: bse\n"), (".agent/contexts/base.yml", "")];
    let repo = Repo::with(&files);
    assert_snapshot!(repo.problems(), @"error .agent/contexts/default.yml:1:10: `extends` names no context: `bse` [the nearest context is `base`]");
    assert_eq!(contexts(&repo.assemble(&Situation::default())), ["default"]);
    assert_snapshot!(wrong("extends: ../../secrets\n"), @"error .agent/contexts/default.yml:1:10: `extends` leads out of the folder of contexts: `../../secrets`");
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
    assert_snapshot!(told(&assembly.problems), @"
    error .agent/contexts/default.yml:3:14: `inject` leads outside the repository: `../secret.md`
    error .agent/contexts/default.yml:3:28: `inject` leads outside the repository: `/etc/hostname`
    error .agent/contexts/default.yml:3:43: `inject` leads outside the repository: `../**`
    error .agent/contexts/default.yml:3:52: `inject` leads outside the repository: `link.md`
    error .agent/contexts/default.yml:3:61: `inject` names neither a context of `.agent/contexts` nor a file: `nothing.md`
    warning .agent/contexts/default.yml:3:73: `inject` names a glob that no file matches: `*.xyz`
    error .agent/contexts/default.yml:3:82: `inject` cannot be followed: denied by the pattern `.env`: `.env`
    ");
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
    assert_snapshot!(told(&assembly.problems), @"
    error .agent/contexts/large.yml: 10485760 bytes are too many for a rule file; the most is 1048576
    error .cursor/rules/large.mdc: 10485760 bytes are too many for a rule file; the most is 1048576
    error AGENTS.md: 10485760 bytes are too many for a rule file; the most is 1048576
    error large.txt: 10485760 bytes are too many for a rule file; the most is 1048576
    ");
}

#[test]
fn what_is_not_utf8_is_an_error_in_yaml_and_replaced_in_text() {
    let repo = Repo::with(&[]);
    repo.write(".agent/contexts/default.yml", b"metadata:\n  name: caf\xe9\n");
    repo.write("AGENTS.md", b"# Caf\xe9\nBe kind.\n");
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(texts(&assembly), [("AGENTS.md", "# Caf\u{fffd}\nBe kind.")]);
    assert_snapshot!(told(&assembly.problems), @"
    error .agent/contexts/default.yml:2:12: not UTF-8 [save the file as UTF-8]
    warning AGENTS.md:1:6: not UTF-8; it was replaced [save the file as UTF-8]
    ");
}

#[test]
fn a_binary_file_is_not_injected() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "injection_rules: [{name: a, inject: a.bin}]\n"),
        ("a.bin", "a\0b"),
    ]);
    assert_snapshot!(repo.problems(), @"error a.bin: binary, not text");
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
    assert_snapshot!(told(&assembly.problems), @"error .claude/rules: more than 2000 files: `.claude/rules`");
}

#[test]
fn patterns_that_would_cost_too_much_are_refused() {
    let long = "a".repeat(2_000);
    let expression = "(a{1000}){1000}";
    let file = format!(
        "injection_rules:\n  - {{name: a, inject: x, when: {{paths: '{long}'}}}}\n  - {{name: b, inject: x, when: {{matches: '{expression}'}}}}\n"
    );
    assert_snapshot!(wrong(&file), @"
    error .agent/contexts/default.yml:2:40: a pattern of more than 1000 bytes
    error .agent/contexts/default.yml:3:42: Compiled regex exceeds size limit of 1048576 bytes in the expression `(a{1000}){1000}`
    ");
}

#[test]
fn of_two_rules_with_one_name_the_first_counts_and_the_second_is_told() {
    let rules = "\
injection_rules:
  - {name: a, when: {words: [x]}, inject: a.md}
  - {name: b, when: {words: [x]}, inject: a.md}
  - {name: a, when: {words: [y]}, inject: a.md}
";
    let repo = Repo::with(&[(".agent/contexts/default.yml", rules), ("a.md", "A")]);
    let assembly = repo.assemble(&doing("x"));
    assert_snapshot!(told(&assembly.problems), @"warning .agent/contexts/default.yml:4:5: line 2 has a rule of the same name: `a` [the first one counts; give each its own name]");
    assert_eq!(named(&assembly, Truth::Holds), ["a", "b"]);
}
