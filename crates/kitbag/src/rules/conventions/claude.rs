//! `.claude/rules/**/*.md`: rules for the files that `paths` names, and without it for all.

use super::head::Head;
use super::{Convention, Rule, When, body, skipped};
use crate::rules::files::{As, Files, MOST_RULE_FILES, Parsed};
use crate::rules::problem::RuleProblem;
use std::sync::Arc;

const FOLDER: &str = ".claude/rules";

pub(super) fn load(files: Files<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    let listing = files.root.list(FOLDER, MOST_RULE_FILES);
    skipped(&listing, problems);
    let mut rules = Vec::new();
    for entry in &listing.files {
        let name = entry.path.strip_prefix(FOLDER).and_then(|path| path.strip_prefix('/'));
        let Some(name) = name.and_then(|name| name.strip_suffix(".md")) else { continue };
        let parsed = files.parsed(entry, As::Claude, |text| parse(&entry.path, name, text));
        problems.extend(parsed.problems.iter().cloned());
        rules.extend(parsed.rule.clone());
    }
    rules
}

/// Front matter that is no YAML is passed over, and the rule then applies to everything: that is
/// what Claude Code does, and it is told.
fn parse(path: &str, name: &str, text: &str) -> Parsed {
    let mut head = Head::read(path, "Claude Code", text, false);
    if head.is_broken {
        for problem in &mut head.problems {
            problem.message.push_str("; Claude Code ignores it and applies the rule to everything");
        }
    }
    head.known(&["paths"]);
    let when = match head.globs("paths") {
        Some(globs) => When { matchers: head.matchers("paths", &globs), ..When::default() },
        None => When::default(),
    };
    let rule = Rule {
        name: name.to_owned(),
        description: None,
        convention: Convention::ClaudeRule,
        path: path.to_owned(),
        when,
        text: Some(body(head.body, head.body_line)),
        imports: Vec::new(),
    };
    head.parsed(Some(rule))
}
