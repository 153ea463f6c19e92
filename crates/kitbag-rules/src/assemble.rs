//! Assembly of everything that applies in a situation: contexts by priority, rules with their texts,
//! and undecided rules.

use crate::context::Lineage;
use crate::conventions::{LoadedRule, skill_text};
use crate::decide::{Decider, RuleDecision};
use crate::files::RuleFiles;
use crate::inject::Injector;
use crate::matchers::SituationView;
use crate::model::{BehaviorRule, ConditionOutcome, Convention, Rule, RuleContext, RuleText};
use crate::problem::{RuleProblem, RulesError};
use crate::reader::{RuleOptions, RuleReader, RuleSet};
use crate::situation::Situation;
use kitbag_config::RuleOrder;
use kitbag_core::Cancel;
use kitbag_repo::Root;
use kitbag_tokens::name_hint;
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
    /// Name of the rule, as in its [`RuleDecision`].
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
        let rules = set.ordered(injections, options.settings.order);
        let view = SituationView::new(situation);
        let decider = Decider { view, options, cache: &self.verdicts, cancel };
        let (decisions, judged) = decider.decide(&rules)?;
        let files = RuleFiles { root, cache: &self.files };
        let (contexts, tree, problems) = (&set.contexts, options.tree, Vec::new());
        let mut assembler = Assembler {
            injector: Injector { files, contexts, tree, problems },
            options,
            assembly: Assembly {
                situation: decider.view.text,
                now: situation.now,
                judge: judged.by,
                ..Assembly::default()
            },
        };
        if let Some(error) = judged.error {
            let message = format!("conditions were not judged: {error}");
            assembler.injector.problems.push(RuleProblem::warning("judge", "judge", message));
        }
        if let Some(lineage) = current {
            assembler.add_lineage(&lineage, None);
        }
        assembler.add_injected(&rules, &decisions);
        Ok(Assembly { decisions, ..assembler.finish() })
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
        let hint = name_hint(name, self.contexts.ids());
        Err(RulesError::UnknownContext { name: name.to_owned(), hint })
    }

    /// Returns all rules: those of folders in the configured order, then the other conventions, then
    /// those of the current context.
    fn ordered(&self, injections: Vec<Arc<Rule>>, order: RuleOrder) -> Vec<LoadedRule> {
        let is_nested = |it: &LoadedRule| {
            matches!(it.rule.convention, Convention::ClaudeMd | Convention::AgentsMd)
        };
        let (mut nested, others): (Vec<LoadedRule>, Vec<LoadedRule>) =
            self.rules.iter().cloned().partition(is_nested);
        if order == RuleOrder::LeafFirst {
            nested.reverse();
        }
        nested
            .into_iter()
            .chain(others)
            .chain(injections.into_iter().map(LoadedRule::from))
            .collect()
    }
}

struct Assembler<'a> {
    injector: Injector<'a>,
    options: &'a RuleOptions<'a>,
    assembly: Assembly,
}

impl Assembler<'_> {
    /// Adds the rules that are injected, and the contexts that they inject.
    fn add_injected(&mut self, rules: &[LoadedRule], decisions: &[RuleDecision]) {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (loaded, decision) in rules.iter().zip(decisions).filter(|(_, it)| it.injected) {
            let mut parts = if decision.convention == Convention::Context {
                let injection = self.injector.inject(&loaded.rule);
                for id in &injection.contexts {
                    if let Some(lineage) = self.injector.contexts.lineage(id) {
                        self.add_lineage(&lineage, Some(&decision.name));
                    }
                }
                injection.texts
            } else {
                self.rule_texts(loaded)
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
    }

    /// Returns the texts of a rule and its imports.
    fn rule_texts(&mut self, LoadedRule { rule, imported, .. }: &LoadedRule) -> Vec<RuleText> {
        let own = match &rule.text {
            Some(block) => Some(RuleText::new(&rule.path, block, &[])),
            None => skill_text(self.injector.files, rule, &mut self.injector.problems),
        };
        let all = own.into_iter().chain(imported.iter().cloned());
        all.filter(|text| !text.text.trim().is_empty()).collect()
    }

    /// Adds the contexts of a lineage that have not been added. `rule` is the rule that injects it, if it
    /// is not that of the current context.
    fn add_lineage(&mut self, lineage: &Lineage, rule: Option<&str>) {
        for (member, behavior_rules) in lineage.members.iter().zip(lineage.behavior_rules()) {
            let context = &member.context;
            if self.assembly.contexts.iter().any(|it| it.context.id == context.id) {
                continue;
            }
            let role = match rule {
                None if member.distance == 0 => ContextRole::Current,
                None => ContextRole::Ancestor(member.distance),
                Some(rule) => ContextRole::Injected { rule: rule.to_owned() },
            };
            // Only the current context shows inherited values: the ancestors of the others are listed
            // too.
            let value = |of: fn(&RuleContext) -> Option<&String>| match role {
                ContextRole::Current => lineage.value(of).map(str::to_owned),
                _ => of(context).cloned(),
            };
            let timestamp = (self.options.changed)(&context.path);
            let has_rules = !context.behavior_rules.is_empty();
            self.assembly.contexts.push(ActiveContext {
                priority: priority(&role, has_rules, timestamp, self.assembly.now),
                business_goal: value(|context| context.business_goal.as_ref()),
                intent_type: value(|context| context.intent_type.as_ref()),
                context: Arc::clone(context),
                role,
                behavior_rules,
                timestamp,
            });
        }
    }

    /// Sorts the contexts, highest priority first.
    fn finish(mut self) -> Assembly {
        self.assembly.contexts.sort_by(|a, b| {
            let by_priority = b.priority.total_cmp(&a.priority);
            by_priority.then_with(|| a.context.id.cmp(&b.context.id))
        });
        Assembly { problems: self.injector.problems, ..self.assembly }
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
