//! Existing conventions. Each case quotes the documentation that it follows.

use crate::fixture::{Repo, about, named, problem_lines};
use kitbag_rules::{ConditionOutcome, Situation};

/// A page and a sentence on it.
type Source = (&'static str, &'static str);

const CURSOR: &str = "https://cursor.com/docs/rules";
const GITHUB: &str = "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions/add-repository-instructions";
const VS_CODE: &str =
    "https://code.visualstudio.com/docs/copilot/customization/custom-instructions";
const CLAUDE: &str = "https://code.claude.com/docs/en/memory";
const SKILLS: &str = "https://agentskills.io/specification";

/// A file and the outcomes of its rule.
struct Case {
    source: Source,
    file: &'static str,
    content: &'static str,
    /// Files for which the rule holds, fails, and is undecided.
    holds: &'static [&'static str],
    fails: &'static [&'static str],
    undecided: &'static [&'static str],
    /// Expected problems.
    problems: &'static str,
}

const PLAIN: Case = Case {
    source: ("", ""),
    file: "",
    content: "",
    holds: &[],
    fails: &[],
    undecided: &[],
    problems: "",
};

#[track_caller]
fn check(case: &Case) {
    let (page, sentence) = case.source;
    assert!(page.starts_with("https://") && sentence.ends_with('.'), "{}: no source", case.file);
    let repo = Repo::with(&[(case.file, case.content)]);
    for (paths, outcome) in [
        (case.holds, ConditionOutcome::Holds),
        (case.fails, ConditionOutcome::Fails),
        (case.undecided, ConditionOutcome::Undecided),
    ] {
        for path in paths {
            let situation = if path.is_empty() { Situation::default() } else { about(&[path]) };
            let assembly = repo.assemble(&situation);
            let outcomes: Vec<ConditionOutcome> =
                assembly.decisions.iter().map(|it| it.outcome).collect();
            assert_eq!(outcomes, [outcome], "{} for `{path}`: {sentence}", case.file);
        }
    }
    assert_eq!(repo.problems(), case.problems, "{}: {sentence}", case.file);
}

#[test]
fn cursor_rules_apply_always_by_path_condition_or_mention() {
    check(&Case {
        source: (CURSOR, "If alwaysApply is true, the rule will be applied to every chat session."),
        file: ".cursor/rules/copyright.mdc",
        content: "---\nalwaysApply: true\n---\nEvery file has a header.\n",
        holds: &["", "a.ts"],
        ..PLAIN
    });
    check(&Case {
        source: (CURSOR, "Auto-attached when a matching file is in context."),
        file: ".cursor/rules/frontend/components.mdc",
        content: "---\nglobs: src/components/**/*.tsx, *.css\nalwaysApply: false\n---\nUse hooks.\n",
        holds: &["src/components/a.tsx", "src/components/b/c.tsx", "main.css"],
        fails: &["", "src/a.tsx", "styles/main.css"],
        ..PLAIN
    });
    check(&Case {
        source: (CURSOR, "Agent reads the description and pulls the rule in when relevant."),
        file: ".cursor/rules/rpc.mdc",
        content: "---\ndescription: RPC conventions: use when a service is added\n---\nUse RPC.\n",
        undecided: &["", "a.ts"],
        ..PLAIN
    });
    check(&Case {
        source: (CURSOR, "Included only when you @-mention the rule in chat."),
        file: ".cursor/rules/migration.mdc",
        content: "---\ndescription:\nglobs:\nalwaysApply: false\n---\nEvery migration goes both ways.\n",
        fails: &["", "a.sql"],
        ..PLAIN
    });
    check(&Case {
        source: (
            CURSOR,
            "The .cursorrules (legacy) file in your project root is still supported but will be deprecated.",
        ),
        file: ".cursorrules",
        content: "Be brief.\n",
        holds: &["", "a.ts"],
        ..PLAIN
    });
    check(&Case {
        source: (
            CURSOR,
            "As of 2.2, .mdc cursor rules will remain functional however all new rules will now be created as folders in .cursor/rules.",
        ),
        file: ".cursor/rules/brief/RULE.md",
        content: "---\nalwaysApply: true\n---\nBe brief.\n",
        holds: &[""],
        ..PLAIN
    });
}

