//! The files of commits.

use crate::fixture::{Folder, START, git, paths, skips};
use kitbag_repo::{
    CommitTree, Denylist, FileId, GitError, Globs, Root, SkipCode, Tree, find_repository,
    resolve_commit, scan,
};
use std::os::unix::fs::symlink;
use std::path::Path;

fn open(path: &Path, revision: &str) -> Result<CommitTree, GitError> {
    CommitTree::open(path, revision, &Globs::default(), &Denylist::default())
}

fn contents(tree: &dyn Tree) -> Vec<(String, Vec<u8>)> {
    let read = |file| tree.read(file, 1 << 20).unwrap();
    tree.files().iter().map(|file| (file.path.clone(), read(file))).collect()
}

fn unusual_repository() -> Folder {
    let folder = Folder::repository();
    folder.write("empty", "");
    folder.write("binary.bin", b"\0\x01\xff\n\n\0");
    folder.write("no newline", "x");
    folder.write("dir/with \"quotes\" and\nnewline\ttab.rs", "odd");
    folder.write("dir/ünï.rs", "ü");
    folder.write("big", vec![b'x'; 300_000]);
    folder.write(".agentignore", "plans/\n*.snap\n");
    folder.write("dir/.agentignore", "!kept.snap\n");
    folder.write("dir/.ignore", "kept.snap\nout.rs\n");
    folder.write("dir/out.rs", "");
    for path in ["plans/a.md", "x.snap", "dir/kept.snap", ".hidden/x", ".env", "a.key"] {
        folder.write(path, "s");
    }
    symlink("empty", folder.path.join("link")).unwrap();
    folder.commit("odd", START);
    folder
}

#[test]
fn commit_has_the_files_of_a_walk() {
    let folder = unusual_repository();
    let commit = open(&folder.path, "HEAD").unwrap();
    let walk = scan(&Root::open(&folder.path).unwrap(), &Globs::default()).tree;
    assert_eq!(commit.files().len(), 11, "with hidden ones");
    assert_eq!(contents(&commit), contents(&*walk));
    assert_eq!(skips(&commit), skips(&*walk));
    assert_eq!(skips(&commit), [(".env", SkipCode::Denied), ("a.key", SkipCode::Denied)]);
}

#[test]
fn later_changes_do_not_affect_a_commit() {
    let folder = Folder::repository();
    folder.write("src/a.rs", "one");
    let first = folder.commit("one", START);
    folder.write("src/a.rs", "two");
    folder.write("b.rs", "");
    folder.commit("two", START + 1);
    folder.write("src/a.rs", "three");
    let tree = open(&folder.path, &first).unwrap();
    assert_eq!(contents(&tree), [("src/a.rs".to_owned(), b"one".to_vec())]);
    assert_eq!(paths(&open(&folder.path, "main").unwrap()), ["b.rs", "src/a.rs"]);
    let id = tree.files()[0].id;
    assert!(matches!(id, FileId::Blob(name) if name.as_bytes().len() == 20));
    // In a subfolder, paths are relative to it.
    assert_eq!(paths(&open(&folder.path.join("src"), "HEAD").unwrap()), ["a.rs"]);
}

#[test]
fn a_commit_is_found_by_its_message() {
    let folder = unusual_repository();
    folder.write("cookies.txt", "");
    folder.commit("Bake the cookies", START + 2);
    assert!(open(&folder.path, ":/cookies").is_ok());
    assert!(matches!(open(&folder.path, ":/pancakes"), Err(GitError::UnknownRevision { .. })));
}

#[test]
fn ignored_tracked_files_are_listed_and_globs_apply() {
    let folder = Folder::repository();
    folder.write(".gitignore", "*.gen\n");
    folder.write("a.gen", "");
    folder.write("b/c.rs", "");
    folder.commit("all", START);
    assert_eq!(paths(&open(&folder.path, "HEAD").unwrap()), [".gitignore", "a.gen", "b/c.rs"]);
    let globs = Globs::new(&["*.rs"], &[]).unwrap();
    let tree = CommitTree::open(&folder.path, "HEAD", &globs, &Denylist::default()).unwrap();
    assert_eq!(paths(&tree), ["b/c.rs"]);
}

