//! Where git runs, and what the user trusts there.

use crate::git_dir::GitDir;
use crate::{ObjectId, Root};
use std::path::{Path, PathBuf};

/// A folder to run git in: a repository, or a folder of a work tree. What leads out of the work tree,
/// such as a `.git` that names another repository, is used only if it points back or the user trusts it.
#[derive(Debug, Clone, Copy)]
pub struct GitLocation<'a> {
    pub(crate) dir: &'a Path,
    /// What the user trusts to lead out of the work tree.
    pub(crate) trusted: Option<&'a str>,
    /// The commit that takes the place of `HEAD`.
    pub(crate) commit: Option<ObjectId>,
}

impl<'a> From<&'a Path> for GitLocation<'a> {
    fn from(dir: &'a Path) -> Self {
        Self { dir, trusted: None, commit: None }
    }
}

impl<'a> From<&'a PathBuf> for GitLocation<'a> {
    fn from(dir: &'a PathBuf) -> Self {
        Self::from(dir.as_path())
    }
}

impl<'a> From<&'a Root> for GitLocation<'a> {
    fn from(root: &'a Root) -> Self {
        Self { dir: root.path(), trusted: root.trusted_git(), commit: root.commit() }
    }
}

/// Describes how the git data of a root leads out of its work tree without pointing back, or returns
/// `None` if it does not. [`Root::with_trusted_git`] permits it.
pub fn outside_git_data(root: &Root) -> Option<String> {
    describe(&GitDir::find(root.path())?)
}

/// Returns whether a root has git data that must not be used.
pub(crate) fn is_git_rejected(root: &Root) -> bool {
    GitDir::find(root.path()).is_some_and(|found| {
        let outside = describe(&found);
        let is_untrusted = outside.is_some() && outside.as_deref() != root.trusted_git();
        found.special_file.is_some() || is_untrusted
    })
}

pub(crate) fn describe(found: &GitDir) -> Option<String> {
    (!found.outside.is_empty()).then(|| found.outside.join("\n"))
}
