//! Tests of files and git on temporary folders and repositories.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod attacks;
mod broken;
mod commit_tree;
mod commits;
mod fixture;
mod git_data;
mod history;
mod paths;
mod read_history;
mod root_at_commit;
mod safety;
mod walk;