#[test]
fn reading_large_and_missing_objects_fails() {
    let folder = unusual_repository();
    let tree = open(&folder.path, "HEAD").unwrap();
    let big = tree.files().iter().find(|file| file.path == "big").unwrap();
    assert_eq!(tree.read(big, 299_999).unwrap_err().code(), SkipCode::TooLarge);
    assert_eq!(tree.read(big, 300_000).unwrap().len(), 300_000);
    let mut gone = big.clone();
    gone.id = FileId::Blob("00".repeat(20).parse().unwrap());
    assert_eq!(tree.read(&gone, 300_000).unwrap_err().code(), SkipCode::NotFound);
    assert_eq!(tree.read(big, 300_000).unwrap().len(), 300_000);
}

#[test]
fn threads_read_concurrently() {
    let folder = unusual_repository();
    let tree = open(&folder.path, "HEAD").unwrap();
    let expected = contents(&tree);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(contents(&tree), expected));
        }
    });
}

#[test]
fn submodules_are_not_listed() {
    let folder = Folder::repository();
    folder.write("a.rs", "");
    folder.commit("a", START);
    let head = folder.git(&["rev-parse", "HEAD"], START);
    let entry = format!("160000,{head},vendor/sub");
    folder.git(&["update-index", "--add", "--cacheinfo", &entry], START);
    folder.git(&["commit", "-q", "-m", "sub"], START);
    assert_eq!(paths(&open(&folder.path, "HEAD").unwrap()), ["a.rs"]);
}

#[test]
fn unknown_revisions_are_errors() {
    let folder = Folder::repository();
    let unborn = resolve_commit(&folder.path, "HEAD").unwrap_err();
    assert!(matches!(unborn, GitError::UnknownRevision { .. }), "{unborn}");
    let commit = folder.commit("a", START);
    folder.git(&["tag", "-a", "v1", "-m", "x"], START);
    for revision in ["HEAD", "main", "v1", &commit[..9]] {
        assert_eq!(resolve_commit(&folder.path, revision).unwrap().to_string(), commit);
    }
    for revision in ["", "nope", "--all", "-h", "HEAD~5", "a\0b", "HEAD\n", &"0123".repeat(10)] {
        let error = resolve_commit(&folder.path, revision).unwrap_err();
        assert!(matches!(error, GitError::UnknownRevision { .. }), "{revision:?}: {error}");
        assert!(open(&folder.path, revision).is_err());
    }
    for revision in ["HEAD^{tree}", "HEAD:"] {
        let error = resolve_commit(&folder.path, revision).unwrap_err();
        assert_eq!(error.to_string(), format!("`{revision}` is a tree, not a commit"));
    }
    let nowhere = resolve_commit(&Folder::new().path, "HEAD").unwrap_err();
    assert!(matches!(nowhere, GitError::NotARepository { .. }), "{nowhere}");
}

#[test]
fn repositories_are_found_under_common_names() {
    let source = Folder::repository();
    source.write("a.rs", "");
    source.commit("a", START);
    let dir = Folder::new();
    let from = source.path.to_str().unwrap();
    for (place, bare) in [
        ("one/checked_out", false),
        ("two+bare", true),
        ("three+deep/repo", true),
        ("four__swe", false),
        ("five", false),
        ("six.git", true),
    ] {
        let to = dir.path.join(place);
        let kind = if bare { "--bare" } else { "--no-tags" };
        git(&dir.path, &["clone", "-q", kind, from, to.to_str().unwrap()], START);
    }
    std::fs::create_dir_all(dir.path.join("seven/empty")).unwrap();
    for (name, place) in [
        ("one/checked_out", "one/checked_out"),
        ("two/bare", "two+bare"),
        ("three/deep", "three+deep/repo"),
        ("four/swe", "four__swe"),
        ("any/five", "five"),
        ("any/six", "six.git"),
    ] {
        let found = find_repository(&dir.path, name).unwrap();
        assert_eq!(found, dir.path.join(place));
        assert_eq!(paths(&open(&found, "HEAD").unwrap()), ["a.rs"]);
    }
    for name in ["seven/empty", "no/such", "", "../five", "/five", "."] {
        assert_eq!(find_repository(&dir.path, name), None, "{name}");
    }
}
