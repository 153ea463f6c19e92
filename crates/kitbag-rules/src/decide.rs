//! Decisions on rules: matchers first, then all open conditions in one call to the judge.
//!
//! A rule with matchers and a condition applies only if both hold. Without an answer, a condition is
//! undecided; word similarity only orders undecided rules.

use crate::conventions::LoadedRule;
use crate::judge::{
    ConditionJudge, JudgeCache, JudgeError, JudgeOutcome, JudgeQuestion, judge_all,
};
use crate::matchers::SituationView;
use crate::model::{Convention, InjectionRule, RuleTrigger};
use crate::outcome::ConditionOutcome;
use crate::problem::RulesError;
use crate::similarity::{similarity, words};
use kitbag_core::Cancel;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Whether a rule applies, and why.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleDecision {
    /// Name of the rule.
    pub name: String,
    /// File of the rule, relative to the root.
    pub path: String,
    /// Line of the rule in its file, from 1.
    pub line: usize,
    /// Convention of the file.
    pub convention: Convention,
    /// Description of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Condition in plain language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether the rule applies.
    pub outcome: ConditionOutcome,
    /// Whether the rule is injected: it applies, or is undecided and such rules are injected.
    pub injected: bool,
    /// Reason for the outcome.
    pub reason: String,
    /// `matchers`, or the name of the judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// Contexts and files that the rule injects or imports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub injects: Vec<String>,
    /// Word similarity to the situation, from 0 to 1; the order of undecided rules.
    pub similarity: f64,
}

/// A rule, by its origin.
pub(crate) enum RuleOrigin<'a> {
    Convention(&'a LoadedRule),
    Injection(Arc<InjectionRule>),
}

/// Decides which rules apply in a situation.
pub(crate) struct Decider<'a> {
    pub view: SituationView<'a>,
    pub judge: Option<&'a dyn ConditionJudge>,
    /// Deadline of the judge.
    pub until: Option<Instant>,
    pub cache: &'a JudgeCache,
    pub injects_undecided: bool,
    pub cancel: &'a Cancel,
}

/// The decisions, in the order of the rules, and the outcome of judging.
pub(crate) struct Decisions {
    pub decisions: Vec<RuleDecision>,
    pub judged: JudgeOutcome,
}

impl Decider<'_> {
    pub fn decide(&self, rules: &[RuleOrigin<'_>]) -> Result<Decisions, RulesError> {
        let mut decisions: Vec<RuleDecision> =
            rules.iter().map(|rule| self.apply_matchers(rule)).collect();
        let judged = self.judge_open(&decisions)?;
        let mut verdicts = judged.verdicts.iter();
        let situation = words(&self.view.text);
        for decision in &mut decisions {
            if is_open(decision) {
                let verdict = verdicts.next().copied().unwrap_or(ConditionOutcome::Undecided);
                apply_verdict(decision, verdict, &judged);
            }
            let about = decision.description.as_deref().or(decision.condition.as_deref());
            let about = format!("{} {}", decision.name, about.unwrap_or_default());
            decision.similarity = similarity(&about, &situation);
            decision.injected = match decision.outcome {
                ConditionOutcome::Holds => true,
                ConditionOutcome::Undecided => self.injects_undecided,
                ConditionOutcome::Fails => false,
            };
        }
        Ok(Decisions { decisions, judged })
    }

    /// Decides as far as possible without a judge. The outcome of a rule with a condition is
    /// provisional if it holds.
    fn apply_matchers(&self, origin: &RuleOrigin<'_>) -> RuleDecision {
        let injection_trigger;
        let (trigger, scope, mut decision) = match origin {
            RuleOrigin::Convention(loaded) => {
                (&loaded.rule.trigger, loaded.scope.as_deref(), undecided_rule(loaded))
            }
            RuleOrigin::Injection(rule) => {
                injection_trigger = RuleTrigger {
                    manual: false,
                    matchers: rule.matchers.clone(),
                    condition: rule.condition.clone(),
                };
                (&injection_trigger, None, undecided_injection(rule))
            }
        };
        let name = &decision.name;
        let (outcome, reason) = match scope {
            Some(folder) => match self.view.path_in(folder) {
                Some(path) => (ConditionOutcome::Holds, format!("`{path}` is in `{folder}`")),
                None => (ConditionOutcome::Fails, format!("only for files in `{folder}`")),
            },
            None if trigger.manual && self.view.mentions(name) => {
                (ConditionOutcome::Holds, format!("the task mentions `@{name}`"))
            }
            None if trigger.manual => {
                (ConditionOutcome::Fails, format!("only if the task mentions `@{name}`"))
            }
            None if trigger.matchers.is_empty() => (ConditionOutcome::Holds, "always".to_owned()),
            None => trigger.matchers.decide(&self.view),
        };
        let is_matched = !trigger.matchers.is_empty() || trigger.manual || scope.is_some();
        decision.decided_by = is_matched.then(|| "matchers".to_owned());
        decision.outcome = outcome;
        decision.reason = reason;
        decision
    }

    /// Judges all conditions that the matchers leave open.
    fn judge_open(&self, decisions: &[RuleDecision]) -> Result<JudgeOutcome, RulesError> {
        let open = decisions.iter().filter(|decision| is_open(decision));
        let conditions: Vec<&str> = open.filter_map(|it| it.condition.as_deref()).collect();
        let verdicts = vec![ConditionOutcome::Undecided; conditions.len()];
        let Some(judge) = self.judge.filter(|_| !conditions.is_empty()) else {
            return Ok(JudgeOutcome { verdicts, ..JudgeOutcome::default() });
        };
        let question = JudgeQuestion { situation: &self.view.text, conditions: &conditions };
        match judge_all(judge, self.cache, question, self.until, self.cancel) {
            Ok(judged) => Ok(judged),
            Err(JudgeError::Cancelled) => Err(RulesError::Cancelled),
            Err(error) => {
                Ok(JudgeOutcome { verdicts, error: Some(error), ..JudgeOutcome::default() })
            }
        }
    }
}

