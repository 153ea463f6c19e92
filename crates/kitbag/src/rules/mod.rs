//! Rules: contexts with inheritance, the conventions that projects have already, and the conditions
//! under which they are injected.
//!
//! A [`RuleReader`] reads the rule files of a repository ([`RuleReader::load`]) and tells what applies
//! in a situation ([`RuleReader::assemble`]): explicit matchers decide first, then a judge, and what
//! nobody can decide is offered. [`Assembly::layout`] makes text of it within a budget.
//!
//! Rule files are read through the root alone, and nothing in them starts a program or names an
//! address. What is wrong with one costs that file, or that key, and is told with its place.

mod assemble;
mod context;
mod conventions;
mod decide;
mod engine;
mod files;
mod front;
mod inject;
mod judge;
mod layout;
mod matchers;
mod problem;
mod settings;
mod similar;
mod situation;
mod times;
mod truth;

pub use assemble::{ActiveContext, ActiveRule, Assembly, Role};
pub use context::{BehaviorRule, CONTEXTS_FOLDER, Context, InjectionRule, context_schema};
pub use conventions::{Convention, Part, Rule, When};
pub use decide::RuleDecision;
pub use engine::{ContextItem, RULES_VERSION, RulesReport, RulesRequest, TrustReport, WantedPiece};
pub use files::{MOST_RULE_BYTES, MOST_RULE_FILES};
pub use judge::{
    AnthropicJudge, ConditionJudge, JudgeCache, JudgeError, JudgeKind, JudgeSettings, Key,
    OpenAiJudge, PROMPT_VERSION, Question, judge_of,
};
pub use layout::{Form, HistoryItem, Layout, LeftOut, Section, SectionKind};
pub use matchers::Matchers;
pub use problem::{RuleProblem, RulesError, Severity};
pub use settings::{Order, RulesSettings, Undecided};
pub use situation::{DEFAULT_CONTEXT, MOST_SITUATION_BYTES, Situation};
pub use times::RuleTimes;
pub use truth::Truth;

use context::Contexts;
use conventions::Loaded;
use files::{As, Files, Kept, Parsed};
use kitbag_repo::{FileEntry, Root, Tree};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use times::KeptTimes;

/// Reads rules and tells which apply. One serves any number of roots and threads: it remembers what
/// files were parsed to, and what was judged.
#[derive(Debug, Default)]
pub struct RuleReader {
    kept: Kept,
    times: KeptTimes,
    verdicts: JudgeCache,
}

/// The rules of a repository.
#[derive(Debug, Default)]
pub struct RuleSet {
    contexts: Contexts,
    /// The names of contexts that are there and cannot be used.
    broken: BTreeSet<String>,
    rules: Vec<Loaded>,
}

/// How rules are assembled.
#[derive(Clone, Copy)]
pub struct RuleOptions<'a> {
    /// What is set about them.
    pub settings: RulesSettings,
    /// Who judges conditions in plain language.
    pub judge: Option<&'a dyn ConditionJudge>,
    /// When the judge has to be done; conditions are undecided then.
    pub judge_until: Option<Instant>,
    /// When a file last changed, in seconds since 1970, where that is known.
    pub changed: &'a dyn Fn(&str) -> Option<i64>,
    /// The files of the repository, where somebody has walked it: else a glob of `inject` walks.
    pub tree: Option<&'a dyn Tree>,
}

impl Default for RuleOptions<'_> {
    fn default() -> Self {
        let settings = RulesSettings::default();
        Self { settings, judge: None, judge_until: None, changed: &|_| None, tree: None }
    }
}

impl RuleReader {
    /// When the context files of a root last changed.
    pub fn times(&self, root: &Root, now: Option<i64>) -> RuleTimes {
        self.times.of(root, now)
    }

    /// Reads the rules that a situation in this root may want, and tells what is wrong with them, in
    /// the order of the files. AGENTS.md and CLAUDE.md are looked for at the root and in the folders
    /// that the situation's files are in.
    pub fn load(&self, root: &Root, situation: &Situation) -> (RuleSet, Vec<RuleProblem>) {
        let folders: BTreeSet<&str> = situation.paths.iter().flat_map(|it| folders(it)).collect();
        let folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
        self.load_with(root, &folders)
    }

    /// The same, with AGENTS.md and CLAUDE.md of exactly the root and these folders.
    pub fn load_with(&self, root: &Root, folders: &[String]) -> (RuleSet, Vec<RuleProblem>) {
        let files = Files { root, kept: &self.kept };
        let mut problems = Vec::new();
        let (contexts, mut broken) = load_contexts(files, &mut problems);
        let names: BTreeSet<String> = contexts.iter().map(|it| it.id.clone()).collect();
        let contexts = Contexts::new(contexts, &mut problems);
        let left: BTreeSet<String> = contexts.ids().map(str::to_owned).collect();
        broken.extend(names.difference(&left).cloned());
        let rules = conventions::load(files, folders, &mut problems);
        let place = |it: &RuleProblem| (it.path.clone(), it.line, it.column, it.message.clone());
        problems.sort_by_key(place);
        problems.dedup();
        (RuleSet { contexts, broken, rules }, problems)
    }
}

impl RuleSet {
    /// The names of all contexts, in order.
    pub fn contexts(&self) -> impl Iterator<Item = &str> {
        self.contexts.ids()
    }

    /// A context by its name.
    pub fn context(&self, name: &str) -> Option<&Context> {
        self.contexts.get(name).map(Arc::as_ref)
    }

    /// The rules of other conventions.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|loaded| loaded.rule.as_ref())
    }
}

/// The folders that a path lies in, the outermost first, and the path itself: it may be one.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.map(|end| &path[..end]).filter(|folder| !folder.is_empty())
}

/// Every context file, and the names of those that cannot be used.
fn load_contexts(
    files: Files<'_>,
    problems: &mut Vec<RuleProblem>,
) -> (Vec<Arc<Context>>, BTreeSet<String>) {
    let listing = files.root.list(CONTEXTS_FOLDER, MOST_RULE_FILES);
    for it in &listing.skipped {
        problems.push(RuleProblem::error(&it.path, it.code, it.detail.clone()));
    }
    let read = |entry: &FileEntry| {
        let id = context::id_of(&entry.path)?;
        let parsed = files.parsed(entry, As::Context, |text| context::read(&entry.path, id, text));
        Some((id.to_owned(), parsed))
    };
    let read: Vec<(String, Arc<Parsed>)> = listing.files.par_iter().filter_map(read).collect();
    let (mut contexts, mut broken) = (Vec::new(), BTreeSet::new());
    for (id, parsed) in read {
        problems.extend(parsed.problems.iter().cloned());
        match &parsed.context {
            Some(context) => contexts.push(Arc::clone(context)),
            None => drop(broken.insert(id)),
        }
    }
    (contexts, broken)
}
