//! Commit logs of temporary repositories and of damaged files.

mod file;
mod fixture;
mod repositories;
