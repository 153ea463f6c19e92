//! Finds repositories and commits.

use crate::git::Git;
use crate::git_dir::{GitDir, is_bare_repository, read_text};
use crate::{GitError, GitLocation, ObjectId};
use rustc_hash::FxHashSet;
use std::path::{Component, Path, PathBuf};

/// The warning for a history that ends where a shallow clone does.
pub(crate) const SHALLOW_WARNING: &str = "shallow clone: older changes are unknown";

/// A larger list of the ends of a shallow clone is not read.
const MAX_SHALLOW_BYTES: u64 = 16 << 20;

/// Returns the id of the commit that a revision names: a branch, a tag, an abbreviated id.
pub fn resolve_commit<'a>(
    dir: impl Into<GitLocation<'a>>,
    revision: &str,
) -> Result<ObjectId, GitError> {
    resolve_in(&Git::at(dir), revision)
}

pub(crate) fn resolve_in(git: &Git, revision: &str) -> Result<ObjectId, GitError> {
    let unknown =
        || GitError::UnknownRevision { dir: git.dir().to_owned(), revision: revision.to_owned() };
    // Git would take a leading dash for an option, and a NUL cannot be passed at all.
    if revision.is_empty() || revision.starts_with('-') || revision.contains(char::is_control) {
        return Err(unknown());
    }
    // A suffix would be a part of the text that `:/TEXT` looks for.
    let id = revision.starts_with(":/").then(|| git.text(&["rev-parse", "--verify", revision]));
    let id = id.transpose().map_err(|_| unknown())?;
    let commit = format!("{}^{{commit}}", id.as_deref().unwrap_or(revision));
    match git.text(&["rev-parse", "--verify", &commit]) {
        Err(GitError::Failed { message, .. }) => {
            Err(why_not_a_commit(git, revision, &message).unwrap_or_else(unknown))
        }
        result => result?.parse().map_err(|_| unknown()),
    }
}

/// Explains why git does not take a revision for a commit. `None` if it does not know the revision.
fn why_not_a_commit(git: &Git, revision: &str, message: &str) -> Option<GitError> {
    let revision = || revision.to_owned();
    if message.starts_with("error: short object ID") {
        return Some(GitError::AmbiguousRevision { revision: revision() });
    }
    let kind = message.rsplit_once("dereferences to ").and_then(|(_, it)| it.strip_suffix(" type"));
    if let Some(kind) = kind {
        return Some(GitError::NotACommit { revision: revision(), kind: kind.to_owned() });
    }
    // A branch or a tag is read without the object that it names. A whole id is not looked up at all.
    let id = git.text(&["rev-parse", "--quiet", "--verify", &revision()]).ok()?;
    if id.eq_ignore_ascii_case(&revision()) {
        return None;
    }
    match git.text(&["cat-file", "-t", &id]) {
        // The path in `COMMIT:PATH` goes on to the end.
        Ok(kind) if kind != "commit" && kind != "tag" => {
            Some(GitError::NotACommit { revision: revision(), kind })
        }
        _ => Some(GitError::MissingCommit { revision: revision(), id: id.parse().ok()? }),
    }
}

/// Returns whether `HEAD` names a branch without commits. A branch that refers to itself, is damaged,
/// or names a missing commit is an error instead.
pub(crate) fn is_unborn(git: &Git) -> bool {
    let Ok(branch) = git.text(&["symbolic-ref", "--quiet", "HEAD"]) else { return false };
    let has_commit = git.text(&["rev-parse", "--quiet", "--verify", "HEAD"]).is_ok();
    let file = git.text(&["rev-parse", "--git-path", &branch]);
    !has_commit && file.is_ok_and(|file| !git.dir().join(file).exists())
}

