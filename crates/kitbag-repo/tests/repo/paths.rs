//! Resolving paths and reading files.

use crate::fixture::{Folder, make_pipe};
use kitbag_repo::{Denylist, PathError, Root, RootError, SkipCode};
use std::os::unix::fs::symlink;
use std::path::Path;

const LIMIT: u64 = 1 << 20;

fn code<T: std::fmt::Debug>(result: Result<T, PathError>) -> SkipCode {
    result.unwrap_err().code()
}

#[test]
fn root_must_be_a_folder() {
    let folder = Folder::new();
    let file = folder.write("a", "");
    let missing = folder.path.join("missing");
    assert!(matches!(Root::open(&missing), Err(RootError::NotFound { .. })));
    assert!(matches!(Root::open(&file), Err(RootError::NotAFolder { .. })));
    assert!(matches!(Root::open(file.join("b")), Err(RootError::NotAFolder { .. })));
    assert_eq!(Root::open(folder.path.join("./")).unwrap().path(), folder.path);
}

#[test]
fn typed_paths_are_resolved_to_relative_ones() {
    let folder = Folder::new();
    folder.write("real/src/a b.rs", "");
    symlink(folder.path.join("real"), folder.path.join("alias")).unwrap();
    symlink("a b.rs", folder.path.join("real/src/link.rs")).unwrap();
    let root = Root::open(folder.path.join("alias")).unwrap();
    let resolve = |path: &str| root.resolve(Path::new(path));
    for path in
        ["src/a b.rs", "./src//a b.rs", "src/../src/a b.rs", "../real/src/a b.rs", "src/link.rs"]
    {
        assert_eq!(resolve(path).unwrap(), "src/a b.rs", "{path}");
    }
    for prefix in ["real", "alias"] {
        let absolute = folder.path.join(prefix).join("src/a b.rs");
        assert_eq!(root.resolve(&absolute).unwrap(), "src/a b.rs");
        assert_eq!(root.normalize(absolute.to_str().unwrap()).unwrap(), "src/a b.rs");
    }
}

// Shows: AC-020 to AC-022, THREAT-4
#[test]
fn paths_outside_are_rejected_whether_they_exist_or_not() {
    let folder = Folder::new();
    folder.write("outside.txt", "secret");
    folder.write("root/a.rs", "");
    symlink("../outside.txt", folder.path.join("root/link")).unwrap();
    symlink("..", folder.path.join("root/up")).unwrap();
    let root = Root::open(folder.path.join("root")).unwrap();
    for path in ["../outside.txt", "a/../../outside.txt", "../missing", "/etc/passwd", "/missing"] {
        assert_eq!(code(root.resolve(Path::new(path))), SkipCode::OutsideRoot, "{path}");
        assert_eq!(code(root.normalize(path)), SkipCode::OutsideRoot, "{path}");
        assert_eq!(code(root.read(path, LIMIT)), SkipCode::OutsideRoot, "{path}");
    }
    for path in ["link", "up/outside.txt"] {
        assert_eq!(code(root.resolve(Path::new(path))), SkipCode::OutsideRoot, "{path}");
        assert_eq!(code(root.read(path, LIMIT)), SkipCode::OutsideRoot, "{path}");
    }
}

// Shows: AC-145, THREAT-4
#[test]
fn denied_files_are_not_read_under_any_path() {
    let folder = Folder::new();
    for path in [".env", "certs/server.pem", ".environment.md", "own.secret", ".aws/credentials"] {
        folder.write(path, "x");
    }
    symlink(".env", folder.path.join("notes.md")).unwrap();
    symlink("certs", folder.path.join("public")).unwrap();
    let root = Root::open(&folder.path).unwrap();
    for path in [
        ".env",
        "certs/server.pem",
        "notes.md",
        "public/server.pem",
        "x/.git/config",
        ".aws//credentials",
        ".aws/./credentials",
    ] {
        assert_eq!(code(root.read(path, LIMIT)), SkipCode::Denied, "{path}");
        assert_eq!(code(root.resolve(Path::new(path))), SkipCode::Denied, "{path}");
    }
    assert_eq!(code(root.normalize("src/../.ENV.local")), SkipCode::Denied);
    assert_eq!(root.read(".environment.md", LIMIT).unwrap(), b"x");
    assert_eq!(root.read("own.secret", LIMIT).unwrap(), b"x");
    let root = root.with_denylist(Denylist::default().with(["*.secret"]).unwrap());
    let error = root.read("own.secret", LIMIT).unwrap_err();
    assert_eq!(error.to_string(), "denied by the pattern `*.secret`: `own.secret`");
}

#[test]
fn absolute_patterns_apply_below_the_file_system_root() {
    let root = Root::open("/").unwrap();
    assert_eq!(code(root.read("etc/passwd", LIMIT)), SkipCode::Denied);
    assert_eq!(code(root.resolve(Path::new("/etc/shadow"))), SkipCode::Denied);
    assert_eq!(code(Root::open("/etc").unwrap().read("passwd", LIMIT)), SkipCode::Denied);
}

#[test]
fn normalized_paths_need_not_exist() {
    let root = Root::open(Folder::new().path.parent().unwrap()).unwrap();
    for (path, normalized) in [
        ("src/a.rs", "src/a.rs"),
        ("./src//new/../a.rs", "src/a.rs"),
        ("..a/b", "..a/b"),
        ("ünïcode \"x\"\n.rs", "ünïcode \"x\"\n.rs"),
    ] {
        assert_eq!(root.normalize(path).unwrap(), normalized);
    }
    for (path, expected) in
        [("", SkipCode::InvalidPath), ("a\0b", SkipCode::InvalidPath), (".", SkipCode::NotAFile)]
    {
        assert_eq!(code(root.normalize(path)), expected, "{path:?}");
    }
}

// Shows: AC-027
#[test]
fn only_regular_files_within_the_limit_are_read() {
    let folder = Folder::new();
    folder.write("five", "12345");
    folder.write("empty", "");
    folder.write("dir/x", "");
    make_pipe(&folder.path.join("pipe"));
    symlink("pipe", folder.path.join("link_to_pipe")).unwrap();
    symlink("loop", folder.path.join("loop")).unwrap();
    symlink("/dev/zero", folder.path.join("zero")).unwrap();
    let root = Root::open(&folder.path).unwrap();
    assert_eq!(root.read("five", 5).unwrap(), b"12345");
    assert_eq!(root.read("empty", 0).unwrap(), b"");
    for (path, expected) in [
        ("five", SkipCode::TooLarge),
        ("dir", SkipCode::NotAFile),
        ("pipe", SkipCode::NotAFile),
        ("link_to_pipe", SkipCode::NotAFile),
        ("loop", SkipCode::Unreadable),
        ("zero", SkipCode::OutsideRoot),
        ("missing", SkipCode::NotFound),
        ("five/x", SkipCode::NotFound),
        ("a\0b", SkipCode::InvalidPath),
        ("", SkipCode::InvalidPath),
    ] {
        assert_eq!(code(root.read(path, 4)), expected, "{path:?}");
    }
    let error = root.read("five", 4).unwrap_err().to_string();
    assert_eq!(error, "5 bytes exceed the limit of 4: `five`");
}
