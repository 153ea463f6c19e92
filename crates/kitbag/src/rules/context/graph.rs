//! Inheritance among contexts: along `extends`, and along the folders.
//!
//! The context `default` of a folder is a parent of every other context in it, and of the `default`
//! of each folder below. What `extends` says comes first: where a folder's `default` itself descends
//! from a context, that context does not inherit from it.

use super::{BehaviorRule, Context, ENDINGS, InjectionRule};
use crate::rules::problem::{RuleProblem, nearest};
use crate::rules::situation::DEFAULT_CONTEXT;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// All contexts of a repository and what each inherits from.
#[derive(Debug, Default)]
pub(in crate::rules) struct Contexts {
    by_id: BTreeMap<String, Arc<Context>>,
    /// The direct parents of each, those that it names first.
    parents: BTreeMap<String, Vec<String>>,
}

/// A context and its ancestors, the nearest first, each once.
#[derive(Debug, Clone)]
pub(in crate::rules) struct Lineage {
    /// The contexts with their distance; the first is the context itself.
    pub members: Vec<(Arc<Context>, usize)>,
}

impl Contexts {
    /// Takes contexts and finds out who inherits from whom. Those on a cycle are left out.
    pub fn new(contexts: Vec<Arc<Context>>, problems: &mut Vec<RuleProblem>) -> Self {
        let mut all = Self { by_id: unique(contexts, problems), parents: BTreeMap::new() };
        let named: Vec<(String, Vec<String>)> = all
            .by_id
            .values()
            .map(|context| (context.id.clone(), all.named_parents(context, problems)))
            .collect();
        all.parents = named.into_iter().collect();
        for cycle in all.cycles() {
            problems.push(all.cycle_problem(&cycle));
            for id in cycle {
                all.by_id.remove(&id);
                all.parents.remove(&id);
            }
        }
        for parents in all.parents.values_mut() {
            parents.retain(|parent| all.by_id.contains_key(parent));
        }
        all.add_folders();
        all
    }

    /// A context by its name.
    pub fn get(&self, id: &str) -> Option<&Arc<Context>> {
        self.by_id.get(tidy(id))
    }

    /// The names of all contexts, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }

    /// A context and its ancestors.
    pub fn lineage(&self, id: &str) -> Option<Lineage> {
        let first = self.get(id)?;
        let mut seen = BTreeSet::from([first.id.as_str()]);
        let mut queue = VecDeque::from([(first, 0)]);
        let mut members = Vec::new();
        while let Some((context, distance)) = queue.pop_front() {
            members.push((Arc::clone(context), distance));
            for parent in self.parents.get(&context.id).into_iter().flatten() {
                if let Some(parent) = self.by_id.get(parent)
                    && seen.insert(&parent.id)
                {
                    queue.push_back((parent, distance + 1));
                }
            }
        }
        Some(Lineage { members })
    }

    /// The contexts that `extends` names. What names nothing is told.
    fn named_parents(&self, context: &Context, problems: &mut Vec<RuleProblem>) -> Vec<String> {
        let mut parents: Vec<String> = Vec::new();
        for (name, place) in &context.extends {
            let wrong =
                |code, message: String| RuleProblem::error(&context.path, code, message).at(*place);
            let beside = context.id.rsplit_once('/').map(|(folder, _)| format!("{folder}/{name}"));
            let candidates = [Some(tidy(name).to_owned()), beside.map(|it| tidy(&it).to_owned())];
            let found = candidates.into_iter().flatten().find(|id| self.by_id.contains_key(id));
            if name.split('/').any(|part| part == "..") {
                let message = format!("`extends` leads out of the folder of contexts: `{name}`");
                problems.push(wrong("outside_root", message));
            } else if let Some(id) = found {
                if !parents.contains(&id) {
                    parents.push(id);
                }
            } else {
                let problem = wrong("extends", format!("`extends` names no context: `{name}`"));
                let others = self.ids().filter(|id| *id != context.id);
                problems.push(match nearest(name, others) {
                    Some(near) => problem.hint(format!("the nearest context is `{near}`")),
                    None => problem,
                });
            }
        }
        parents
    }