#[test]
fn cursor_rule_applies_if_the_task_mentions_it() {
    let repo = Repo::with(&[(".cursor/rules/migration.mdc", "Go both ways.\n")]);
    let holds = |task: &str| {
        let situation = Situation { task: task.into(), ..Situation::default() };
        named(&repo.assemble(&situation), ConditionOutcome::Holds).len()
    };
    assert_eq!(holds("add a column, see @migration"), 1);
    assert_eq!(holds("add a column by migration"), 0);
    assert_eq!(holds("mail me@migration or @migrations"), 0);
}

#[test]
fn values_ignored_by_cursor_are_reported() {
    check(&Case {
        source: (
            CURSOR,
            "A plain .md file in .cursor/rules is ignored by the rules system because it has no frontmatter to specify description, globs, and alwaysApply.",
        ),
        file: ".cursor/rules/style.md",
        content: "Be brief.\n",
        problems: "warning .cursor/rules/style.md: Cursor ignores files here that do not end in `.mdc` \
               [rename it, or use AGENTS.md]",
        ..PLAIN
    });
    check(&Case {
        source: (CURSOR, "Always included. Globs and description are ignored."),
        file: ".cursor/rules/both.mdc",
        content: "---\nglobs: **/*.ts\nalwaysApply: true\n---\nBe brief.\n",
        holds: &["", "a.py"],
        problems: "warning .cursor/rules/both.mdc:2:8: Cursor ignores `globs` if `alwaysApply` is `true`",
        ..PLAIN
    });
    check(&Case {
        source: (
            CURSOR,
            "Control how rules are applied from the type dropdown which changes properties description, globs, alwaysApply.",
        ),
        file: ".cursor/rules/odd.mdc",
        content: "---\nalwaysApply: \"true\"\nglob: '*.ts'\n---\nBe brief.\n",
        fails: &["", "a.ts"],
        problems: "warning .cursor/rules/odd.mdc:2:14: `alwaysApply` is neither `true` nor `false`; Cursor \
               ignores it\nwarning .cursor/rules/odd.mdc:3:1: Cursor ignores the key `glob` [did you \
               mean `globs`?]",
        ..PLAIN
    });
}

#[test]
fn copilot_instructions_apply_to_matching_files() {
    check(&Case {
        source: (
            VS_CODE,
            "VS Code automatically detects a .github/copilot-instructions.md Markdown file in the root of your workspace and applies the instructions in this file to all chat requests within this workspace.",
        ),
        file: ".github/copilot-instructions.md",
        content: "Use tabs.\n",
        holds: &["", "a.ts"],
        ..PLAIN
    });
    check(&Case {
        source: (GITHUB, "You can specify multiple patterns by separating them with commas."),
        file: ".github/instructions/web/ts.instructions.md",
        content: "---\napplyTo: \"**/*.ts,**/*.tsx\"\n---\nUse strict.\n",
        holds: &["a.ts", "src/b.tsx"],
        fails: &["", "a.js"],
        ..PLAIN
    });
    check(&Case {
        source: (GITHUB, "`src/*.py` - will match all `.py` files in the `src` directory."),
        file: ".github/instructions/py.instructions.md",
        content: "---\napplyTo: src/*.py\nexcludeAgent: \"code-review\"\n---\nUse types.\n",
        holds: &["src/foo.py"],
        fails: &["src/foo/bar.py", "foo.py"],
        ..PLAIN
    });
    check(&Case {
        source: (
            GITHUB,
            "`**/subdir/**/*.py` - will recursively match all `.py` files in any `subdir` directory at any depth.",
        ),
        file: ".github/instructions/deep.instructions.md",
        content: "---\napplyTo: **/subdir/**/*.py\n---\nUse types.\n",
        holds: &["subdir/foo.py", "deep/parent/subdir/nested/qux.py"],
        fails: &["foo.py"],
        ..PLAIN
    });
}

