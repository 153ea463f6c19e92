//! When each file last changed, as far back as it matters for ranking.

use crate::git::Git;
use crate::lookup::commit_time;
use crate::{GitError, log, resolve_commit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs;
use std::path::Path;

/// Recency is exp(-days/10): after this many days it is below 0.00005, as good as none.
const DAYS: i64 = 100;
/// How many commits are looked at.
const COMMITS: usize = 20_000;

/// The time of the newest commit that touches a file, for the files touched of late.
#[derive(Debug, Clone, Default)]
pub struct Recency {
    head: Option<i64>,
    times: FxHashMap<String, i64>,
    warning: Option<String>,
}

impl Recency {
    /// Reads the history of a commit (`HEAD` if none is named) over the 100 days before `now`, or
    /// before the commit. `dir` is a repository or a folder of a work tree; paths are relative to
    /// it. A repository without commits has an empty history.
    pub fn read(dir: &Path, revision: Option<&str>, now: Option<i64>) -> Result<Self, GitError> {
        Self::read_with(&Git::at(dir), revision, now)
    }

    pub(crate) fn read_with(
        git: &Git,
        revision: Option<&str>,
        now: Option<i64>,
    ) -> Result<Self, GitError> {
        let shallow = shallow_commits(git)?;
        let commit = match revision {
            Some(revision) => resolve_commit(git.dir(), revision)?,
            None => "HEAD".to_owned(),
        };
        let Some(head) = commit_time(git, &commit)? else { return Ok(Self::default()) };
        // A `now` in the past still wants what was recent then.
        let since = now.unwrap_or(head).min(head).saturating_sub(DAYS * 86_400).max(0);
        let since = format!("--max-age={since}");
        let count = format!("--max-count={COMMITS}");
        let (commits, error) = log::read(git, &[&since, &count], &commit, false)?;
        let mut recency = Self { head: Some(head), ..Self::default() };
        if commits.len() == COMMITS {
            recency.warning = Some(format!("history older than {COMMITS} commits is not read"));
        }
        if let Some(error) = error {
            recency.warning = Some(format!("history is incomplete: {error}"));
        }
        for commit in commits {
            recency.add(commit, &shallow);
        }
        Ok(recency)
    }

    /// A history that is known from elsewhere: when the commit was made, and when files were touched.
    pub fn known<'a>(head: i64, times: impl Iterator<Item = (&'a str, i64)>) -> Self {
        let times = times.map(|(path, time)| (path.to_owned(), time)).collect();
        Self { head: Some(head), times, warning: None }
    }

    /// The same, with what a person should know about its limits.
    pub fn with_warning(self, warning: Option<String>) -> Self {
        Self { warning, ..self }
    }

    /// When the commit itself was made; `None` where there is none yet.
    pub fn head(&self) -> Option<i64> {
        self.head
    }

    /// When a file was last touched, in seconds since 1970, if that was of late.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }

    /// All files touched of late, with their times, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.times.iter().map(|(path, &time)| (path.as_str(), time))
    }

    /// What a person should know about this history's limits.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    fn add(&mut self, commit: log::Logged, shallow: &FxHashSet<String>) {
        // Where a shallow clone ends, a commit seems to have made every file.
        if shallow.contains(&commit.id) {
            let cut = "the clone is shallow: older changes are not known";
            self.warning.get_or_insert_with(|| cut.to_owned());
            return;
        }
        for change in commit.changes {
            let time = self.times.entry(change.path).or_insert(commit.time);
            *time = (*time).max(commit.time);
        }
    }
}

/// The commits at which a shallow clone ends.
pub(crate) fn shallow_commits(git: &Git) -> Result<FxHashSet<String>, GitError> {
    let output = git.output(&["rev-parse", "--git-path", "shallow"])?;
    let path = String::from_utf8_lossy(&output);
    let path = git.dir().join(path.strip_suffix('\n').unwrap_or(&path));
    let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    let text = if is_file { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    Ok(text.lines().map(str::to_owned).collect())
}
