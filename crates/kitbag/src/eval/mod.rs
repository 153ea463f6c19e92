//! Is the right code in the pack? Measured on tasks whose answer is known.
//!
//! A task names a repository, a commit, and the lines that the real change touched. The tree is
//! read straight from git, the whole pipeline runs on it, and the pack is held against the answer.
//! Analyses are kept by blob, so that a file is parsed once however many commits have it.

mod compare;
mod describe;
mod library;
mod models;
mod run;
mod score;
mod task;

pub use compare::{Comparison, MetricChange, compare};
pub use run::{EvalError, Evaluation, Options, ResultError, evaluate};
pub use score::{BUDGETS, DEPTHS, Outcome, RANKING_BUDGET, Summary};
pub use task::{Gold, OWN, Task, TaskError, parse_tasks, tasks_from_git};

pub use describe::describe;
pub use models::FoldModels;
