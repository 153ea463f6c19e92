//! From a situation to what applies in it: contexts with their priorities, rules with their texts,
//! and what is offered since nobody could judge it.

use super::context::{BehaviorRule, Context, InjectionRule, Lineage};
use super::conventions::{Convention, Loaded, Part, skill_body};
use super::decide::{Decided, Deciding, Origin, RuleDecision};
use super::files::Files;
use super::inject::Injector;
use super::matchers::Seen;
use super::problem::{RuleProblem, RulesError, nearest};
use super::settings::{Order, Undecided};
use super::situation::Situation;
use super::{RuleOptions, RuleReader, RuleSet};
use kitbag_core::Cancel;
use kitbag_repo::Root;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What applies in a situation.
#[derive(Debug, Clone, Default)]
pub struct Assembly {
    /// The situation in words.
    pub situation: String,
    /// The time that ages are measured from.
    pub now: Option<i64>,
    /// The contexts, the most important first.
    pub contexts: Vec<ActiveContext>,
    /// The rules of other conventions that apply, and files that rules inject, in order.
    pub rules: Vec<ActiveRule>,
    /// Every rule and whether it applies.
    pub decisions: Vec<RuleDecision>,
    /// Who judged conditions, or had judged them.
    pub judge: Option<String>,
    /// What is wrong.
    pub problems: Vec<RuleProblem>,
}

/// A context that applies.
#[derive(Debug, Clone)]
pub struct ActiveContext {
    /// The context by itself.
    pub context: Arc<Context>,
    /// What it is to the situation.
    pub role: Role,
    /// What it is all for; the current context inherits it where it does not say.
    pub business_goal: Option<String>,
    /// The kind of work; the current context inherits it where it does not say.
    pub intent_type: Option<String>,
    /// Its behaviour rules, without those that a nearer context replaces.
    pub behavior_rules: Vec<BehaviorRule>,
    /// How important it is.
    pub priority: f64,
    /// When it last changed, in seconds since 1970.
    pub timestamp: Option<i64>,
}

/// What a context is to a situation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// The current context.
    Current,
    /// The current one inherits from it, so many steps away.
    Ancestor(usize),
    /// A rule injects it.
    Injected {
        /// The rule.
        rule: String,
    },
}

/// A rule that applies, with its texts.
#[derive(Debug, Clone)]
pub struct ActiveRule {
    /// What it is called.
    pub name: String,
    /// Whose way of writing it follows.
    pub convention: Convention,
    /// Why it applies.
    pub reason: String,
    /// Its text, and what it imports or injects.
    pub parts: Vec<Part>,
    /// When its file last changed, in seconds since 1970.
    pub timestamp: Option<i64>,
}

impl Assembly {
    /// The undecided rules that are not injected, the most similar first: whoever reads the pack
    /// may decide.
    pub fn offered(&self) -> Vec<&RuleDecision> {
        let is_open = |it: &&RuleDecision| it.outcome == super::Truth::Undecided && !it.injected;
        let mut offered: Vec<&RuleDecision> = self.decisions.iter().filter(is_open).collect();
        offered.sort_by(|a, b| {
            let names = || (&a.name, &a.path, a.line).cmp(&(&b.name, &b.path, b.line));
            b.similarity.total_cmp(&a.similarity).then_with(names)
        });
        offered
    }
}