/// Whether only a judge can decide.
fn is_open(decision: &RuleDecision) -> bool {
    decision.condition.is_some() && decision.outcome == ConditionOutcome::Holds
}

fn apply_verdict(decision: &mut RuleDecision, verdict: ConditionOutcome, judged: &JudgeOutcome) {
    let matched = decision.decided_by.take().map(|_| decision.reason.clone());
    decision.outcome = decision.outcome.and(verdict);
    let judge = judged.by.as_deref().unwrap_or("the judge");
    let (reason, by) = match (verdict, &judged.by, &judged.error) {
        (ConditionOutcome::Holds, Some(by), _) => ("the condition holds".to_owned(), Some(by)),
        (ConditionOutcome::Fails, Some(by), _) => {
            ("the condition does not hold".to_owned(), Some(by))
        }
        (_, _, Some(error)) => (format!("{judge} failed: {error}"), None),
        (_, Some(by), None) => ("the judge could not decide".to_owned(), Some(by)),
        (_, None, None) => ("the condition was not judged".to_owned(), None),
    };
    decision.decided_by = by.cloned();
    decision.reason = match matched {
        Some(matched) => format!("{matched}; {reason}"),
        None => reason,
    };
}

fn undecided_rule(loaded: &LoadedRule) -> RuleDecision {
    let rule = &loaded.rule;
    RuleDecision {
        name: rule.name.clone(),
        path: rule.path.clone(),
        line: 1,
        convention: rule.convention,
        description: rule.description.clone(),
        condition: rule.trigger.condition.clone(),
        outcome: ConditionOutcome::Undecided,
        injected: false,
        reason: String::new(),
        decided_by: None,
        injects: loaded.imported.iter().map(|import| import.path.clone()).collect(),
        similarity: 0.0,
    }
}

fn undecided_injection(rule: &InjectionRule) -> RuleDecision {
    RuleDecision {
        name: rule.name.clone(),
        path: rule.path.clone(),
        line: rule.position.line,
        convention: Convention::Context,
        description: rule.description.clone(),
        condition: rule.condition.clone(),
        outcome: ConditionOutcome::Undecided,
        injected: false,
        reason: String::new(),
        decided_by: None,
        injects: rule.inject.iter().map(|target| target.name.clone()).collect(),
        similarity: 0.0,
    }
}
