//! Git data outside of the work tree is used only if it points back, or if the user trusts it.

use crate::fixture::{Folder, START, git, make_pipe};
use kitbag_repo::{GitError, Root, head_id, outside_git_data};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A repository of the user that a stranger's folder may refer to.
fn private() -> Folder {
    let folder = Folder::repository();
    folder.write("secret.rs", "1\n");
    folder.commit("secret", START);
    folder
}

fn is_used(dir: &Path) -> bool {
    head_id(dir).is_ok_and(|head| head.is_some())
}

/// Checks that git is not used in a folder, and returns what leads out of it.
#[track_caller]
fn rejected(dir: &Path) -> String {
    let error = head_id(dir).unwrap_err();
    let GitError::LeadsOutside { top, links } = error else { panic!("{error}") };
    assert_eq!(top, dir);
    let root = Root::open(dir).unwrap();
    assert_eq!(outside_git_data(&root), Some(links.clone()));
    let trusting = root.clone().with_trusted_git(Some(links.clone()));
    let is_outside = |error: &GitError| matches!(error, GitError::LeadsOutside { .. });
    assert!(!head_id(&trusting).is_err_and(|error| is_outside(&error)), "the user trusts it");
    let other = root.with_trusted_git(Some(format!("{links}/other")));
    assert!(
        head_id(&other).is_err_and(|error| is_outside(&error)),
        "the user trusted something else"
    );
    links
}

#[test]
fn linked_work_trees_and_submodules_are_used() {
    let (main, others) = (private(), Folder::new());
    let linked = others.path.join("linked");
    main.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()], START);
    assert!(is_used(&linked));
    fs::create_dir(linked.join("folder")).unwrap();
    assert!(is_used(&linked.join("folder")), "a folder of it");
    let relative = main.path.join("relative");
    main.git(&["worktree", "add", "-q", "-b", "third", relative.to_str().unwrap()], START);
    let admin = main.path.join(".git/worktrees/relative");
    fs::write(relative.join(".git"), "gitdir: ../.git/worktrees/relative\n").unwrap();
    fs::write(admin.join("gitdir"), "../../../relative/.git\n").unwrap();
    assert!(is_used(&relative), "with relative paths");
    let project = Folder::repository();
    let url = main.path.to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"];
    project.git(&add, START);
    assert!(project.path.join("sub/.git").is_file() && is_used(&project.path.join("sub")));
    // A repository elsewhere that is configured for this work tree.
    let separate = Folder::new();
    fs::rename(main.path.join(".git"), separate.path.join("data")).unwrap();
    fs::write(main.path.join(".git"), format!("gitdir: {}/data\n", separate.path.display()))
        .unwrap();
    let top = main.path.to_str().unwrap();
    git(&separate.path.join("data"), &["config", "core.worktree", top], START);
    assert!(is_used(&main.path));
}

#[test]
fn forged_links_are_not_followed() {
    let private = private();
    let data = private.path.join(".git");
    let shown = data.display();
    let file = Folder::new();
    file.write(".git", format!("gitdir: {shown}\n"));
    assert_eq!(rejected(&file.path), format!("`.git` leads to `{shown}`"));
    let link = Folder::new();
    symlink(&data, link.path.join(".git")).unwrap();
    assert_eq!(rejected(&link.path), format!("`.git` leads to `{shown}`"));
    // A work tree that the user has linked elsewhere does not belong to this folder.
    let (worktree, forged) = (Folder::new(), Folder::new());
    let linked = worktree.path.join("linked");
    private.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()], START);
    let admin = data.join("worktrees/linked");
    forged.write(".git", format!("gitdir: {}\n", admin.display()));
    assert!(rejected(&forged.path).contains("`.git` leads to"));
    assert!(is_used(&linked), "the real one");
}

