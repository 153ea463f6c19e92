//! A root whose files are those of a commit.

use crate::fixture::{Folder, START, git, paths, skips};
use kitbag_repo::{
    CommitFiles, Comparison, GitError, Globs, Recency, Root, SkipCode, Tree, changed_files,
    changes_to_file, compare, head_id, ref_names, resolve_commit, scan, uncommitted_edits,
};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

fn at(folder: &Path, revision: &str) -> Root {
    let root = Root::open(folder).unwrap();
    let commit = resolve_commit(&root, revision).unwrap();
    let files = CommitFiles::open(&root, commit).unwrap();
    root.with_commit(Arc::new(files))
}

/// A repository with two commits, of which only the second has links and `new.rs`.
fn repository() -> Folder {
    let folder = Folder::repository();
    folder.write("src/a.rs", "one");
    folder.write("src/deep/b.rs", "b");
    folder.write(".agent/config.yml", "x");
    folder.write(".env", "SECRET=1");
    folder.commit("one", START);
    folder.write("src/a.rs", "two");
    folder.write("new.rs", "new");
    for (target, link) in [
        ("src/a.rs", "link.rs"),
        ("link.rs", "chain.rs"),
        ("src", "folder"),
        ("../../../../../../../../etc/passwd", "src/up.rs"),
        ("/etc/passwd", "absolute.rs"),
        ("nowhere", "broken.rs"),
        ("loop.rs", "loop.rs"),
        (".env", "secret.rs"),
    ] {
        symlink(target, folder.path.join(link)).unwrap();
    }
    folder.commit("two", START + 86_400);
    folder
}

#[test]
fn files_are_read_from_the_commit() {
    let folder = repository();
    let (first, second) = (at(&folder.path, "HEAD~1"), at(&folder.path, "HEAD"));
    folder.write("src/a.rs", "three");
    std::fs::remove_file(folder.path.join("src/deep/b.rs")).unwrap();
    let read = |root: &Root, path: &str| root.read(path, 100).map_err(|error| error.code());
    assert_eq!(read(&first, "src/a.rs"), Ok(b"one".to_vec()));
    assert_eq!(read(&second, "src/a.rs"), Ok(b"two".to_vec()));
    assert_eq!(read(&second, "src/deep/b.rs"), Ok(b"b".to_vec()));
    assert_eq!(read(&first, "new.rs"), Err(SkipCode::NotFound));
    assert_eq!(read(&second, "src"), Err(SkipCode::NotAFile));
    assert_eq!(read(&second, "src/a.rs/x"), Err(SkipCode::NotFound));
    assert_eq!(read(&second, ".env"), Err(SkipCode::Denied));
    assert_eq!(read(&second, "../x"), Err(SkipCode::OutsideRoot));
    assert_eq!(read(&second, "src/../new.rs"), Ok(b"new".to_vec()));
    let absolute = folder.path.join("new.rs");
    assert_eq!(read(&second, absolute.to_str().unwrap()), Ok(b"new".to_vec()));
    assert_eq!(second.read("src/a.rs", 2).unwrap_err().code(), SkipCode::TooLarge);
}

#[test]
fn links_are_followed_within_the_commit() {
    let folder = repository();
    let root = at(&folder.path, "HEAD");
    let resolve = |path: &str| root.resolve(Path::new(path)).map_err(|error| error.code());
    let on_disk = Root::open(&folder.path).unwrap();
    for path in [
        "link.rs",
        "chain.rs",
        "folder/a.rs",
        "folder/deep/b.rs",
        "src/up.rs",
        "absolute.rs",
        "broken.rs",
        "secret.rs",
        "folder",
        "new.rs/x",
        "src/deep/../a.rs",
    ] {
        let expected = on_disk.resolve(Path::new(path)).map_err(|error| error.code());
        assert_eq!(resolve(path), expected, "{path}");
    }
    assert_eq!(resolve("chain.rs"), Ok("src/a.rs".to_owned()));
    assert_eq!(resolve("loop.rs"), Err(SkipCode::NotFound));
    assert_eq!(root.entry("chain.rs").unwrap().path, "src/a.rs");
}

#[test]
fn a_clean_work_tree_and_its_commit_list_the_same() {
    let folder = repository();
    std::fs::remove_file(folder.path.join("loop.rs")).unwrap();
    folder.commit("without the loop", START + 86_400);
    let (disk, commit) = (Root::open(&folder.path).unwrap(), at(&folder.path, "HEAD"));
    let (walked, listed) = (scan(&disk, &Globs::default()), scan(&commit, &Globs::default()));
    assert_eq!(paths(&*listed.tree), paths(&*walked.tree));
    assert_eq!(skips(&*listed.tree), skips(&*walked.tree));
    for file in listed.tree.files() {
        assert_eq!(listed.tree.read(file, 100).unwrap(), disk.read(&file.path, 100).unwrap());
    }
    let names = |root: &Root| -> Vec<String> {
        root.list("src", 100).files.into_iter().map(|file| file.path).collect()
    };
    assert_eq!(names(&commit), names(&disk));
    assert_eq!(commit.list(".agent", 100).files[0].path, ".agent/config.yml");
    let survey = listed.survey(Recency::read(&commit, None));
    assert_eq!(survey.timestamps.now, START + 86_400);
    assert_eq!(survey.timestamps.of("src/deep/b.rs"), Some(START));
    assert_eq!(survey.changed, Some(Vec::new()));
    assert!(survey.warnings.is_empty(), "{:?}", survey.warnings);
}

