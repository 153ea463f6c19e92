//! Inheritance of contexts: through `extends` and through folders.
//!
//! The context `default` of a folder is a parent of every other context in it and of the `default` of
//! each folder below. `extends` takes precedence: a context does not inherit from a `default` that
//! descends from it.

use super::EXTENSIONS;
use crate::model::{BehaviorRule, LocatedName, Rule, RuleContext};
use crate::problem::RuleProblem;
use crate::situation::DEFAULT_CONTEXT;
use kitbag_tokens::name_hint;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// All contexts of a repository and their parents.
#[derive(Debug, Default)]
pub(crate) struct ContextGraph {
    by_id: BTreeMap<String, Arc<RuleContext>>,
    /// Direct parents of each context, those of `extends` first.
    parents: BTreeMap<String, Vec<String>>,
}

/// A context and its ancestors, nearest first, without duplicates.
#[derive(Debug, Clone)]
pub(crate) struct Lineage {
    pub members: Vec<LineageMember>,
}

#[derive(Debug, Clone)]
pub(crate) struct LineageMember {
    pub context: Arc<RuleContext>,
    /// Number of steps from the first context.
    pub distance: usize,
}

impl ContextGraph {
    /// Builds the graph, without contexts on a cycle.
    pub fn new(contexts: Vec<Arc<RuleContext>>, problems: &mut Vec<RuleProblem>) -> Self {
        let mut all = Self { by_id: index_by_id(contexts, problems), parents: BTreeMap::new() };
        let contexts = all.by_id.values();
        let extended = contexts.map(|it| (it.id.clone(), all.extended_parents(it, problems)));
        all.parents = extended.collect();
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
        all.add_folder_parents();
        all
    }

    /// Returns a context by its name, which may have an extension.
    pub fn get(&self, id: &str) -> Option<&Arc<RuleContext>> {
        self.by_id.get(context_name(id))
    }

