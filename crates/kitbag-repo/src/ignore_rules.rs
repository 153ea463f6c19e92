//! The ignore files of a work tree: `.gitignore`, `.ignore` and `.agentignore`.

use crate::git_dir::GitDir;
use crate::git_location::is_git_rejected;
use crate::lookup::is_in_work_tree;
use crate::{CommitFiles, PathError, Root};
use ignore::{IncrementalIgnore, WalkBuilder};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The ignore file that applies to agents only.
pub(crate) const AGENT_IGNORE: &str = ".agentignore";
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", AGENT_IGNORE];

/// Maximum size of an ignore file. Compiled, its rules take about 200 times as much memory.
pub(crate) const MAX_IGNORE_FILE_BYTES: u64 = 256 << 10;

/// Returns a walk that applies all ignore rules and includes hidden files.
pub(crate) fn walk_builder(root: &Root) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root.path());
    builder
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(AGENT_IGNORE)
        // A `.git` that is not used may lead to any file.
        .git_exclude(!is_git_rejected(root))
        // Rules above the root apply only inside a larger work tree: a stray ignore file in the home
        // folder must not empty a pack.
        .parents(!root.path().join(".git").exists() && is_in_work_tree(root.path()));
    builder
}

/// The rules that apply to tracked files too: those of `.ignore` and `.agentignore`.
pub(crate) enum TrackedRules {
    OnDisk(Vec<IncrementalIgnore>),
    OfCommit(Arc<CommitFiles>),
}

impl TrackedRules {
    pub fn new(root: &Root) -> Self {
        if let Some(commit) = root.commit_files() {
            return Self::OfCommit(Arc::clone(commit));
        }
        let mut builder = walk_builder(root);
        let builder = builder.git_ignore(false).git_exclude(false).git_global(false);
        Self::OnDisk(builder.build_matchers())
    }

    pub fn ignores(&mut self, path: &str) -> bool {
        match self {
            Self::OnDisk(rules) => {
                rules.iter_mut().any(|rules| rules.matched(path, false).is_ignore())
            }
            Self::OfCommit(commit) => commit.ignores(path),
        }
    }
}

/// Rejects a folder with an ignore file that is a pipe or device, because reading one might never end, or
/// that is too large. What such a file ignores may be private, so the folder is not listed without it.
pub(crate) fn check_ignore_files(folder: &Path, path: &str) -> Result<(), PathError> {
    for name in IGNORE_FILES.into_iter().chain([".git/info/exclude"]) {
        let Ok(metadata) = fs::metadata(folder.join(name)) else { continue };
        let path = || if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let (size, limit) = (metadata.len(), MAX_IGNORE_FILE_BYTES);
        if metadata.is_file() && size > limit {
            return Err(PathError::TooLarge { path: path(), size, limit });
        }
        if !metadata.is_file() && !metadata.is_dir() {
            return Err(PathError::NotAFile { path: path() });
        }
    }
    // A file may name another folder with rules. Those of an unusable root are not read.
    let is_file = || fs::metadata(folder.join(".git")).is_ok_and(|metadata| metadata.is_file());
    let is_special = |found: GitDir| found.special_file.is_some();
    if !path.is_empty() && is_file() && GitDir::at(folder).is_some_and(is_special) {
        return Err(PathError::NotAFile { path: format!("{path}/.git") });
    }
    Ok(())
}
