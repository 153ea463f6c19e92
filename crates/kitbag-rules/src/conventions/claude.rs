//! `.claude/rules/**/*.md`: rules for the files that match `paths`, by default all.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles};
use crate::model::{Convention, ConventionRule, RuleTrigger};
use crate::problem::RuleProblem;
use std::sync::Arc;

const FOLDER: &str = ".claude/rules";

pub(super) fn load(
    files: RuleFiles<'_>,
    problems: &mut Vec<RuleProblem>,
) -> Vec<Arc<ConventionRule>> {
    let mut rules = Vec::new();
    for entry in &files.list(FOLDER, problems) {
        let name = entry.path.strip_prefix(FOLDER).and_then(|path| path.strip_prefix('/'));
        let Some(name) = name.and_then(|name| name.strip_suffix(".md")) else { continue };
        let parse = |text: &str| parse(&entry.path, name, text);
        rules.extend(files.rule(entry, FileRole::Claude, problems, parse));
    }
    rules
}

/// Parses a rule. Like Claude Code, ignores invalid front matter, so that the rule applies to all
/// files.
fn parse(path: &str, name: &str, text: &str) -> ParsedFile {
    let mut file = RuleFile::read(path, "Claude Code", text, false);
    if file.is_broken {
        for problem in &mut file.problems {
            problem.message.push_str("; Claude Code ignores it and applies the rule to all files");
        }
    }
    file.check_keys(&["paths"]);
    let mut rule = ConventionRule::new(Convention::ClaudeRule, name, path, file.text_block());
    if let Some(globs) = file.globs("paths") {
        rule.trigger = RuleTrigger { matchers: file.matchers("paths", &globs), ..rule.trigger };
    }
    file.parsed(Some(rule))
}
