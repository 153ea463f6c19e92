//! Assembly of everything that applies in a situation: contexts by priority, rules with their texts,
//! and undecided rules.

use crate::context::Lineage;
use crate::conventions::{LoadedRule, skill_text};
use crate::decide::{Decider, Decisions, RuleDecision, RuleOrigin};
use crate::files::RuleFiles;
use crate::inject::Injector;
use crate::matchers::SituationView;
use crate::model::{BehaviorRule, Convention, InjectionRule, RuleContext, RuleText, TextBlock};
use crate::outcome::ConditionOutcome;
use crate::problem::{RuleProblem, RulesError, nearest};
use crate::reader::{RuleOptions, RuleReader, RuleSet};
use crate::situation::Situation;
use kitbag_config::{RuleOrder, UndecidedPolicy};
use kitbag_core::Cancel;
use kitbag_repo::Root;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that applies in a situation.
#[derive(Debug, Clone, Default)]
pub struct Assembly {
    /// Description of the situation.
    pub situation: String,
    /// Reference time for ages, in seconds since 1970.
    pub now: Option<i64>,
    /// Contexts, highest priority first.
    pub contexts: Vec<ActiveContext>,
    /// Rules of other conventions that apply, and files that rules inject, in order.
    pub rules: Vec<ActiveRule>,
    /// Decisions on all rules.
    pub decisions: Vec<RuleDecision>,
    /// Name of the judge, if conditions were judged.
    pub judge: Option<String>,
    /// Errors and warnings.
    pub problems: Vec<RuleProblem>,
}

/// A context that applies.
#[derive(Debug, Clone)]
pub struct ActiveContext {
    /// The context, without inherited values.
    pub context: Arc<RuleContext>,
    /// Role in the situation.
    pub role: ContextRole,
    /// Business goal; inherited for the current context.
    pub business_goal: Option<String>,
    /// Kind of work; inherited for the current context.
    pub intent_type: Option<String>,
    /// Behavior rules, without those that a nearer context replaces.
    pub behavior_rules: Vec<BehaviorRule>,
    /// Priority; higher values come first.
    pub priority: f64,
    /// Time of the last change, in seconds since 1970.
    pub timestamp: Option<i64>,
}

/// The role of a context in a situation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextRole {
    /// The current context.
    Current,
    /// An ancestor of the current context, at this distance.
    Ancestor(usize),
    /// A context that a rule injects.
    Injected {
        /// Name of the rule.
        rule: String,
    },
}

/// A rule that applies, with its texts.
#[derive(Debug, Clone)]
pub struct ActiveRule {
    /// Name.
    pub name: String,
    /// Convention of the file.
    pub convention: Convention,
    /// Reason why it applies.
    pub reason: String,
    /// Text of the rule, and of the files that it imports or injects.
    pub parts: Vec<RuleText>,
    /// Time of the last change of the file, in seconds since 1970.
    pub timestamp: Option<i64>,
}

impl Assembly {
    /// Returns the undecided rules that are not injected, most similar first, for the reader to decide.
    pub fn offered(&self) -> Vec<&RuleDecision> {
        let is_offered =
            |it: &&RuleDecision| it.outcome == ConditionOutcome::Undecided && !it.injected;
        let mut offered: Vec<&RuleDecision> = self.decisions.iter().filter(is_offered).collect();
        offered.sort_by(|a, b| {
            let names = || (&a.name, &a.path, a.line).cmp(&(&b.name, &b.path, b.line));
            b.similarity.total_cmp(&a.similarity).then_with(names)
        });
        offered
    }
}

impl RuleReader {
    /// Decides which rules apply in a situation and collects their texts.
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
        let decider = Decider {
            view: SituationView::new(situation),
            judge: options.judge,
            until: options.judge_until,
            cache: &self.verdicts,
            injects_undecided: options.settings.undecided == UndecidedPolicy::Inject,
            cancel,
        };
        let origins = origins(set, injections, options.settings.order);
        let Decisions { decisions, judged } = decider.decide(&origins)?;
        let mut assembly = Assembly {
            situation: decider.view.text,
            now: situation.now,
            judge: judged.by,
            ..Assembly::default()
        };
        if let Some(error) = judged.error {
            let message = format!("conditions were not judged: {error}");
            assembly.problems.push(RuleProblem::warning("judge", "judge", message));
        }
        let files = RuleFiles { root, cache: &self.files };
        let mut assembler = Assembler { files, set, options, assembly: &mut assembly };
        assembler.add_injected(current, &origins, &decisions);
        assembly.decisions = decisions;
        Ok(assembly)
    }
}

impl RuleSet {
    /// Returns the lineage of the current context; `None` if none is named and there is no default.
    fn current(&self, situation: &Situation) -> Result<Option<Lineage>, RulesError> {
        let name = situation.current_context();
        let found = self.contexts.lineage(name);
        // A broken context has already been reported.
        if found.is_some() || situation.context.is_none() || self.broken.contains(name) {
            return Ok(found);
        }
        let nearest = nearest(name, self.contexts.ids()).map(str::to_owned);
        Err(RulesError::UnknownContext { name: name.to_owned(), nearest })
    }
}

/// Returns all rules: those of folders in the configured order, then the other conventions, then those
/// of the current context.
fn origins(
    set: &RuleSet,
    injections: Vec<Arc<InjectionRule>>,
    order: RuleOrder,
) -> Vec<RuleOrigin<'_>> {
    let is_nested = |it: &&LoadedRule| {
        matches!(it.rule.convention, Convention::ClaudeMd | Convention::AgentsMd)
    };
    let mut nested: Vec<&LoadedRule> = set.rules.iter().filter(is_nested).collect();
    if order == RuleOrder::LeafFirst {
        nested.reverse();
    }
    let others = set.rules.iter().filter(|it| !is_nested(it));
    let conventions = nested.into_iter().chain(others).map(RuleOrigin::Convention);
    conventions.chain(injections.into_iter().map(RuleOrigin::Injection)).collect()
}

