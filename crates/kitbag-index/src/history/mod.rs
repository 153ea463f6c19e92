//! What a repository's past says: which commits touched which files, and in which words.
//!
//! Git is walked once, a bounded way back; every commit becomes a record in an append-only file,
//! and later walks bring only what is new. Records are kept whatever branch they came from. What
//! retrieval reads, a [`Past`], is derived by walking the parents of the commit that is checked
//! out, so a rebased or abandoned commit is never seen, though its record may still be there.
//!
//! Paths are relative to the folder that git was asked about, so a history, and its file, belong to
//! that one folder. Nothing here decides what the past means for a rank.

mod codec;
mod file;
mod message;
mod past;
mod records;
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;
mod walk;

pub use past::{Past, PastCommit};

use codec::Tail;
use file::Saved;
use kitbag_repo::{
    Commit, GitError, ObjectId, continue_history, cut_commits, is_stopped, read_history,
};
use records::{Record, Records};
use std::path::Path;

/// How many tips of what is known git is told not to walk again. More would cost more than they
/// save; a tip that is left out costs only a longer walk.
const MOST_TIPS: usize = 100;

/// Every commit known of one folder of a repository, whatever branch it is on.
#[derive(Debug)]
pub struct History {
    records: Records,
    /// The records that are not on disk yet, as they will be there.
    pending: Vec<u8>,
    /// Where encoding goes on.
    tail: Tail,
    /// What is on disk, if it can be appended to; otherwise `pending` is everything.
    saved: Option<Saved>,
    /// Whether what is on disk is to go, although it could be appended to.
    is_replacement: bool,
    /// The last head, and the number of its ancestors, that were found to be known.
    complete: Option<(ObjectId, usize)>,
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// A history in which nothing is known.
    pub fn new() -> Self {
        Self {
            records: Records::default(),
            pending: Vec::new(),
            tail: Tail::default(),
            saved: None,
            is_replacement: false,
            complete: None,
        }
    }

    /// Whether there is a record of a commit.
    pub fn knows(&self, id: &ObjectId) -> bool {
        self.records.place(id).is_some()
    }

    /// When a commit was made, if there is a record of it.
    pub fn time(&self, id: &ObjectId) -> Option<i64> {
        self.records.place(id).map(|place| self.records.entry(place).time)
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds commits, newest first, as [`read_history`] gives them. Those that are known stay as they
    /// are, unless a shallow clone ended there and no longer does.
    pub fn extend(&mut self, commits: Vec<Commit>) {
        for commit in commits.into_iter().rev() {
            self.add(Record::of(commit));
        }
    }

    /// Makes the newest `most` ancestors of `head` known, itself included. Git is asked for what is
    /// new; it is not asked at all where nothing is. Comes with what a person should know if the
    /// history is incomplete.
    pub fn update(
        &mut self,
        dir: &Path,
        head: &ObjectId,
        most: usize,
    ) -> Result<Option<String>, GitError> {
        if self.complete == Some((*head, most)) || self.is_complete(dir, head, most)? {
            self.complete = Some((*head, most));
            return Ok(None);
        }
        // With a few more than asked for, commits of the same second at the far end are the same
        // however often the history was continued.
        let reach = most.saturating_add(most / 16).saturating_add(16);
        let (is_first, goes_on) = (self.is_empty(), self.knows(head));
        let (commits, mut warning) = if goes_on {
            self.read_on(dir, head, reach)?
        } else {
            read_history(dir, head, &self.tips(), reach)?
        };
        if is_stopped() {
            // What was read is the newest without a gap, and the next time goes on from there;
            // between commits that are known it would leave one that nobody sees.
            if is_first || goes_on {
                self.extend(commits);
            }
            return Ok(warning);
        }
        self.extend(commits);
        // A tip may reach back less far than a head that left its branch early.
        if !is_first && !goes_on && !self.is_complete(dir, head, most)? {
            let (commits, wider) = self.read_on(dir, head, reach)?;
            if is_stopped() {
                return Ok(wider);
            }
            self.extend(commits);
            warning = wider;
        }
        self.complete = Some((*head, most));
        self.forget_unreachable(head, most);
        Ok(warning)
    }

    /// Reads the ancestors of a commit that is known, from where they are not.
    fn read_on(
        &self,
        dir: &Path,
        head: &ObjectId,
        reach: usize,
    ) -> Result<(Vec<Commit>, Option<String>), GitError> {
        match self.records.walk(head, reach).gaps {
            // The clone has been deepened.
            gaps if gaps.is_empty() => read_history(dir, head, &[], reach),
            gaps => continue_history(dir, &gaps, reach),
        }
    }

    /// The newest `most` ancestors of `head`, itself included, as far as they are known.
    pub fn past(&self, head: &ObjectId, most: usize) -> Past {
        Past::of(&self.records, &self.records.walk(head, most).found)
    }

    /// Whether git could add nothing to the newest `most` ancestors of `head`.
    fn is_complete(&self, dir: &Path, head: &ObjectId, most: usize) -> Result<bool, GitError> {
        if !self.knows(head) {
            return Ok(false);
        }
        let walk = self.records.walk(head, most);
        if walk.found.len() >= most {
            return Ok(true);
        }
        if !walk.gaps.is_empty() || walk.cut.is_empty() {
            return Ok(walk.gaps.is_empty());
        }
        // The clone may have been deepened since.
        let cut = cut_commits(dir)?;
        Ok(walk.cut.iter().all(|id| cut.contains(id)))
    }

    /// Commits of which all others that are known are ancestors, the latest to be added.
    fn tips(&self) -> Vec<ObjectId> {
        let tips = self.records.tips();
        tips[tips.len().saturating_sub(MOST_TIPS)..].to_vec()
    }

    /// Adds a record, unless there is one that is as good.
    fn add(&mut self, record: Record) {
        let known = self.records.place(&record.id);
        if known.is_some_and(|place| record.is_cut || !self.records.is_cut(place)) {
            return;
        }
        let place = self.records.push(record);
        codec::encode(&self.records, place, &mut self.tail, &mut self.pending);
    }

    /// Starts anew with what `head` can reach, once the rest has grown too large.
    fn forget_unreachable(&mut self, head: &ObjectId, most: usize) {
        let bound = most.saturating_mul(4);
        if self.len() <= bound {
            return;
        }
        let mut reachable = self.records.walk(head, usize::MAX).found;
        if self.len() - reachable.len() <= bound {
            return;
        }
        reachable.sort_unstable();
        *self = Self { is_replacement: true, complete: self.complete, ..self.copy(reachable) };
    }

    /// A history of some records only, in their order, none of them on disk.
    fn copy(&self, places: impl IntoIterator<Item = u32>) -> Self {
        let mut copy = Self::new();
        places.into_iter().for_each(|place| copy.add(self.records.record(place)));
        copy
    }
}
