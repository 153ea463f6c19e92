//! The options of an evaluation, its errors, and the tasks by repository.

use super::models::FoldModels;
use super::task::{OWN_REPOSITORY, Task};
use kitbag_core::{Cancelled, PackError, Settings};
use kitbag_repo::{GitError, find_repository};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options of an evaluation.
pub struct Options<'a> {
    /// The folder that contains the repositories, or the repository itself for tasks made from its
    /// own commits.
    pub repos: PathBuf,
    /// The folder in which analyses are cached between runs.
    pub cache: PathBuf,
    /// The settings of the packs.
    pub settings: Settings,
    /// Relevance below which the packs that do not fill their budget end.
    pub stop_below: Option<f64>,
    /// Cross-validation models to use instead of the built-in one.
    pub models: Option<FoldModels>,
    /// Called with the number of tasks completed since the last call.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// An error that ends an evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A repository is missing from the folder.
    #[error("no repository `{repo}` in `{}`", .folder.display())]
    NoRepository {
        /// The name of the repository.
        repo: String,
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// Git could not read the commit of a task.
    #[error("{task}: {error}")]
    Git {
        /// The id of the task.
        task: String,
        /// The error reported by git.
        error: GitError,
    },
    /// The pipeline failed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The features could not be written.
    #[error("cannot write the features: {0}")]
    Write(#[from] std::io::Error),
    /// The tree of a task could not be indexed.
    #[error("index error: {message}")]
    Index {
        /// A description of the error.
        message: String,
    },
    /// The list of tasks is empty.
    #[error("no tasks")]
    NoTasks,
}

impl EvalError {
    /// Returns whether the caller cancelled the evaluation.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Pack(PackError::Cancelled(_)))
    }
}

impl From<Cancelled> for EvalError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Pack(cancelled.into())
    }
}

/// The tasks of one repository, with its location.
pub(super) struct Group<'a> {
    pub repo: &'a str,
    pub directory: PathBuf,
    pub tasks: Vec<&'a Task>,
}

pub(super) fn by_repository<'a>(
    tasks: &'a [Task],
    repos: &Path,
) -> Result<Vec<Group<'a>>, EvalError> {
    let mut by_repo: BTreeMap<&str, Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        by_repo.entry(&task.repo).or_default().push(task);
    }
    let group = |(repo, tasks): (&'a str, Vec<&'a Task>)| {
        let own = (repo == OWN_REPOSITORY).then(|| repos.to_owned());
        let missing =
            || EvalError::NoRepository { repo: repo.to_owned(), folder: repos.to_owned() };
        let directory = own.or_else(|| find_repository(repos, repo)).ok_or_else(missing)?;
        Ok(Group { repo, directory, tasks })
    };
    by_repo.into_iter().map(group).collect()
}

impl Group<'_> {
    /// Returns the name under which the repository is cached.
    pub fn cache_name(&self) -> String {
        if self.repo != OWN_REPOSITORY {
            return self.repo.to_owned();
        }
        let path = self.directory.canonicalize().unwrap_or_else(|_| self.directory.clone());
        path.to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_run_is_not_a_failed_one() {
        assert!(EvalError::from(Cancelled).is_cancelled());
        assert!(!EvalError::NoTasks.is_cancelled());
    }
}
