//! Which rules apply: matchers first, then all conditions that are still open, in one call.
//!
//! A rule with matchers and a condition holds only if both do. Where no judge answers, a condition
//! is undecided: likeness by words only orders what is then offered.

use super::context::InjectionRule;
use super::conventions::{Convention, Loaded, When};
use super::judge::{ConditionJudge, JudgeCache, JudgeError, Judged, Question, judge_all};
use super::matchers::Seen;
use super::problem::RulesError;
use super::similar::{similarity, words};
use super::truth::Truth;
use kitbag_core::Cancel;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// A rule and whether it applies, with the reason.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleDecision {
    /// What the rule is called.
    pub name: String,
    /// The file that it stands in, relative to the root.
    pub path: String,
    /// The line that it stands at, from 1.
    pub line: usize,
    /// Whose way of writing it follows.
    pub convention: Convention,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its condition in plain language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Whether it applies.
    pub outcome: Truth,
    /// Whether it is injected: it applies, or is undecided and the user wants such rules.
    pub injected: bool,
    /// Why.
    pub reason: String,
    /// Who decided: `matchers`, or the judge's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// What it injects, beside its own text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub injects: Vec<String>,
    /// How alike it is to the situation by its words, from 0 to 1: the order in which undecided
    /// rules are offered.
    pub similarity: f64,
}

/// Where a rule comes from.
pub(super) enum Origin<'a> {
    Convention(&'a Loaded),
    Injection(Arc<InjectionRule>),
}

/// Everything that decides.
pub(super) struct Deciding<'a> {
    pub seen: Seen<'a>,
    pub judge: Option<&'a dyn ConditionJudge>,
    /// When the judge has to be done.
    pub until: Option<Instant>,
    pub verdicts: &'a JudgeCache,
    pub injects_undecided: bool,
    pub cancel: &'a Cancel,
}

/// The decisions on rules, in their order, and what became of the judge.
pub(super) struct Decided {
    pub decisions: Vec<RuleDecision>,
    pub judged: Judged,
}

impl Deciding<'_> {
    pub fn decide(&self, rules: &[Origin<'_>]) -> Result<Decided, RulesError> {
        let mut decisions: Vec<RuleDecision> = rules.iter().map(|rule| self.first(rule)).collect();
        let judged = self.ask(&decisions)?;
        let mut verdicts = judged.verdicts.iter();
        let situation = words(&self.seen.text);
        for decision in &mut decisions {
            if is_open(decision) {
                let verdict = verdicts.next().copied().unwrap_or(Truth::Undecided);
                second(decision, verdict, &judged);
            }
            let about = [decision.description.as_deref(), decision.condition.as_deref()];
            let about = about.into_iter().flatten().next().unwrap_or_default();
            decision.similarity = similarity(&format!("{} {about}", decision.name), &situation);
            decision.injected = match decision.outcome {
                Truth::Holds => true,
                Truth::Undecided => self.injects_undecided,
                Truth::Fails => false,
            };
        }
        Ok(Decided { decisions, judged })
    }

    /// What can be said without a judge. With a condition, the matchers alone decide nothing good.
    fn first(&self, origin: &Origin<'_>) -> RuleDecision {
        let injection_when;
        let (when, scope, mut decision) = match origin {
            Origin::Convention(loaded) => {
                (&loaded.rule.when, loaded.scope.as_deref(), of_rule(loaded))
            }
            Origin::Injection(rule) => {
                injection_when = When {
                    manual: false,
                    matchers: rule.matchers.clone(),
                    condition: rule.condition.clone(),
                };
                (&injection_when, None, of_injection(rule))
            }
        };
        let (outcome, reason) = match scope {
            Some(folder) => match self.seen.path_in(folder) {
                Some(path) => (Truth::Holds, format!("`{path}` is in `{folder}`")),
                None => (Truth::Fails, format!("only for files in `{folder}`")),
            },
            None if when.manual && self.seen.mentions(&decision.name) => {
                (Truth::Holds, format!("the task names it: `@{}`", decision.name))
            }
            None if when.manual => {
                (Truth::Fails, format!("only when the task names it: `@{}`", decision.name))
            }
            None if when.matchers.is_empty() => (Truth::Holds, "always".to_owned()),
            None => when.matchers.decide(&self.seen),
        };
        let decides = !when.matchers.is_empty() || when.manual || scope.is_some();
        decision.decided_by = decides.then(|| "matchers".to_owned());
        decision.outcome = outcome;
        decision.reason = reason;
        decision
    }

    /// Asks about all conditions that matchers leave open.
    fn ask(&self, decisions: &[RuleDecision]) -> Result<Judged, RulesError> {
        let open = decisions.iter().filter(|decision| is_open(decision));
        let conditions: Vec<&str> = open.filter_map(|it| it.condition.as_deref()).collect();
        let Some(judge) = self.judge.filter(|_| !conditions.is_empty()) else {
            let verdicts = vec![Truth::Undecided; conditions.len()];
            return Ok(Judged { verdicts, ..Judged::default() });
        };
        let question = Question { situation: &self.seen.text, conditions: &conditions };
        match judge_all(judge, self.verdicts, question, (self.until, self.cancel)) {
            Ok(judged) => Ok(judged),
            Err(JudgeError::Cancelled) => Err(RulesError::Cancelled),
            Err(error) => {
                let verdicts = vec![Truth::Undecided; conditions.len()];
                Ok(Judged { verdicts, error: Some(error), ..Judged::default() })
            }
        }
    }
}

