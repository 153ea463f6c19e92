//! The commit history of a repository: which commits touched which files, and in which words.
//!
//! A bounded walk over git's commits is recorded once in a file; later walks read only new commits.
//! Records are kept regardless of branch. Ranking reads a [`CommitHistory`], which is derived by walking
//! the parents of the checked-out commit, so rebased and abandoned commits are never seen although their
//! records may still exist.
//!
//! Paths are relative to the folder that git was run in, so a log belongs to that one folder. How
//! history affects ranking is decided elsewhere.

mod ancestors;
mod log_file;
mod message;
mod table;
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;

pub use ancestors::{CommitHistory, HistoryCommit};

use kitbag_repo::{
    Commit, GitError, GitLocation, ObjectId, is_cancelled, read_commits, read_history,
    shallow_boundary,
};
use table::{CommitRecord, CommitTable};

/// Maximum number of known tips that are excluded from git's walk. More would cost more than they
/// save; leaving out a tip only makes the walk longer.
const MAX_EXCLUDED_TIPS: usize = 100;

/// All recorded commits of one folder of a repository, on any branch.
#[derive(Debug, Default)]
pub struct CommitLog {
    table: CommitTable,
    /// Whether the file lacks some of the records.
    is_modified: bool,
    /// Whether records were dropped, so that those of the file must not come back.
    is_replacement: bool,
    /// The last head, and the number of its ancestors, that are known to be complete.
    complete: Option<(ObjectId, usize)>,
}

impl CommitLog {
    /// Creates an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    fn of(records: Vec<CommitRecord>) -> Self {
        let mut log = Self::new();
        records.into_iter().for_each(|record| log.table.insert(record));
        log
    }

    /// Whether a commit is recorded.
    pub fn contains(&self, id: &ObjectId) -> bool {
        self.table.place(id).is_some()
    }

    /// Returns the time of a recorded commit in seconds since 1970.
    pub fn time(&self, id: &ObjectId) -> Option<i64> {
        self.table.place(id).map(|place| self.table.records[place].time)
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.table.records.len()
    }

    /// Whether no commit is recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds commits, newest first, as [`read_history`] returns them. Recorded commits stay unless a
    /// shallow clone ended there and no longer does.
    pub fn extend(&mut self, commits: Vec<Commit>) {
        for commit in commits.into_iter().rev() {
            self.add(commit.into());
        }
    }

    /// Records the newest `max` ancestors of `head`, including itself. Git is run only if commits may
    /// be missing. Returns a warning for the user if the history is incomplete.
    pub fn update<'a>(
        &mut self,
        dir: impl Into<GitLocation<'a>>,
        head: &ObjectId,
        max: usize,
    ) -> Result<Option<String>, GitError> {
        let dir = dir.into();
        if self.complete == Some((*head, max)) || self.is_complete(dir, head, max)? {
            self.complete = Some((*head, max));
            return Ok(None);
        }
        // Reading some more makes the far end independent of how often the log was continued: commits
        // of the same second may come in any order.
        let reach = max.saturating_add(max / 16).saturating_add(16);
        let (is_first, is_head_known) = (self.is_empty(), self.contains(head));
        let (commits, mut warning) = if is_head_known {
            self.read_missing(dir, head, reach)?
        } else {
            read_history(dir, &[*head], &self.table.tips(MAX_EXCLUDED_TIPS), reach)?
        };
        if is_cancelled() {
            // An interrupted walk has the newest commits without gaps, so the next one can continue
            // from there; on top of known commits it would leave an undetectable gap.
            if is_first || is_head_known {
                self.extend(commits);
            }
            return Ok(warning);
        }
        self.extend(commits);
        // An excluded tip may reach back less far than a head that left its branch early.
        if !self.is_complete(dir, head, max)? && !is_first && !is_head_known {
            let (commits, wider) = self.read_missing(dir, head, reach)?;
            if is_cancelled() {
                return Ok(wider);
            }
            self.extend(commits);
            warning = wider;
        }
        self.complete = Some((*head, max));
        self.forget_unreachable(head, max);
        Ok(warning)
    }

    /// Reads the missing ancestors of a known commit.
    fn read_missing(
        &self,
        dir: GitLocation<'_>,
        head: &ObjectId,
        reach: usize,
    ) -> Result<(Vec<Commit>, Option<String>), GitError> {
        match self.table.walk(head, reach).missing {
            // The clone has been deepened.
            missing if missing.is_empty() => read_history(dir, &[*head], &[], reach),
            missing => read_history(dir, &missing, &[], reach),
        }
    }

    /// Returns the newest `max` ancestors of `head`, including itself, as far as they are recorded.
    pub fn ancestors(&self, head: &ObjectId, max: usize) -> CommitHistory {
        CommitHistory::of(&self.table, &self.table.walk(head, max).found)
    }

    /// Whether git could add nothing to the newest `max` ancestors of `head`. Records the parents at the
    /// far end, so that git is not asked about them again.
    fn is_complete(
        &mut self,
        dir: GitLocation<'_>,
        head: &ObjectId,
        max: usize,
    ) -> Result<bool, GitError> {
        if !self.contains(head) {
            return Ok(false);
        }
        let mut walk = self.table.walk(head, max);
        if walk.found.len() >= max && !walk.missing.is_empty() {
            // Other heads may have left gaps: a missing parent can be newer than commits that were found.
            match read_commits(dir, &walk.missing) {
                Ok(commits) => self.extend(commits),
                Err(error) if is_cancelled() => return Err(error),
                // The repository lacks them.
                Err(_) => return Ok(true),
            }
            walk = self.table.walk(head, max);
        }
        if walk.found.len() >= max {
            return Ok(walk.missing.is_empty());
        }
        if !walk.missing.is_empty() || walk.shallow.is_empty() {
            return Ok(walk.missing.is_empty());
        }
        // The clone may have been deepened since.
        let shallow = shallow_boundary(dir)?;
        Ok(walk.shallow.iter().all(|id| shallow.contains(id)))
    }

    /// Adds a record, unless an equally complete one exists.
    fn add(&mut self, record: CommitRecord) {
        let known = self.table.place(&record.id);
        if known.is_some_and(|place| record.is_shallow || !self.table.records[place].is_shallow) {
            return;
        }
        self.table.insert(record);
        self.is_modified = true;
    }

    /// Drops the commits that `head` cannot reach, once they are more than four times `max`.
    fn forget_unreachable(&mut self, head: &ObjectId, max: usize) {
        let bound = max.saturating_mul(4);
        if self.len() <= bound {
            return;
        }
        let mut reachable = self.table.walk(head, usize::MAX).found;
        if self.len() - reachable.len() <= bound {
            return;
        }
        reachable.sort_unstable();
        let record = |place: usize| self.table.records[place].clone();
        let records = reachable.into_iter().map(record).collect();
        *self = Self {
            is_modified: true,
            is_replacement: true,
            complete: self.complete,
            ..Self::of(records)
        };
    }
}
