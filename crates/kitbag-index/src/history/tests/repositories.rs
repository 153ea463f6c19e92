//! Commit logs of real repositories.

use super::fixture::{START, TestFolder, git, ids, touched, update};
use crate::CommitLog;
use kitbag_repo::{GitError, ObjectId, head_id};
use std::fs;

/// Number of commits where the limit does not matter.
const MAX: usize = 100;

#[test]
fn a_history_has_words_and_paths_of_commits() {
    let folder = TestFolder::repository();
    folder.commit("src/login.rs", "Add loginUser\n\nSigned-off-by: A <a@example.com>", 0);
    folder.commit("src/other.rs", "Other things", 1);
    folder.commit("src/login.rs", "Fix login\n\nThe session was lost", 2);
    let history = update(&mut CommitLog::new(), &folder.path, MAX);
    assert_eq!(touched(&history), [["src/login.rs"], ["src/other.rs"], ["src/login.rs"]]);
    let [newest, _, oldest] = history.commits() else { panic!("{history:?}") };
    assert_eq!(newest.time, START + 2);
    assert_eq!(newest.words, ids(&["fix", "login", "session", "lost"]));
    assert_eq!(oldest.words, ids(&["add", "loginuser", "login", "user"]));
    let login = history.path_id("src/login.rs").unwrap();
    assert_eq!(history.touching(login), [0, 2]);
    assert_eq!(history.touching(history.path_id("src/other.rs").unwrap()), [1]);
    let changes: Vec<(&str, i64)> = history.last_changes().collect();
    assert_eq!(changes, [("src/login.rs", START + 2), ("src/other.rs", START + 1)]);
    assert_eq!((history.path_id("src"), history.path_count()), (None, 2));
}

#[test]
fn an_update_reads_new_commits_only() {
    let folder = TestFolder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let mut log = CommitLog::new();
    update(&mut log, &folder.path, MAX);
    // Without this tree, git cannot list the files of the first two commits.
    let tree = folder.git(&["rev-parse", "HEAD~2^{tree}"], 0);
    fs::remove_file(folder.path.join(".git/objects").join(&tree[..2]).join(&tree[2..])).unwrap();
    folder.commits(&["four", "five"], 3);
    let history = update(&mut log, &folder.path, MAX);
    let expected = ["five", "four", "three", "two", "one"].map(|name| [format!("src/{name}.rs")]);
    assert_eq!(touched(&history), expected);
    let nowhere = TestFolder::new();
    let known = log.update(&nowhere.path, &folder.head(), MAX);
    assert!(matches!(known, Ok(None)), "git is not run for known commits");
    let rebuilt = CommitLog::new().update(&folder.path, &folder.head(), MAX).unwrap();
    assert!(rebuilt.unwrap().starts_with("history is incomplete"));
}

#[test]
fn after_a_rebase_the_old_commits_are_not_in_the_history() {
    let folder = TestFolder::repository();
    folder.commits(&["base", "old"], 0);
    let mut log = CommitLog::new();
    update(&mut log, &folder.path, MAX);
    let old = folder.head();
    folder.git(&["reset", "-q", "--hard", "HEAD~1"], 0);
    folder.commits(&["upstream", "rebased"], 2);
    let rebased = [["src/rebased.rs"], ["src/upstream.rs"], ["src/base.rs"]];
    assert_eq!(touched(&update(&mut log, &folder.path, MAX)), rebased);
    assert!(log.contains(&old), "a branch may come back");
    assert_eq!(touched(&log.ancestors(&old, MAX)), [["src/old.rs"], ["src/base.rs"]]);
    folder.git(&["reflog", "expire", "--expire=now", "--all"], 4);
    folder.git(&["gc", "-q", "--prune=now"], 4);
    folder.commits(&["after"], 5);
    let history = update(&mut log, &folder.path, MAX);
    assert_eq!(touched(&history)[..2], [["src/after.rs"], ["src/rebased.rs"]]);
}

#[test]
fn a_history_has_both_sides_of_a_merge_and_the_merge_touches_nothing() {
    let folder = TestFolder::repository();
    folder.commits(&["base", "main"], 0);
    folder.git(&["checkout", "-q", "-b", "side", "HEAD~1"], 0);
    folder.commits(&["side"], 5);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], 9);
    let history = update(&mut CommitLog::new(), &folder.path, MAX);
    let expected: [&[&str]; 4] = [&[], &["src/side.rs"], &["src/main.rs"], &["src/base.rs"]];
    assert_eq!(touched(&history), expected);
    assert!(history.commits()[0].words.is_empty());
}

