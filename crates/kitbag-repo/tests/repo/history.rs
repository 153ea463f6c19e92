//! Times of files: those of commits, and modification times of uncommitted files.

use crate::fixture::{DAY, Folder, START, git, make_pipe, paths, set_time, skips, survey};
use kitbag_repo::{Globs, Recency, SkipCode, Survey, Tree, changed_files};
use std::path::Path;

fn survey_folder(path: &Path) -> Survey {
    survey(path, &Globs::default())
}

/// Creates a repository of files last changed on days 0, 200 and 290.
fn repository() -> Folder {
    let folder = Folder::repository();
    for path in ["old.rs", "mid.rs", "sub/new.rs"] {
        folder.write_at(path, "1", START);
    }
    folder.commit("all", START);
    folder.write("mid.rs", "2 and more");
    folder.commit("mid", START + 200 * DAY);
    folder.write("sub/new.rs", "2 and more");
    folder.commit("new", START + 290 * DAY);
    folder
}

// Shows: AC-144
#[test]
fn files_have_the_time_of_a_recent_commit() {
    let folder = repository();
    let found = survey_folder(&folder.path);
    assert_eq!(found.warnings, [""; 0]);
    let times = found.timestamps;
    assert_eq!(times.now, START + 290 * DAY);
    assert_eq!(times.of("sub/new.rs"), Some(START + 290 * DAY));
    assert_eq!(times.of("mid.rs"), Some(START + 200 * DAY));
    assert_eq!(times.of("old.rs"), None);
    // An earlier `now` reaches further back; a later one changes nothing.
    let early = Recency::read(&folder.path, Some(START + 50 * DAY)).unwrap();
    assert_eq!(early.of("old.rs"), Some(START));
    let late = Recency::read(&folder.path, Some(START + 900 * DAY)).unwrap();
    assert_eq!(late.of("sub/new.rs"), Some(START + 290 * DAY));
}

#[test]
fn paths_are_relative_to_the_subfolder() {
    let folder = repository();
    folder.write_at("sub/untracked.rs", "", START + 5);
    let found = survey_folder(&folder.path.join("sub"));
    assert_eq!(found.timestamps.of("new.rs"), Some(START + 290 * DAY));
    assert_eq!(found.timestamps.of("untracked.rs"), Some(START + 5));
    let changed = changed_files(&folder.path.join("sub"), found.tree.files()).unwrap();
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), ["untracked.rs"]);
}

// Shows: AC-080, AC-081
#[test]
fn modification_time_is_used_for_changed_files() {
    let folder = repository();
    let later = START + 300 * DAY;
    folder.write_at("old.rs", "changed", later);
    folder.write_at("mid.rs", "2 and more", later + 99);
    folder.write_at("sub/untracked.rs", "", later + 1);
    folder.write_at("staged \"x\".rs", "", later + 2);
    folder.git(&["add", "staged \"x\".rs"], later);
    folder.write_at("sub/new.rs", "older", START);
    let found = survey_folder(&folder.path);
    let mut changed: Vec<&str> =
        changed_files(&folder.path, found.tree.files()).unwrap().into_iter().collect();
    changed.sort_unstable();
    assert_eq!(changed, ["old.rs", "staged \"x\".rs", "sub/new.rs", "sub/untracked.rs"]);
    let times = found.timestamps;
    assert_eq!(times.of("old.rs"), Some(later));
    assert_eq!(times.of("mid.rs"), Some(START + 200 * DAY), "touched only");
    assert_eq!(times.of("sub/untracked.rs"), Some(later + 1));
    assert_eq!(times.of("staged \"x\".rs"), Some(later + 2));
    assert_eq!(times.of("sub/new.rs"), Some(START + 290 * DAY), "the commit is newer");
    assert_eq!(times.now, later + 2);
}

#[test]
fn new_modification_times_alone_are_not_changes() {
    let folder = repository();
    for path in ["old.rs", "mid.rs", "sub/new.rs"] {
        set_time(&folder.path.join(path), START + 400 * DAY);
    }
    let found = survey_folder(&folder.path);
    assert!(changed_files(&folder.path, found.tree.files()).unwrap().is_empty());
    assert_eq!(found.timestamps.now, START + 290 * DAY);
}

// Shows: AC-081
#[test]
fn modification_times_are_used_without_a_repository() {
    let folder = Folder::new();
    folder.write_at("a", "", 50);
    folder.write_at("b", "", 40);
    let found = survey_folder(&folder.path);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!((found.timestamps.of("a"), found.timestamps.of("b")), (Some(50), Some(40)));
    assert_eq!(found.timestamps.now, 50);
    assert_eq!(survey_folder(&Folder::new().path).timestamps.now, 0);
}

#[test]
fn all_files_are_new_without_commits() {
    let folder = Folder::repository();
    folder.write_at("a", "", 50);
    folder.write_at("b", "", 40);
    folder.git(&["add", "a"], START);
    let found = survey_folder(&folder.path);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!((found.timestamps.of("a"), found.timestamps.of("b")), (Some(50), Some(40)));
    assert_eq!(found.timestamps.now, 50);
}

