//! Conventions that projects have already, read as their makers document them: Cursor rules,
//! Copilot instructions, `.claude/rules`, skills, and the files AGENTS.md and CLAUDE.md.
//!
//! A value that its maker passes over in silence is told here. `head` reads front matter; each
//! convention is a file; `imports` follows `@path` inside the root.

mod claude;
mod copilot;
mod cursor;
mod head;
mod imports;
mod nested;
mod skills;

pub(super) use skills::body as skill_body;

use super::files::Files;
use super::matchers::Matchers;
use super::problem::RuleProblem;
use serde::Serialize;
use std::sync::Arc;

/// Whose way of writing rules a file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// An injection rule of a context file.
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
    /// What people call it.
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

/// When a rule applies. With nothing said it always does.
#[derive(Debug, Clone, Default)]
pub struct When {
    /// It applies only when the task names it: `@name`.
    pub manual: bool,
    /// Matchers, which decide without a model.
    pub matchers: Matchers,
    /// A condition in plain language.
    pub condition: Option<String>,
}

/// A rule file of a convention, by itself.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What it is called.
    pub name: String,
    /// What it is about, where it says so.
    pub description: Option<String>,
    /// Whose way of writing it follows.
    pub convention: Convention,
    /// Its file, relative to the root.
    pub path: String,
    /// When it applies.
    pub when: When,
    /// Its text and the line that it begins at. A skill's is read when it is wanted.
    pub text: Option<(Arc<str>, usize)>,
    /// What it imports, with the lines and columns of the imports.
    pub(super) imports: Vec<(String, (usize, usize))>,
}

/// A rule with what it imports.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub rule: Arc<Rule>,
    /// The folder whose files it is for, where it is for those only.
    pub scope: Option<String>,
    /// What it imports, in order.
    pub imported: Vec<Part>,
}

/// A text with its place, and the files by which it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its file, relative to the root.
    pub path: String,
    /// The line that it begins at, from 1.
    pub line: usize,
    /// The files that import it, the first one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The text.
    #[serde(skip)]
    pub text: Arc<str>,
}

/// Every rule of every convention: first those of the folders, from the root to the leaves, then
/// the others by convention and path. Each file is there once.
pub(super) fn load(
    files: Files<'_>,
    folders: &[String],
    problems: &mut Vec<RuleProblem>,
) -> Vec<Loaded> {
    let mut loaded = nested::load(files, folders, problems);
    let others = [claude::load, copilot::load, cursor::load, skills::load];
    for load in others {
        let rules = load(files, problems);
        loaded.extend(rules.into_iter().map(|rule| Loaded {
            rule,
            scope: None,
            imported: Vec::new(),
        }));
    }
    loaded
}

/// The text of a rule without blank lines around it, and the line that it begins at.
fn body(text: &str, line: usize) -> (Arc<str>, usize) {
    let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
    let begin: usize = text.split_inclusive('\n').take(blank).map(str::len).sum();
    (text[begin..].trim_end().into(), line + blank)
}

/// What was skipped in a folder of rules, and is worth telling.
fn skipped(listing: &kitbag_repo::Listing, problems: &mut Vec<RuleProblem>) {
    for skipped in &listing.skipped {
        let detail = skipped.detail.clone();
        problems.push(RuleProblem::error(&skipped.path, skipped.code, detail));
    }
}
