//! Measures on tasks with known answers whether a pack contains the right code.
//!
//! A task names a repository, a commit and the lines touched by the real change. The tree is read
//! directly from git, the whole pipeline runs on it, and the pack is compared with the answer.
//! Analyses are cached by blob, so a file is parsed only once even if many commits contain it.

mod compare;
mod describe;
mod hidden;
mod library;
mod models;
mod questions;
mod run;
mod score;
mod setup;
mod task;

pub use compare::{Comparison, MetricChange, compare};
pub use hidden::HiddenLines;
pub use questions::questions_from_git;
pub use run::{Evaluation, ResultError, evaluate};
pub use score::{
    BUDGETS, DEPTHS, LISTED, Outcome, RANKING_BUDGET, ReliabilityBin, SMALL_PACK, STOP_BUDGET,
    StoppedPack, Summary,
};
pub use setup::{EvalError, Options};
pub use task::{
    Gold, OWN_REPOSITORY, Target, Task, TaskError, foreign_tasks, parse_tasks, tasks_from_git,
};

pub use describe::describe;
pub use models::FoldModels;
