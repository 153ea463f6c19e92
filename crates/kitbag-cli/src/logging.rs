//! Logs on standard error, as text or JSON.
//!
//! Short-lived commands always print their warnings, so they log only if `logging.context_packer` or
//! `-v` asks for it. A server logs by default.

use kitbag::{LogFormat, LogLevel, LoggingSettings};
use std::io;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Installs the subscriber for the configured level, raised by `-v`.
pub fn install(settings: LoggingSettings, verbose: u8, is_server: bool) {
    let level = level(settings, verbose, is_server);
    if level == LevelFilter::OFF {
        return;
    }
    // Dependencies may log the content that they process.
    let targets = ["kitbag", "kitbag_http", "kitbag_mcp"].map(|target| (target, level));
    let registry = tracing_subscriber::registry().with(Targets::new().with_targets(targets));
    // An existing subscriber is kept.
    let _ = match settings.format {
        LogFormat::Text => {
            registry.with(fmt::layer().with_writer(io::stderr).with_ansi(false)).try_init()
        }
        LogFormat::Json => registry.with(fmt::layer().json().with_writer(io::stderr)).try_init(),
    };
}

fn level(settings: LoggingSettings, verbose: u8, is_server: bool) -> LevelFilter {
    let configured = match settings.level {
        LogLevel::Warn if !settings.is_set && !is_server => LevelFilter::OFF,
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let requested = match verbose {
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    configured.max(requested)
}
