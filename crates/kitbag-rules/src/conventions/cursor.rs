//! Cursor rules: `.cursor/rules/**/*.mdc`, and the older `.cursorrules`.
//!
//! `alwaysApply`, `globs` and `description` decide, in this order. A rule without any of them applies
//! only if the task mentions it.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles};
use crate::model::{Convention, ConventionRule, RuleTrigger, TextBlock};
use crate::problem::RuleProblem;
use std::sync::Arc;

const FOLDER: &str = ".cursor/rules";
const LEGACY_FILE: &str = ".cursorrules";
const KEYS: [&str; 3] = ["description", "globs", "alwaysApply"];

pub(super) fn load(
    files: RuleFiles<'_>,
    problems: &mut Vec<RuleProblem>,
) -> Vec<Arc<ConventionRule>> {
    let mut rules = Vec::new();
    for entry in &files.list(FOLDER, problems) {
        let Some(name) = rule_name(&entry.path) else {
            if entry.path.ends_with(".md") {
                let message = "Cursor ignores files here that do not end in `.mdc`";
                let problem = RuleProblem::warning(&entry.path, "ignored_file", message);
                problems.push(problem.hint("rename it, or use AGENTS.md"));
            }
            continue;
        };
        let parse = |text: &str| parse(&entry.path, name, text);
        rules.extend(files.rule(entry, FileRole::Cursor, problems, parse));
    }
    rules.extend(load_legacy_file(files, problems));
    rules
}

/// Returns the name of a rule file, which may be a folder with a `RULE.md`.
fn rule_name(path: &str) -> Option<&str> {
    let inner = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    let folder = ["/RULE.md", "/RULE.mdc"].iter().find_map(|file| inner.strip_suffix(file));
    folder.or_else(|| inner.strip_suffix(".mdc"))
}

fn parse(path: &str, name: &str, text: &str) -> ParsedFile {
    let mut file = RuleFile::read(path, "Cursor", text, true);
    if file.is_broken {
        return file.parsed(None);
    }
    file.check_keys(&KEYS);
    let is_always = file.flag("alwaysApply");
    let (description, globs) = (file.text("description"), file.globs("globs"));
    let trigger = match (is_always, globs, &description) {
        (true, globs, _) => {
            if globs.is_some() {
                let message = "Cursor ignores `globs` if `alwaysApply` is `true`";
                file.warn("globs", "ignored_value", message);
            }
            RuleTrigger::default()
        }
        (false, Some(globs), _) => {
            RuleTrigger { matchers: file.matchers("globs", &globs), ..RuleTrigger::default() }
        }
        (false, None, Some(description)) => {
            RuleTrigger { condition: Some(description.clone()), ..RuleTrigger::default() }
        }
        (false, None, None) => RuleTrigger { manual: true, ..RuleTrigger::default() },
    };
    let rule = ConventionRule::new(Convention::Cursor, name, path, file.text_block());
    file.parsed(Some(ConventionRule { trigger, description, ..rule }))
}

/// Loads the single file of earlier versions, which always applies.
fn load_legacy_file(
    files: RuleFiles<'_>,
    problems: &mut Vec<RuleProblem>,
) -> Option<Arc<ConventionRule>> {
    let entry = files.root.entry(LEGACY_FILE).ok()?;
    files.rule(&entry, FileRole::Cursor, problems, |text| {
        let text = TextBlock::trimmed(text, 1);
        let rule = ConventionRule::new(Convention::Cursor, LEGACY_FILE, LEGACY_FILE, text);
        ParsedFile { rule: Some(Arc::new(rule)), ..ParsedFile::default() }
    })
}
