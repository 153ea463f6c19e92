//! Reading commits with their messages and paths.

use crate::fixture::{Folder, START, git};
use kitbag_repo::{Commit, GitError, ObjectId, head_id, read_history, shallow_boundary};
use std::path::Path;

fn id(text: &str) -> ObjectId {
    text.parse().unwrap()
}

/// Returns the newest ten commits of `HEAD` that are not known.
fn read(dir: &Path, known: &[ObjectId]) -> Vec<Commit> {
    let head = head_id(dir).unwrap().unwrap();
    let (commits, warning) = read_history(dir, &[head], known, 10).unwrap();
    assert_eq!(warning, None);
    commits
}

fn titles(commits: &[Commit]) -> Vec<&str> {
    commits.iter().map(|commit| commit.message.as_str()).collect()
}

/// Creates commits `one`, `two` and `three`, each of which touches the file of its name and `all`.
fn repository() -> (Folder, Vec<ObjectId>) {
    let folder = Folder::repository();
    let ids = ["one", "two", "three"].iter().zip(START..).map(|(name, time)| {
        folder.write(&format!("src/{name}"), name);
        folder.write("all", name);
        id(&folder.commit(name, time))
    });
    let ids = ids.collect();
    (folder, ids)
}

#[test]
fn commits_are_newest_first_with_their_paths() {
    let (folder, ids) = repository();
    let commits = read(&folder.path, &[]);
    assert_eq!(titles(&commits), ["three", "two", "one"]);
    let expected = Commit {
        id: ids[1],
        parents: vec![ids[0]],
        time: START + 1,
        message: "two".to_owned(),
        paths: vec!["all".to_owned(), "src/two".to_owned()],
        is_shallow: false,
        is_unread: false,
    };
    assert_eq!(commits[1], expected);
    assert_eq!(commits[2].parents, []);
    let within = read(&folder.path.join("src"), &[]);
    assert_eq!(within[1].paths, ["two"]);
    let (newest, _) = read_history(&folder.path, &[ids[2]], &[], 2).unwrap();
    assert_eq!(newest, commits[..2]);
}

#[test]
fn known_commits_are_not_read_again() {
    let (folder, ids) = repository();
    let gone = id(&"12".repeat(20));
    assert_eq!(titles(&read(&folder.path, &[ids[0], gone])), ["three", "two"]);
    assert_eq!(titles(&read(&folder.path, &[ids[2]])), [""; 0]);
    let many = vec![gone; 10_000];
    assert_eq!(read(&folder.path, &many).len(), 3);
}

#[test]
fn missing_head_is_an_error() {
    let (folder, ids) = repository();
    let error = read_history(&folder.path, &[id(&"12".repeat(20))], &ids, 10).unwrap_err();
    assert!(matches!(error, GitError::UnknownRevision { .. }), "{error}");
    let nowhere = Folder::new();
    let error = read_history(&nowhere.path, &[ids[0]], &[], 10).unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let error = head_id(&nowhere.path).unwrap_err();
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
}

#[test]
fn heads_are_found_detached_unborn_and_in_worktrees() {
    let (folder, ids) = repository();
    assert_eq!(head_id(&folder.path.join("src")).unwrap(), Some(ids[2]));
    folder.git(&["checkout", "-q", "--detach", "HEAD~1"], START);
    assert_eq!(head_id(&folder.path).unwrap(), Some(ids[1]));
    let places = Folder::new();
    let linked = places.path.join("linked");
    folder.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "main"], START);
    assert_eq!(head_id(&linked).unwrap(), Some(ids[2]));
    assert_eq!(titles(&read(&linked, &[ids[0]])), ["three", "two"]);
    assert_eq!(head_id(&Folder::repository().path).unwrap(), None);
}

#[test]
fn merge_has_two_parents_and_no_paths() {
    let (folder, ids) = repository();
    folder.git(&["checkout", "-q", "-b", "side", "HEAD~1"], START);
    folder.write("side", "");
    let side = id(&folder.commit("side", START + 7));
    folder.git(&["checkout", "-q", "main"], START);
    folder.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], START + 8);
    let commits = read(&folder.path, &[ids[2]]);
    assert_eq!(titles(&commits), ["merge", "side"]);
    assert_eq!((commits[0].parents.as_slice(), commits[0].paths.len()), (&[ids[2], side][..], 0));
}

#[test]
fn mass_changes_have_no_paths_and_long_messages_are_truncated() {
    let folder = Folder::repository();
    (0..200).for_each(|number| drop(folder.write(&format!("{number}"), "1")));
    folder.commit(&"é".repeat(2_001), START);
    (0..201).for_each(|number| drop(folder.write(&format!("{number}"), "2")));
    folder.commit("mass", START + 1);
    let commits = read(&folder.path, &[]);
    assert_eq!((commits[0].paths.len(), commits[1].paths.len()), (0, 200));
    assert_eq!(commits[1].message, "é".repeat(2_000));
}

#[test]
fn paths_are_unknown_at_a_shallow_boundary() {
    let (folder, ids) = repository();
    let clones = Folder::new();
    let url = format!("file://{}", folder.path.display());
    git(&clones.path, &["clone", "-q", "--depth", "2", &url, "two"], START);
    let clone = clones.path.join("two");
    let (commits, warning) = read_history(&clone, &[ids[2]], &[], 10).unwrap();
    assert_eq!(warning.as_deref(), Some("shallow clone: older changes are unknown"));
    assert_eq!(titles(&commits), ["three", "two"]);
    assert_eq!(commits[0].paths, ["all", "src/three"]);
    assert!(!commits[0].is_shallow && commits[1].is_shallow);
    assert!(commits[1].paths.is_empty() && commits[1].parents.is_empty());
    assert!(shallow_boundary(&clone).unwrap().into_iter().eq([ids[1]]));
    assert!(shallow_boundary(&folder.path).unwrap().is_empty());
}

#[test]
fn submodule_has_its_own_history_and_is_not_a_file() {
    let (inner, ids) = repository();
    let folder = Folder::repository();
    let url = inner.path.to_str().unwrap();
    let allow = "protocol.file.allow=always";
    folder.git(&["-c", allow, "submodule", "--quiet", "add", url, "vendor"], START);
    folder.commit("outer", START + 5);
    assert_eq!(head_id(&folder.path.join("vendor")).unwrap(), Some(ids[2]));
    assert_eq!(titles(&read(&folder.path.join("vendor"), &[])), ["three", "two", "one"]);
    assert_eq!(read(&folder.path, &[])[0].paths, [".gitmodules"]);
}

#[test]
fn broken_history_is_read_up_to_the_break() {
    for missing in ["HEAD~2", "HEAD~2^{tree}", "HEAD~2:src"] {
        let (folder, ids) = repository();
        let name = folder.git(&["rev-parse", missing], START);
        let path = folder.path.join(".git/objects").join(&name[..2]).join(&name[2..]);
        std::fs::remove_file(path).unwrap();
        let (commits, warning) = read_history(&folder.path, &[ids[2]], &[], 10).unwrap();
        assert_eq!(titles(&commits), ["three"], "{missing}");
        assert_eq!(commits[0].paths, ["all", "src/three"]);
        assert!(warning.unwrap().starts_with("history is incomplete: "));
    }
}
