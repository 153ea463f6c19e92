//! `kitbag proxy`.

use super::mcp::runtime;
use crate::args::ProxyArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag_mcp::proxy::{self, ProxyError, ProxyOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a call waits for its context.
const PATIENCE: Duration = Duration::from_secs(10);

/// Stands between a client on standard input and output, and another server.
pub fn proxy(args: &ProxyArgs) -> Result<(), Failure> {
    let options = ProxyOptions {
        command: args.command.clone(),
        repo: args.repo.clone(),
        budget: args.budget,
        profile: args.profile.clone(),
        context: args.context.clone(),
        tools: args.tool.clone(),
        no_tools: args.no_tool.clone(),
        timeout: (args.timeout > 0).then(|| Duration::from_secs(args.timeout)),
        patience: PATIENCE,
    };
    let engine = files::engine()?;
    let runtime = runtime()?;
    let tell = if args.json { warning_json } else { ui::warning };
    let interrupted = Arc::new(Notify::new());
    let (told, is_interrupted) = (Arc::clone(&interrupted), Arc::new(AtomicBool::new(false)));
    let raised = Arc::clone(&is_interrupted);
    // Without a handler the server behind outlives a proxy that is interrupted, until it sees the
    // end of its input.
    let _ = ctrlc::set_handler(move || {
        raised.store(true, Ordering::Relaxed);
        told.notify_one();
    });
    let ended = runtime.block_on(async {
        let streams = (tokio::io::stdin(), tokio::io::stdout());
        proxy::run(engine, options, streams, tell, interrupted.notified()).await
    });
    // A thread that still waits for the client's next line must not keep the program alive.
    runtime.shutdown_background();
    if is_interrupted.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted);
    }
    Ok(ended?)
}

fn warning_json(message: &str) {
    ui::note(&serde_json::json!({ "warning": message }).to_string());
}

impl From<ProxyError> for Failure {
    fn from(error: ProxyError) -> Self {
        let message = error.to_string();
        match error {
            ProxyError::Engine(error) => error.into(),
            error if error.is_usage() => Self::usage(message, None),
            _ => Self::run(message, None),
        }
    }
}
