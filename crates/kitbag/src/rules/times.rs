//! When rule files last changed. They lie in hidden folders, which a walk of the work tree passes
//! over, so that its times do not have them.

use super::context::CONTEXTS_FOLDER;
use super::files::MOST_RULE_FILES;
use kitbag_repo::{GitError, Recency, Root, changed_files};
use rustc_hash::{FxHashMap, FxHashSet};

/// When rule files last changed.
#[derive(Debug, Clone, Default)]
pub struct RuleTimes {
    /// The time that ages are measured from: as it was given, or that of the newest change.
    pub now: Option<i64>,
    times: FxHashMap<String, i64>,
}

impl RuleTimes {
    /// Asks git: the time of the last commit and, where git sees a change or does not know the file,
    /// the file's own time, whichever is newer. Where there is no repository, files' own times
    /// count, and where git cannot be asked, none is known.
    pub fn read(root: &Root, now: Option<i64>) -> Self {
        let files = root.list(CONTEXTS_FOLDER, MOST_RULE_FILES).files;
        if files.is_empty() {
            return Self { now, times: FxHashMap::default() };
        }
        let recency = Recency::read(root.path(), None, now);
        let (recency, changed) = match (recency, changed_files(root.path(), &files)) {
            (Ok(recency), Ok(changed)) => (recency, changed),
            (Err(GitError::NotARepository { .. }), _) => {
                let all = files.iter().map(|file| file.path.as_str()).collect();
                (Recency::default(), all)
            }
            (recency, _) => (recency.unwrap_or_default(), FxHashSet::default()),
        };
        let mut newest = recency.head();
        let mut times = FxHashMap::default();
        for file in &files {
            let modified = file.modified().filter(|_| changed.contains(file.path.as_str()));
            newest = newest.max(modified);
            if let Some(time) = recency.of(&file.path).max(modified) {
                times.insert(file.path.clone(), time);
            }
        }
        Self { now: now.or(newest), times }
    }

    /// When a file last changed, in seconds since 1970, if that is known and was of late.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }
}
