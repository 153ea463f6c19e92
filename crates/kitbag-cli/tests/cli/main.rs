//! The program from outside: what it prints, where, and with which status it ends.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chunk;
mod config;
mod eval;
mod fixture;
mod formats;
mod globs;
mod help;
mod index;
mod init;
mod interrupt;
mod kills;
mod languages;
mod logs;
mod mcp;
mod named_files;
mod odd_files;
mod output;
mod pack;
mod preview;
mod proxy;
mod query;
mod redaction;
mod rules;
mod search;
mod selection;
mod serve;
mod sources;
mod tokens;
mod trust;
mod warmth;
mod watch;
