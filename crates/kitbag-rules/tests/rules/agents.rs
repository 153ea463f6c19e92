//! AGENTS.md and CLAUDE.md: nesting, order and imports.

use crate::fixture::{Repo, about, named, problem_lines, texts};
use insta::assert_snapshot;
use kitbag_rules::{ConditionOutcome, RuleOptions, RuleOrder, RulesSettings, Situation};

/// "Instructions from nested AGENTS.md files are combined with parent directories, with more specific
/// instructions taking precedence." (<https://cursor.com/docs/rules>)
///
/// "Across the directory tree, content is ordered from the filesystem root down to your working
/// directory." (<https://code.claude.com/docs/en/memory>)
#[test]
fn nested_instructions_are_ordered_from_root_or_leaf() {
    let repo = Repo::with(&[
        ("AGENTS.md", "root\n"),
        ("web/AGENTS.md", "web\n"),
        ("web/ui/CLAUDE.md", "ui\n"),
        ("api/AGENTS.md", "api\n"),
    ]);
    let situation = about(&["web/ui/button.tsx"]);
    let names = |order: RuleOrder| {
        let settings = RulesSettings { order, ..RulesSettings::default() };
        let options = RuleOptions { settings, ..RuleOptions::default() };
        let assembly = repo.assemble_with(&situation, &options);
        texts(&assembly).iter().map(|it| it.1.to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(RuleOrder::RootFirst), "root web ui");
    assert_eq!(names(RuleOrder::LeafFirst), "ui web root");
    assert_eq!(
        named(&repo.assemble(&Situation::default()), ConditionOutcome::Holds),
        ["AGENTS.md"]
    );
}

/// "Your `CLAUDE.md` and `AGENTS.md` files together, each directory's `CLAUDE.md` files first and its
/// `AGENTS.md` after them. Claude Code skips an `AGENTS.md` it has already loaded, so one that your
/// `CLAUDE.md` imports or symlinks to isn't read twice." (<https://code.claude.com/docs/en/memory>)
#[test]
fn both_files_of_a_folder_are_read_once() {
    let repo = Repo::with(&[
        ("AGENTS.md", "agents\n"),
        ("CLAUDE.md", "See @AGENTS.md first.\n"),
        (".claude/CLAUDE.md", "hidden\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    let paths: Vec<&str> = texts(&assembly).iter().map(|it| it.0).collect();
    assert_eq!(paths, ["CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"]);
    assert_eq!(assembly.rules[0].parts[1].via, ["CLAUDE.md"], "provenance is kept");
    assert_eq!(problem_lines(&assembly.problems), "");
}

#[cfg(unix)]
#[test]
fn symlinked_file_is_read_once() {
    let repo = Repo::with(&[("AGENTS.md", "agents\n")]);
    std::os::unix::fs::symlink("AGENTS.md", repo.dir.path().join("CLAUDE.md")).unwrap();
    assert_eq!(texts(&repo.assemble(&Situation::default())), [("AGENTS.md", "agents")]);
}

/// "Relative paths resolve relative to the file containing the import, not the working directory."
/// (<https://code.claude.com/docs/en/memory>)
#[test]
fn imports_are_relative_to_their_file_and_keep_their_provenance() {
    let repo = Repo::with(&[
        ("CLAUDE.md", "# Project\n- git: @docs/git.md\n- @Design\\ Docs/api.md, and more\n"),
        ("docs/git.md", "Rebase. See @./more/hooks.md.\n"),
        ("docs/more/hooks.md", "Hooks. Back to @../git.md\n"),
        ("Design Docs/api.md", "API.\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(problem_lines(&assembly.problems), "");
    let parts: Vec<(&str, String)> =
        assembly.rules[0].parts.iter().map(|it| (it.path.as_str(), it.via.join(" > "))).collect();
    assert_eq!(
        parts,
        [
            ("CLAUDE.md", String::new()),
            ("docs/git.md", "CLAUDE.md".to_owned()),
            ("docs/more/hooks.md", "CLAUDE.md > docs/git.md".to_owned()),
            ("Design Docs/api.md", "CLAUDE.md".to_owned()),
        ]
    );
}

/// "Import parsing skips Markdown code spans and fenced code blocks."
/// (<https://code.claude.com/docs/en/memory>)
#[test]
fn code_and_mentions_are_not_imports() {
    let repo = Repo::with(&[
        (
            "CLAUDE.md",
            "`@a.md` and ``@a.md` @a.md`` mail me@a.md, ask @someone or @types/node\n\
             ```\n@a.md\n```\n~~~~\n@a.md\n```\n@a.md\n~~~~\n\"@a.md\" @\"a.md\"\n",
        ),
        ("a.md", "imported\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(texts(&assembly).len(), 1);
    assert_eq!(problem_lines(&assembly.problems), "");
}

/// "Imported files can recursively import other files, with a maximum depth of four hops."
/// (<https://code.claude.com/docs/en/memory>)
#[test]
fn imports_are_followed_for_four_hops() {
    let repo = Repo::with(&[("CLAUDE.md", "@1.md\n"), ("5.md", "five @1.md\n")]);
    for number in 1..5 {
        repo.write(&format!("{number}.md"), format!("@{}.md @CLAUDE.md\n", number + 1));
    }
    let assembly = repo.assemble(&Situation::default());
    let paths: Vec<&str> = texts(&assembly).iter().map(|it| it.0).collect();
    assert_eq!(paths, ["CLAUDE.md", "1.md", "2.md", "3.md", "4.md"]);
    assert_snapshot!(problem_lines(&assembly.problems), @"warning 4.md:1:1: `5.md` is not imported: more than 4 hops away");
}

#[test]
fn imports_outside_the_root_are_rejected() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let repo = Repo::with(&[("sub/CLAUDE.md", "")]);
    let absolute = outside.path().join("secret.md");
    let text = format!(
        "@../../../etc/passwd.md @{} @~/notes.md @/etc/hostname\n@missing.md\n@.env.md\n",
        absolute.display()
    );
    repo.write("CLAUDE.md", text);
    repo.write(".env.md", "TOKEN=1");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&absolute, repo.dir.path().join("link.md")).unwrap();
    repo.write("AGENTS.md", "@link.md\n");
    let assembly = repo.assemble(&Situation::default());
    let all: String = texts(&assembly).iter().map(|it| it.1).collect();
    assert!(!all.contains("TOKEN") && !all.contains("secret\""), "{all}");
    let problems =
        problem_lines(&assembly.problems).replace(&absolute.display().to_string(), "ABSOLUTE");
    assert_snapshot!(problems, @"
    error AGENTS.md:1:1: `link.md` is not imported: outside the repository
    error CLAUDE.md:1:1: `../../../etc/passwd.md` is not imported: outside the repository
    error CLAUDE.md:1:25: `ABSOLUTE` is not imported: outside the repository
    error CLAUDE.md:1:52: `~/notes.md` is not imported: outside the repository
    error CLAUDE.md:1:64: `/etc/hostname` is not imported: outside the repository
    warning CLAUDE.md:2:1: `missing.md` is not imported: no such file
    error CLAUDE.md:3:1: `.env.md` is not imported: denied by the pattern `.env.*`
    ");
}

#[test]
fn imported_rule_file_is_shown_once() {
    let repo = Repo::with(&[
        ("CLAUDE.md", "@.claude/rules/ts.md @.agent/contexts/default.md\n"),
        (".claude/rules/ts.md", "---\npaths: '**/*.ts'\n---\nUse strict.\n"),
        (".agent/contexts/default.md", "---\nmetadata: {name: Shop}\n---\nSell.\n"),
    ]);
    let assembly = repo.assemble(&about(&["a.ts"]));
    assert_eq!(problem_lines(&assembly.problems), "");
    assert_eq!(named(&assembly, ConditionOutcome::Holds), ["CLAUDE.md", "ts"]);
    assert_eq!(assembly.contexts[0].context.name, "Shop");
    let paths: Vec<&str> = texts(&assembly).iter().map(|it| it.0).collect();
    assert_eq!(paths, ["CLAUDE.md", ".claude/rules/ts.md", ".agent/contexts/default.md"]);
}
