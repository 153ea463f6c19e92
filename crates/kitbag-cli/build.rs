//! Facts of the build for `kitbag --version`: commit, target, profile and features. The commit is read
//! from the files of git, so that git need not be installed.

#![allow(clippy::print_stdout, reason = "cargo reads the output of build scripts")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=KITBAG_COMMIT");
    let given = env::var("KITBAG_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = given.or_else(commit).unwrap_or_else(|| "unknown".to_owned());
    let short: String = commit.chars().take(12).collect();
    println!("cargo::rustc-env=KITBAG_COMMIT={short}");
    let features =
        if env::var_os("CARGO_FEATURE_HUGGINGFACE").is_some() { "huggingface" } else { "none" };
    println!("cargo::rustc-env=KITBAG_FEATURES={features}");
    for name in ["TARGET", "PROFILE"] {
        let value = env::var(name).unwrap_or_else(|_| "unknown".to_owned());
        println!("cargo::rustc-env=KITBAG_{name}={value}");
    }
}

fn commit() -> Option<String> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let root = here.parent()?.parent()?;
    let git = git_folder(root)?;
    let head = read(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head) };
    // A linked work tree has its branches in the folder of the main one.
    let common = read(&git.join("commondir")).map_or(git.clone(), |folder| git.join(folder));
    let packed = common.join("packed-refs");
    read(&git.join(name)).or_else(|| read(&common.join(name))).or_else(|| {
        // The next commit creates a file for the branch.
        if let Some(folder) = common.join(name).ancestors().skip(1).find(|it| it.is_dir()) {
            watch(folder);
        }
        let lines = read(&packed)?;
        let line = lines.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(str::to_owned)
    })
}

/// The folder `.git`, or the target of a file with this name.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let folder = read(&git)?;
    folder.strip_prefix("gitdir: ").map(|folder| root.join(folder))
}

/// Reads a file, and watches it.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    watch(path);
    Some(text.trim().to_owned())
}

/// Builds again when this file or folder changes.
fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
