//! Skills: folders with a SKILL.md whose description is the condition. Bodies are read on demand.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles};
use crate::front_matter;
use crate::model::{Convention, Rule, RuleText, RuleTrigger, TextBlock};
use crate::problem::RuleProblem;
use std::sync::Arc;

/// Folders of skills. Of several skills with one name, the first is used.
const FOLDERS: [&str; 4] = [".agents/skills", ".claude/skills", ".cursor/skills", ".github/skills"];
const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1_024;

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

pub(super) fn load(files: RuleFiles<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let mut rules: Vec<Arc<Rule>> = Vec::new();
    for folder in FOLDERS {
        // Skills may contain any other files, so only problems with a SKILL.md are reported.
        let is_skill = |path: &str| path.ends_with("/SKILL.md") || path == folder;
        for entry in &files.list(folder, is_skill, problems) {
            let inner = entry.path.strip_prefix(folder).and_then(|path| path.strip_prefix('/'));
            let skill = inner.and_then(|inner| inner.strip_suffix("/SKILL.md"));
            let Some(skill) = skill.filter(|skill| !skill.contains('/')) else { continue };
            let parse = |text: &str| parse(&entry.path, skill, text);
            let rule = files.rule(entry, FileRole::Skill, problems, parse);
            let Some(rule) = rule else { continue };
            let resolved = |path: &str| files.root.entry(path).ok().map(|it| it.path);
            match rules.iter().find(|other| other.name == rule.name) {
                Some(other) if resolved(&other.path) == resolved(&rule.path) => {}
                Some(other) => {
                    let message = format!("ignored, since `{}` has the same name", other.path);
                    problems.push(RuleProblem::warning(&entry.path, "same_name", message));
                }
                None => rules.push(rule),
            }
        }
    }
    rules
}

/// Reads the body of a skill.
pub(crate) fn skill_text(
    files: RuleFiles<'_>,
    rule: &Rule,
    problems: &mut Vec<RuleProblem>,
) -> Option<RuleText> {
    let text = files.text(&rule.path, false, problems)?;
    let front = front_matter::split(&text);
    let block = TextBlock::trimmed(front.body, front.body_line);
    Some(RuleText::new(&rule.path, &block, &[]))
}

fn parse(path: &str, folder: &str, text: &str) -> ParsedFile {
    let mut file = RuleFile::read(path, "the agent", text, true);
    if file.is_broken {
        return file.parsed(None);
    }
    file.check_keys(&KEYS);
    let name = file.text("name");
    check_name(&mut file, name.as_deref(), folder);
    let description = file.text("description");
    check_description(&mut file, description.as_deref());
    let manual = file.flag("disable-model-invocation") || description.is_none();
    let matchers = file.matchers("paths").unwrap_or_default();
    let when_to_use = file.text("when_to_use");
    let condition = description.as_ref().filter(|_| !manual).map(|text| match &when_to_use {
        Some(when_to_use) => format!("{text} {when_to_use}"),
        None => text.clone(),
    });
    let name = name.unwrap_or_else(|| folder.to_owned());
    let trigger = RuleTrigger { manual, matchers, condition };
    let rule = Rule::new(Convention::Skill, &name, path, file.text_block());
    file.parsed(Some(Rule { description, trigger, text: None, ..rule }))
}

fn check_description(file: &mut RuleFile<'_>, description: Option<&str>) {
    match description {
        None => {
            let message = "a skill without a `description` is never used automatically";
            file.warn("description", "missing_key", message);
        }
        Some(text) if text.chars().count() > MAX_DESCRIPTION_CHARS => {
            let message =
                format!("`description` is longer than {MAX_DESCRIPTION_CHARS} characters");
            file.warn("description", "ignored_value", message);
        }
        Some(_) => {}
    }
}

/// Warns about a name that the specification does not allow.
fn check_name(file: &mut RuleFile<'_>, name: Option<&str>, folder: &str) {
    let Some(name) = name else {
        let message = format!("the skill has no `name`; its folder is used: `{folder}`");
        return file.warn("name", "missing_key", message);
    };
    let is_allowed = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '-';
    let is_valid = name.chars().all(is_allowed)
        && name.chars().count() <= MAX_NAME_CHARS
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--");
    if !is_valid {
        let message = format!(
            "invalid skill name `{name}`; use lowercase letters, digits and single hyphens, at most \
             {MAX_NAME_CHARS} characters"
        );
        file.warn("name", "ignored_value", message);
    } else if name != folder {
        let message = format!("the `name` of a skill must be that of its folder, `{folder}`");
        file.warn("name", "ignored_value", message);
    }
}
