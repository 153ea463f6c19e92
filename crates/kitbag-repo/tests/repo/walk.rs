//! Walking the work tree.

use crate::fixture::{Folder, START, make_pipe, paths, skips, survey};
use kitbag_repo::{
    FileId, GitError, Globs, Root, SkipCode, Tree, WorkTree, WorkingFolder, head_id, with_cancel,
};
use kitbag_text::Cancel;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

fn walk(path: &Path) -> WorkTree {
    WorkTree::walk(&Root::open(path).unwrap(), &Globs::default())
}

#[test]
fn ignored_and_hidden_files_are_not_listed() {
    let folder = Folder::new();
    folder.write(".gitignore", "*.log\nbuild/\n!.visible\n");
    folder.write(".ignore", "ignored_by_ignore\n");
    folder.write(".agentignore", "secret_plans/\n*.snap\n");
    folder.write("sub/.agentignore", "!keep.snap\nlocal.rs\n");
    for path in ["a.rs", "a.log", "build/x.rs", "ignored_by_ignore", "secret_plans/x.md"] {
        folder.write(path, "");
    }
    for path in ["x.snap", "sub/keep.snap", "sub/local.rs", ".hidden", ".visible", ".ci/x.yml"] {
        folder.write(path, "");
    }
    let tree = walk(&folder.path);
    assert_eq!(paths(&tree), ["a.rs", "sub/keep.snap"]);
    assert_eq!(skips(&tree), []);
    assert_eq!(paths(&walk(&folder.path.join("sub"))), ["keep.snap"]);
}

#[test]
fn rules_above_the_root_apply_only_in_a_work_tree() {
    let folder = Folder::new();
    folder.write(".gitignore", "*.rs\n");
    folder.write("plain/a.rs", "");
    assert_eq!(paths(&walk(&folder.path.join("plain"))), ["a.rs"]);
    folder.git(&["init", "-q"], START);
    assert_eq!(paths(&walk(&folder.path.join("plain"))), [""; 0]);
}

#[test]
fn files_are_sorted_by_bytes_and_have_size_and_time() {
    let folder = Folder::new();
    for path in ["b/a.rs", "b.rs", "a/z", "ä", "Z", "b-c/d"] {
        folder.write(path, "");
    }
    folder.write_at("a/z", "12", 77);
    let tree = walk(&folder.path);
    assert_eq!(paths(&tree), ["Z", "a/z", "b-c/d", "b.rs", "b/a.rs", "ä"]);
    let file = &tree.files()[1];
    assert_eq!((file.size, file.modified()), (2, Some(77)));
    assert!(matches!(file.id, FileId::Stat { modified: 77_000_000_000, size: 2, .. }));
}

#[cfg(unix)]
#[test]
fn change_with_the_same_size_and_modification_time_gives_another_id() {
    let folder = Folder::new();
    folder.write_at("a.rs", "12", 77);
    let before = walk(&folder.path);
    // File times are coarser than the clock.
    std::thread::sleep(std::time::Duration::from_millis(50));
    folder.write_at("a.rs", "34", 77);
    let after = walk(&folder.path);
    assert_eq!(before.files()[0].modified(), after.files()[0].modified());
    assert_ne!(before.files()[0].id, after.files()[0].id);
}

#[test]
fn globs_select_files() {
    let folder = Folder::new();
    for path in ["src/a.rs", "src/a.py", "tests/a.rs", "x.pem"] {
        folder.write(path, "");
    }
    let root = Root::open(&folder.path).unwrap();
    let walk = |include: &[&str], exclude: &[&str]| {
        let tree = WorkTree::walk(&root, &Globs::new(include, exclude).unwrap());
        (paths(&tree).join(" "), tree.skipped().len())
    };
    assert_eq!(walk(&["*.rs"], &["tests"]), ("src/a.rs".to_owned(), 0));
    assert_eq!(walk(&[], &["src/*.py"]), ("src/a.rs tests/a.rs".to_owned(), 1));
}

// Shows: AC-145
#[test]
fn skipped_files_are_reported() {
    let outer = Folder::new();
    outer.write("outside.txt", "");
    let path = outer.path.join("root");
    for name in ["a.rs", "dir/b.rs", "server.pem", ".env", "old.key/x"] {
        outer.write(&format!("root/{name}"), "");
    }
    symlink("../outside.txt", path.join("out")).unwrap();
    symlink("..", path.join("up")).unwrap();
    symlink("a.rs", path.join("twin.rs")).unwrap();
    symlink("dir", path.join("twin")).unwrap();
    symlink("loop", path.join("loop")).unwrap();
    symlink("missing", path.join("broken")).unwrap();
    symlink(".", path.join("dir/self")).unwrap();
    make_pipe(&path.join("pipe"));
    std::fs::write(path.join(OsStr::from_bytes(b"n\xffme")), "").unwrap();
    let tree = walk(&path);
    assert_eq!(paths(&tree), ["a.rs", "dir/b.rs"]);
    assert_eq!(
        skips(&tree),
        [
            (".env", SkipCode::Denied),
            ("broken", SkipCode::NotFound),
            ("loop", SkipCode::Unreadable),
            ("n\u{fffd}me", SkipCode::InvalidPath),
            ("old.key", SkipCode::Denied),
            ("out", SkipCode::OutsideRoot),
            ("pipe", SkipCode::NotAFile),
            ("server.pem", SkipCode::Denied),
            ("up", SkipCode::OutsideRoot),
        ]
    );
}