#[test]
fn values_ignored_by_copilot_are_reported() {
    check(&Case {
        source: (
            VS_CODE,
            "If not specified, the instructions are not applied automatically, but you can still add them manually to a chat request.",
        ),
        file: ".github/instructions/free.instructions.md",
        content: "Use tabs.\n",
        fails: &["", "a.ts"],
        problems: "warning .github/instructions/free.instructions.md:1:1: without `applyTo`, Copilot does not \
               apply it automatically",
        ..PLAIN
    });
    check(&Case {
        source: (GITHUB, "The file name must end with `.instructions.md`."),
        file: ".github/instructions/go.md",
        content: "---\napplyTo: '**/*.go'\n---\nUse tabs.\n",
        problems: "warning .github/instructions/go.md: Copilot ignores files here that do not end in \
               `.instructions.md` [rename it]",
        ..PLAIN
    });
    check(&Case {
        source: (GITHUB, "Use either `\"code-review\"` or `\"coding-agent\"`."),
        file: ".github/instructions/a.instructions.md",
        content: "---\napplyTo: ['**']\nexcludeAgent: chat\napplyto: x\n---\nUse tabs.\n",
        holds: &["a.go"],
        problems: "warning .github/instructions/a.instructions.md:2:10: Copilot documents `applyTo` as a \
               string with commas, not as a list\nwarning .github/instructions/a.instructions.md:3:15: \
               Copilot has no agent `chat`\nwarning \
               .github/instructions/a.instructions.md:4:1: Copilot ignores the key `applyto` [did \
               you mean `applyTo`?]",
        ..PLAIN
    });
}

#[test]
fn claude_rules_apply_to_matching_files_or_all() {
    check(&Case {
        source: (
            CLAUDE,
            "Rules without a `paths` field are loaded unconditionally and apply to all files.",
        ),
        file: ".claude/rules/testing.md",
        content: "Test first.\n",
        holds: &["", "a.ts"],
        ..PLAIN
    });
    check(&Case {
        source: (
            CLAUDE,
            "These conditional rules only apply when Claude is working with files matching the specified patterns.",
        ),
        file: ".claude/rules/api/rest.md",
        content: "---\npaths:\n  - \"src/**/*.{ts,tsx}\"\n  - \"*.md\"\n---\nValidate.\n",
        holds: &["src/a.ts", "src/b/c.tsx", "README.md"],
        fails: &["", "lib/a.ts", "docs/a.md"],
        ..PLAIN
    });
    check(&Case {
        source: (CLAUDE, "Accepts a YAML list or a comma-separated string."),
        file: ".claude/rules/go.md",
        content: "---\npaths: cmd/**, \"pkg/**\"\n---\nUse contexts.\n",
        holds: &["cmd/main.go", "pkg/a/b.go"],
        fails: &["main.go"],
        ..PLAIN
    });
}

#[test]
fn values_ignored_by_claude_code_are_reported() {
    check(&Case {
        source: (
            CLAUDE,
            "`paths` is the only field Claude Code reads from a rule; any other field is ignored without an error.",
        ),
        file: ".claude/rules/ts.md",
        content: "---\nglobs: \"**/*.ts\"\n---\nUse strict.\n",
        holds: &["", "a.py"],
        problems: "warning .claude/rules/ts.md:2:1: Claude Code ignores the key `globs` [expected \
               one of `paths`]",
        ..PLAIN
    });
    check(&Case {
        source: (
            CLAUDE,
            "If the YAML between the markers doesn't parse, Claude Code ignores the frontmatter and loads the rule as if it had no `paths`.",
        ),
        file: ".claude/rules/broken.md",
        content: "---\npaths: **/*.ts\n---\nUse strict.\n",
        holds: &["", "a.py"],
        problems: "error .claude/rules/broken.md:2:8: invalid front matter: invalid YAML: while \
               parsing node, found unknown anchor; Claude Code ignores it and applies the rule to \
               all files",
        ..PLAIN
    });
    check(&Case {
        source: (
            CLAUDE,
            "A pattern with a `[` that can't be read as a bracket expression, such as `photos [2024/**`, is invalid: it matches nothing, and the rule's other patterns keep working.",
        ),
        file: ".claude/rules/photos.md",
        content: "---\npaths: [\"photos [2024/**\", \"a/**\"]\n---\nSmall.\n",
        holds: &["a/b.jpg"],
        fails: &["photos [2024/a.jpg"],
        problems: "warning .claude/rules/photos.md:2:8: invalid glob `photos [2024/**`: unclosed \
               character class; missing ']'; it matches nothing",
        ..PLAIN
    });
}