#[test]
fn bare_repository_has_commits_only() {
    let source = repository();
    let folder = Folder::new();
    let bare = folder.path.join("mirror.git");
    let from = source.path.to_str().unwrap();
    git(&folder.path, &["clone", "-q", "--bare", from, bare.to_str().unwrap()], START);
    assert!(Root::open(&bare).unwrap().is_bare() && !Root::open(from).unwrap().is_bare());
    let root = at(&bare, "main");
    assert_eq!(root.read("new.rs", 100).unwrap(), b"new");
    assert!(paths(&*scan(&root, &Globs::default()).tree).contains(&"src/a.rs"));
    assert_eq!(ref_names(&root).unwrap(), ["main"]);
}

#[test]
fn some_thousands_of_refs_are_listed() {
    let folder = repository();
    assert_eq!(ref_names(&folder.path).unwrap(), ["main"]);
    folder.git(&["tag", "v1"], START);
    assert_eq!(ref_names(&folder.path).unwrap(), ["main", "v1"]);
    let head = folder.git(&["rev-parse", "HEAD"], START);
    let mut refs = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
    (0..20_000).for_each(|n| refs.push_str(&format!("{head} refs/heads/a/{n:06}\n")));
    folder.write(".git/packed-refs", &refs);
    let names = ref_names(&folder.path).unwrap();
    assert!((3_000..10_000).contains(&names.len()), "{}", names.len());
    assert_eq!((names[0].as_str(), names.last().unwrap().as_str()), ("a/000000", "v1"));
    folder.write(".git/refs/heads/b", "damaged");
    assert!(ref_names(&folder.path).is_some(), "what precedes it is listed");
    assert_eq!(ref_names(&Folder::repository().path).unwrap(), [""; 0]);
    assert_eq!(ref_names(&Folder::new().path), None);
}

#[test]
fn history_ends_at_the_commit() {
    let folder = repository();
    folder.write("src/a.rs", "changed");
    let (first, second) = (at(&folder.path, "HEAD~1"), at(&folder.path, "HEAD"));
    assert_eq!(head_id(&first).unwrap(), first.commit());
    assert_ne!(first.commit(), second.commit());
    assert_eq!(changes_to_file(&first, "src/a.rs", 9, false).unwrap().len(), 1);
    assert_eq!(changes_to_file(&second, "src/a.rs", 9, false).unwrap().len(), 2);
    assert_eq!(Recency::read(&first, None).unwrap().head(), Some(START));
    assert!(uncommitted_edits(&second, &["src/a.rs"], false).unwrap().is_empty());
    let files = second.list("src", 9).files;
    assert!(changed_files(&second, &files).unwrap().is_empty());
}

#[test]
fn comparisons_have_the_commit_in_place_of_the_work_tree() {
    let folder = repository();
    folder.write("src/a.rs", "changed");
    let root = at(&folder.path, "HEAD");
    let changed = |root: &Root, base: &str| -> Vec<String> {
        let comparison = Comparison::resolve(root, base).unwrap();
        let changes = compare(root, &comparison, &[], &Globs::default(), false).unwrap();
        changes.files.into_iter().map(|file| file.path).collect()
    };
    assert!(changed(&root, "").contains(&"new.rs".to_owned()), "the commit's own changes");
    assert_eq!(changed(&root, ""), changed(&root, "HEAD~1"));
    assert_eq!(changed(&root, "HEAD~1.."), changed(&root, ""));
    assert!(changed(&root, "HEAD").is_empty());
    let first = at(&folder.path, "HEAD~1");
    assert!(changed(&first, "").contains(&"src/deep/b.rs".to_owned()), "the first commit");
    let error = Comparison::resolve(&root, "staged").unwrap_err();
    assert!(matches!(error, GitError::NoIndex { .. }), "{error}");
}

#[test]
fn folder_of_a_work_tree_has_its_part_of_the_commit() {
    let folder = repository();
    let root = at(&folder.path.join("src"), "HEAD");
    assert_eq!(paths(&*scan(&root, &Globs::default()).tree), ["a.rs", "deep/b.rs"]);
    assert_eq!(root.read("../new.rs", 9).unwrap_err().code(), SkipCode::OutsideRoot);
}

#[test]
fn a_large_ignore_file_hides_its_folder() {
    let folder = Folder::repository();
    folder.write("a.rs", "");
    folder.write("private/b.rs", "");
    folder.write("private/.agentignore", vec![b'#'; 300 << 10]);
    folder.commit("all", START);
    let (disk, commit) = (Root::open(&folder.path).unwrap(), at(&folder.path, "HEAD"));
    let tree = scan(&commit, &Globs::default()).tree;
    assert_eq!(paths(&*tree), ["a.rs"]);
    assert_eq!(paths(&*scan(&disk, &Globs::default()).tree), ["a.rs"]);
    assert_eq!(skips(&*tree), [("private/.agentignore", SkipCode::TooLarge)]);
}
