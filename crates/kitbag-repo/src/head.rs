//! The commit of `HEAD`, read from the files of a repository: where there are thousands of repositories, a
//! process of git for each of them would take seconds.

use crate::ObjectId;
use crate::git_dir::{is_bare_repository, read_text};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A larger list of branches and tags is left to git: about a million.
const MAX_PACKED_REFS_BYTES: u64 = 64 << 20;

/// Maximum size of `HEAD` and of a branch.
const MAX_REF_BYTES: u64 = 4_096;

/// Returns the commit that `HEAD` names. `None` if there is none, and if only git can tell, as for a linked work
/// tree or another format of refs.
pub fn head_in_files(repository: &Path) -> Option<ObjectId> {
    let dir = own_git_dir(repository)?;
    let head = read_text(&dir.join("HEAD"), MAX_REF_BYTES)?;
    let head = head.trim_end();
    let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return head.parse().ok() };
    let is_branch = branch.starts_with("refs/")
        && branch.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if !is_branch {
        return None;
    }
    match read_text(&dir.join(branch), MAX_REF_BYTES) {
        Some(id) => id.trim_end().parse().ok(),
        None => packed_ref(&dir.join("packed-refs"), branch),
    }
}

/// Returns the git directory that is in the folder of the repository, and shares nothing with another one.
fn own_git_dir(repository: &Path) -> Option<PathBuf> {
    let inner = repository.join(".git");
    let dir = if is_bare_repository(repository) { repository.to_owned() } else { inner };
    let is_own = fs::symlink_metadata(&dir).ok()?.is_dir() && !dir.join("commondir").exists();
    is_own.then_some(dir)
}

/// Finds a branch in the list of packed refs, whose lines are `ID NAME`.
fn packed_ref(file: &Path, branch: &str) -> Option<ObjectId> {
    // Opening a pipe would block.
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut lines = BufReader::new(File::open(file).ok()?.take(MAX_PACKED_REFS_BYTES));
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let name = line.trim_ascii_end().strip_suffix(branch.as_bytes());
        if let Some(id) = name.and_then(|rest| rest.strip_suffix(b" ")) {
            return std::str::from_utf8(id).ok()?.parse().ok();
        }
    }
}