    /// The cycles that `extends` makes, each from its first name in order.
    fn cycles(&self) -> Vec<Vec<String>> {
        let mut cycles: Vec<Vec<String>> = Vec::new();
        let mut done: BTreeSet<&str> = BTreeSet::new();
        for start in self.by_id.keys() {
            // The way from the start, each with how many of its parents were looked at.
            let mut way: Vec<(&str, usize)> = vec![(start, 0)];
            while let Some((id, looked)) = way.last_mut() {
                let next = self.parents.get(*id).and_then(|parents| parents.get(*looked));
                let Some(next) = next.filter(|_| !done.contains(*id)) else {
                    done.insert(id);
                    way.pop();
                    continue;
                };
                *looked += 1;
                if let Some(at) = way.iter().position(|(id, _)| id == next) {
                    cycles.push(way[at..].iter().map(|(id, _)| (*id).to_owned()).collect());
                } else if !done.contains(next.as_str()) {
                    way.push((next, 0));
                }
            }
        }
        for cycle in &mut cycles {
            let first = cycle.iter().enumerate().min_by_key(|(_, id)| *id).map_or(0, |it| it.0);
            cycle.rotate_left(first);
        }
        cycles.sort();
        cycles.dedup();
        cycles
    }

    fn cycle_problem(&self, cycle: &[String]) -> RuleProblem {
        let first = cycle.first().map(String::as_str).unwrap_or_default();
        let names: Vec<&str> = cycle.iter().map(String::as_str).chain([first]).collect();
        let message = format!("contexts that extend each other: {}", names.join(" -> "));
        let (path, place) = match self.by_id.get(first) {
            Some(context) => (context.path.as_str(), context.extends.first().map(|it| it.1)),
            None => (first, None),
        };
        let problem = RuleProblem::error(path, "cycle", message).hint("remove one `extends`");
        match place {
            Some(place) => problem.at(place),
            None => problem,
        }
    }

    /// Makes the `default` of the nearest folder a parent, unless it descends from the child.
    fn add_folders(&mut self) {
        let ids: Vec<String> = self.by_id.keys().cloned().collect();
        for id in ids {
            let Some(parent) = self.folder_parent(&id) else { continue };
            if !self.descends(&parent, &id) {
                let parents = self.parents.entry(id).or_default();
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
        }
    }

    /// The `default` of the folder that a context is in, or of the nearest one above.
    fn folder_parent(&self, id: &str) -> Option<String> {
        let mut folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
        loop {
            let default = match folder {
                "" => DEFAULT_CONTEXT.to_owned(),
                folder => format!("{folder}/{DEFAULT_CONTEXT}"),
            };
            if default != id && self.by_id.contains_key(&default) {
                return Some(default);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
    }

    /// Whether one context inherits from another, however far.
    fn descends(&self, id: &str, from: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if id == from {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.parents.get(id).into_iter().flatten().map(String::as_str));
            }
        }
        false
    }
}

impl Lineage {
    /// The first of the lineage that says something: for single values the child wins.
    pub fn value(&self, of: impl Fn(&Context) -> Option<&String>) -> Option<&str> {
        self.members.iter().find_map(|(context, _)| of(context)).map(String::as_str)
    }

    /// The behaviour rules of each context, without those that a nearer one replaces.
    pub fn behavior_rules(&self) -> Vec<Vec<BehaviorRule>> {
        let mut seen = BTreeSet::new();
        let own = |(context, _): &(Arc<Context>, usize)| {
            let rules = context.behavior_rules.iter();
            rules.filter(|rule| seen.insert(rule.name.clone())).cloned().collect()
        };
        self.members.iter().map(own).collect()
    }

    /// The injection rules of all, the nearest first, without those that a nearer one replaces.
    pub fn injection_rules(&self) -> Vec<Arc<InjectionRule>> {
        let mut seen = BTreeSet::new();
        let all = self.members.iter().flat_map(|(context, _)| &context.injection_rules);
        all.filter(|rule| seen.insert(rule.name.as_str())).cloned().collect()
    }
}

/// The contexts by name. Of two files with one name the first by ending counts.
fn unique(
    mut contexts: Vec<Arc<Context>>,
    problems: &mut Vec<RuleProblem>,
) -> BTreeMap<String, Arc<Context>> {
    let rank = |path: &str| ENDINGS.iter().position(|it| path.ends_with(&format!(".{it}")));
    contexts.sort_by_key(|context| (context.id.clone(), rank(&context.path)));
    let mut by_id: BTreeMap<String, Arc<Context>> = BTreeMap::new();
    for context in contexts {
        if let Some(first) = by_id.get(&context.id) {
            let message = format!("not read, since `{}` has the same name", first.path);
            problems.push(RuleProblem::warning(&context.path, "same_name", message));
        } else {
            by_id.insert(context.id.clone(), context);
        }
    }
    by_id
}

/// A name without what people may write around it.
fn tidy(name: &str) -> &str {
    let name = name.trim().trim_start_matches("./").trim_matches('/');
    let ending = ENDINGS.iter().find_map(|it| name.strip_suffix(it)?.strip_suffix('.'));
    ending.unwrap_or(name)
}
