//! Skills: folders with a SKILL.md, whose description says when to use them. Their bodies are read
//! when they are wanted, not before.

use super::head::Head;
use super::{Convention, Part, Rule, When, body as trimmed, skipped};
use crate::rules::files::{As, Files, MOST_RULE_FILES, Parsed};
use crate::rules::front;
use crate::rules::matchers::Matchers;
use crate::rules::problem::RuleProblem;
use std::sync::Arc;

/// Where skills are, the first that has a name counts.
const FOLDERS: [&str; 4] = [".agents/skills", ".claude/skills", ".cursor/skills", ".github/skills"];
const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 1_024;

/// The keys of the specification, and those that Claude Code adds.
const KEYS: [&str; 19] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "agent",
    "argument-hint",
    "arguments",
    "context",
    "disable-model-invocation",
    "disallowed-tools",
    "effort",
    "hooks",
    "model",
    "paths",
    "shell",
    "user-invocable",
    "when_to_use",
];

pub(super) fn load(files: Files<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let mut rules: Vec<Arc<Rule>> = Vec::new();
    for folder in FOLDERS {
        let listing = files.root.list(folder, MOST_RULE_FILES);
        // A skill may bring any files: only what is wrong with a SKILL.md is worth telling.
        let own = |path: &str| path.ends_with("/SKILL.md") || path == folder;
        let mut told = listing.clone();
        told.skipped.retain(|it| own(&it.path));
        skipped(&told, problems);
        for entry in &listing.files {
            let inner = entry.path.strip_prefix(folder).and_then(|path| path.strip_prefix('/'));
            let Some(skill) = inner.and_then(|inner| inner.strip_suffix("/SKILL.md")) else {
                continue;
            };
            if skill.contains('/') {
                continue;
            }
            let parsed = files.parsed(entry, As::Skill, |text| parse(&entry.path, skill, text));
            problems.extend(parsed.problems.iter().cloned());
            let Some(rule) = &parsed.rule else { continue };
            match rules.iter().find(|other| other.name == rule.name) {
                Some(other)
                    if files.root.entry(&other.path).ok().map(|it| it.path)
                        == files.root.entry(&rule.path).ok().map(|it| it.path) => {}
                Some(other) => {
                    let message = format!("not read, since `{}` has the same name", other.path);
                    problems.push(RuleProblem::warning(&entry.path, "same_name", message));
                }
                None => rules.push(Arc::clone(rule)),
            }
        }
    }
    rules
}

/// The body of a skill.
pub(in crate::rules) fn body(
    files: Files<'_>,
    rule: &Rule,
    problems: &mut Vec<RuleProblem>,
) -> Option<Part> {
    let text = files.text(&rule.path, false, problems)?;
    let front = front::split(&text);
    let (text, line) = trimmed(front.body, front.body_line);
    Some(Part { path: rule.path.clone(), line, via: Vec::new(), text })
}

fn parse(path: &str, folder: &str, text: &str) -> Parsed {
    let mut head = Head::read(path, "the skill's reader", text, true);
    if head.is_broken {
        return head.parsed(None);
    }
    head.known(&KEYS);
    let name = head.text("name");
    check_name(&mut head, name.as_deref(), folder);
    let description = head.text("description");
    match &description {
        None => {
            let message = "a skill without a `description` is never used by itself";
            head.odd("description", "missing_key", message.to_owned());
        }
        Some(text) if text.chars().count() > MOST_DESCRIPTION => {
            let message = format!("`description` has more than {MOST_DESCRIPTION} characters");
            head.odd("description", "ignored_value", message);
        }
        Some(_) => {}
    }
    let manual = head.flag("disable-model-invocation") || description.is_none();
    let matchers = match head.globs("paths") {
        Some(globs) => head.matchers("paths", &globs),
        None => Matchers::default(),
    };
    let more = head.text("when_to_use");
    let condition = description.as_ref().filter(|_| !manual).map(|text| match &more {
        Some(more) => format!("{text} {more}"),
        None => text.clone(),
    });
    let rule = Rule {
        name: name.unwrap_or_else(|| folder.to_owned()),
        description,
        convention: Convention::Skill,
        path: path.to_owned(),
        when: When { manual, matchers, condition },
        text: None,
        imports: Vec::new(),
    };
    head.parsed(Some(rule))
}

/// Tells a name that the specification does not allow.
fn check_name(head: &mut Head<'_>, name: Option<&str>, folder: &str) {
    let Some(name) = name else {
        let message = format!("a skill has a `name`; that of its folder is used: `{folder}`");
        return head.odd("name", "missing_key", message);
    };
    let is_plain = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '-';
    let is_fine = name.chars().all(is_plain)
        && name.chars().count() <= MOST_NAME
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--");
    if !is_fine {
        let message = format!(
            "`{name}` is no name of a skill: small letters, digits and single hyphens, \
             {MOST_NAME} at the most"
        );
        head.odd("name", "ignored_value", message);
    } else if name != folder {
        let message = format!("the `name` of a skill is that of its folder, `{folder}`");
        head.odd("name", "ignored_value", message);
    }
}
