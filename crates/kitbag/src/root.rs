//! Opens the repository of a request: its work tree, or one of its commits.

use crate::error::Error;
use kitbag_config::EngineSettings;
use kitbag_repo::{
    CommitFiles, Denylist, GitError, ObjectId, Root, head_id, ref_names, resolve_commit,
};
use kitbag_text::similar;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of commits that are kept open: more than a request to many repositories reads. Each has a list of its
/// files and a process of git.
const MAX_OPEN_COMMITS: usize = 12;

/// Number of branches and tags that a hint lists.
const MAX_LISTED_NAMES: usize = 5;

/// The commits that an engine has read last, the latest at the end.
#[derive(Default)]
pub(crate) struct OpenCommits(Mutex<Vec<OpenCommit>>);

struct OpenCommit {
    folder: PathBuf,
    trusted_git: Option<String>,
    files: Arc<CommitFiles>,
}

impl OpenCommits {
    /// Returns a root at the commit that a revision names.
    pub fn open(&self, root: Root, revision: &str) -> Result<Root, Error> {
        let failed = |error| match error {
            GitError::UnknownRevision { revision, .. } => unknown_ref(&root, revision),
            error @ (GitError::AmbiguousRevision { .. } | GitError::NotACommit { .. }) => {
                Error::NotOneCommit(error)
            }
            error @ (GitError::NotARepository { .. } | GitError::LeadsOutside { .. }) => {
                Error::RefWithoutGit(error)
            }
            error => Error::Git(error),
        };
        let id = resolve_commit(&root, revision).map_err(failed)?;
        if let Some(files) = self.find(&root, id) {
            return Ok(root.with_commit(files));
        }
        let files = Arc::new(CommitFiles::open(&root, id).map_err(failed)?);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_OPEN_COMMITS {
            open.remove(0);
        }
        open.push(OpenCommit {
            folder: root.path().to_owned(),
            trusted_git: root.trusted_git().map(str::to_owned),
            files: Arc::clone(&files),
        });
        Ok(root.with_commit(files))
    }

    fn find(&self, root: &Root, id: ObjectId) -> Option<Arc<CommitFiles>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|it| {
            it.files.id() == id
                && it.folder == root.path()
                && it.trusted_git.as_deref() == root.trusted_git()
        })?;
        let found = open.remove(at);
        let files = Arc::clone(&found.files);
        open.push(found);
        Some(files)
    }
}

fn unknown_ref(root: &Root, revision: String) -> Error {
    let hint = if revision.starts_with('-') || revision.contains(char::is_control) {
        "a ref is the name of a branch or a tag, or the id of a commit".to_owned()
    } else {
        let names = ref_names(root);
        if revision == "HEAD" && matches!(head_id(root), Ok(None)) {
            return Error::UnbornHead { hint: listed(names) };
        }
        let nearest = names.iter().flatten().map(String::as_str);
        match similar(&revision, nearest) {
            Some(name) => format!("did you mean `{name}`?"),
            None => listed(names),
        }
    };
    Error::UnknownRef { revision, hint }
}

/// Lists some branches and tags.
fn listed(names: Option<Vec<String>>) -> String {
    let Some(names) = names else { return "git cannot list the branches and tags".to_owned() };
    if names.is_empty() {
        return "the repository has no branches or tags".to_owned();
    }
    let listed: Vec<&str> = names.iter().take(MAX_LISTED_NAMES).map(String::as_str).collect();
    let more = if names.len() > listed.len() { " and others" } else { "" };
    format!("branches and tags: `{}`{more}", listed.join("`, `"))
}

/// Applies the denylists of the configuration and the request to a repository, and the user's trust.
pub(crate) fn guard_root(
    root: Root,
    settings: &EngineSettings,
    requested: &[String],
) -> Result<Root, Error> {
    let deny: Vec<String> = settings.deny.iter().chain(requested).cloned().collect();
    let root = root.with_trusted_git(settings.trusted_git.clone());
    Ok(root.with_denylist(Denylist::default().with(&deny)?))
}
