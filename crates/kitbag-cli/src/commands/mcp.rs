//! `kitbag mcp`.

use super::server::{parse_address, runtime, token};
use crate::args::StoreArgs;
use crate::exit::CliError;
use crate::interrupt::token_on_interrupt;
use crate::{engine, files, repos, ui};
use clap::{Args, ValueEnum};
use kitbag::parse_budget;
use kitbag_http::HttpLimits;
use kitbag_mcp::{
    HttpAccess, McpLimits, McpOptions, McpState, PATH, ToolSet, app_until, serve_stdio,
};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

pub const EXAMPLES: &str = "Examples:
  kitbag mcp --repo ~/project
  kitbag mcp --repo ~/app --repo ~/library
  kitbag mcp --repos /srv/mirrors
  kitbag mcp --http 127.0.0.1:7420

Connected clients start it themselves: see `kitbag init --help`.";

/// Threads that handle messages.
const WORKER_THREADS: usize = 2;

#[derive(Debug, Args)]
pub struct McpArgs {
    /// Repository to serve. Can be repeated; calls then name one [default: the folders that the
    /// client has open, if it lists them, else the current folder].
    #[arg(long, value_name = "DIR")]
    pub repo: Vec<PathBuf>,
    /// Folder of repositories to serve, such as bare mirrors, as they come and go: `owner/name`,
    /// `owner+name` or `name`, each with or without `.git`. Calls name one as `owner/name`.
    #[arg(long, value_name = "DIR")]
    repos: Option<PathBuf>,
    /// Listen for HTTP on this address, such as `127.0.0.1:7420`, instead of using standard input and
    /// output. Port 0 picks a free port.
    #[arg(long, value_name = "ADDR", value_parser = parse_http_address)]
    http: Option<SocketAddr>,
    /// Token budget of calls that do not set one.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, default_value = "8k")]
    budget: usize,
    /// Tools to serve: `basic` for those that an agent needs, or `all`, which also previews and explains
    /// packs and switches providers.
    #[arg(long, value_enum, default_value = "basic")]
    tools: ToolsArg,
    /// Allow an address that other machines can reach. Requires a token.
    #[arg(long, requires = "http")]
    remote: bool,
    /// Environment variable with the token that clients must send, instead of `server.token_env`.
    #[arg(long, value_name = "NAME", requires = "http")]
    token_env: Option<String>,
    /// Host name that clients may use, with --remote. Can be repeated.
    #[arg(long, value_name = "NAME", requires = "remote")]
    host: Vec<String>,
    #[command(flatten)]
    store: StoreArgs,
    /// Print the address as JSON, with --http. Without --http, standard output has only JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ToolsArg {
    /// `pack_context`, `search_code`, `find_symbol` and `repo_overview`.
    Basic,
    /// All tools, and all arguments of `pack_context`.
    All,
}

impl From<ToolsArg> for ToolSet {
    fn from(tools: ToolsArg) -> Self {
        match tools {
            ToolsArg::Basic => Self::Basic,
            ToolsArg::All => Self::All,
        }
    }
}

/// Serves until the client disconnects or Ctrl-C.
pub fn run(args: &McpArgs) -> Result<(), CliError> {
    let has_default_repo = args.repo.is_empty() && args.repos.is_none();
    if let Some(folder) = &args.repos {
        repos::found_in(folder)?;
    }
    let engine = engine::open_with(&args.store.settings(&[]))?;
    engine.check_store_settings()?;
    let settings = engine.server_settings()?;
    let limits = McpLimits::from(&settings);
    let tools = ToolSet::from(args.tools);
    let options = McpOptions {
        budget: args.budget,
        roots: has_default_repo,
        tools,
        limits,
        repos_folder: args.repos.clone(),
    };
    let current_folder = [PathBuf::from(".")];
    let served = if has_default_repo { &current_folder[..] } else { &args.repo[..] };
    let state = McpState::new(engine, served, options)?;
    ui::warnings(state.warnings());
    let runtime = runtime(Some(WORKER_THREADS))?;
    match args.http {
        None => Ok(runtime.block_on(serve_stdio(state))?),
        Some(address) => {
            let token = token(args.token_env.as_deref(), &settings)?;
            let limits = HttpLimits::from(&settings);
            runtime.block_on(listen(state, address, args, token, &limits))
        }
    }
}

async fn listen(
    state: Arc<McpState>,
    address: SocketAddr,
    args: &McpArgs,
    token: Option<String>,
    limits: &HttpLimits,
) -> Result<(), CliError> {
    if !address.ip().is_loopback() && !args.remote {
        let message = format!("other machines can reach `{address}`");
        let hint = "to allow that, add --remote and a token (--token-env)";
        return Err(CliError::usage(message, Some(hint)));
    }
    let mut hosts = args.host.clone();
    if args.remote {
        hosts.push(address.ip().to_string());
    }
    let access = HttpAccess { token, hosts };
    let listener = kitbag_mcp::listen(address, &access).await?;
    let interrupted = token_on_interrupt();
    // Interruption also ends the streams that clients hold open; the shutdown would wait for them.
    let app = app_until(state, &access, interrupted.clone());
    print_url(args, listener.local_addr().map_err(kitbag_mcp::McpError::from)?);
    kitbag_http::serve_routes(listener, app, limits, interrupted.cancelled_owned()).await;
    Err(CliError::Interrupted)
}

fn print_url(args: &McpArgs, address: SocketAddr) {
    let url = format!("http://{address}{PATH}");
    if args.json {
        let report = files::json(&serde_json::json!({ "version": 1, "url": url }));
        // The server is useful even if its address is not read.
        let _ = files::print_line(report.trim_end());
    } else {
        ui::note(&format!("listening on {url}"));
    }
}

fn parse_http_address(value: &str) -> Result<SocketAddr, String> {
    parse_address(value).ok_or_else(|| "expected an address such as `127.0.0.1:7420`".to_owned())
}

impl From<kitbag_mcp::McpError> for CliError {
    fn from(error: kitbag_mcp::McpError) -> Self {
        match error {
            kitbag_mcp::McpError::Engine(error) => error.into(),
            error => Self::classified(error.is_usage(), error.to_string(), error.hint()),
        }
    }
}
