//! Attacks on file access that have succeeded against other tools.

use crate::fixture::Folder;
use kitbag_repo::{Globs, PathError, Root, SkipCode, Tree, WorkTree};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const LIMIT: u64 = 1 << 20;
const SECRET: &[u8] = b"outside";

fn code<T: std::fmt::Debug>(result: Result<T, PathError>) -> SkipCode {
    result.unwrap_err().code()
}

/// Returns a folder with a subfolder `repo`, and the root at `repo`.
fn repo() -> (Folder, Root) {
    let folder = Folder::new();
    folder.write("repo/src/a.rs", "inside");
    folder.write("secret.txt", SECRET);
    let root = Root::open(folder.path.join("repo")).unwrap();
    (folder, root)
}

/// Asserts that a path is rejected as outside the root.
fn assert_outside(root: &Root, path: &str) {
    assert_eq!(code(root.resolve(Path::new(path))), SkipCode::OutsideRoot, "{path}");
    assert_eq!(code(root.read(path, LIMIT)), SkipCode::OutsideRoot, "{path}");
}

// Shows: THREAT-4, AC-022
#[test]
fn folder_with_the_root_as_name_prefix_is_outside() {
    let (folder, root) = repo();
    let evil = folder.write("repo-evil/secret.txt", SECRET);
    for path in
        [evil.to_str().unwrap(), "../repo-evil/secret.txt", "src/../../repo-evil/secret.txt"]
    {
        assert_outside(&root, path);
        assert_eq!(code(root.normalize(path)), SkipCode::OutsideRoot, "{path}");
    }
    symlink("../repo-evil/secret.txt", folder.path.join("repo/link.txt")).unwrap();
    symlink("../repo-evil", folder.path.join("repo/linked")).unwrap();
    assert_outside(&root, "link.txt");
    assert_outside(&root, "linked/secret.txt");
}

// Shows: THREAT-4, AC-021
#[test]
fn traversal_is_rejected_in_every_spelling() {
    let (folder, root) = repo();
    let up = "../".repeat(40);
    for path in [
        "../secret.txt".to_owned(),
        "src/../../secret.txt".to_owned(),
        "./src/.././../secret.txt".to_owned(),
        "src//..//..//secret.txt".to_owned(),
        "missing/../../secret.txt".to_owned(),
        format!("{up}etc/hostname"),
        folder.path.join("secret.txt").to_str().unwrap().to_owned(),
        folder.path.join("repo/../secret.txt").to_str().unwrap().to_owned(),
    ] {
        assert_outside(&root, &path);
        assert_eq!(code(root.normalize(&path)), SkipCode::OutsideRoot, "{path}");
    }
}

// Shows: THREAT-4
#[test]
fn links_to_outside_are_rejected_and_not_walked() {
    let (folder, root) = repo();
    folder.write("elsewhere/deep/b.rs", SECRET);
    let inside = |path: &str| folder.path.join("repo").join(path);
    symlink("../secret.txt", inside("file")).unwrap();
    symlink(folder.path.join("secret.txt"), inside("absolute")).unwrap();
    symlink("../elsewhere", inside("folder")).unwrap();
    symlink("folder", inside("chain")).unwrap();
    symlink("file", inside("src/second")).unwrap();
    for path in ["file", "absolute", "folder/deep/b.rs", "chain/deep/b.rs", "folder/../secret.txt"]
    {
        assert_outside(&root, path);
    }
    let tree = WorkTree::walk(&root, &Globs::default());
    assert_eq!(crate::fixture::paths(&tree), ["src/a.rs"]);
    let mut outside: Vec<_> = crate::fixture::skips(&tree);
    outside.retain(|(_, code)| *code == SkipCode::OutsideRoot);
    assert_eq!(outside.len(), 4, "{:?}", tree.skipped());
}

// Shows: THREAT-4
#[test]
fn import_of_a_rule_file_cannot_leave_the_root() {
    let (_folder, root) = repo();
    let importing = Path::new("docs/rules/team.md").parent().unwrap();
    for import in ["../../../secret.txt", "/etc/hostname", "../../../../../../etc/hostname"] {
        assert_eq!(code(root.resolve(&importing.join(import))), SkipCode::OutsideRoot, "{import}");
    }
    assert_eq!(code(root.resolve(&importing.join("../../.env"))), SkipCode::Denied);
    // A missing folder has no parent.
    assert!(root.resolve(&importing.join("../../src/a.rs")).is_err());
    assert_eq!(root.resolve(Path::new("src/../src/a.rs")).unwrap(), "src/a.rs");
}

#[test]
fn hard_links_are_checked_by_name_only() {
    let (folder, root) = repo();
    folder.write("repo/.env", "TOKEN=x");
    fs::hard_link(folder.path.join("repo/.env"), folder.path.join("repo/notes.md")).unwrap();
    fs::hard_link(folder.path.join("repo/src/a.rs"), folder.path.join("repo/id_rsa")).unwrap();
    assert_eq!(root.read("notes.md", LIMIT).unwrap(), b"TOKEN=x");
    assert_eq!(code(root.read("id_rsa", LIMIT)), SkipCode::Denied);
}

/// Reads a file 2,000 times while `swap` replaces a component of its path with a link to outside and back.
fn read_while_swapped(root: &Root, path: &str, swap: impl Fn() + Sync) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap();
            }
        });
        let is_outside = |_: &u32| root.read(path, LIMIT).is_ok_and(|bytes| bytes != b"inside");
        let outside_reads = (0..2_000).filter(is_outside).count();
        done.store(true, Ordering::Relaxed);
        assert_eq!(outside_reads, 0, "{path}");
    });
}

/// Exchanges two paths atomically.
fn exchange(first: &Path, second: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, first, CWD, second, RenameFlags::EXCHANGE).unwrap();
}

// Shows: THREAT-4
#[cfg(target_os = "linux")]
#[test]
fn swaps_between_check_and_use_never_lead_outside() {
    let (folder, root) = repo();
    folder.write("repo/deep/dir/a.rs", "inside");
    folder.write("elsewhere/a.rs", SECRET);
    let inside = |path: &str| -> PathBuf { folder.path.join("repo").join(path) };
    // The file itself, its folder, and a link whose target alternates between inside and outside.
    symlink("../../secret.txt", inside("src/evil")).unwrap();
    read_while_swapped(&root, "src/a.rs", || exchange(&inside("src/a.rs"), &inside("src/evil")));
    symlink("../../elsewhere", inside("deep/evil")).unwrap();
    read_while_swapped(&root, "deep/dir/a.rs", || {
        exchange(&inside("deep/dir"), &inside("deep/evil"));
    });
    folder.write("repo/good/a.rs", "inside");
    symlink("good", inside("one")).unwrap();
    symlink("../elsewhere", inside("two")).unwrap();
    read_while_swapped(&root, "one/a.rs", || exchange(&inside("one"), &inside("two")));
    assert_eq!(root.read("good/a.rs", LIMIT).unwrap(), b"inside");
}
