//! Nothing that an untrusted repository configures may run.

use crate::fixture::{Folder, START, survey};
use kitbag_repo::{
    CommitTree, Denylist, Globs, Root, SkipCode, Tree, changes_in_commit, changes_to_file, head_id,
    read_history, recent_commits, uncommitted_edits,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn programs_in_the_repository_configuration_do_not_run() {
    let folder = Folder::repository();
    let marks = Folder::new();
    let mark = marks.path.join("mark");
    let script =
        marks.write("evil.sh", format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\n", mark.display()));
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = script.to_str().unwrap();
    folder.write(".gitattributes", "* filter=evil diff=evil\n");
    folder.write("a.rs", "1\n");
    folder.commit("one", START);
    folder.write("a.rs", "2\n");
    folder.commit("two", START + 1);
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "pager.log",
        "gpg.program",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "alias.log",
        "alias.ls-files",
        "core.alternateRefsCommand",
        "core.gitProxy",
        "diff.tool",
        "gpg.ssh.program",
        "gpg.x509.program",
        "interactive.diffFilter",
        "merge.evil.driver",
        "pager.ls-files",
        "remote.origin.uploadpack",
        "remote.origin.vcs",
        "sequence.editor",
        "trailer.x.command",
        "trailer.x.cmd",
        "uploadpack.packObjectsHook",
        "credential.helper",
    ] {
        folder.git(&["config", key, evil], START);
    }
    // Another file can add to the configuration.
    let included = marks.write("included", format!("[diff]\n\texternal = {evil}\n"));
    folder.git(&["config", "include.path", included.to_str().unwrap()], START);
    folder.git(&["config", "core.attributesFile", evil], START);
    folder.git(&["config", "submodule.recurse", "true"], START);
    folder.git(&["config", "log.showSignature", "true"], START);
    folder.git(&["config", "core.hooksPath", marks.path.to_str().unwrap()], START);
    folder.write("a.rs", "3 and changed\n");
    sign_head(&folder);

    let found = survey(&folder.path, &Globs::default());
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!(recent_commits(&folder.path, 5, |_| true).unwrap().len(), 1);
    let head = head_id(&folder.path).unwrap().unwrap();
    assert_eq!(read_history(&folder.path, &[head], &[], 5).unwrap().0.len(), 2);
    let tree = CommitTree::open(&folder.path, "HEAD", &Globs::default(), &Denylist::default());
    let tree = tree.unwrap();
    let file = tree.files().iter().find(|file| file.path == "a.rs").unwrap();
    assert_eq!(tree.read(file, 99).unwrap(), b"2\n");
    assert_eq!(changes_to_file(&folder.path, "a.rs", 5, true).unwrap().len(), 2);
    assert_eq!(changes_in_commit(&folder.path, &head, true).unwrap().len(), 1);
    let root = Root::open(&folder.path).unwrap();
    assert_eq!(uncommitted_edits(&root, &["a.rs"], true).unwrap().len(), 1);
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
}

/// Signs the last commit, so that git would check the signature.
fn sign_head(folder: &Folder) {
    let commit = folder.git(&["-c", "core.fsmonitor=false", "cat-file", "commit", "HEAD"], START);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
    let signed = commit.replacen("\n\n", &format!("\n{signature}\n"), 1);
    let path = folder.write("signed", signed);
    let name = path.to_str().unwrap();
    let id = folder.git(&["hash-object", "--no-filters", "-t", "commit", "-w", name], START);
    fs::remove_file(path).unwrap();
    folder.git(&["update-ref", "refs/heads/main", &id], START);
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched() {
    let folder = Folder::repository();
    folder.write("a.rs", "1\n");
    folder.commit("one", START);
    let clones = Folder::new();
    folder.git(&["config", "uploadpack.allowFilter", "true"], START);
    let url = format!("file://{}", folder.path.display());
    let arguments = ["clone", "-q", "--bare", "--filter=blob:none", &url, "partial"];
    crate::fixture::git(&clones.path, &arguments, START);
    let partial = clones.path.join("partial");
    let tree = CommitTree::open(&partial, "HEAD", &Globs::default(), &Denylist::default());
    // Git before 2.44 fails instead of listing files without their contents.
    if let Ok(tree) = tree {
        assert!(tree.files().is_empty());
        assert_eq!(tree.skipped()[0].code, SkipCode::Unreadable);
    }
}
