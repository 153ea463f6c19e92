//! Decisions on rules: matchers first, then all open conditions in one call to the judge.
//!
//! A rule with matchers and a condition applies only if both hold. Without an answer, a condition is
//! undecided; word similarity only orders undecided rules.

use crate::conventions::LoadedRule;
use crate::judge::{JudgeCache, JudgeOutcome, JudgeQuestion, judge_all};
use crate::matchers::{PathGlobs, SituationView};
use crate::model::{ConditionOutcome, Convention};
use crate::problem::RulesError;
use crate::reader::RuleOptions;
use crate::similarity::{similarity, words};
use kitbag_config::UndecidedPolicy;
use kitbag_core::Cancel;
use serde::{Serialize, Serializer};
use std::fmt;

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
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub decided_by: Option<DecidedBy>,
    /// Contexts and files that the rule injects or imports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub injects: Vec<String>,
    /// Word similarity to the situation, from 0 to 1; the order of undecided rules.
    pub similarity: f64,
    /// Files of the pack that the rule is for. It does not apply, because the request names none of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matching_files: Vec<String>,
    /// Globs of which none matches a given file.
    #[serde(skip)]
    pub(crate) unmatched_globs: Option<PathGlobs>,
}

impl RuleDecision {
    /// Lists those of the files of a pack that the rule is for, if it fails because the request names no such
    /// file.
    pub fn set_pack_files<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        let Some(globs) = &self.unmatched_globs else { return };
        self.matching_files = paths.filter(|path| globs.matches(path)).map(str::to_owned).collect();
    }
}

/// What decided whether a rule applies. Serialized as a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// The matchers of the rule.
    Matchers,
    /// The judge with this name.
    Judge(String),
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matchers => f.write_str("matchers"),
            Self::Judge(name) => f.write_str(name),
        }
    }
}

impl Serialize for DecidedBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Decides which rules apply in a situation.
pub(crate) struct Decider<'a> {
    pub view: SituationView<'a>,
    pub options: &'a RuleOptions<'a>,
    pub cache: &'a JudgeCache,
    pub cancel: &'a Cancel,
}

impl Decider<'_> {
    /// Returns the decisions, in the order of the rules, and the outcome of judging.
    pub fn decide(
        &self,
        rules: &[LoadedRule],
    ) -> Result<(Vec<RuleDecision>, JudgeOutcome), RulesError> {
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
                ConditionOutcome::Undecided => {
                    self.options.settings.undecided == UndecidedPolicy::Inject
                }
                ConditionOutcome::Fails => false,
            };
        }
        Ok((decisions, judged))
    }

    /// Decides as far as possible without a judge. The outcome of a rule with a condition is
    /// provisional if it holds.
    fn apply_matchers(&self, loaded: &LoadedRule) -> RuleDecision {
        let LoadedRule { rule, scope, imported } = loaded;
        let (name, trigger) = (&rule.name, &rule.trigger);
        let result = match scope {
            Some(folder) => match self.view.path_in(folder) {
                Some(path) => Ok(format!("`{path}` is in `{folder}`")),
                None => Err(format!("only for files in `{folder}`")),
            },
            None if trigger.manual && self.view.mentions(name) => {
                Ok(format!("the task mentions `@{name}`"))
            }
            None if trigger.manual => Err(format!("only if the task mentions `@{name}`")),
            None if trigger.matchers.is_empty() => Ok("always".to_owned()),
            None => trigger.matchers.decide(&self.view),
        };
        let globs = trigger.matchers.paths.as_ref().filter(|_| result.is_err());
        let is_matched = !trigger.matchers.is_empty() || trigger.manual || scope.is_some();
        let injects = match rule.convention {
            Convention::Context => rule.targets.iter().map(|it| it.name.clone()).collect(),
            _ => imported.iter().map(|import| import.path.clone()).collect(),
        };
        RuleDecision {
            name: name.clone(),
            path: rule.path.clone(),
            line: rule.position.line,
            convention: rule.convention,
            description: rule.description.clone(),
            condition: trigger.condition.clone(),
            outcome: if result.is_ok() { ConditionOutcome::Holds } else { ConditionOutcome::Fails },
            injected: false,
            unmatched_globs: globs.filter(|globs| !self.view.has_match(globs)).cloned(),
            matching_files: Vec::new(),
            reason: result.unwrap_or_else(|mismatch| mismatch),
            decided_by: is_matched.then_some(DecidedBy::Matchers),
            injects,
            similarity: 0.0,
        }
    }

    /// Judges all conditions that the matchers leave open.
    fn judge_open(&self, decisions: &[RuleDecision]) -> Result<JudgeOutcome, RulesError> {
        let open = decisions.iter().filter(|decision| is_open(decision));
        let conditions: Vec<&str> = open.filter_map(|it| it.condition.as_deref()).collect();
        let Some(judge) = self.options.judge.filter(|_| !conditions.is_empty()) else {
            return Ok(JudgeOutcome::default());
        };
        let (situation, until) = (self.view.text.as_str(), self.options.judge_until);
        let question = JudgeQuestion { situation, conditions: &conditions, until };
        judge_all(judge, self.cache, question, self.cancel).map_err(|_| RulesError::Cancelled)
    }
}

/// Whether only a judge can decide.
fn is_open(decision: &RuleDecision) -> bool {
    decision.condition.is_some() && decision.outcome == ConditionOutcome::Holds
}

fn apply_verdict(decision: &mut RuleDecision, verdict: ConditionOutcome, judged: &JudgeOutcome) {
    let (reason, by) = match (verdict, &judged.by, &judged.error) {
        (ConditionOutcome::Holds, Some(by), _) => ("the condition holds".to_owned(), Some(by)),
        (ConditionOutcome::Fails, Some(by), _) => {
            ("the condition does not hold".to_owned(), Some(by))
        }
        (_, Some(judge), Some(error)) => (format!("{judge} failed: {error}"), None),
        (_, Some(by), None) => ("the judge could not decide".to_owned(), Some(by)),
        (_, None, _) => ("the condition was not judged".to_owned(), None),
    };
    decision.outcome = verdict;
    decision.reason = match decision.decided_by.take() {
        Some(_) => format!("{}; {reason}", decision.reason),
        None => reason,
    };
    decision.decided_by = by.cloned().map(DecidedBy::Judge);
}
