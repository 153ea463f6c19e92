//! AGENTS.md and CLAUDE.md, from the root to the folders of a request.

use super::{LoadedRule, imports};
use crate::files::{FileRole, RuleFiles, unreadable};
use crate::model::{Convention, Rule};
use crate::problem::RuleProblem;
use kitbag_repo::PathError;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The files of a folder, in reading order.
const FILES: [(&str, Convention); 4] = [
    ("CLAUDE.md", Convention::ClaudeMd),
    (".claude/CLAUDE.md", Convention::ClaudeMd),
    ("CLAUDE.local.md", Convention::ClaudeMd),
    ("AGENTS.md", Convention::AgentsMd),
];

/// Loads the instructions of the root and of some folders. A file that is linked or imported several
/// times is loaded once.
pub(super) fn load(
    files: RuleFiles<'_>,
    folders: &[String],
    problems: &mut Vec<RuleProblem>,
) -> Vec<LoadedRule> {
    let mut seen = BTreeSet::new();
    let mut loaded = Vec::new();
    let mut by_depth: BTreeSet<(usize, &str)> = BTreeSet::from([(0, "")]);
    by_depth.extend(folders.iter().map(|folder| (folder.split('/').count(), folder.as_str())));
    for (_, folder) in by_depth {
        for (name, convention) in FILES {
            let path = if folder.is_empty() { name.into() } else { format!("{folder}/{name}") };
            let entry = match files.root.entry(&path) {
                Ok(entry) => entry,
                Err(PathError::NotFound { .. }) => continue,
                Err(error) => {
                    problems.push(unreadable(&path, &error));
                    continue;
                }
            };
            if !seen.insert(entry.path.clone()) {
                continue;
            }
            let parse = |text: &str| imports::parse(&entry.path, text);
            let Some(plain) = files.rule(&entry, FileRole::Text, problems, parse) else { continue };
            let rule = Rule { name: path, convention, ..Rule::clone(&plain) };
            let imported = imports::follow(files, &rule, &mut seen, problems);
            let scope = (!folder.is_empty()).then(|| folder.to_owned());
            loaded.push(LoadedRule { rule: Arc::new(rule), scope, imported });
        }
    }
    loaded
}