impl RuleReader {
    /// What applies in a situation.
    pub fn assemble(
        &self,
        root: &Root,
        set: &RuleSet,
        situation: &Situation,
        options: &RuleOptions<'_>,
        cancel: &Cancel,
    ) -> Result<Assembly, RulesError> {
        let current = set.current(situation)?;
        let injections = current.as_ref().map(Lineage::injection_rules).unwrap_or_default();
        let deciding = Deciding {
            seen: Seen::new(situation),
            judge: options.judge,
            until: options.judge_until,
            verdicts: &self.verdicts,
            injects_undecided: options.settings.undecided == Undecided::Inject,
            cancel,
        };
        let origins = origins(set, injections, options.settings.order);
        let Decided { decisions, judged } = deciding.decide(&origins)?;
        let mut assembly = Assembly {
            situation: deciding.seen.text,
            now: situation.now,
            judge: judged.by.clone(),
            ..Assembly::default()
        };
        if let Some(error) = &judged.error {
            let message = format!("conditions were not judged: {error}");
            assembly.problems.push(RuleProblem::warning("judge", "judge", message));
        }
        let files = Files { root, kept: &self.kept };
        let mut gathering = Gathering { files, set, options, assembly: &mut assembly };
        gathering.gather(current, &origins, &decisions);
        assembly.decisions = decisions;
        Ok(assembly)
    }
}

impl RuleSet {
    /// The lineage of the current context; none where nobody named one and there is no default.
    fn current(&self, situation: &Situation) -> Result<Option<Lineage>, RulesError> {
        let name = situation.current();
        let found = self.contexts.lineage(name);
        // A context that is there and broken was told already.
        if found.is_some() || situation.context.is_none() || self.broken.contains(name) {
            return Ok(found);
        }
        let nearest = nearest(name, self.contexts.ids()).map(str::to_owned);
        Err(RulesError::UnknownContext { name: name.to_owned(), nearest })
    }
}

/// All rules: those of folders in the order that is wanted, then the other conventions, then those
/// of the current context.
fn origins(set: &RuleSet, injections: Vec<Arc<InjectionRule>>, order: Order) -> Vec<Origin<'_>> {
    let is_nested =
        |it: &&Loaded| matches!(it.rule.convention, Convention::ClaudeMd | Convention::AgentsMd);
    let mut nested: Vec<&Loaded> = set.rules.iter().filter(is_nested).collect();
    if order == Order::LeafFirst {
        nested.reverse();
    }
    let others = set.rules.iter().filter(|it| !is_nested(it));
    let conventions = nested.into_iter().chain(others).map(Origin::Convention);
    conventions.chain(injections.into_iter().map(Origin::Injection)).collect()
}

struct Gathering<'a> {
    files: Files<'a>,
    set: &'a RuleSet,
    options: &'a RuleOptions<'a>,
    assembly: &'a mut Assembly,
}

