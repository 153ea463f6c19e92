//! Histories of repositories made for each test, and of files cut, damaged and raced for.

mod file;
mod fixture;
mod repositories;
