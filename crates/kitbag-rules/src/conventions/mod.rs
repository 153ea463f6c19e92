//! Existing conventions, read as their tools document them: Cursor rules, Copilot instructions,
//! `.claude/rules`, skills, AGENTS.md and CLAUDE.md.
//!
//! Values that a tool ignores silently are reported. `rule_file` reads front matter, `imports` follows
//! `@path` inside the root, and the other modules read one convention each.

mod claude;
mod copilot;
mod cursor;
mod imports;
mod nested;
mod rule_file;
mod skills;

pub(crate) use skills::skill_text;

use crate::files::RuleFiles;
use crate::model::{Rule, RuleText};
use crate::problem::RuleProblem;
use std::sync::Arc;

/// A rule with its imports.
#[derive(Debug, Clone)]
pub(crate) struct LoadedRule {
    pub rule: Arc<Rule>,
    /// The folder that the rule is limited to.
    pub scope: Option<String>,
    pub imported: Vec<RuleText>,
}

impl From<Arc<Rule>> for LoadedRule {
    fn from(rule: Arc<Rule>) -> Self {
        Self { rule, scope: None, imported: Vec::new() }
    }
}

/// Loads the rules of all conventions, each file once: first those of folders, from the root to the
/// leaves, then the others by convention and path.
pub(crate) fn load(
    files: RuleFiles<'_>,
    folders: &[String],
    problems: &mut Vec<RuleProblem>,
) -> Vec<LoadedRule> {
    let mut loaded = nested::load(files, folders, problems);
    for load in [claude::load, copilot::load, cursor::load, skills::load] {
        let rules = load(files, problems).into_iter();
        loaded.extend(rules.map(LoadedRule::from));
    }
    loaded
}
