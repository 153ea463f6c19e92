//! Copilot instructions: `.github/copilot-instructions.md`, which always applies, and
//! `.github/instructions/**/*.instructions.md`, which apply to the files that match `applyTo`.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles, RuleFolder};
use crate::model::{Convention, Rule, RuleTrigger};
use crate::problem::RuleProblem;
use std::sync::Arc;

const REPOSITORY_FILE: &str = ".github/copilot-instructions.md";
const FOLDER: RuleFolder = RuleFolder {
    path: ".github/instructions",
    role: FileRole::Copilot,
    name: |path| path.strip_suffix(".instructions.md"),
    ignored: Some((
        "Copilot ignores files here that do not end in `.instructions.md`",
        "rename it",
    )),
};
const KEYS: [&str; 4] = ["applyTo", "description", "name", "excludeAgent"];
/// Valid values of `excludeAgent`.
const AGENTS: [&str; 3] = ["code-review", "coding-agent", "cloud-agent"];

pub(super) fn load(files: RuleFiles<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let mut rules: Vec<Arc<Rule>> = Vec::new();
    // The instructions for the whole repository.
    if let Ok(entry) = files.root.entry(REPOSITORY_FILE) {
        rules.extend(files.rule(&entry, FileRole::Copilot, problems, |text| {
            let file = RuleFile::read(REPOSITORY_FILE, "Copilot", text, true);
            let (name, text) = ("copilot-instructions", file.text_block());
            let rule = Rule::new(Convention::Copilot, name, REPOSITORY_FILE, text);
            file.parsed(Some(rule))
        }));
    }
    rules.extend(files.rules(&FOLDER, problems, parse));
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
    let matchers = file.matchers("applyTo");
    let manual = matchers.is_none();
    if manual {
        let message = "without `applyTo`, Copilot does not apply it automatically";
        file.warn("applyTo", "ignored_file", message);
    }
    let matchers = matchers.unwrap_or_default();
    let trigger = RuleTrigger { manual, matchers, condition: None };
    let name = file.text("name").unwrap_or_else(|| name.to_owned());
    let description = file.text("description");
    let rule = Rule::new(Convention::Copilot, &name, path, file.text_block());
    file.parsed(Some(Rule { trigger, description, ..rule }))
}
