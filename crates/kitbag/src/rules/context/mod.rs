//! Context files: YAML, or front matter in Markdown, under `.agent/contexts`.
//!
//! `keys` declares what may stand in one, `check` holds a file against that, `read` makes a
//! [`Context`] of it, and `graph` follows inheritance. The schema for editors is made in `schema`.

mod check;
mod graph;
mod keys;
mod read;
mod schema;

pub use schema::context_schema;

pub(super) use graph::{Contexts, Lineage};
pub(super) use read::{id_of, read};

use super::matchers::Matchers;
use std::sync::Arc;

/// The folder of context files, relative to the root.
pub const CONTEXTS_FOLDER: &str = ".agent/contexts";

/// The endings of context files. The first that is there is the one that a name means.
pub(super) const ENDINGS: [&str; 3] = ["yml", "yaml", "md"];

/// A context file, by itself.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Its path below the folder of contexts, without its ending: `helpers/guide`.
    pub id: String,
    /// Its file, relative to the root.
    pub path: String,
    /// What it is called.
    pub name: String,
    /// What kind of context it is.
    pub kind: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What it is all for.
    pub business_goal: Option<String>,
    /// The kind of work.
    pub intent_type: Option<String>,
    /// What to do when something happens.
    pub behavior_rules: Vec<BehaviorRule>,
    /// What else to read, and when.
    pub injection_rules: Vec<Arc<InjectionRule>>,
    /// What it inherits from, by name, with line and column.
    pub extends: Vec<(String, (usize, usize))>,
    /// The text after the front matter, where it is Markdown, and the line that it begins at.
    pub body: Option<(Arc<str>, usize)>,
}

/// What to do when something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehaviorRule {
    /// Its name; its trigger where it has none.
    pub name: String,
    /// When it is to be followed.
    pub trigger: String,
    /// What is to be done then.
    pub action: String,
}

/// What else to read, and under which condition.
#[derive(Debug, Clone)]
pub struct InjectionRule {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// A condition in plain language.
    pub condition: Option<String>,
    /// Matchers, which decide without a model.
    pub matchers: Matchers,
    /// Contexts, files or globs, each with the line and column that it stands at.
    pub inject: Vec<(String, (usize, usize))>,
    /// The context that it stands in.
    pub context: String,
    /// The file that it stands in.
    pub path: String,
    /// The line and column that it stands at.
    pub place: (usize, usize),
}