/// A context's lineage, and the name of the rule that injects it.
struct InjectedLineage {
    lineage: Lineage,
    rule: Option<String>,
}

struct Assembler<'a> {
    files: RuleFiles<'a>,
    set: &'a RuleSet,
    options: &'a RuleOptions<'a>,
    assembly: &'a mut Assembly,
}

impl Assembler<'_> {
    /// Adds the rules and contexts that are injected.
    fn add_injected(
        &mut self,
        current: Option<Lineage>,
        origins: &[RuleOrigin<'_>],
        decisions: &[RuleDecision],
    ) {
        let contexts = &self.set.contexts;
        let (files, tree) = (self.files, self.options.tree);
        let mut injector = Injector { files, contexts, tree, problems: Vec::new() };
        let mut lineages: Vec<InjectedLineage> = Vec::new();
        lineages.extend(current.map(|lineage| InjectedLineage { lineage, rule: None }));
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (origin, decision) in origins.iter().zip(decisions) {
            if !decision.injected {
                continue;
            }
            let mut parts =
                match origin {
                    RuleOrigin::Convention(loaded) => self.rule_texts(loaded),
                    RuleOrigin::Injection(rule) => {
                        let injection = injector.inject(rule);
                        let found = injection.contexts.iter().filter_map(|id| contexts.lineage(id));
                        lineages.extend(found.map(|lineage| InjectedLineage {
                            lineage,
                            rule: Some(rule.name.clone()),
                        }));
                        injection.texts
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
        self.add_contexts(&lineages);
    }

    /// Returns the texts of a rule and its imports.
    fn rule_texts(&mut self, loaded: &LoadedRule) -> Vec<RuleText> {
        let rule = &loaded.rule;
        let own = match &rule.text {
            Some(TextBlock { text, line }) => {
                let (path, text) = (rule.path.clone(), Arc::clone(text));
                Some(RuleText { path, line: *line, via: Vec::new(), text })
            }
            None => skill_text(self.files, rule, &mut self.assembly.problems),
        };
        let all = own.into_iter().chain(loaded.imported.iter().cloned());
        all.filter(|text| !text.text.trim().is_empty()).collect()
    }

    /// Adds every context of the lineages once, highest priority first.
    fn add_contexts(&mut self, lineages: &[InjectedLineage]) {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut active = Vec::new();
        for InjectedLineage { lineage, rule } in lineages {
            let behavior = lineage.behavior_rules();
            for (member, behavior_rules) in lineage.members.iter().zip(behavior) {
                if !seen.insert(&member.context.id) {
                    continue;
                }
                let role = match rule {
                    None if member.distance == 0 => ContextRole::Current,
                    None => ContextRole::Ancestor(member.distance),
                    Some(rule) => ContextRole::Injected { rule: rule.clone() },
                };
                active.push(self.active_context(&member.context, role, behavior_rules));
            }
        }
        active.sort_by(|a, b| {
            let by_priority = b.priority.total_cmp(&a.priority);
            by_priority.then_with(|| a.context.id.cmp(&b.context.id))
        });
        self.assembly.contexts = active;
    }

    fn active_context(
        &self,
        context: &Arc<RuleContext>,
        role: ContextRole,
        behavior_rules: Vec<BehaviorRule>,
    ) -> ActiveContext {
        // Only the current context shows inherited values: the ancestors of the others are listed too.
        let lineage =
            (role == ContextRole::Current).then(|| self.set.contexts.lineage(&context.id));
        let lineage = lineage.flatten();
        let value = |of: fn(&RuleContext) -> Option<&String>| match &lineage {
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

/// Returns the priority of a context: 1, and more for the current one, its parents, contexts with behavior
/// rules, and changes within a day.
fn priority(
    role: &ContextRole,
    has_behavior_rules: bool,
    timestamp: Option<i64>,
    now: Option<i64>,
) -> f64 {
    const DAY_SECONDS: f64 = 86_400.0;
    let role = match role {
        ContextRole::Current => 2.0,
        ContextRole::Ancestor(1) => 1.0,
        ContextRole::Ancestor(_) | ContextRole::Injected { .. } => 0.0,
    };
    let behavior = if has_behavior_rules { 0.5 } else { 0.0 };
    let recency = match (timestamp, now) {
        (Some(timestamp), Some(now)) => {
            (1.0 - now.saturating_sub(timestamp) as f64 / DAY_SECONDS).clamp(0.0, 1.0)
        }
        _ => 0.0,
    };
    1.0 + role + behavior + recency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_follow_the_design() {
        let injected = ContextRole::Injected { rule: "r".into() };
        let at = |role: &ContextRole, rules, age: Option<i64>| {
            priority(role, rules, age.map(|age| 1_000_000 - age), Some(1_000_000))
        };
        assert_eq!(at(&injected, false, None), 1.0);
        assert_eq!(at(&ContextRole::Current, false, None), 3.0);
        assert_eq!(at(&ContextRole::Ancestor(1), false, None), 2.0);
        assert_eq!(at(&ContextRole::Ancestor(2), false, None), 1.0);
        assert_eq!(at(&ContextRole::Current, true, Some(0)), 4.5);
        assert_eq!(at(&injected, false, Some(12 * 3_600)), 1.5);
        assert_eq!(at(&injected, false, Some(24 * 3_600)), 1.0);
        assert_eq!(at(&injected, false, Some(-5_000)), 2.0, "a time in the future counts as now");
        assert_eq!(priority(&injected, false, Some(5), None), 1.0);
    }
}
