//! AGENTS.md and CLAUDE.md, from the root to the folders that a request is about.

use super::{Convention, Loaded, Rule, imports};
use crate::rules::files::{As, Files, unreadable};
use crate::rules::problem::RuleProblem;
use kitbag_repo::PathError;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a folder may have, in the order in which it is read.
const NAMES: [(&str, Convention); 4] = [
    ("CLAUDE.md", Convention::ClaudeMd),
    (".claude/CLAUDE.md", Convention::ClaudeMd),
    ("CLAUDE.local.md", Convention::ClaudeMd),
    ("AGENTS.md", Convention::AgentsMd),
];

/// The instructions of the root and of these folders. A file that several lead to, by links or by
/// imports, is there once.
pub(super) fn load(
    files: Files<'_>,
    folders: &[String],
    problems: &mut Vec<RuleProblem>,
) -> Vec<Loaded> {
    let mut seen = BTreeSet::new();
    let mut loaded = Vec::new();
    let mut all: BTreeSet<(usize, &str)> = BTreeSet::from([(0, "")]);
    all.extend(folders.iter().map(|folder| (folder.split('/').count(), folder.as_str())));
    for (_, folder) in all {
        for (name, convention) in NAMES {
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
            let parsed = files.parsed(&entry, As::Text, |text| imports::plain(&entry.path, text));
            problems.extend(parsed.problems.iter().cloned());
            let Some(plain) = &parsed.rule else { continue };
            let rule = Rule { name: path, convention, ..Rule::clone(plain) };
            let imported = imports::follow(files, &rule, &mut seen, problems);
            let scope = (!folder.is_empty()).then(|| folder.to_owned());
            loaded.push(Loaded { rule: Arc::new(rule), scope, imported });
        }
    }
    loaded
}
