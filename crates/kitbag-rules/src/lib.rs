//! Rules: contexts with inheritance, existing conventions such as AGENTS.md, and the conditions under
//! which they are injected.
//!
//! A [`RuleReader`] loads the rule files of a repository ([`RuleReader::load`]) and decides which apply
//! in a situation ([`RuleReader::assemble`]): first matchers, then a judge; undecided rules are offered
//! to the reader. [`Assembly::layout`] renders the result within a token budget.
//!
//! Rule files are only read through the root, and nothing in them can run a program or choose an
//! endpoint. An invalid file or key is left out and reported with its position.

mod assemble;
mod context;
mod conventions;
mod decide;
mod files;
mod front_matter;
mod inject;
mod judge;
mod layout;
mod matchers;
mod model;
mod problem;
mod reader;
mod similarity;
mod situation;
mod times;

pub use assemble::{ActiveContext, ActiveRule, Assembly, ContextRole};
pub use context::context_schema;
pub use decide::{DecidedBy, RuleDecision};
pub use judge::{ConditionJudge, JudgeError, JudgeQuestion, judge_from_settings};
pub use kitbag_config::{JudgeKind, JudgeSettings, RuleOrder, RulesSettings, UndecidedPolicy};
pub use layout::{HistoryItem, OmittedSection, RuleSection, RulesLayout, SectionForm, SectionKind};
pub use matchers::Matchers;
pub use model::{
    BehaviorRule, ConditionOutcome, Convention, LocatedName, Rule, RuleContext, RuleText,
    RuleTrigger, TextBlock,
};
pub use problem::{RuleProblem, RulesError, Severity};
pub use reader::{RuleOptions, RuleReader, RuleSet, enclosing_folders};
pub use situation::Situation;
pub use times::RuleTimes;
