//! Tests of the program: its output and its exit status.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod book;
mod chunk;
mod codes_page;
mod compare;
mod completions;
mod config;
mod console;
mod diff;
mod eval;
mod expect;
mod explain;
mod export;
mod fixture;
mod formats;
mod globs;
mod help;
mod hostile_files;
mod hostile_git;
mod index;
mod init;
mod inspecting_page;
mod interrupt;
mod kills;
mod languages;
mod logs;
mod mcp;
mod named_files;
mod odd_cache;
mod odd_files;
mod output;
mod pack;
mod pins;
mod preview;
mod proxy;
mod query;
mod records;
mod redaction;
mod rules;
mod scenarios;
mod search;
mod selection;
mod serve;
mod show;
mod sources;
mod sources_command;
mod terminal;
mod tokens;
mod trust;
mod tutorial;
mod verify;
mod warm_index;
mod watch;
mod weights;
