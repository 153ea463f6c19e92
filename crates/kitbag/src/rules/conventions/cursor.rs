//! Cursor rules: `.cursor/rules/**/*.mdc`, and the older `.cursorrules`.
//!
//! `alwaysApply`, `globs` and `description` decide, in this order; with none of them a rule is only
//! for those who name it.

use super::head::Head;
use super::{Convention, Rule, When, body, skipped};
use crate::rules::files::{As, Files, MOST_RULE_FILES, Parsed};
use crate::rules::problem::RuleProblem;
use std::sync::Arc;

const FOLDER: &str = ".cursor/rules";
const LEGACY: &str = ".cursorrules";
const KEYS: [&str; 3] = ["description", "globs", "alwaysApply"];

pub(super) fn load(files: Files<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let listing = files.root.list(FOLDER, MOST_RULE_FILES);
    skipped(&listing, problems);
    let mut rules = Vec::new();
    for entry in &listing.files {
        let Some(name) = name_of(&entry.path) else {
            if entry.path.ends_with(".md") {
                let message = "Cursor ignores a file here that does not end in `.mdc`";
                let problem = RuleProblem::warning(&entry.path, "ignored_file", message);
                problems.push(problem.hint("rename it, or use AGENTS.md"));
            }
            continue;
        };
        let parsed = files.parsed(entry, As::Cursor, |text| parse(&entry.path, name, text));
        problems.extend(parsed.problems.iter().cloned());
        rules.extend(parsed.rule.clone());
    }
    rules.extend(legacy(files, problems));
    rules
}

/// The name of a rule; nothing for a file that is none. A folder with a `RULE.md` is a rule too.
fn name_of(path: &str) -> Option<&str> {
    let inner = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    for file in ["/RULE.md", "/RULE.mdc"] {
        if let Some(folder) = inner.strip_suffix(file) {
            return Some(folder);
        }
    }
    inner.strip_suffix(".mdc")
}

fn parse(path: &str, name: &str, text: &str) -> Parsed {
    let mut head = Head::read(path, "Cursor", text, true);
    if head.is_broken {
        return head.parsed(None);
    }
    head.known(&KEYS);
    let always = head.flag("alwaysApply");
    let (description, globs) = (head.text("description"), head.globs("globs"));
    let when = match (always, globs, &description) {
        (true, globs, _) => {
            if globs.is_some() {
                let message = "Cursor ignores `globs` where `alwaysApply` is `true`".to_owned();
                head.odd("globs", "ignored_value", message);
            }
            When::default()
        }
        (false, Some(globs), _) => {
            When { matchers: head.matchers("globs", &globs), ..When::default() }
        }
        (false, None, Some(description)) => {
            When { condition: Some(description.clone()), ..When::default() }
        }
        (false, None, None) => When { manual: true, ..When::default() },
    };
    let rule = Rule {
        name: name.to_owned(),
        description,
        convention: Convention::Cursor,
        path: path.to_owned(),
        when,
        text: Some(body(head.body, head.body_line)),
        imports: Vec::new(),
    };
    head.parsed(Some(rule))
}

/// The single file of earlier versions, which always applies.
fn legacy(files: Files<'_>, problems: &mut Vec<RuleProblem>) -> Option<Arc<Rule>> {
    let entry = files.root.entry(LEGACY).ok()?;
    let parsed = files.parsed(&entry, As::Cursor, |text| {
        let rule = Rule {
            name: LEGACY.to_owned(),
            description: None,
            convention: Convention::Cursor,
            path: LEGACY.to_owned(),
            when: When::default(),
            text: Some(body(text, 1)),
            imports: Vec::new(),
        };
        Parsed { rule: Some(Arc::new(rule)), ..Parsed::default() }
    });
    problems.extend(parsed.problems.iter().cloned());
    parsed.rule.clone()
}
