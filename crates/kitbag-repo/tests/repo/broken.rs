//! Repositories that are damaged: what is not known for that is said, once and by its right name.

use crate::fixture::{Folder, START};
use kitbag_repo::{Globs, Recency, Root, Survey, head_id, survey};
use std::fs;

fn repository() -> Folder {
    let folder = Folder::repository();
    folder.write("a.rs", "1");
    folder.commit("one", START);
    folder.git(&["repack", "-q", "-a", "-d"], START);
    folder
}

fn look(folder: &Folder) -> Survey {
    survey(&Root::open(&folder.path).unwrap(), &Globs::default(), None)
}

/// Expects that nothing is known of the history, and that this is said.
fn assert_told(folder: &Folder, what: &str) {
    let found = look(folder);
    assert_eq!(found.warnings.len(), 1, "{what}: {:?}", found.warnings);
    assert!(found.warnings[0].starts_with("history is not known: "), "{:?}", found.warnings);
    assert_eq!(found.changed, None, "{what}");
    assert!(head_id(&folder.path).is_err(), "{what}");
    assert!(Recency::read(&folder.path, None, None).is_err(), "{what}");
}

#[test]
fn objects_that_are_gone_or_cut_off_are_told() {
    let folder = repository();
    let packs = folder.path.join(".git/objects/pack");
    let pack = fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
    let pack = pack.into_iter().find(|path| path.extension().is_some_and(|it| it == "pack"));
    let pack = pack.unwrap();
    let bytes = fs::read(&pack).unwrap();
    fs::remove_file(&pack).unwrap();
    fs::write(&pack, &bytes[..20]).unwrap();
    assert_told(&folder, "a pack file is cut off");
    fs::remove_dir_all(&packs).unwrap();
    assert_told(&folder, "the objects are gone");
}

#[test]
fn a_head_that_leads_nowhere_is_told() {
    let branch = |folder: &Folder, content: &str| {
        fs::write(folder.path.join(".git/refs/heads/main"), content).unwrap();
    };
    for content in ["ref: refs/heads/main\n", "", "no name of a commit\n"] {
        let folder = repository();
        branch(&folder, content);
        assert_told(&folder, content);
    }
    let folder = repository();
    fs::write(folder.path.join(".git/HEAD"), "ref: HEAD\n").unwrap();
    assert_told(&folder, "git takes that for no repository");
    let folder = repository();
    fs::write(folder.path.join(".git/HEAD"), "12".repeat(20)).unwrap();
    assert_told(&folder, "it names a commit that is not there");
}

#[test]
fn a_branch_without_commits_is_nothing_to_tell() {
    let folder = repository();
    folder.git(&["checkout", "-q", "--orphan", "other/branch"], START);
    let found = look(&folder);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!(found.changed, Some(vec!["a.rs".to_owned()]));
    assert_eq!(head_id(&folder.path).unwrap(), None);
}

#[test]
fn a_damaged_index_leaves_the_history_known() {
    let folder = repository();
    fs::write(folder.path.join(".git/index"), "no index").unwrap();
    let found = look(&folder);
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    let told = "uncommitted changes are not known: `git ls-files` failed";
    assert!(found.warnings[0].starts_with(told), "{:?}", found.warnings);
    assert_eq!((found.changed, found.timestamps.of("a.rs")), (None, Some(START)));
}
