//! `kitbag proxy`.

use super::server::runtime;
use crate::exit::CliError;
use crate::interrupt::token_on_interrupt;
use crate::{engine, repos, ui};
use clap::Args;
use kitbag::parse_budget;
use kitbag_mcp::proxy::{self, ProxyError, ProxyOptions};
use std::path::PathBuf;
use std::time::Duration;

pub const EXAMPLES: &str = "Examples:
  kitbag proxy -- npx -y @modelcontextprotocol/server-filesystem .
  kitbag proxy --budget 2k --tool 'read_*' --tool search -- my-server --flag";

/// How long a call waits for its context.
const CONTEXT_TIMEOUT: Duration = Duration::from_secs(10);

/// Threads that handle messages.
const WORKER_THREADS: usize = 2;

#[derive(Debug, Args)]
pub struct ProxyArgs {
    /// Repository that the context comes from [default: that of the current folder].
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Maximum number of context tokens for a call; 0 adds none.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, default_value = "2k")]
    budget: usize,
    /// Profile for the context.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Rule context of calls that do not name one in their argument `context`.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Minimum relevance of code, from 0 to 1. Rules that hold are always added.
    #[arg(long, value_name = "RELEVANCE", default_value_t = 0.2)]
    min_relevance: f64,
    /// Add context only to tools whose names match this glob. Can be repeated [default: all tools].
    #[arg(long, value_name = "GLOB")]
    tool: Vec<String>,
    /// Add no context to tools whose names match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    no_tool: Vec<String>,
    /// Timeout for an answer of the server, in seconds; 0 disables it.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
    /// Print messages on standard error as lines of JSON. Standard output has only JSON.
    #[arg(long)]
    json: bool,
    /// Command that starts the server, with its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Forwards messages between a client on standard input and output and another server.
pub fn run(args: &ProxyArgs) -> Result<(), CliError> {
    let options = ProxyOptions {
        command: args.command.clone(),
        repo: repos::folder(args.repo.as_deref()).to_owned(),
        budget: args.budget,
        profile: args.profile.clone(),
        context: args.context.clone(),
        min_relevance: args.min_relevance,
        tools: args.tool.clone(),
        no_tools: args.no_tool.clone(),
        timeout: (args.timeout > 0).then(|| Duration::from_secs(args.timeout)),
        context_timeout: CONTEXT_TIMEOUT,
    };
    let engine = engine::open()?;
    let runtime = runtime(Some(WORKER_THREADS))?;
    let warn = if args.json { warn_as_json } else { ui::warning };
    let interrupted = token_on_interrupt();
    let result = runtime.block_on(async {
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        proxy::run(engine, options, input, output, warn, interrupted.cancelled()).await
    });
    // A thread that waits for the client's next line would keep the program alive.
    runtime.shutdown_background();
    if interrupted.is_cancelled() {
        return Err(CliError::Interrupted);
    }
    Ok(result?)
}

fn warn_as_json(message: &str) {
    ui::note(&serde_json::json!({ "warning": message }).to_string());
}

impl From<ProxyError> for CliError {
    fn from(error: ProxyError) -> Self {
        match error {
            ProxyError::Engine(error) => error.into(),
            error => Self::classified(error.is_usage(), error.to_string(), None),
        }
    }
}