#[test]
fn detached_heads_work_trees_and_subfolders_have_histories() {
    let folder = TestFolder::repository();
    assert_eq!(head_id(&folder.path).unwrap(), None, "unborn");
    folder.commits(&["one", "two"], 0);
    folder.commit("top.rs", "top", 2);
    let mut log = CommitLog::new();
    let whole = update(&mut log, &folder.path, MAX);
    let places = TestFolder::new();
    let linked = places.path.join("linked");
    folder.git(&["worktree", "add", "-q", "-b", "new", linked.to_str().unwrap()], 3);
    assert_eq!(update(&mut CommitLog::new(), &linked, MAX), whole);
    folder.git(&["checkout", "-q", "--detach", "HEAD~1"], 3);
    let detached = update(&mut log, &folder.path, MAX);
    assert_eq!(touched(&detached), [["src/two.rs"], ["src/one.rs"]]);
    folder.git(&["checkout", "-q", "main"], 3);
    let within = update(&mut CommitLog::new(), &folder.path.join("src"), MAX);
    let expected: [&[&str]; 3] = [&[], &["two.rs"], &["one.rs"]];
    assert_eq!(touched(&within), expected);
}

#[test]
fn a_submodule_has_its_own_history() {
    let inner = TestFolder::repository();
    inner.commits(&["inner"], 0);
    let folder = TestFolder::repository();
    let url = inner.path.to_str().unwrap();
    let allow = "protocol.file.allow=always";
    folder.git(&["-c", allow, "submodule", "--quiet", "add", url, "vendor"], 1);
    folder.commits(&["outer"], 2);
    let history = update(&mut CommitLog::new(), &folder.path.join("vendor"), MAX);
    assert_eq!(touched(&history), [["src/inner.rs"]]);
    let history = update(&mut CommitLog::new(), &folder.path, MAX);
    assert_eq!(touched(&history), [[".gitmodules", "src/outer.rs"]]);
}

#[test]
fn a_shallow_clone_has_a_short_history_until_it_is_deepened() {
    let folder = TestFolder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let clones = TestFolder::new();
    let url = format!("file://{}", folder.path.display());
    git(&clones.path, &["clone", "-q", "--depth", "2", &url, "clone"], 0);
    let clone = clones.path.join("clone");
    let mut log = CommitLog::new();
    let warning = log.update(&clone, &folder.head(), MAX).unwrap();
    assert!(warning.unwrap().contains("shallow"));
    let short: [&[&str]; 2] = [&["src/three.rs"], &[]];
    assert_eq!(touched(&log.ancestors(&folder.head(), MAX)), short);
    let file = clones.path.join("history");
    log.save(&file).unwrap();
    git(&clone, &["fetch", "-q", "--unshallow"], 0);
    let (mut log, _) = CommitLog::open(&file);
    let whole = [["src/three.rs"], ["src/two.rs"], ["src/one.rs"]];
    assert_eq!(touched(&update(&mut log, &clone, MAX)), whole);
    log.save(&file).unwrap();
    assert_eq!(touched(&CommitLog::open(&file).0.ancestors(&folder.head(), MAX)), whole);
}

#[test]
fn a_missing_repository_or_commit_is_an_error() {
    let folder = TestFolder::repository();
    let missing: ObjectId = "12".repeat(20).parse().unwrap();
    let mut log = CommitLog::new();
    let error = log.update(&TestFolder::new().path, &missing, MAX).unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let error = log.update(&folder.path, &missing, MAX).unwrap_err();
    assert!(matches!(error, GitError::UnknownRevision { .. }), "{error}");
    assert!(log.is_empty() && log.ancestors(&missing, MAX).commits().is_empty());
}

#[test]
fn a_history_is_bounded_and_independent_of_earlier_updates() {
    let folder = TestFolder::repository();
    let mut continued = CommitLog::new();
    for number in 0..30 {
        // Several commits in the same second, as after a rebase.
        folder.commit(&format!("{}", number % 7), &format!("number {number}"), number / 9);
        update(&mut continued, &folder.path, 10);
    }
    let mut fresh = CommitLog::new();
    let history = update(&mut fresh, &folder.path, 10);
    assert_eq!(history.commits().len(), 10);
    assert_eq!(history, update(&mut continued, &folder.path, 10));
    assert!(fresh.len() < 30 && continued.len() == 30);
    // A larger limit reads the rest.
    assert_eq!(update(&mut fresh, &folder.path, MAX).commits().len(), 30);
}

