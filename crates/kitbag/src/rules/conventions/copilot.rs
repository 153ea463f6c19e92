//! Copilot instructions: `.github/copilot-instructions.md`, which always applies, and
//! `.github/instructions/**/*.instructions.md`, which apply to the files that `applyTo` names.

use super::head::Head;
use super::{Convention, Rule, When, body, skipped};
use crate::rules::files::{As, Files, MOST_RULE_FILES, Parsed};
use crate::rules::problem::RuleProblem;
use std::sync::Arc;

const WHOLE: &str = ".github/copilot-instructions.md";
const FOLDER: &str = ".github/instructions";
const ENDING: &str = ".instructions.md";
const KEYS: [&str; 4] = ["applyTo", "description", "name", "excludeAgent"];
/// Those whom `excludeAgent` can exclude.
const AGENTS: [&str; 3] = ["code-review", "coding-agent", "cloud-agent"];

pub(super) fn load(files: Files<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let mut rules: Vec<Arc<Rule>> = whole(files, problems).into_iter().collect();
    let listing = files.root.list(FOLDER, MOST_RULE_FILES);
    skipped(&listing, problems);
    for entry in &listing.files {
        let name = entry.path.strip_prefix(FOLDER).and_then(|path| path.strip_prefix('/'));
        let Some(name) = name.and_then(|name| name.strip_suffix(ENDING)) else {
            if entry.path.ends_with(".md") {
                let message =
                    format!("Copilot ignores a file here that does not end in `{ENDING}`");
                let problem = RuleProblem::warning(&entry.path, "ignored_file", message);
                problems.push(problem.hint("rename it"));
            }
            continue;
        };
        let parsed = files.parsed(entry, As::Copilot, |text| parse(&entry.path, name, text));
        problems.extend(parsed.problems.iter().cloned());
        rules.extend(parsed.rule.clone());
    }
    rules
}

fn parse(path: &str, name: &str, text: &str) -> Parsed {
    let mut head = Head::read(path, "Copilot", text, true);
    if head.is_broken {
        return head.parsed(None);
    }
    head.known(&KEYS);
    if let Some(agent) = head.text("excludeAgent")
        && !AGENTS.contains(&agent.as_str())
    {
        let message = format!("Copilot has no agent `{agent}` to exclude");
        head.odd("excludeAgent", "ignored_value", message);
    }
    if head.is_list("applyTo") {
        let message = "Copilot documents `applyTo` as one text with commas, not as a list";
        head.odd("applyTo", "ignored_value", message.to_owned());
    }
    let when = match head.globs("applyTo") {
        Some(globs) => When { matchers: head.matchers("applyTo", &globs), ..When::default() },
        None => {
            let message = "without `applyTo`, Copilot does not apply it by itself";
            head.odd("applyTo", "ignored_file", message.to_owned());
            When { manual: true, ..When::default() }
        }
    };
    let rule = Rule {
        name: head.text("name").unwrap_or_else(|| name.to_owned()),
        description: head.text("description"),
        convention: Convention::Copilot,
        path: path.to_owned(),
        when,
        text: Some(body(head.body, head.body_line)),
        imports: Vec::new(),
    };
    head.parsed(Some(rule))
}

/// The instructions for the whole repository.
fn whole(files: Files<'_>, problems: &mut Vec<RuleProblem>) -> Option<Arc<Rule>> {
    let entry = files.root.entry(WHOLE).ok()?;
    let parsed = files.parsed(&entry, As::Copilot, |text| {
        let head = Head::read(WHOLE, "Copilot", text, true);
        let rule = Rule {
            name: "copilot-instructions".to_owned(),
            description: None,
            convention: Convention::Copilot,
            path: WHOLE.to_owned(),
            when: When::default(),
            text: Some(body(head.body, head.body_line)),
            imports: Vec::new(),
        };
        head.parsed(Some(rule))
    });
    problems.extend(parsed.problems.iter().cloned());
    parsed.rule.clone()
}
