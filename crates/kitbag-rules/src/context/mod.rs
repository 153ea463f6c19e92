//! Context files: YAML, or Markdown with front matter, under `.agent/contexts`.
//!
//! `keys` declares their keys, `check` validates a file, `read` converts it to a
//! [`RuleContext`](crate::model::RuleContext), and `graph` resolves inheritance. `schema` generates the
//! JSON schema.

mod check;
mod graph;
mod keys;
mod read;
mod schema;

pub use schema::context_schema;

pub(crate) use graph::{ContextGraph, Lineage};
pub(crate) use read::{context_id, parse_context};

/// Extensions of context files, in order of precedence.
const EXTENSIONS: [&str; 3] = ["yml", "yaml", "md"];
