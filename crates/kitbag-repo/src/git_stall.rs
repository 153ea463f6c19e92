//! Repositories in which git waits for something that never comes, such as a pipe in place of an object.
//!
//! Each command would wait for as long as it may, so git is not started again in a repository where one
//! has stalled, until the repository changes or some time has passed.

use crate::git_dir::GitDir;
use crate::{GitLocation, Root};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds after which git is tried again.
const FORGET_AFTER: u64 = 3_600;

/// A stall of git in one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stall {
    /// Time in seconds since 1970.
    time: u64,
    /// State of the files that a user would change to repair the repository.
    state: String,
}

static STALLS: Mutex<BTreeMap<PathBuf, Stall>> = Mutex::new(BTreeMap::new());

/// Remembers that a command stalled.
pub(crate) fn remember(git_dir: &GitDir) {
    let stall = Stall { time: now(), state: state(git_dir) };
    stalls().insert(git_dir.dir.clone(), stall);
}

/// Whether git should not be started in a repository.
pub(crate) fn is_stalled(git_dir: &GitDir) -> bool {
    find(git_dir).is_some()
}

fn find(git_dir: &GitDir) -> Option<Stall> {
    let stall = stalls().get(&git_dir.dir).cloned()?;
    let is_recent = (stall.time..stall.time.saturating_add(FORGET_AFTER)).contains(&now());
    if is_recent && stall.state == state(git_dir) {
        return Some(stall);
    }
    stalls().remove(&git_dir.dir);
    None
}

/// Returns what is remembered of stalls in the repository of `root`, for [`restore_git_stall`].
pub fn save_git_stall(root: &Root) -> Option<String> {
    let Stall { time, state } = find(&GitDir::find(GitLocation::from(root).dir)?)?;
    Some(format!("{time}\n{state}"))
}

/// Restores what another process has [saved](save_git_stall).
pub fn restore_git_stall(root: &Root, saved: &str) {
    let Some((time, state)) = saved.split_once('\n') else { return };
    let (Ok(time), Some(git_dir)) = (time.parse(), GitDir::find(GitLocation::from(root).dir))
    else {
        return;
    };
    let stall = Stall { time, state: state.to_owned() };
    stalls().entry(git_dir.dir).or_insert(stall);
}

fn state(git_dir: &GitDir) -> String {
    let mut state = String::new();
    let paths =
        [git_dir.common.join("config"), git_dir.dir.join("HEAD"), git_dir.dir.join("index")];
    for path in paths {
        let metadata = fs::metadata(path).ok();
        let modified = metadata.as_ref().and_then(|it| it.modified().ok());
        let nanoseconds = modified.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let size = metadata.map(|it| it.len());
        let _ = writeln!(state, "{:?} {size:?}", nanoseconds.map(|it| it.as_nanos()));
    }
    state
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs())
}

fn stalls() -> MutexGuard<'static, BTreeMap<PathBuf, Stall>> {
    STALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> (tempfile::TempDir, Root, GitDir) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git/objects")).unwrap();
        fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let git_dir = GitDir::find(root.path()).unwrap();
        (folder, root, git_dir)
    }

    #[test]
    fn stall_is_remembered_until_the_repository_changes() {
        let (folder, root, git_dir) = repository();
        assert_eq!(save_git_stall(&root), None);
        remember(&git_dir);
        assert!(is_stalled(&git_dir));
        let saved = save_git_stall(&root).unwrap();
        fs::write(folder.path().join(".git/config"), "[core]\n").unwrap();
        assert!(!is_stalled(&git_dir));
        restore_git_stall(&root, &saved);
        assert!(!is_stalled(&git_dir), "the saved state is an older one");
        fs::remove_file(folder.path().join(".git/config")).unwrap();
        restore_git_stall(&root, &saved);
        assert!(is_stalled(&git_dir));
    }

    #[test]
    fn stall_is_forgotten_after_a_while() {
        let (_folder, root, git_dir) = repository();
        let state = state(&git_dir);
        restore_git_stall(&root, &format!("{}\n{state}", now() - FORGET_AFTER));
        assert!(!is_stalled(&git_dir));
        restore_git_stall(&root, "nonsense");
        assert!(!is_stalled(&git_dir));
    }
}
