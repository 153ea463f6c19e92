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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";
    const OTHER: &str = "76543210fedcba9876543210fedcba9876543210";

    fn bare(head: &str, packed: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["objects", "refs/heads"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("HEAD"), head).unwrap();
        fs::write(dir.path().join("packed-refs"), packed).unwrap();
        dir
    }

    fn head_of(head: &str, packed: &str) -> Option<String> {
        head_in_files(bare(head, packed).path()).map(|id| id.to_string())
    }

    #[test]
    fn the_commit_is_that_of_the_branch_or_of_a_detached_head() {
        let packed =
            format!("# pack-refs\n{OTHER} refs/heads/a/main\n{ID} refs/heads/main\n^{OTHER}\n");
        assert_eq!(head_of("ref: refs/heads/main\n", &packed).as_deref(), Some(ID));
        assert_eq!(head_of(&format!("{ID}\n"), "").as_deref(), Some(ID));
        let dir = bare("ref: refs/heads/main\n", &packed);
        fs::write(dir.path().join("refs/heads/main"), format!("{OTHER}\n")).unwrap();
        assert_eq!(
            head_in_files(dir.path()).unwrap().to_string(),
            OTHER,
            "newer than the packed one"
        );
        let work_tree = tempfile::tempdir().unwrap();
        fs::rename(dir.path(), work_tree.path().join(".git")).unwrap();
        assert_eq!(head_in_files(work_tree.path()).unwrap().to_string(), OTHER);
    }

    #[test]
    fn what_only_git_can_tell_is_left_to_it() {
        for head in [
            "",
            "ref: refs/heads/none",
            "ref: ../../secret",
            "ref: refs/../HEAD",
            "ref: HEAD",
            "zzz",
        ] {
            assert_eq!(head_of(head, "zzz refs/heads/other\n"), None, "{head}");
        }
        let dir = bare(ID, "");
        fs::write(dir.path().join("commondir"), "../other").unwrap();
        assert_eq!(head_in_files(dir.path()), None, "a linked work tree");
        assert_eq!(head_in_files(&dir.path().join("missing")), None);
    }
}
