//! Cursor rules: `.cursor/rules/**/*.mdc`, and the older `.cursorrules`.
//!
//! `alwaysApply`, `globs` and `description` decide, in this order. A rule without any of them applies
//! only if the task mentions it.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles, RuleFolder};
use crate::model::{Convention, Rule, RuleTrigger, TextBlock};
use crate::problem::RuleProblem;
use std::sync::Arc;

const FOLDER: RuleFolder = RuleFolder {
    path: ".cursor/rules",
    role: FileRole::Cursor,
    // A rule may also be a folder.
    name: |path| {
        let suffixes = ["/RULE.md", "/RULE.mdc", ".mdc"];
        suffixes.iter().find_map(|suffix| path.strip_suffix(suffix))
    },
    ignored: Some((
        "Cursor ignores files here that do not end in `.mdc`",
        "rename it, or use AGENTS.md",
    )),
};
const LEGACY_FILE: &str = ".cursorrules";
const KEYS: [&str; 3] = ["description", "globs", "alwaysApply"];

pub(super) fn load(files: RuleFiles<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let mut rules = files.rules(&FOLDER, problems, parse);
    // The single file of earlier versions always applies.
    if let Ok(entry) = files.root.entry(LEGACY_FILE) {
        rules.extend(files.rule(&entry, FileRole::Cursor, problems, |text| {
            let text = TextBlock::trimmed(text, 1);
            let rule = Rule::new(Convention::Cursor, LEGACY_FILE, LEGACY_FILE, text);
            ParsedFile { rule: Some(Arc::new(rule)), ..ParsedFile::default() }
        }));
    }
    rules
}

fn parse(path: &str, name: &str, text: &str) -> ParsedFile {
    let mut file = RuleFile::read(path, "Cursor", text, true);
    if file.is_broken {
        return file.parsed(None);
    }
    file.check_keys(&KEYS);
    let is_always = file.flag("alwaysApply");
    let (description, matchers) = (file.text("description"), file.matchers("globs"));
    let mut trigger = RuleTrigger::default();
    match matchers {
        Some(_) if is_always => {
            let message = "Cursor ignores `globs` if `alwaysApply` is `true`";
            file.warn("globs", "ignored_value", message);
        }
        Some(matchers) => trigger.matchers = matchers,
        None if is_always => {}
        None => {
            trigger.manual = description.is_none();
            trigger.condition = description.clone();
        }
    }
    let rule = Rule::new(Convention::Cursor, name, path, file.text_block());
    file.parsed(Some(Rule { trigger, description, ..rule }))
}
