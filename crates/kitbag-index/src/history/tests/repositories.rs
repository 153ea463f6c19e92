//! Histories of real repositories.

use super::fixture::{Folder, START, git, ids, touched, update};
use crate::History;
use kitbag_repo::{GitError, ObjectId, head_id};
use std::fs;

/// How many commits are wanted, where that does not matter.
const MOST: usize = 100;

#[test]
fn a_past_tells_what_commits_say_and_touch() {
    let folder = Folder::repository();
    folder.commit("src/login.rs", "Add loginUser\n\nSigned-off-by: A <a@example.com>", 0);
    folder.commit("src/other.rs", "Other things", 1);
    folder.commit("src/login.rs", "Fix login\n\nThe session was lost", 2);
    let past = update(&mut History::new(), &folder.path, MOST);
    assert_eq!(touched(&past), [["src/login.rs"], ["src/other.rs"], ["src/login.rs"]]);
    let [newest, _, oldest] = past.commits() else { panic!("{past:?}") };
    assert_eq!((newest.time, newest.title_words), (START + 2, 2));
    assert_eq!(newest.words, ids(&["fix", "login", "session", "lost"]));
    assert_eq!(oldest.words, ids(&["add", "loginuser", "login", "user"]));
    let login = past.path_id("src/login.rs").unwrap();
    assert_eq!(past.touching(login), [0, 2]);
    assert_eq!(past.touching(past.path_id("src/other.rs").unwrap()), [1]);
    assert_eq!(past.last_change("src/login.rs"), Some(START + 2));
    assert_eq!((past.last_change("src"), past.path_id("src"), past.path_count()), (None, None, 2));
}

#[test]
fn a_history_is_continued_by_new_commits_only() {
    let folder = Folder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let mut history = History::new();
    update(&mut history, &folder.path, MOST);
    // Without this tree, git cannot tell any more what the first two commits touched.
    let tree = folder.git(&["rev-parse", "HEAD~2^{tree}"], 0);
    fs::remove_file(folder.path.join(".git/objects").join(&tree[..2]).join(&tree[2..])).unwrap();
    folder.commits(&["four", "five"], 3);
    let past = update(&mut history, &folder.path, MOST);
    let expected = ["five", "four", "three", "two", "one"].map(|name| [format!("src/{name}.rs")]);
    assert_eq!(touched(&past), expected);
    let nowhere = Folder::new();
    let known = history.update(&nowhere.path, &folder.head(), MOST);
    assert!(matches!(known, Ok(None)), "git is not asked about what is known");
    let anew = History::new().update(&folder.path, &folder.head(), MOST).unwrap();
    assert!(anew.unwrap().starts_with("history is incomplete"));
}

#[test]
fn after_a_rebase_the_old_commits_are_not_in_the_past() {
    let folder = Folder::repository();
    folder.commits(&["base", "old"], 0);
    let mut history = History::new();
    update(&mut history, &folder.path, MOST);
    let old = folder.head();
    folder.git(&["reset", "-q", "--hard", "HEAD~1"], 0);
    folder.commits(&["upstream", "rebased"], 2);
    let rebased = [["src/rebased.rs"], ["src/upstream.rs"], ["src/base.rs"]];
    assert_eq!(touched(&update(&mut history, &folder.path, MOST)), rebased);
    assert!(history.knows(&old), "a branch may come back");
    assert_eq!(touched(&history.past(&old, MOST)), [["src/old.rs"], ["src/base.rs"]]);
    folder.git(&["reflog", "expire", "--expire=now", "--all"], 4);
    folder.git(&["gc", "-q", "--prune=now"], 4);
    folder.commits(&["after"], 5);
    let past = update(&mut history, &folder.path, MOST);
    assert_eq!(touched(&past)[..2], [["src/after.rs"], ["src/rebased.rs"]]);
}

