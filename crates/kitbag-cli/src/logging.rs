//! Logs: on standard error, as text or JSON.
//!
//! A command that ends by itself tells its warnings anyway, so it logs only where somebody asks for
//! it, by `logging.context_packer` or `-v`. A server logs by default.

use crate::args::Command;
use crate::files;
use kitbag::{LogFormat, LogLevel, LoggingSettings};
use std::io;
use std::path::{Path, PathBuf};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Installs what writes logs, as the configuration and `-v` say.
pub fn install(command: &Command, louder: u8) {
    let (repo, set, serves) = about(command);
    let settings = files::logging(repo, set);
    let level = level(settings, louder, serves);
    if level == LevelFilter::OFF {
        return;
    }
    // Only our own: others may log what they are given.
    let targets = ["kitbag", "kitbag_http", "kitbag_mcp"].map(|target| (target, level));
    let only = Targets::new().with_targets(targets);
    let registry = tracing_subscriber::registry().with(only);
    // Where something listens already, it may go on.
    let _ = match settings.format {
        LogFormat::Text => {
            registry.with(fmt::layer().with_writer(io::stderr).with_ansi(false)).try_init()
        }
        LogFormat::Json => registry.with(fmt::layer().json().with_writer(io::stderr)).try_init(),
    };
}

/// The repository that a command is about, its `--set`, and whether it serves.
fn about(command: &Command) -> (Option<&Path>, &[(String, String)], bool) {
    match command {
        Command::Pack(args) | Command::Preview(args) => (Some(&args.repo), &args.set, false),
        Command::Search(args) => (Some(&args.repo), &[], false),
        Command::Index(args) => (Some(&args.repo), &[], false),
        Command::Watch(args) => (Some(&args.repo), &[], false),
        Command::Rules(args) => (Some(&args.repo), &[], false),
        Command::Mcp(args) => (args.repo.first().map(PathBuf::as_path), &[], false),
        Command::Proxy(args) => (Some(&args.repo), &[], false),
        Command::Serve(args) => (args.repo.first().map(PathBuf::as_path), &args.set, true),
        _ => (None, &[], false),
    }
}

/// How much is logged: `-v` raises to information at least, each further one by a level.
fn level(settings: LoggingSettings, louder: u8, serves: bool) -> LevelFilter {
    let configured = match settings.level {
        LogLevel::Warn if !settings.is_set && !serves => LevelFilter::OFF,
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let asked = match louder {
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    configured.max(asked)
}