#[test]
fn times_are_unknown_beyond_a_shallow_clone() {
    let folder = repository();
    let clones = Folder::new();
    let url = format!("file://{}", folder.path.display());
    git(&clones.path, &["clone", "-q", "--depth", "1", &url, "one"], START);
    git(&clones.path, &["clone", "-q", "--depth", "2", &url, "two"], START);
    let one = survey_folder(&clones.path.join("one"));
    assert_eq!(one.timestamps.now, START + 290 * DAY);
    assert_eq!(one.timestamps.of("sub/new.rs"), None);
    assert_eq!(one.warnings, ["shallow clone: older changes are unknown"]);
    let two = survey_folder(&clones.path.join("two"));
    assert_eq!(two.timestamps.of("sub/new.rs"), Some(START + 290 * DAY));
    assert_eq!(two.timestamps.of("old.rs"), None);
}

#[test]
fn detached_heads_worktrees_and_bare_repositories_have_times() {
    let folder = repository();
    folder.git(&["checkout", "-q", "--detach", "HEAD~1"], START);
    let detached = survey_folder(&folder.path);
    assert_eq!(detached.timestamps.now, START + 200 * DAY);
    assert_eq!(detached.timestamps.of("mid.rs"), Some(START + 200 * DAY));
    let places = Folder::new();
    let worktree = places.path.join("worktree");
    folder.git(&["worktree", "add", "-q", worktree.to_str().unwrap(), "main"], START);
    let found = survey_folder(&worktree);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!(found.timestamps.of("sub/new.rs"), Some(START + 290 * DAY));
    assert_eq!(found.tree.skipped(), []);
    let bare = places.path.join("bare");
    folder.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()], START);
    let recency = Recency::read(&bare, None).unwrap();
    let time = Some(START + 200 * DAY);
    assert_eq!((recency.head(), recency.of("mid.rs")), (time, time));
    let bare = survey_folder(&bare);
    assert_eq!((bare.tree.files().len(), bare.warnings.len()), (0, 1));
    assert_eq!(bare.tree.skipped()[0].code, SkipCode::Denied);
}

#[test]
fn newest_commit_may_be_on_a_merged_branch() {
    let folder = repository();
    folder.git(&["checkout", "-q", "-b", "side", "HEAD~1"], START);
    folder.write("old.rs", "from the side");
    folder.commit("side", START + 280 * DAY);
    folder.git(&["checkout", "-q", "main"], START);
    folder.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], START + 291 * DAY);
    let times = survey_folder(&folder.path).timestamps;
    assert_eq!(times.of("old.rs"), Some(START + 280 * DAY));
    assert_eq!(times.now, START + 291 * DAY);
}

#[test]
fn tracked_files_are_listed_even_if_ignored_or_hidden() {
    let folder = Folder::repository();
    folder.write(".gitignore", "*.gen\nbuild/\n");
    folder.write(".agentignore", "/build/kept_out/\n");
    for path in ["a.gen", "build/b.rs", "build/.hidden", "build/kept_out/c.rs", "build/d.key"] {
        folder.write(path, "");
    }
    folder.write("build/pipes/e.rs", "");
    folder.write("old.key/f.rs", "");
    folder.write(".github/workflows/ci.yml", "");
    folder.commit("all", START);
    folder.write("untracked.gen", "");
    folder.write(".untracked", "");
    folder.write(".github/untracked.yml", "");
    make_pipe(&folder.path.join("build/pipes/.ignore"));
    let found = survey_folder(&folder.path);
    let hidden = [".agentignore", ".github/workflows/ci.yml", ".gitignore"];
    let listed = ["a.gen", "build/.hidden", "build/b.rs"];
    assert_eq!(paths(&*found.tree), [&hidden[..], &listed].concat());
    assert_eq!(
        skips(&*found.tree),
        [("build/d.key", SkipCode::Denied), ("old.key", SkipCode::Denied)]
    );
    assert_eq!(found.timestamps.of("build/b.rs"), Some(START));
    let globs = Globs::new(&[], &["build"]).unwrap();
    let found = survey(&folder.path, &globs);
    assert_eq!(paths(&*found.tree), [&hidden[..], &["a.gen"]].concat());
}

#[test]
fn files_of_submodules_are_unchanged() {
    let inner = Folder::repository();
    inner.write("lib.c", "");
    inner.commit("lib", START);
    let folder = Folder::repository();
    folder.write("main.c", "");
    let url = inner.path.to_str().unwrap();
    let allow = "protocol.file.allow=always";
    folder.git(&["-c", allow, "submodule", "--quiet", "add", url, "vendor/lib"], START);
    folder.commit("all", START + 5);
    let found = survey_folder(&folder.path);
    assert_eq!(paths(&*found.tree), [".gitmodules", "main.c", "vendor/lib/lib.c"]);
    assert_eq!(found.timestamps.of("vendor/lib/lib.c"), None);
    assert_eq!(found.timestamps.now, START + 5);
}
