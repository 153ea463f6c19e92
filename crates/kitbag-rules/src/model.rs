//! Contexts and rules as parsed from their files.

use crate::matchers::Matchers;
use kitbag_config::yaml::LineColumn;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The folder of context files, relative to the root.
pub(crate) const CONTEXTS_FOLDER: &str = ".agent/contexts";

/// A context file.
#[derive(Debug, Clone, Default)]
pub struct RuleContext {
    /// Path below the folder of contexts, without extension: `helpers/guide`.
    pub id: String,
    /// Path of the file, relative to the root.
    pub path: String,
    /// Display name.
    pub name: String,
    /// Kind of context, such as `team`.
    pub kind: Option<String>,
    /// What the context is about, as its file says.
    pub description: Option<String>,
    /// Business goal.
    pub business_goal: Option<String>,
    /// Kind of work, such as `feature`.
    pub intent_type: Option<String>,
    /// Actions to take on certain events.
    pub behavior_rules: Vec<BehaviorRule>,
    /// Further files to read under a condition.
    pub injection_rules: Vec<Arc<Rule>>,
    /// Contexts to inherit from.
    pub extends: Vec<LocatedName>,
    /// Text after the front matter of a Markdown file.
    pub body: Option<TextBlock>,
}

/// An action to take on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehaviorRule {
    /// Name; by default the trigger.
    pub name: String,
    /// The event, in plain language.
    pub trigger: String,
    /// The action, in plain language.
    pub action: String,
}

/// A name in a file, such as an import, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedName {
    /// The name as written.
    pub name: String,
    /// Where the name starts in its file.
    pub position: LineColumn,
}

/// A text and the line of its file where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextBlock {
    /// The text.
    pub text: Arc<str>,
    /// First line, from 1.
    pub line: usize,
}

impl TextBlock {
    /// Strips blank lines around a text that starts at `line` of its file.
    pub(crate) fn trimmed(text: &str, line: usize) -> Self {
        let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
        let start: usize = text.split_inclusive('\n').take(blank).map(str::len).sum();
        Self { text: text[start..].trim_end().into(), line: line + blank }
    }
}

/// The convention that a rule file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// Injection rule of a context file.
    Context,
    /// CLAUDE.md, at the root or nested.
    ClaudeMd,
    /// AGENTS.md, at the root or nested.
    AgentsMd,
    /// `.claude/rules`.
    ClaudeRule,
    /// `.github/copilot-instructions.md` and `.github/instructions`.
    Copilot,
    /// `.cursor/rules` and `.cursorrules`.
    Cursor,
    /// SKILL.md.
    Skill,
}

impl Convention {
    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::ClaudeMd => "CLAUDE.md",
            Self::AgentsMd => "AGENTS.md",
            Self::ClaudeRule => "Claude rule",
            Self::Copilot => "Copilot instructions",
            Self::Cursor => "Cursor rule",
            Self::Skill => "skill",
        }
    }
}

/// When a rule applies. The default is always.
#[derive(Debug, Clone, Default)]
pub struct RuleTrigger {
    /// The rule applies only if the task mentions it: `@name`.
    pub manual: bool,
    /// Matchers, which decide without a model.
    pub matchers: Matchers,
    /// Condition in plain language.
    pub condition: Option<String>,
}

/// A rule: a file of a convention, or an injection rule of a context file.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Name that the file gives the rule, or else one made from the path of the file.
    pub name: String,
    /// What the rule is for, as its file says.
    pub description: Option<String>,
    /// Convention of the file.
    pub convention: Convention,
    /// Path of the file, relative to the root.
    pub path: String,
    /// Position in that file.
    pub position: LineColumn,
    /// When the rule applies.
    pub trigger: RuleTrigger,
    /// Text of the rule; `None` for injection rules, and for skills, which are read on demand.
    pub text: Option<TextBlock>,
    /// Files that the rule imports, or contexts, files and globs that it injects.
    pub(crate) targets: Vec<LocatedName>,
}

impl Rule {
    /// Creates a rule that always applies.
    pub(crate) fn new(convention: Convention, name: &str, path: &str, text: TextBlock) -> Self {
        Self {
            name: name.to_owned(),
            description: None,
            convention,
            path: path.to_owned(),
            position: LineColumn { line: 1, column: 1 },
            trigger: RuleTrigger::default(),
            text: Some(text),
            targets: Vec::new(),
        }
    }
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConditionOutcome {
    /// It does not hold.
    // The word in the answers of judges.
    #[serde(alias = "does_not_hold")]
    Fails,
    /// It was not judged, or the judge could not decide.
    Undecided,
    /// It holds.
    Holds,
}

/// A text of a rule with its provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleText {
    /// Path of the file, relative to the root.
    pub path: String,
    /// First line of the text, from 1.
    pub line: usize,
    /// Chain of files that import it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The text.
    #[serde(skip)]
    pub text: Arc<str>,
}

impl RuleText {
    pub(crate) fn new(path: &str, block: &TextBlock, via: &[String]) -> Self {
        let TextBlock { text, line } = block;
        Self { path: path.to_owned(), line: *line, via: via.to_vec(), text: Arc::clone(text) }
    }
}