/// Returns the commit time of `HEAD` in seconds since 1970, or `None` on a branch without commits.
pub(crate) fn head_time(git: &Git) -> Result<Option<i64>, GitError> {
    let head = git.head();
    match git.text(&["log", "-1", "--no-notes", "--no-mailmap", "--format=%ct", &head, "--"]) {
        Ok(time) => Ok(time.parse().ok()),
        Err(GitError::Failed { .. }) if is_unborn(git) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the ids of the commits whose parents a shallow clone lacks.
pub(crate) fn shallow_commits(git: &Git) -> Result<FxHashSet<String>, GitError> {
    let text = read_text(&git.git_dir()?.common.join("shallow"), MAX_SHALLOW_BYTES);
    Ok(text.unwrap_or_default().lines().map(str::to_owned).collect())
}

/// Finds the repository `owner/name` in a folder of repositories: at `owner/name`, `owner+name`,
/// `owner__name` or `name`, or in a folder `repo` within, each with or without `.git`, bare or
/// checked out.
pub fn find_repository(dir: &Path, repo: &str) -> Option<PathBuf> {
    let path = Path::new(repo);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if repo.is_empty() || !is_plain {
        return None;
    }
    let last = path.file_name()?.to_str()?;
    let names = [repo.to_owned(), repo.replace('/', "+"), repo.replace('/', "__"), last.to_owned()];
    names
        .iter()
        .flat_map(|name| [dir.join(name), dir.join(format!("{name}.git"))])
        .find_map(|path| repository_at(&path))
}

/// Name of a repository, and its folder.
type NamedFolder = (String, PathBuf);

/// Maximum number of repositories of a folder that are listed.
const MAX_REPOSITORIES: usize = 10_000;

/// Lists the repositories in a folder under the names by which [`find_repository`] finds them, sorted by name:
/// `owner/name` for `owner/name`, `owner+name` and `owner__name`, also with `.git` or a folder `repo` within.
pub fn repositories_in(dir: &Path) -> Vec<(String, PathBuf)> {
    named_repositories_in(dir).0
}

/// Lists the repositories in a folder as [`repositories_in`] does, and those that are left out because another
/// one has the same name.
pub fn named_repositories_in(dir: &Path) -> (Vec<NamedFolder>, Vec<NamedFolder>) {
    let mut found = Vec::new();
    for (name, path) in subfolders(dir) {
        if let Some(path) = repository_at(&path) {
            found.push((with_slash(&name), path));
            continue;
        }
        for (inner, path) in subfolders(&path) {
            found.extend(repository_at(&path).map(|path| (format!("{name}/{inner}"), path)));
        }
        if found.len() >= MAX_REPOSITORIES {
            break;
        }
    }
    found.sort();
    // Of several forms of a name, one is found.
    let is_found = |(name, path): &NamedFolder| find_repository(dir, name).as_ref() == Some(path);
    let (mut listed, hidden): (Vec<_>, Vec<_>) = found.into_iter().partition(is_found);
    listed.truncate(MAX_REPOSITORIES);
    (listed, hidden)
}

/// Returns the name under which [`repositories_in`] lists a repository of a folder.
pub fn repository_name(dir: &Path, repository: &Path) -> Option<String> {
    let inside = repository.strip_prefix(dir).ok()?;
    let parts: Vec<&str> = inside.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let parts = match parts.as_slice() {
        [outer @ .., "repo"] if !outer.is_empty() => outer,
        parts => parts,
    };
    match parts {
        [name] => Some(with_slash(without_git(name))),
        [owner, name] => Some(format!("{}/{}", without_git(owner), without_git(name))),
        _ => None,
    }
}

/// Returns the name of a repository by its own path alone: that of its folder, in which `owner+name` and
/// `owner__name` stand for `owner/name`. A folder `repo` counts as the one that it is in.
pub(crate) fn name_of_folder(folder: &Path) -> String {
    let outer = folder.parent().filter(|it| folder.ends_with("repo") && it.file_name().is_some());
    let name = outer.unwrap_or(folder).file_name().unwrap_or_default().to_string_lossy();
    with_slash(without_git(&name))
}

/// Returns `owner/name` for `owner+name` and `owner__name`.
fn with_slash(name: &str) -> String {
    name.replacen(if name.contains('+') { "+" } else { "__" }, "/", 1)
}

fn without_git(name: &str) -> &str {
    name.strip_suffix(".git").unwrap_or(name)
}

/// Returns the folders in a folder with their names, without `.git` at the end. Hidden ones are left out.
fn subfolders(dir: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_folder = !name.starts_with('.') && entry.path().is_dir();
        is_folder.then(|| (without_git(&name).to_owned(), entry.path()))
    })
}

/// Returns a folder, or the folder `repo` in it, if it is a repository.
fn repository_at(path: &Path) -> Option<PathBuf> {
    let is_repository = |path: &PathBuf| path.join(".git").exists() || is_bare_repository(path);
    [path.to_owned(), path.join("repo")].into_iter().find(is_repository)
}

/// A folder that a user works in, and the repository that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingFolder {
    /// Absolute path of the repository.
    pub repo: PathBuf,
    /// The folder relative to the repository, with `/`; empty if they are the same.
    pub folder: String,
}

impl WorkingFolder {
    /// Finds the repository of a folder: the nearest folder above with `.git`, found as git finds it, else
    /// the nearest with `.agent`, else the folder itself. The `home` folder and those above it are not the
    /// repository of what is in them. Fails if the folder does not exist.
    pub fn find(dir: &Path, home: Option<&Path>) -> std::io::Result<Self> {
        let dir = dir.canonicalize()?;
        let is_project = |top: &Path| {
            let is_above_home = home.is_some_and(|home| home.starts_with(top));
            top == dir || (!is_above_home && top.parent().is_some())
        };
        let with_git = GitDir::find(&dir).map(|found| found.top);
        let with_agent = || dir.ancestors().find(|it| it.join(".agent").is_dir());
        let repo = with_git.or_else(|| with_agent().map(Path::to_owned));
        let repo = repo.filter(|it| is_project(it)).unwrap_or_else(|| dir.clone());
        let inside = dir.strip_prefix(&repo).ok().and_then(Path::to_str).unwrap_or_default();
        let folder = inside.replace(std::path::MAIN_SEPARATOR, "/");
        Ok(Self { repo, folder })
    }
}

/// Returns whether a folder or one of its ancestors contains `.git`.
pub(crate) fn is_in_work_tree(dir: &Path) -> bool {
    dir.ancestors().any(|folder| folder.join(".git").exists())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;

    #[test]
    fn repositories_are_listed_under_the_names_of_their_folders() {
        let dir = tempfile::tempdir().unwrap();
        let folders = ["a+one/repo", "a__two.git", "b/three.git", "b/four/repo", "five", "repo"];
        for folder in folders {
            std::fs::create_dir_all(dir.path().join(folder).join(".git")).unwrap();
        }
        let listed = repositories_in(dir.path());
        let names: Vec<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a/one", "a/two", "b/four", "b/three", "five", "repo"]);
        for (name, path) in &listed {
            assert_eq!(repository_name(dir.path(), path).as_ref(), Some(name));
        }
        let elsewhere = [dir.path().to_owned(), dir.path().join("a/b/c"), "/x".into()];
        assert!(elsewhere.iter().all(|path| repository_name(dir.path(), path).is_none()));
    }
}