#[test]
fn endless_ignore_files_do_not_block() {
    let folder = Folder::new();
    folder.write("a.rs", "");
    folder.write("sub/b.rs", "");
    make_pipe(&folder.path.join("sub/.gitignore"));
    folder.write("dev/c.rs", "");
    symlink("/dev/zero", folder.path.join("dev/.agentignore")).unwrap();
    folder.write("git/d.rs", "");
    folder.write("git/.git", "gitdir: ../.data\n");
    folder.write(".data/commondir", "../.common\n");
    folder.write(".common/info/attributes", "");
    make_pipe(&folder.path.join(".common/info/exclude"));
    let tree = walk(&folder.path);
    assert_eq!(paths(&tree), ["a.rs"]);
    let expected = ["dev/.agentignore", "git/.git", "sub/.gitignore"];
    assert_eq!(skips(&tree), expected.map(|path| (path, SkipCode::NotAFile)));
    assert_eq!(skips(&walk(&folder.path.join("sub"))), [(".gitignore", SkipCode::NotAFile)]);
    assert_eq!(paths(&walk(&folder.path.join("git"))), ["d.rs"], "without git");
}

#[test]
fn folder_with_an_oversized_ignore_file_is_skipped() {
    let folder = Folder::new();
    folder.write("a.rs", "");
    folder.write("sub/b.rs", "");
    folder.write("sub/.agentignore", "*a*a*b/**/*c*\n".repeat(20_000));
    let tree = walk(&folder.path);
    assert_eq!(paths(&tree), ["a.rs"]);
    assert_eq!(skips(&tree), [("sub/.agentignore", SkipCode::TooLarge)]);
}

#[test]
fn file_replaced_after_the_walk_is_checked_again() {
    let folder = Folder::new();
    let path = folder.write("a.rs", "old");
    let tree = walk(&folder.path);
    std::fs::remove_file(&path).unwrap();
    symlink("/etc/hostname", &path).unwrap();
    assert_eq!(tree.read(&tree.files()[0], 99).unwrap_err().code(), SkipCode::OutsideRoot);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(tree.read(&tree.files()[0], 99).unwrap_err().code(), SkipCode::NotFound);
}

#[test]
fn cancelled_work_neither_walks_nor_runs_git() {
    let folder = Folder::repository();
    folder.write("a.rs", "");
    let files = || walk(&folder.path).files().len();
    let cancel = Cancel::default();
    assert_eq!(with_cancel(&cancel, files), 1);
    cancel.cancel();
    assert_eq!(with_cancel(&cancel, files), 0);
    let head = with_cancel(&cancel, || head_id(&folder.path));
    assert!(matches!(head, Err(GitError::Cancelled { .. })), "{head:?}");
}

#[test]
fn installed_packages_are_listed_only_if_they_are_tracked_or_named() {
    let folder = Folder::repository();
    folder.write("src/a.py", "");
    folder.write("node_modules/kept/index.js", "");
    folder.commit("a vendored package", START);
    folder.write("node_modules/left/index.js", "");
    folder.write("tools/env/pyvenv.cfg", "");
    folder.write("tools/env/lib/python3/site-packages/x.py", "");
    let listed = |include: &[&str]| {
        let survey = survey(&folder.path, &Globs::new(include, &[]).unwrap());
        paths(&*survey.tree).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["node_modules/kept/index.js", "src/a.py"]);
    assert_eq!(listed(&["tools/**/x.py"]), ["tools/env/lib/python3/site-packages/x.py"]);
}

#[test]
fn a_folder_belongs_to_the_work_tree_above_it() {
    let folder = Folder::repository();
    folder.write("src/deep/a.rs", "");
    let find = |dir: &Path, home: Option<&Path>| WorkingFolder::find(dir, home).unwrap();
    let at = |repo: &Path, folder: &str| {
        let repo = repo.canonicalize().unwrap();
        WorkingFolder { repo, folder: folder.to_owned() }
    };
    assert_eq!(find(&folder.path.join("src/deep"), None), at(&folder.path, "src/deep"));
    assert_eq!(find(&folder.path, None), at(&folder.path, ""));
    let plain = Folder::new();
    plain.write("project/.agent/config.yml", "");
    plain.write("project/src/a.rs", "");
    plain.write("other/a.rs", "");
    assert_eq!(find(&plain.path.join("project/src"), None), at(&plain.path.join("project"), "src"));
    assert_eq!(find(&plain.path.join("other"), None), at(&plain.path.join("other"), ""));
    assert!(WorkingFolder::find(&plain.path.join("gone"), None).is_err());
}

/// A repository of dotfiles is not the repository of every folder in the home folder.
#[test]
fn the_home_folder_is_not_the_repository_of_what_is_in_it() {
    let folder = Folder::repository();
    folder.write("notes/a.md", "");
    let home = folder.path.canonicalize().unwrap();
    let inside = WorkingFolder::find(&home.join("notes"), Some(&home)).unwrap();
    assert_eq!(inside, WorkingFolder { repo: home.join("notes"), folder: String::new() });
    assert_eq!(WorkingFolder::find(&home, Some(&home)).unwrap().repo, home);
}