#[test]
fn a_head_that_left_a_known_branch_early_is_read_completely() {
    let folder = TestFolder::repository();
    folder.commits(&["one", "two", "three"], 0);
    folder.git(&["checkout", "-q", "-b", "long"], 0);
    for time in 0..40 {
        folder.commit("long", &format!("long {time}"), 10 + time);
    }
    let mut log = CommitLog::new();
    update(&mut log, &folder.path, 2);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.commits(&["four"], 90);
    let history = update(&mut log, &folder.path, 2);
    assert_eq!(touched(&history), [["src/four.rs"], ["src/three.rs"]]);
}

#[test]
fn gaps_that_other_heads_left_are_filled() {
    let folder = TestFolder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let mut log = CommitLog::new();
    update(&mut log, &folder.path, 2);
    folder.git(&["checkout", "-q", "-b", "side"], 0);
    folder.commits(&["side"], 10);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], 20);
    // The merge is the oldest commit that is read, so of its parents only the one from before is known.
    for time in 21..38 {
        folder.commit("after", &format!("after {time}"), time);
    }
    update(&mut log, &folder.path, 2);
    folder.git(&["reset", "-q", "--hard", "HEAD~17"], 38);
    let expected: [&[&str]; 2] = [&[], &["src/side.rs"]];
    assert_eq!(touched(&update(&mut log, &folder.path, 2)), expected);
    assert_eq!(touched(&update(&mut CommitLog::new(), &folder.path, 2)), expected);
    let nowhere = TestFolder::new();
    let mut saved = CommitLog::new();
    update(&mut saved, &folder.path, 2);
    let file = nowhere.path.join("history");
    saved.save(&file).unwrap();
    let known = CommitLog::open(&file).0.update(&nowhere.path, &folder.head(), 2);
    assert!(matches!(known, Ok(None)), "git is not run for known commits");
}

#[test]
fn too_many_abandoned_commits_are_dropped() {
    let folder = TestFolder::repository();
    folder.commits(&["base"], 0);
    let places = TestFolder::new();
    let file = places.path.join("history");
    let mut longest = 0;
    for time in 1..30 {
        folder.git(&["commit", "-q", "--amend", "-m", &format!("version {time}")], time);
        let (mut log, problem) = CommitLog::open(&file);
        assert_eq!(problem, None);
        assert_eq!(update(&mut log, &folder.path, 3).commits().len(), 1);
        log.save(&file).unwrap();
        longest = longest.max(log.len());
        assert_eq!(CommitLog::open(&file).0.len(), log.len());
    }
    assert_eq!(longest, 13);
    assert!(fs::read_dir(&places.path).unwrap().count() == 1, "no other file is left");
}

/// Returns a log of the newest `count` commits, as an interrupted update leaves it.
fn interrupted(folder: &TestFolder, count: usize) -> CommitLog {
    let mut log = CommitLog::new();
    let (commits, _) =
        kitbag_repo::read_history(&folder.path, &[folder.head()], &[], count).unwrap();
    log.extend(commits);
    log
}

#[test]
fn an_interrupted_update_is_continued() {
    let folder = TestFolder::repository();
    folder.commits(&["one", "two", "three"], 0);
    folder.git(&["checkout", "-q", "-b", "side", "HEAD~1"], 0);
    folder.commits(&["four", "five"], 3);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.git(&["merge", "-q", "--no-ff", "-m", "both", "side"], 5);
    folder.commits(&["six"], 6);
    let whole = update(&mut CommitLog::new(), &folder.path, MAX);
    for some in 1..=6 {
        let mut log = interrupted(&folder, some);
        assert_eq!(log.len(), some);
        assert_eq!(update(&mut log, &folder.path, MAX), whole, "after {some}");
    }
}

#[test]
fn an_interrupted_update_does_not_count_as_complete() {
    let folder = TestFolder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let mut log = interrupted(&folder, 1);
    let raised = kitbag_text::Cancel::default();
    raised.cancel();
    let head = folder.head();
    let stopped =
        kitbag_repo::with_cancel(&raised, || log.update(&folder.path, &head, MAX).is_err());
    assert!(stopped && log.len() == 1);
    assert_eq!(update(&mut log, &folder.path, MAX).commits().len(), 3);
}