    /// Returns the ids of all contexts, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> + Clone {
        self.by_id.keys().map(String::as_str)
    }

    /// Returns a context and its ancestors.
    pub fn lineage(&self, id: &str) -> Option<Lineage> {
        let first = self.get(id)?;
        let mut seen = BTreeSet::from([first.id.as_str()]);
        let mut queue = VecDeque::from([(first, 0)]);
        let mut members = Vec::new();
        while let Some((context, distance)) = queue.pop_front() {
            members.push(LineageMember { context: Arc::clone(context), distance });
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

    /// Resolves the names in `extends`, reporting unknown ones.
    fn extended_parents(
        &self,
        context: &RuleContext,
        problems: &mut Vec<RuleProblem>,
    ) -> Vec<String> {
        let mut parents: Vec<String> = Vec::new();
        for LocatedName { name, position } in &context.extends {
            let error = |code, message: String| {
                RuleProblem::error(&context.path, code, message).at(*position)
            };
            let sibling = context.id.rsplit_once('/').map(|(folder, _)| format!("{folder}/{name}"));
            let found = self.get(name).or_else(|| self.get(&sibling?));
            if name.split('/').any(|part| part == "..") {
                let message = format!("`extends` leads outside the folder of contexts: `{name}`");
                problems.push(error("outside_root", message));
            } else if let Some(parent) = found {
                if !parents.contains(&parent.id) {
                    parents.push(parent.id.clone());
                }
            } else {
                let others = self.ids().filter(|id| *id != context.id);
                let message = format!("unknown context `{name}` in `extends`");
                let hint = name_hint(name, others);
                problems.push(error("extends", message).hint(hint.as_deref()));
            }
        }
        parents
    }

    /// Returns the cycles of `extends`, each starting with its smallest id.
    fn cycles(&self) -> BTreeSet<Vec<String>> {
        let mut cycles = BTreeSet::new();
        let mut done: BTreeSet<&str> = BTreeSet::new();
        for start in self.by_id.keys() {
            // The path from the start, with the number of visited parents of each.
            let mut path: Vec<(&str, usize)> = vec![(start, 0)];
            while let Some((id, visited)) = path.last_mut() {
                let next = self.parents.get(*id).and_then(|parents| parents.get(*visited));
                let Some(next) = next.filter(|_| !done.contains(*id)) else {
                    done.insert(id);
                    path.pop();
                    continue;
                };
                *visited += 1;
                if let Some(at) = path.iter().position(|(id, _)| id == next) {
                    let mut cycle: Vec<String> =
                        path[at..].iter().map(|(id, _)| (*id).to_owned()).collect();
                    let first = (0..cycle.len()).min_by_key(|&at| &cycle[at]).unwrap_or(0);
                    cycle.rotate_left(first);
                    cycles.insert(cycle);
                } else if !done.contains(next.as_str()) {
                    path.push((next, 0));
                }
            }
        }
        cycles
    }

    fn cycle_problem(&self, cycle: &[String]) -> RuleProblem {
        let first = cycle.first().map(String::as_str).unwrap_or_default();
        let message = format!("`extends` forms a cycle: {} -> {first}", cycle.join(" -> "));
        let context = self.by_id.get(first);
        let path = context.map_or(first, |context| &context.path);
        let problem = RuleProblem::error(path, "cycle", message).hint("remove one `extends`");
        match context.and_then(|context| context.extends.first()) {
            Some(LocatedName { position, .. }) => problem.at(*position),
            None => problem,
        }
    }

    /// Adds the `default` of the nearest folder as a parent, unless it descends from the child.
    fn add_folder_parents(&mut self) {
        let ids: Vec<String> = self.by_id.keys().cloned().collect();
        for id in ids {
            let Some(parent) = self.folder_parent(&id) else { continue };
            let ancestors = self.lineage(&parent).map(|it| it.members).unwrap_or_default();
            if ancestors.iter().all(|member| member.context.id != id) {
                let parents = self.parents.entry(id).or_default();
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
        }
    }

    /// Returns the `default` of the context's folder, or of the nearest folder above.
    fn folder_parent(&self, id: &str) -> Option<String> {
        let folders = id.rmatch_indices('/').map(|(end, _)| &id[..=end]).chain([""]);
        let mut defaults = folders.map(|folder| format!("{folder}{DEFAULT_CONTEXT}"));
        defaults.find(|default| default != id && self.by_id.contains_key(default))
    }
}

impl Lineage {
    /// Returns the value of the nearest context that sets it.
    pub fn value(&self, of: impl Fn(&RuleContext) -> Option<&String>) -> Option<&str> {
        self.members.iter().find_map(|member| of(&member.context)).map(String::as_str)
    }

    /// Returns the behavior rules of each context, without those that a nearer one replaces.
    pub fn behavior_rules(&self) -> Vec<Vec<BehaviorRule>> {
        let mut seen = BTreeSet::new();
        let own = |member: &LineageMember| {
            let rules = member.context.behavior_rules.iter();
            rules.filter(|rule| seen.insert(rule.name.clone())).cloned().collect()
        };
        self.members.iter().map(own).collect()
    }

    /// Returns the injection rules, nearest first, without those that a nearer one replaces.
    pub fn injection_rules(&self) -> Vec<Arc<Rule>> {
        let mut seen = BTreeSet::new();
        let all = self.members.iter().flat_map(|member| &member.context.injection_rules);
        all.filter(|rule| seen.insert(rule.name.as_str())).cloned().collect()
    }
}

/// Indexes contexts by id. Of several files with one id, the first by extension is used.
fn index_by_id(
    mut contexts: Vec<Arc<RuleContext>>,
    problems: &mut Vec<RuleProblem>,
) -> BTreeMap<String, Arc<RuleContext>> {
    let rank = |path: &str| EXTENSIONS.iter().position(|it| path.ends_with(&format!(".{it}")));
    contexts.sort_by_key(|context| (context.id.clone(), rank(&context.path)));
    let mut by_id: BTreeMap<String, Arc<RuleContext>> = BTreeMap::new();
    for context in contexts {
        if let Some(first) = by_id.get(&context.id) {
            let message = format!("ignored, since `{}` has the same name", first.path);
            problems.push(RuleProblem::warning(&context.path, "same_name", message));
        } else {
            by_id.insert(context.id.clone(), context);
        }
    }
    by_id
}

/// Strips `./`, slashes and the extension from a name.
fn context_name(name: &str) -> &str {
    let name = name.trim().trim_start_matches("./").trim_matches('/');
    let stem = EXTENSIONS.iter().find_map(|it| name.strip_suffix(it)?.strip_suffix('.'));
    stem.unwrap_or(name)
}