/// Whether only a judge can say more.
fn is_open(decision: &RuleDecision) -> bool {
    decision.condition.is_some() && decision.outcome == Truth::Holds
}

/// Takes a verdict in.
fn second(decision: &mut RuleDecision, verdict: Truth, judged: &Judged) {
    let matched = decision.decided_by.take().map(|_| decision.reason.clone());
    decision.outcome = decision.outcome.and(verdict);
    let judge = judged.by.as_deref().unwrap_or("the judge");
    let (told, by) = match (verdict, &judged.by, &judged.error) {
        (Truth::Holds, Some(by), _) => ("the condition holds".to_owned(), Some(by)),
        (Truth::Fails, Some(by), _) => ("the condition does not hold".to_owned(), Some(by)),
        (_, _, Some(error)) => (format!("{judge} did not judge: {error}"), None),
        (_, Some(by), None) => ("the judge cannot tell".to_owned(), Some(by)),
        (_, None, None) => ("nobody judged the condition".to_owned(), None),
    };
    decision.decided_by = by.cloned();
    decision.reason = match matched {
        Some(matched) => format!("{matched}; {told}"),
        None => told,
    };
}

fn of_rule(loaded: &Loaded) -> RuleDecision {
    let rule = &loaded.rule;
    RuleDecision {
        name: rule.name.clone(),
        path: rule.path.clone(),
        line: 1,
        convention: rule.convention,
        description: rule.description.clone(),
        condition: rule.when.condition.clone(),
        outcome: Truth::Undecided,
        injected: false,
        reason: String::new(),
        decided_by: None,
        injects: loaded.imported.iter().map(|part| part.path.clone()).collect(),
        similarity: 0.0,
    }
}

fn of_injection(rule: &InjectionRule) -> RuleDecision {
    RuleDecision {
        name: rule.name.clone(),
        path: rule.path.clone(),
        line: rule.place.0,
        convention: Convention::Context,
        description: rule.description.clone(),
        condition: rule.condition.clone(),
        outcome: Truth::Undecided,
        injected: false,
        reason: String::new(),
        decided_by: None,
        injects: rule.inject.iter().map(|(target, _)| target.clone()).collect(),
        similarity: 0.0,
    }
}
