//! When rule files last changed. They lie in hidden folders, which a walk of the work tree passes
//! over, so that its times do not have them.

use super::context::CONTEXTS_FOLDER;
use super::files::MOST_RULE_FILES;
use kitbag_repo::{FileEntry, GitError, GitState, Recency, Root, changed_files};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// So many repositories' times are remembered.
const MOST_KEPT: usize = 100;

/// When rule files last changed.
#[derive(Debug, Clone, Default)]
pub struct RuleTimes {
    /// The time that ages are measured from: as it was given, or that of the newest change.
    pub now: Option<i64>,
    times: Arc<FxHashMap<String, i64>>,
}

/// The times of any number of roots, each with what it hangs on.
#[derive(Debug, Default)]
pub(super) struct KeptTimes(Mutex<FxHashMap<PathBuf, (Depends, RuleTimes)>>);

/// What times hang on: while it is the same, so are they.
#[derive(Debug, PartialEq)]
struct Depends {
    git: GitState,
    files: Vec<FileEntry>,
    now: Option<i64>,
}

impl KeptTimes {
    /// The times of a root, as [`RuleTimes::read`] has them. Git is asked one question to see
    /// whether those that are known still hold.
    pub fn of(&self, root: &Root, now: Option<i64>) -> RuleTimes {
        let files = root.list(CONTEXTS_FOLDER, MOST_RULE_FILES).files;
        let state = if files.is_empty() { None } else { GitState::read(root.path()) };
        let Some(git) = state else { return RuleTimes::of_files(root, &files, now) };
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let depends = Depends { git, files, now };
        if let Some((known, times)) = lock().get(root.path())
            && *known == depends
        {
            return times.clone();
        }
        let times = RuleTimes::of_files(root, &depends.files, now);
        let mut kept = lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(root.path().to_owned(), (depends, times.clone()));
        times
    }
}

impl RuleTimes {
    /// Asks git: the time of the last commit and, where git sees a change or does not know the file,
    /// the file's own time, whichever is newer. Where there is no repository, files' own times
    /// count, and where git cannot be asked, none is known.
    pub fn read(root: &Root, now: Option<i64>) -> Self {
        Self::of_files(root, &root.list(CONTEXTS_FOLDER, MOST_RULE_FILES).files, now)
    }

    fn of_files(root: &Root, files: &[FileEntry], now: Option<i64>) -> Self {
        if files.is_empty() {
            return Self { now, ..Self::default() };
        }
        let (recency, changed) = thread::scope(|scope| {
            let changed = scope.spawn(|| changed_files(root.path(), files));
            let recency = Recency::read(root.path(), None, now);
            // The thread does not panic; should it, the panic goes on here.
            (recency, changed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let (recency, changed) = match (recency, changed) {
            (Ok(recency), Ok(changed)) => (recency, changed),
            (Err(GitError::NotARepository { .. }), _) => {
                let all = files.iter().map(|file| file.path.as_str()).collect();
                (Recency::default(), all)
            }
            (recency, _) => (recency.unwrap_or_default(), FxHashSet::default()),
        };
        let mut newest = recency.head();
        let mut times = FxHashMap::default();
        for file in files {
            let modified = file.modified().filter(|_| changed.contains(file.path.as_str()));
            newest = newest.max(modified);
            if let Some(time) = recency.of(&file.path).max(modified) {
                times.insert(file.path.clone(), time);
            }
        }
        Self { now: now.or(newest), times: Arc::new(times) }
    }

    /// When a file last changed, in seconds since 1970, if that is known and was of late.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }
}
