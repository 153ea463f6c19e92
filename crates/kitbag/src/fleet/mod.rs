//! Many repositories: their summaries, and the choice of those that a task is about.
//!
//! Only the repositories that the caller may see are given, and everything follows from these: the ranking,
//! the errors and the warnings.

mod choice;
mod store_warnings;
mod summaries;

pub(crate) use choice::{FleetChoice, Known};
pub(crate) use store_warnings::StoreWarnings;
pub(crate) use summaries::{Summaries, SummaryKey};

use serde::Serialize;

/// Maximum number of repositories that are searched for a task.
pub const MAX_CHOSEN_REPOSITORIES: usize = 10;

/// A repository that was chosen from many.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ChosenRepository {
    /// Name, with which its paths begin.
    pub name: String,
    /// Score by which it was chosen; only comparable within one request.
    pub score: f32,
    /// Chance that the task is about it rather than about another one, by which the relevance of what is found
    /// in it is multiplied.
    pub likelihood: f64,
    /// Whether the task names it.
    pub named: bool,
    /// Words of the task for which it was chosen, the most telling first.
    pub words: Vec<String>,
    /// Names of repositories that are nearly the same, such as forks, and were not searched for that reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

/// Result of indexing and summarizing many repositories.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SummaryRefresh {
    /// Version of this format.
    pub version: u32,
    /// Number of repositories that have a summary now.
    pub repositories: usize,
    /// The others.
    pub failed: Vec<FailedRepository>,
    /// Why indexes and summaries cannot be saved, if that is so.
    pub unkept: Option<String>,
    /// Problems with the object store.
    pub warnings: Vec<String>,
}

/// A repository that cannot be indexed.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct FailedRepository {
    /// Name of the repository.
    pub name: String,
    /// Why it cannot be indexed.
    pub reason: String,
}