#[test]
fn both_sides_of_a_merge_are_past_and_the_merge_touches_nothing() {
    let folder = Folder::repository();
    folder.commits(&["base", "main"], 0);
    folder.git(&["checkout", "-q", "-b", "side", "HEAD~1"], 0);
    folder.commits(&["side"], 5);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], 9);
    let past = update(&mut History::new(), &folder.path, MOST);
    let expected: [&[&str]; 4] = [&[], &["src/side.rs"], &["src/main.rs"], &["src/base.rs"]];
    assert_eq!(touched(&past), expected);
    assert!(past.commits()[0].words.is_empty());
}

#[test]
fn detached_heads_work_trees_and_subfolders_have_pasts() {
    let folder = Folder::repository();
    assert_eq!(head_id(&folder.path).unwrap(), None, "unborn");
    folder.commits(&["one", "two"], 0);
    folder.commit("top.rs", "top", 2);
    let mut history = History::new();
    let whole = update(&mut history, &folder.path, MOST);
    let places = Folder::new();
    let linked = places.path.join("linked");
    folder.git(&["worktree", "add", "-q", "-b", "new", linked.to_str().unwrap()], 3);
    assert_eq!(update(&mut History::new(), &linked, MOST), whole);
    folder.git(&["checkout", "-q", "--detach", "HEAD~1"], 3);
    let detached = update(&mut history, &folder.path, MOST);
    assert_eq!(touched(&detached), [["src/two.rs"], ["src/one.rs"]]);
    folder.git(&["checkout", "-q", "main"], 3);
    let within = update(&mut History::new(), &folder.path.join("src"), MOST);
    let expected: [&[&str]; 3] = [&[], &["two.rs"], &["one.rs"]];
    assert_eq!(touched(&within), expected);
}

#[test]
fn a_submodule_has_its_own_past() {
    let inner = Folder::repository();
    inner.commits(&["inner"], 0);
    let folder = Folder::repository();
    let url = inner.path.to_str().unwrap();
    let allow = "protocol.file.allow=always";
    folder.git(&["-c", allow, "submodule", "--quiet", "add", url, "vendor"], 1);
    folder.commits(&["outer"], 2);
    let past = update(&mut History::new(), &folder.path.join("vendor"), MOST);
    assert_eq!(touched(&past), [["src/inner.rs"]]);
    let past = update(&mut History::new(), &folder.path, MOST);
    assert_eq!(touched(&past), [[".gitmodules", "src/outer.rs"]]);
}

#[test]
fn a_shallow_clone_has_a_short_past_until_it_is_deepened() {
    let folder = Folder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let clones = Folder::new();
    let url = format!("file://{}", folder.path.display());
    git(&clones.path, &["clone", "-q", "--depth", "2", &url, "clone"], 0);
    let clone = clones.path.join("clone");
    let mut history = History::new();
    let warning = history.update(&clone, &folder.head(), MOST).unwrap();
    assert!(warning.unwrap().contains("shallow"));
    let short: [&[&str]; 2] = [&["src/three.rs"], &[]];
    assert_eq!(touched(&history.past(&folder.head(), MOST)), short);
    let file = clones.path.join("history");
    history.append_to(&file).unwrap();
    git(&clone, &["fetch", "-q", "--unshallow"], 0);
    let (mut history, _) = History::open(&file);
    let whole = [["src/three.rs"], ["src/two.rs"], ["src/one.rs"]];
    assert_eq!(touched(&update(&mut history, &clone, MOST)), whole);
    history.append_to(&file).unwrap();
    assert_eq!(touched(&History::open(&file).0.past(&folder.head(), MOST)), whole);
}

#[test]
fn without_a_repository_or_the_commit_there_is_an_error() {
    let folder = Folder::repository();
    let missing: ObjectId = "12".repeat(20).parse().unwrap();
    let mut history = History::new();
    let error = history.update(&Folder::new().path, &missing, MOST).unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let error = history.update(&folder.path, &missing, MOST).unwrap_err();
    assert!(matches!(error, GitError::UnknownRevision { .. }), "{error}");
    assert!(history.is_empty() && history.past(&missing, MOST).commits().is_empty());
}