#[test]
fn forged_administrative_folders_do_not_lead_to_other_repositories() {
    let (private, stranger) = (private(), Folder::new());
    let common = private.path.join(".git");
    let work = stranger.path.join("work");
    stranger.write("work/.git", "gitdir: ../data\n");
    stranger.write("data/gitdir", format!("{}\n", work.join(".git").display()));
    stranger.write("data/HEAD", "ref: refs/heads/main\n");
    stranger.write("data/commondir", format!("{}\n", common.display()));
    let links = rejected(&work);
    assert!(links.ends_with(&format!("commondir` leads to `{}`", common.display())), "{links}");
    let inside = Folder::new();
    inside.write(".git/HEAD", "ref: refs/heads/main\n");
    inside.write(".git/commondir", format!("{}\n", common.display()));
    let expected = format!("`.git/commondir` leads to `{}`", common.display());
    assert_eq!(rejected(&inside.path), expected);
}

#[test]
fn objects_and_references_of_other_repositories_are_not_read() {
    let private = private();
    let objects = private.path.join(".git/objects");
    let alternates = Folder::repository();
    alternates.write(".git/objects/info/alternates", format!("# x\n{}\n", objects.display()));
    let links = rejected(&alternates.path);
    assert!(links.starts_with("`.git/objects/info/alternates` leads to"), "{links}");
    let relative = Folder::repository();
    relative.write(".git/objects/info/alternates", "../other\n");
    fs::create_dir_all(relative.path.join(".git/other/info")).unwrap();
    assert!(head_id(&relative.path).is_ok(), "inside");
    relative.write(".git/other/info/alternates", format!("{}\n", objects.display()));
    assert!(rejected(&relative.path).contains(".git/other/info/alternates"), "an alternate's own");
    for part in ["HEAD", "refs", "objects", "packed-refs"] {
        let folder = Folder::repository();
        let path = folder.path.join(".git").join(part);
        let _ = fs::remove_dir_all(&path);
        let _ = fs::remove_file(&path);
        private.git(&["pack-refs"], START);
        symlink(private.path.join(".git").join(part), &path).unwrap();
        assert!(rejected(&folder.path).contains(&format!("`.git/{part}` leads to")), "{part}");
    }
    let pack = Folder::repository();
    private.git(&["repack", "-q", "-a", "-d"], START);
    symlink(objects.join("pack"), pack.path.join(".git/objects/12")).unwrap();
    assert!(rejected(&pack.path).contains("`.git/objects/12` leads to"));
}

#[test]
fn bare_repositories_are_checked_as_well() {
    let (private, folder) = (private(), Folder::new());
    folder.git(&["init", "-q", "--bare"], START);
    assert_eq!(head_id(&folder.path).unwrap(), None);
    let objects = private.path.join(".git/objects");
    folder.write("objects/info/alternates", format!("{}\n", objects.display()));
    assert!(rejected(&folder.path).starts_with("`objects/info/alternates` leads to"));
}

#[test]
fn pipes_in_place_of_files_do_not_block() {
    for part in ["HEAD", "config", "index", "info/attributes", "refs/heads/main", "packed-refs"] {
        let folder = private();
        let path = folder.path.join(".git").join(part);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make_pipe(&path);
        let error = head_id(&folder.path).unwrap_err();
        assert!(matches!(error, GitError::SpecialFile { .. }), "{part}: {error}");
    }
    let folder = Folder::new();
    make_pipe(&folder.path.join(".git"));
    assert!(head_id(&folder.path).is_err());
}

#[test]
fn included_pipes_do_not_block() {
    let folder = private();
    make_pipe(&folder.path.join("pipe"));
    folder.write("more", "[include]\n\tpath = pipe\n");
    let config = folder.path.join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(config, format!("{text}[include]\n\tpath = ../more\n")).unwrap();
    let error = head_id(&folder.path).unwrap_err();
    assert!(matches!(error, GitError::SpecialFile { .. }), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn git_is_not_started_again_where_it_stalled() {
    let folder = private();
    let head = head_id(&folder.path).unwrap().unwrap().to_string();
    let object = folder.path.join(".git/objects").join(&head[..2]).join(&head[2..]);
    let bytes = fs::read(&object).unwrap();
    fs::remove_file(&object).unwrap();
    make_pipe(&object);
    let is_stalled = || matches!(head_id(&folder.path), Err(GitError::Stalled));
    assert!(is_stalled());
    fs::remove_file(&object).unwrap();
    fs::write(&object, bytes).unwrap();
    assert!(is_stalled(), "nothing says that it was repaired");
    folder.write(".git/HEAD", head);
    assert!(!is_stalled());
}
