//! Kitbag's only door to files and git: the walk and its ignore rules, the root, symbolic link and
//! deny checks, safe reading, commits as trees, and as much history as recency needs.
//!
//! Nothing in a repository is trusted. Git is the `git` program, started so that nothing which a
//! repository configures can run (see [`GitError`] for what may go wrong); without it, or without
//! a repository, everything but history still works. This crate decides nothing about relevance.
//!
//! ```
//! use kitbag_repo::{Globs, Root, Tree, survey};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("main.rs"), "fn main() {}\n")?;
//! std::fs::write(folder.path().join("server.key"), "secret")?;
//!
//! let root = Root::open(folder.path())?;
//! let found = survey(&root, &Globs::default(), None);
//! assert_eq!(found.tree.files()[0].path, "main.rs");
//! assert_eq!(found.tree.skipped()[0].code, "denied");
//! assert_eq!(found.tree.read(&found.tree.files()[0], 1 << 20)?, b"fn main() {}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batch;
mod changes;
mod child;
mod commit_tree;
mod commits;
mod deny_rule;
mod denylist;
mod edits;
mod git;
mod glob_list;
mod globs;
mod hidden;
mod history;
mod listing;
mod log;
mod lookup;
mod names;
mod object_id;
mod path_error;
mod recency;
mod renames;
mod root;
mod stop;
mod survey;
mod tree;
mod watch;
mod work_tree;

pub use changes::{GitState, changed_files};
pub use commit_tree::CommitTree;
pub use commits::{ChangedFile, CommitTask, recent_commits};
pub use denylist::Denylist;
pub use edits::{Edit, FileChange, changes_in, changes_of, uncommitted};
pub use git::GitError;
pub use glob_list::GlobList;
pub use globs::{GlobError, Globs};
pub use history::{Commit, continue_history, cut_commits, head_id, read_history};
pub use listing::Listing;
pub use lookup::{find_repository, head_time, resolve_commit};
pub use names::shortest_names;
pub use object_id::{ObjectId, ObjectIdError};
pub use path_error::PathError;
pub use recency::Recency;
pub use root::{Root, RootError};
pub use stop::{is_stopped, stopping};
pub use survey::{Survey, Timestamps, Walked, survey, walk};
pub use tree::{FileEntry, FileId, Skipped, Tree};
pub use watch::{WatchError, Watcher};
pub use work_tree::WorkTree;
