//! Times of the last changes of context files. Walks of the work tree skip their hidden folder, so its
//! times do not cover them.

use crate::files::MAX_RULE_FILES;
use crate::model::CONTEXTS_FOLDER;
use kitbag_repo::{FileEntry, GitError, GitState, Recency, Root, changed_files};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Number of roots at which the cache is cleared.
const MAX_CACHED_ROOTS: usize = 100;

/// Times of the last changes of context files.
#[derive(Debug, Clone, Default)]
pub struct RuleTimes {
    /// Reference time for ages: as given, else the time of the latest change.
    pub now: Option<i64>,
    times: Arc<FxHashMap<String, i64>>,
}

/// Times of any number of roots.
#[derive(Debug, Default)]
pub(crate) struct TimesCache(Mutex<FxHashMap<PathBuf, (TimesInputs, RuleTimes)>>);

/// The inputs that determine times.
#[derive(Debug, PartialEq)]
struct TimesInputs {
    git: GitState,
    files: Vec<FileEntry>,
    now: Option<i64>,
}

impl TimesCache {
    /// Returns the times of a root, as [`RuleTimes::read`] does, from the cache if git and the files are
    /// unchanged.
    pub fn of(&self, root: &Root, now: Option<i64>) -> RuleTimes {
        let files = root.list(CONTEXTS_FOLDER, MAX_RULE_FILES).files;
        let state = if files.is_empty() { None } else { GitState::read(root) };
        let Some(git) = state else { return RuleTimes::of_files(root, &files, now) };
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let inputs = TimesInputs { git, files, now };
        if let Some((known, times)) = lock().get(root.path())
            && *known == inputs
        {
            return times.clone();
        }
        let times = RuleTimes::of_files(root, &inputs.files, now);
        let mut cache = lock();
        if cache.len() >= MAX_CACHED_ROOTS {
            cache.clear();
        }
        cache.insert(root.path().to_owned(), (inputs, times.clone()));
        times
    }
}

impl RuleTimes {
    /// Returns the time of the last commit of each file or, for changed and untracked files, the newer
    /// of it and the modification time. Outside a git repository, modification times are used; if git
    /// fails, times are unknown.
    pub fn read(root: &Root, now: Option<i64>) -> Self {
        Self::of_files(root, &root.list(CONTEXTS_FOLDER, MAX_RULE_FILES).files, now)
    }

    fn of_files(root: &Root, files: &[FileEntry], now: Option<i64>) -> Self {
        if files.is_empty() {
            return Self { now, ..Self::default() };
        }
        let (recency, changed) = thread::scope(|scope| {
            let changed = scope.spawn(|| changed_files(root, files));
            let recency = Recency::read(root, now);
            // A panic of the thread is propagated.
            (recency, changed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let (recency, changed) = match (recency, changed) {
            (Ok(recency), Ok(changed)) => (recency, changed),
            (Err(GitError::NotARepository { .. } | GitError::LeadsOutside { .. }), _) => {
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

    /// Returns when a file last changed, in seconds since 1970, if known.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }
}