#[test]
fn a_bound_holds_and_the_past_does_not_depend_on_how_it_was_reached() {
    let folder = Folder::repository();
    let mut continued = History::new();
    for number in 0..30 {
        // Commits of the same second, as a rebase makes them.
        folder.commit(&format!("{}", number % 7), &format!("number {number}"), number / 9);
        update(&mut continued, &folder.path, 10);
    }
    let mut fresh = History::new();
    let past = update(&mut fresh, &folder.path, 10);
    assert_eq!(past.commits().len(), 10);
    assert_eq!(past, update(&mut continued, &folder.path, 10));
    assert!(fresh.len() < 30 && continued.len() == 30);
    // More is wanted than was read.
    assert_eq!(update(&mut fresh, &folder.path, MOST).commits().len(), 30);
}

#[test]
fn a_head_far_behind_a_known_tip_is_read_from_there() {
    let folder = Folder::repository();
    folder.commits(&["one", "two", "three"], 0);
    folder.git(&["checkout", "-q", "-b", "long"], 0);
    for time in 0..40 {
        folder.commit("long", &format!("long {time}"), 10 + time);
    }
    let mut history = History::new();
    update(&mut history, &folder.path, 2);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.commits(&["four"], 90);
    let past = update(&mut history, &folder.path, 2);
    assert_eq!(touched(&past), [["src/four.rs"], ["src/three.rs"]]);
}

#[test]
fn abandoned_commits_are_forgotten_when_they_are_too_many() {
    let folder = Folder::repository();
    folder.commits(&["base"], 0);
    let places = Folder::new();
    let file = places.path.join("history");
    let mut longest = 0;
    for time in 1..30 {
        folder.git(&["commit", "-q", "--amend", "-m", &format!("version {time}")], time);
        let (mut history, wrong) = History::open(&file);
        assert_eq!(wrong, None);
        assert_eq!(update(&mut history, &folder.path, 3).commits().len(), 1);
        history.append_to(&file).unwrap();
        longest = longest.max(history.len());
        assert_eq!(History::open(&file).0.len(), history.len());
    }
    assert_eq!(longest, 13);
    assert!(fs::read_dir(&places.path).unwrap().count() == 1, "no other file is left");
}

/// Makes so many of the newest commits known, as a reading that was stopped after them does.
fn begun(folder: &Folder, some: usize) -> History {
    let mut history = History::new();
    let (commits, _) = kitbag_repo::read_history(&folder.path, &folder.head(), &[], some).unwrap();
    history.extend(commits);
    history
}

#[test]
fn a_reading_that_was_stopped_goes_on_where_it_ended() {
    let folder = Folder::repository();
    folder.commits(&["one", "two", "three"], 0);
    folder.git(&["checkout", "-q", "-b", "side", "HEAD~1"], 0);
    folder.commits(&["four", "five"], 3);
    folder.git(&["checkout", "-q", "main"], 0);
    folder.git(&["merge", "-q", "--no-ff", "-m", "both", "side"], 5);
    folder.commits(&["six"], 6);
    let whole = update(&mut History::new(), &folder.path, MOST);
    for some in 1..=6 {
        let mut history = begun(&folder, some);
        assert_eq!(history.len(), some);
        assert_eq!(update(&mut history, &folder.path, MOST), whole, "after {some}");
    }
}

#[test]
fn a_reading_that_is_stopped_is_not_taken_for_complete() {
    let folder = Folder::repository();
    folder.commits(&["one", "two", "three"], 0);
    let mut history = begun(&folder, 1);
    let raised = kitbag_text::Cancel::default();
    raised.cancel();
    let head = folder.head();
    let stopped =
        kitbag_repo::stopping(&raised, || history.update(&folder.path, &head, MOST).is_err());
    assert!(stopped && history.len() == 1);
    assert_eq!(update(&mut history, &folder.path, MOST).commits().len(), 3);
}