impl Gathering<'_> {
    fn gather(
        &mut self,
        current: Option<Lineage>,
        origins: &[Origin<'_>],
        decisions: &[RuleDecision],
    ) {
        let contexts = &self.set.contexts;
        let (files, tree) = (self.files, self.options.tree);
        let mut injector = Injector { files, contexts, tree, problems: Vec::new() };
        let mut lineages: Vec<(Lineage, Option<String>)> = Vec::new();
        lineages.extend(current.map(|lineage| (lineage, None)));
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (origin, decision) in origins.iter().zip(decisions) {
            if !decision.injected {
                continue;
            }
            let mut parts = match origin {
                Origin::Convention(loaded) => self.parts(loaded),
                Origin::Injection(rule) => {
                    let injected = injector.inject(rule);
                    let named = injected.contexts.iter().filter_map(|id| contexts.lineage(id));
                    lineages.extend(named.map(|it| (it, Some(rule.name.clone()))));
                    injected.parts
                }
            };
            parts.retain(|part| seen.insert(part.path.clone()));
            if !parts.is_empty() {
                self.assembly.rules.push(ActiveRule {
                    name: decision.name.clone(),
                    convention: decision.convention,
                    reason: decision.reason.clone(),
                    timestamp: (self.options.changed)(&decision.path),
                    parts,
                });
            }
        }
        self.assembly.problems.append(&mut injector.problems);
        self.contexts(&lineages);
    }

    /// The texts of a rule of another convention.
    fn parts(&mut self, loaded: &Loaded) -> Vec<Part> {
        let rule = &loaded.rule;
        let own = match &rule.text {
            Some((text, line)) => {
                let (path, text) = (rule.path.clone(), Arc::clone(text));
                Some(Part { path, line: *line, via: Vec::new(), text })
            }
            None => skill_body(self.files, rule, &mut self.assembly.problems),
        };
        let all = own.into_iter().chain(loaded.imported.iter().cloned());
        all.filter(|part| !part.text.trim().is_empty()).collect()
    }

    /// Every context of the lineages once, the most important first.
    fn contexts(&mut self, lineages: &[(Lineage, Option<String>)]) {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut active = Vec::new();
        for (lineage, rule) in lineages {
            let behavior = lineage.behavior_rules();
            for ((context, distance), behavior_rules) in lineage.members.iter().zip(behavior) {
                if !seen.insert(&context.id) {
                    continue;
                }
                let role = match rule {
                    None if *distance == 0 => Role::Current,
                    None => Role::Ancestor(*distance),
                    Some(rule) => Role::Injected { rule: rule.clone() },
                };
                active.push(self.active(context, role, behavior_rules));
            }
        }
        active.sort_by(|a, b| {
            let by_priority = b.priority.total_cmp(&a.priority);
            by_priority.then_with(|| a.context.id.cmp(&b.context.id))
        });
        self.assembly.contexts = active;
    }

    fn active(
        &self,
        context: &Arc<Context>,
        role: Role,
        behavior_rules: Vec<BehaviorRule>,
    ) -> ActiveContext {
        // What the current context inherits stands there; the others say what is their own, since
        // those that they inherit from are there too.
        let lineage = (role == Role::Current).then(|| self.set.contexts.lineage(&context.id));
        let lineage = lineage.flatten();
        let value = |of: fn(&Context) -> Option<&String>| match &lineage {
            Some(lineage) => lineage.value(of).map(str::to_owned),
            None => of(context).cloned(),
        };
        let timestamp = (self.options.changed)(&context.path);
        let has_rules = !context.behavior_rules.is_empty();
        ActiveContext {
            priority: priority(&role, has_rules, timestamp, self.assembly.now),
            business_goal: value(|context| context.business_goal.as_ref()),
            intent_type: value(|context| context.intent_type.as_ref()),
            context: Arc::clone(context),
            role,
            behavior_rules,
            timestamp,
        }
    }
}

/// How important a context is: 1, and more for the current one, its direct parents, those with
/// behaviour rules, and those that changed within a day.
pub(super) fn priority(
    role: &Role,
    has_behavior_rules: bool,
    timestamp: Option<i64>,
    now: Option<i64>,
) -> f64 {
    const DAY: f64 = 86_400.0;
    let role = match role {
        Role::Current => 2.0,
        Role::Ancestor(1) => 1.0,
        Role::Ancestor(_) | Role::Injected { .. } => 0.0,
    };
    let behavior = if has_behavior_rules { 0.5 } else { 0.0 };
    let recency = match (timestamp, now) {
        (Some(timestamp), Some(now)) => {
            (1.0 - now.saturating_sub(timestamp) as f64 / DAY).clamp(0.0, 1.0)
        }
        _ => 0.0,
    };
    1.0 + role + behavior + recency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_those_of_the_design() {
        let injected = Role::Injected { rule: "r".into() };
        let at = |role: &Role, rules, age: Option<i64>| {
            priority(role, rules, age.map(|age| 1_000_000 - age), Some(1_000_000))
        };
        assert_eq!(at(&injected, false, None), 1.0);
        assert_eq!(at(&Role::Current, false, None), 3.0);
        assert_eq!(at(&Role::Ancestor(1), false, None), 2.0);
        assert_eq!(at(&Role::Ancestor(2), false, None), 1.0);
        assert_eq!(at(&Role::Current, true, Some(0)), 4.5);
        assert_eq!(at(&injected, false, Some(12 * 3_600)), 1.5);
        assert_eq!(at(&injected, false, Some(24 * 3_600)), 1.0);
        assert_eq!(at(&injected, false, Some(-5_000)), 2.0, "the future is now");
        assert_eq!(priority(&injected, false, Some(5), None), 1.0);
    }
}
