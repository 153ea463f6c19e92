//! Where repositories and commits are.

use crate::GitError;
use crate::git::Git;
use std::path::{Component, Path, PathBuf};

/// The full name of the commit that a revision means: a branch, a tag, an abbreviated name.
pub fn resolve_commit(dir: &Path, revision: &str) -> Result<String, GitError> {
    let unknown =
        || GitError::UnknownRevision { dir: dir.to_owned(), revision: revision.to_owned() };
    // A revision that begins with a dash would be an option, and one with NUL cannot be passed.
    if revision.is_empty() || revision.starts_with('-') || revision.contains('\0') {
        return Err(unknown());
    }
    let commit = format!("{revision}^{{commit}}");
    let (output, error) =
        Git::at(dir).run(&["rev-parse", "--quiet", "--verify", commit.as_str()], None)?;
    match error {
        None => Ok(String::from_utf8_lossy(&output).trim().to_owned()),
        Some(GitError::Failed { .. }) => Err(unknown()),
        Some(error) => Err(error),
    }
}

/// When the commit was made that is checked out, in seconds since 1970. `None` where there is no
/// git, no repository or no commit.
pub fn head_time(dir: &Path) -> Option<i64> {
    commit_time(&Git::at(dir), "HEAD").ok().flatten()
}

/// Whether `HEAD` names a branch that has no commit yet, and nothing is wrong with that. A branch that
/// leads in circles, is damaged, or names a commit that is gone, is something else.
pub(crate) fn is_unborn(git: &Git) -> bool {
    let line = |arguments: &[&str]| {
        let output = git.output(arguments).ok()?;
        Some(String::from_utf8_lossy(&output).trim().to_owned())
    };
    let Some(branch) = line(&["symbolic-ref", "--quiet", "HEAD"]) else { return false };
    let is_named = line(&["rev-parse", "--quiet", "--verify", "HEAD"]).is_some();
    let file = line(&["rev-parse", "--git-path", &branch]);
    !is_named && file.is_some_and(|file| !git.dir().join(file).exists())
}

/// When a commit was made; `None` where `HEAD` has no commit yet.
pub(crate) fn commit_time(git: &Git, commit: &str) -> Result<Option<i64>, GitError> {
    let arguments = ["log", "-1", "--no-notes", "--no-mailmap", "--format=%ct", commit, "--"];
    let (output, error) = git.run(&arguments, None)?;
    match error {
        None => Ok(String::from_utf8_lossy(&output).trim().parse().ok()),
        Some(GitError::Failed { .. }) if commit == "HEAD" && is_unborn(git) => Ok(None),
        Some(error) => Err(error),
    }
}

/// Finds a repository called `owner/name` in a folder of repositories: at `owner/name`,
/// `owner+name`, `owner__name` or `name`, there or in a folder `repo` within, each with or without
/// `.git`, bare or checked out.
pub fn find_repository(dir: &Path, repo: &str) -> Option<PathBuf> {
    let path = Path::new(repo);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if repo.is_empty() || !plain {
        return None;
    }
    let last = path.file_name()?.to_str()?;
    let names = [repo.to_owned(), repo.replace('/', "+"), repo.replace('/', "__"), last.to_owned()];
    names.iter().flat_map(|name| [dir.join(name), dir.join(format!("{name}.git"))]).find_map(
        |path| {
            let within = path.join("repo");
            [path, within].into_iter().find(|path| is_repository(path))
        },
    )
}

/// Whether a folder is a repository, bare or checked out.
fn is_repository(path: &Path) -> bool {
    path.join(".git").exists() || is_bare(path)
}

/// Whether a folder is where git keeps what it knows, by what is in it.
pub(crate) fn is_bare(path: &Path) -> bool {
    path.join("HEAD").is_file()
        && path.join("objects").is_dir()
        && (path.join("refs").is_dir() || path.join("packed-refs").is_file())
}

/// Whether a folder or one above it is a work tree, as far as a look without git can tell.
pub(crate) fn is_in_work_tree(dir: &Path) -> bool {
    dir.ancestors().any(|folder| folder.join(".git").exists())
}
