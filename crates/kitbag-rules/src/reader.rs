//! Loading of the rules of a repository.

use crate::context::{ContextGraph, context_id, parse_context};
use crate::conventions::{self, LoadedRule};
use crate::files::{FileRole, ParseCache, ParsedFile, RuleFiles};
use crate::judge::{ConditionJudge, JudgeCache};
use crate::model::{CONTEXTS_FOLDER, Rule, RuleContext};
use crate::problem::RuleProblem;
use crate::situation::Situation;
use crate::times::{RuleTimes, TimesCache};
use kitbag_config::RulesSettings;
use kitbag_repo::{FileEntry, Root, Tree};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Reads rules and decides which apply. It can be shared by any number of roots and threads, and caches
/// parsed files and verdicts.
#[derive(Debug, Default)]
pub struct RuleReader {
    pub(crate) files: ParseCache,
    times: TimesCache,
    pub(crate) verdicts: JudgeCache,
}

/// The rules of a repository.
#[derive(Debug, Default)]
pub struct RuleSet {
    pub(crate) contexts: ContextGraph,
    /// Ids of contexts that exist but cannot be used.
    pub(crate) broken: BTreeSet<String>,
    pub(crate) rules: Vec<LoadedRule>,
}

/// Options for [`RuleReader::assemble`].
#[derive(Clone, Copy)]
pub struct RuleOptions<'a> {
    /// Settings of rules.
    pub settings: RulesSettings,
    /// Judge of conditions in plain language.
    pub judge: Option<&'a dyn ConditionJudge>,
    /// Deadline of the judge, after which conditions are undecided.
    pub judge_until: Option<Instant>,
    /// Returns when a file last changed, in seconds since 1970, if known.
    pub changed: &'a dyn Fn(&str) -> Option<i64>,
    /// Files of the repository, if already walked; otherwise a glob of `inject` walks it.
    pub tree: Option<&'a dyn Tree>,
}

impl Default for RuleOptions<'_> {
    fn default() -> Self {
        let settings = RulesSettings::default();
        Self { settings, judge: None, judge_until: None, changed: &|_| None, tree: None }
    }
}

impl RuleReader {
    /// Returns when the context files of a root last changed.
    pub fn times(&self, root: &Root, now: Option<i64>) -> RuleTimes {
        self.times.of(root, now)
    }

    /// Loads the rules for a situation, with problems in the order of the files. AGENTS.md and CLAUDE.md
    /// are read at the root and in the folders of the situation's files.
    pub fn load(&self, root: &Root, situation: &Situation) -> (RuleSet, Vec<RuleProblem>) {
        let folders: BTreeSet<&str> =
            situation.paths.iter().flat_map(|it| enclosing_folders(it)).collect();
        let folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
        self.load_folders(root, &folders)
    }

    /// Loads the rules, with AGENTS.md and CLAUDE.md of the root and exactly these folders.
    pub fn load_folders(&self, root: &Root, folders: &[String]) -> (RuleSet, Vec<RuleProblem>) {
        let files = RuleFiles { root, cache: &self.files };
        let mut problems = Vec::new();
        let (contexts, ids) = load_contexts(files, &mut problems);
        let contexts = ContextGraph::new(contexts, &mut problems);
        let broken = ids.into_iter().filter(|id| contexts.get(id).is_none()).collect();
        let rules = conventions::load(files, folders, &mut problems);
        let order = |it: &RuleProblem| (it.path.clone(), it.line, it.column, it.message.clone());
        problems.sort_by_key(order);
        problems.dedup();
        (RuleSet { contexts, broken, rules }, problems)
    }
}

impl RuleSet {
    /// Returns the ids of all contexts, sorted.
    pub fn contexts(&self) -> impl Iterator<Item = &str> {
        self.contexts.ids()
    }

    /// Returns a context by its name.
    pub fn context(&self, name: &str) -> Option<&RuleContext> {
        self.contexts.get(name).map(Arc::as_ref)
    }

    /// Returns the rules of conventions other than contexts.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|loaded| loaded.rule.as_ref())
    }
}

/// Returns the folders of a path, outermost first, and the path itself, which may be a folder.
pub fn enclosing_folders(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.map(|end| &path[..end]).filter(|folder| !folder.is_empty())
}

/// Loads all context files. Returns the usable ones, and the ids of all.
fn load_contexts(
    files: RuleFiles<'_>,
    problems: &mut Vec<RuleProblem>,
) -> (Vec<Arc<RuleContext>>, Vec<String>) {
    let parse = |entry: &FileEntry| {
        let id = context_id(&entry.path)?;
        let parse = |text: &str| parse_context(&entry.path, id, text);
        Some((files.parsed(entry, FileRole::Context, parse), id.to_owned()))
    };
    let entries = files.list(CONTEXTS_FOLDER, |_| true, problems);
    let (parsed, ids): (Vec<Arc<ParsedFile>>, Vec<String>) =
        entries.par_iter().filter_map(parse).unzip();
    problems.extend(parsed.iter().flat_map(|file| file.problems.iter().cloned()));
    (parsed.iter().filter_map(|file| file.context.clone()).collect(), ids)
}
