//! When each file last changed, as far back as it matters for ranking.

use crate::git::Git;
use crate::log::{self, LogEntry, LogFields};
use crate::lookup::{SHALLOW_WARNING, head_time, shallow_commits};
use crate::{GitError, GitLocation};
use rustc_hash::{FxHashMap, FxHashSet};

/// Recency is exp(-days/10), which is below 0.00005 after this many days.
const WINDOW_DAYS: i64 = 100;
const MAX_COMMITS: usize = 20_000;

/// The time of the newest commit that touches each recently changed file.
#[derive(Debug, Clone, Default)]
pub struct Recency {
    head: Option<i64>,
    times: FxHashMap<String, i64>,
    warning: Option<String>,
}

impl Recency {
    /// Reads the history of `HEAD` over the 100 days before `now` or, if that is earlier, before the
    /// commit. `dir` is a repository or a folder of a work tree; paths are relative to it. A
    /// repository without commits has an empty history.
    pub fn read<'a>(dir: impl Into<GitLocation<'a>>, now: Option<i64>) -> Result<Self, GitError> {
        Self::read_with(&Git::at(dir), now)
    }

    pub(crate) fn read_with(git: &Git, now: Option<i64>) -> Result<Self, GitError> {
        let shallow = shallow_commits(git)?;
        let Some(head) = head_time(git)? else { return Ok(Self::default()) };
        // A `now` in the past needs the changes that were recent then.
        let since = now.unwrap_or(head).min(head).saturating_sub(WINDOW_DAYS * 86_400).max(0);
        let since = format!("--max-age={since}");
        let count = format!("--max-count={MAX_COMMITS}");
        let fields = LogFields { with_message: false, max_changes: usize::MAX };
        let (commits, error) = log::read(git, &[&since, &count], &git.head(), fields)?;
        let mut recency = Self { head: Some(head), ..Self::default() };
        if commits.len() == MAX_COMMITS {
            recency.warning =
                Some(format!("history before the last {MAX_COMMITS} commits is not read"));
        }
        if let Some(error) = error {
            recency.warning = Some(format!("history is incomplete: {error}"));
        }
        for commit in commits {
            recency.add(commit, &shallow);
        }
        Ok(recency)
    }

    /// Creates a history from the commit time of `HEAD`, the times of files, and the warning about an
    /// incomplete history.
    pub fn new<'a>(
        head: i64,
        times: impl Iterator<Item = (&'a str, i64)>,
        warning: Option<String>,
    ) -> Self {
        let times = times.map(|(path, time)| (path.to_owned(), time)).collect();
        Self { head: Some(head), times, warning }
    }

    /// Creates a history of which nothing could be read, with the reason.
    pub fn unknown(warning: Option<String>) -> Self {
        Self { warning, ..Self::default() }
    }

    /// Returns the commit time of `HEAD`, or `None` without commits or if it is unknown.
    pub fn head(&self) -> Option<i64> {
        self.head
    }

    /// Returns when a recently changed file was last touched, in seconds since 1970.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }

    /// Returns the warning about an incomplete history.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    fn add(&mut self, commit: LogEntry, shallow: &FxHashSet<String>) {
        // Where a shallow clone ends, a commit seems to add every file.
        if shallow.contains(&commit.id) {
            self.warning.get_or_insert_with(|| SHALLOW_WARNING.to_owned());
            return;
        }
        for change in commit.changes {
            let time = self.times.entry(change.path).or_insert(commit.time);
            *time = (*time).max(commit.time);
        }
    }
}
