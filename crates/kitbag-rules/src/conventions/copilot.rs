//! Copilot instructions: `.github/copilot-instructions.md`, which always applies, and
//! `.github/instructions/**/*.instructions.md`, which apply to the files that match `applyTo`.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles};
use crate::model::{Convention, ConventionRule, RuleTrigger};
use crate::problem::RuleProblem;
use std::sync::Arc;

const REPOSITORY_FILE: &str = ".github/copilot-instructions.md";
const FOLDER: &str = ".github/instructions";
const SUFFIX: &str = ".instructions.md";
const KEYS: [&str; 4] = ["applyTo", "description", "name", "excludeAgent"];
/// Valid values of `excludeAgent`.
const AGENTS: [&str; 3] = ["code-review", "coding-agent", "cloud-agent"];

pub(super) fn load(
    files: RuleFiles<'_>,
    problems: &mut Vec<RuleProblem>,
) -> Vec<Arc<ConventionRule>> {
    let mut rules: Vec<Arc<ConventionRule>> = Vec::new();
    rules.extend(load_repository_file(files, problems));
    for entry in &files.list(FOLDER, problems) {
        let name = entry.path.strip_prefix(FOLDER).and_then(|path| path.strip_prefix('/'));
        let Some(name) = name.and_then(|name| name.strip_suffix(SUFFIX)) else {
            if entry.path.ends_with(".md") {
                let message = format!("Copilot ignores files here that do not end in `{SUFFIX}`");
                let problem = RuleProblem::warning(&entry.path, "ignored_file", message);
                problems.push(problem.hint("rename it"));
            }
            continue;
        };
        let parse = |text: &str| parse(&entry.path, name, text);
        rules.extend(files.rule(entry, FileRole::Copilot, problems, parse));
    }
    rules
}

fn parse(path: &str, name: &str, text: &str) -> ParsedFile {
    let mut file = RuleFile::read(path, "Copilot", text, true);
    if file.is_broken {
        return file.parsed(None);
    }
    file.check_keys(&KEYS);
    if let Some(agent) = file.text("excludeAgent")
        && !AGENTS.contains(&agent.as_str())
    {
        file.warn("excludeAgent", "ignored_value", format!("Copilot has no agent `{agent}`"));
    }
    if file.is_list("applyTo") {
        let message = "Copilot documents `applyTo` as a string with commas, not as a list";
        file.warn("applyTo", "ignored_value", message);
    }
    let trigger = match file.globs("applyTo") {
        Some(globs) => {
            RuleTrigger { matchers: file.matchers("applyTo", &globs), ..RuleTrigger::default() }
        }
        None => {
            let message = "without `applyTo`, Copilot does not apply it automatically";
            file.warn("applyTo", "ignored_file", message);
            RuleTrigger { manual: true, ..RuleTrigger::default() }
        }
    };
    let name = file.text("name").unwrap_or_else(|| name.to_owned());
    let description = file.text("description");
    let rule = ConventionRule::new(Convention::Copilot, &name, path, file.text_block());
    file.parsed(Some(ConventionRule { trigger, description, ..rule }))
}

/// Loads the instructions for the whole repository.
fn load_repository_file(
    files: RuleFiles<'_>,
    problems: &mut Vec<RuleProblem>,
) -> Option<Arc<ConventionRule>> {
    let entry = files.root.entry(REPOSITORY_FILE).ok()?;
    files.rule(&entry, FileRole::Copilot, problems, |text| {
        let file = RuleFile::read(REPOSITORY_FILE, "Copilot", text, true);
        let (name, text) = ("copilot-instructions", file.text_block());
        let rule = ConventionRule::new(Convention::Copilot, name, REPOSITORY_FILE, text);
        file.parsed(Some(rule))
    })
}