#[test]
fn skill_description_is_its_condition_and_its_body_is_read_on_demand() {
    check(&Case {
        source: (
            SKILLS,
            "The `name` and `description` fields are loaded at startup for all skills.",
        ),
        file: ".claude/skills/pdf-processing/SKILL.md",
        content: "---\nname: pdf-processing\ndescription: Extract PDF text. Use when handling PDFs.\n---\nRun it.\n",
        undecided: &["", "a.pdf"],
        ..PLAIN
    });
    let repo = Repo::with(&[(
        ".agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Extract PDF text.\n---\n# PDF\nRun it.\n",
    )]);
    let (set, _) = repo.reader.load(&repo.root(), &Situation::default());
    assert!(set.rules().all(|rule| rule.text.is_none()), "the body is not read yet");
}

#[test]
fn violations_of_the_skill_specification_are_reported() {
    check(&Case {
        source: (SKILLS, "Must match the parent directory name."),
        file: ".agents/skills/pdf/SKILL.md",
        content: "---\nname: pdf-processing\ndescription: Extract.\nversion: 2\n---\nRun it.\n",
        undecided: &[""],
        problems: "warning .agents/skills/pdf/SKILL.md:2:7: the `name` of a skill must be that of its \
               folder, `pdf`\nwarning .agents/skills/pdf/SKILL.md:4:1: the agent ignores the key `version` \
               [expected one of `name`, `description`, `license`, `compatibility`, `metadata`, \
               `allowed-tools`, `agent`, `argument-hint`, `arguments`, `context`, \
               `disable-model-invocation`, `disallowed-tools`, `effort`, `hooks`, `model`, `paths`, \
               `shell`, `user-invocable`, `when_to_use`]",
        ..PLAIN
    });
    check(&Case {
        source: (
            SKILLS,
            "May only contain unicode lowercase alphanumeric characters (`a-z`) and hyphens (`-`).",
        ),
        file: ".claude/skills/PDF/SKILL.md",
        content: "---\nname: PDF\n---\nRun it.\n",
        fails: &[""],
        problems: "warning .claude/skills/PDF/SKILL.md:1:1: a skill without a `description` is never used \
               automatically\nwarning .claude/skills/PDF/SKILL.md:2:7: invalid skill name `PDF`; use \
               lowercase letters, digits and single hyphens, at most 64 characters",
        ..PLAIN
    });
}

#[test]
fn skill_in_two_folders_is_loaded_once() {
    let skill = "---\nname: pdf\ndescription: Extract.\n---\nRun it.\n";
    let repo = Repo::with(&[
        (".agents/skills/pdf/SKILL.md", skill),
        (".claude/skills/pdf/SKILL.md", skill),
        (".claude/skills/pdf/scripts/extract.py", "print()\n"),
    ]);
    let assembly = repo.assemble(&Situation::default());
    assert_eq!(assembly.decisions.len(), 1);
    assert_eq!(
        problem_lines(&assembly.problems),
        "warning .claude/skills/pdf/SKILL.md: ignored, since `.agents/skills/pdf/SKILL.md` has the \
         same name"
    );
}
