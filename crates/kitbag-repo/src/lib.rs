//! Kitbag's only access to files and git: walking with ignore rules, checks of the root, symbolic links
//! and the denylist, safe reading, the files of commits, and history.
//!
//! Repositories are not trusted. The `git` program runs within limits, and so that nothing a repository
//! configures can run ([`GitError`] lists its failures); without it, or without a repository, everything but history still
//! works. This crate decides nothing about relevance.
//!
//! ```
//! use kitbag_repo::{Globs, Root, SkipCode, Tree, scan};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("main.rs"), "fn main() {}\n")?;
//! std::fs::write(folder.path().join("server.key"), "secret")?;
//!
//! let root = Root::open(folder.path())?;
//! let tree = scan(&root, &Globs::default()).tree;
//! assert_eq!(tree.files()[0].path, "main.rs");
//! assert_eq!(tree.skipped()[0].code, SkipCode::Denied);
//! assert_eq!(tree.read(&tree.files()[0], 1 << 20)?, b"fn main() {}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blob_reader;
mod cancel_scope;
mod changes;
mod commit_files;
mod commit_tree;
mod commits;
mod comparison;
mod deny_pattern;
mod denylist;
mod edits;
mod git;
mod git_config;
mod git_dir;
mod git_error;
mod git_index;
mod git_limits;
mod git_location;
mod git_program;
mod git_stall;
mod glob_list;
mod globs;
mod head;
mod history;
mod hunks;
mod ignore_rules;
mod listing;
mod log;
mod lookup;
mod ls_tree;
mod names;
mod object_id;
mod patches;
mod path_error;
mod process;
mod raw_changes;
mod recency;
mod regular_file;
mod remote;
mod renames;
mod root;
mod secret_lines;
mod shared_name;
mod stall_detector;
mod survey;
mod tree;
mod watch;
mod work_tree;

pub use cancel_scope::{is_cancelled, with_cancel};
pub use changes::{Changes, FileDiff, Hunk, compare};
pub use commit_files::CommitFiles;
pub use commit_tree::CommitTree;
pub use commits::{ChangedFile, CommitTask, recent_commits};
pub use comparison::{Comparison, ref_names};
pub use denylist::Denylist;
pub use edits::{Edit, uncommitted_edits};
pub use git_error::GitError;
pub use git_index::{GitState, changed_files};
pub use git_location::{GitLocation, outside_git_data};
pub use git_stall::{restore_git_stall, save_git_stall};
pub use glob_list::{GlobError, GlobList};
pub use globs::Globs;
pub use head::head_in_files;
pub use history::{Commit, head_id, read_commits, read_history, shallow_boundary};
pub use listing::Listing;
pub use lookup::{
    WorkingFolder, find_repository, named_repositories_in, repositories_in, repository_name,
    resolve_commit,
};
pub use names::{folder_for, shortest_names};
pub use object_id::{ObjectId, ObjectIdError};
pub use patches::{FileChange, changes_in_commit, changes_to_file};
pub use path_error::{PathError, SkipCode};
pub use recency::Recency;
pub use regular_file::{open_regular, read_regular};
pub use remote::{RemoteCopy, RemoteError, RemoteUrl};
pub use root::{Root, RootError};
pub use shared_name::shared_name;
pub use survey::{Survey, Timestamps, TreeScan, scan};
pub use tree::{FileEntry, FileId, Skipped, Tree};
pub use watch::{WatchError, Watcher};
pub use work_tree::WorkTree;
