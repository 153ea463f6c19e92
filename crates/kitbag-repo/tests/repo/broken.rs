//! Damaged repositories: missing results are reported once, with the cause.

use crate::fixture::{Folder, START, survey};
use kitbag_repo::{Globs, Recency, Survey, head_id};
use std::fs;

fn repository() -> Folder {
    let folder = Folder::repository();
    folder.write("a.rs", "1");
    folder.commit("one", START);
    folder.git(&["repack", "-q", "-a", "-d"], START);
    folder
}

fn survey_folder(folder: &Folder) -> Survey {
    survey(&folder.path, &Globs::default())
}

/// Asserts that the history is unknown and that a warning says so.
fn assert_history_unknown(folder: &Folder, what: &str) {
    let found = survey_folder(folder);
    assert_eq!(found.warnings.len(), 1, "{what}: {:?}", found.warnings);
    assert!(found.warnings[0].starts_with("cannot read the history: "), "{:?}", found.warnings);
    assert_eq!(found.changed, None, "{what}");
    assert!(head_id(&folder.path).is_err(), "{what}");
    assert!(Recency::read(&folder.path, None).is_err(), "{what}");
}

#[test]
fn missing_and_truncated_objects_are_reported() {
    let folder = repository();
    let packs = folder.path.join(".git/objects/pack");
    let pack = fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
    let pack = pack.into_iter().find(|path| path.extension().is_some_and(|it| it == "pack"));
    let pack = pack.unwrap();
    let bytes = fs::read(&pack).unwrap();
    fs::remove_file(&pack).unwrap();
    fs::write(&pack, &bytes[..20]).unwrap();
    assert_history_unknown(&folder, "a truncated pack file");
    fs::remove_dir_all(&packs).unwrap();
    assert_history_unknown(&folder, "missing objects");
}

#[test]
fn invalid_heads_are_reported() {
    let branch = |folder: &Folder, content: &str| {
        fs::write(folder.path.join(".git/refs/heads/main"), content).unwrap();
    };
    for content in ["ref: refs/heads/main\n", "", "not a commit id\n"] {
        let folder = repository();
        branch(&folder, content);
        assert_history_unknown(&folder, content);
    }
    let folder = repository();
    fs::write(folder.path.join(".git/HEAD"), "ref: HEAD\n").unwrap();
    assert_history_unknown(&folder, "git does not recognize the repository");
    let folder = repository();
    fs::write(folder.path.join(".git/HEAD"), "12".repeat(20)).unwrap();
    assert_history_unknown(&folder, "a missing commit");
}

#[test]
fn branch_without_commits_gives_no_warning() {
    let folder = repository();
    folder.git(&["checkout", "-q", "--orphan", "other/branch"], START);
    let found = survey_folder(&folder);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!(found.changed, Some(vec!["a.rs".to_owned()]));
    assert_eq!(head_id(&folder.path).unwrap(), None);
}

#[test]
fn history_is_known_with_a_damaged_index() {
    let folder = repository();
    fs::write(folder.path.join(".git/index"), "not an index").unwrap();
    let found = survey_folder(&folder);
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    let warning = "cannot determine uncommitted changes: `git ls-files` failed";
    assert!(found.warnings[0].starts_with(warning), "{:?}", found.warnings);
    assert_eq!((found.changed, found.timestamps.of("a.rs")), (None, Some(START)));
}
