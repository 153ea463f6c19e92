//! `.claude/rules/**/*.md`: rules for the files that match `paths`, by default all.

use super::rule_file::RuleFile;
use crate::files::{FileRole, ParsedFile, RuleFiles, RuleFolder};
use crate::model::{Convention, Rule};
use crate::problem::RuleProblem;
use std::sync::Arc;

const FOLDER: RuleFolder = RuleFolder {
    path: ".claude/rules",
    role: FileRole::Claude,
    name: |path| path.strip_suffix(".md"),
    ignored: None,
};

pub(super) fn load(files: RuleFiles<'_>, problems: &mut Vec<RuleProblem>) -> Vec<Arc<Rule>> {
    files.rules(&FOLDER, problems, parse)
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
    let mut rule = Rule::new(Convention::ClaudeRule, name, path, file.text_block());
    rule.trigger.matchers = file.matchers("paths").unwrap_or_default();
    file.parsed(Some(rule))
}
