//! `kitbag mcp`.

use crate::args::McpArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::ServerSettings;
use kitbag_mcp::{Guard, Limits, Options, PATH, State, serve_http, serve_stdio};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Notify;

/// Serves agents, until the client is gone or Ctrl-C.
pub fn mcp(args: &McpArgs) -> Result<(), Failure> {
    // Where nobody says what to serve, a client may know better than the current folder.
    let roots = args.repo.is_empty();
    let engine = files::engine()?;
    let settings = engine.server_settings()?;
    let options = Options { budget: args.budget, roots, limits: Limits::from(&settings) };
    let here = [PathBuf::from(".")];
    let repos = if roots { &here[..] } else { &args.repo[..] };
    let state = State::new(engine, repos, options)?;
    for warning in state.warnings() {
        ui::warning(warning);
    }
    let runtime = runtime()?;
    match args.http {
        None => Ok(runtime.block_on(serve_stdio(state))?),
        Some(address) => {
            let token = token(args, &settings)?;
            runtime.block_on(listen(state, address, args, token))
        }
    }
}

/// A runtime for a server. The engine has threads of its own for the work.
pub fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::run(format!("cannot start: {error}"), None))
}

async fn listen(
    state: Arc<State>,
    address: SocketAddr,
    args: &McpArgs,
    token: Option<String>,
) -> Result<(), Failure> {
    if !address.ip().is_loopback() && !args.remote {
        let message = format!("`{address}` can be reached from other machines");
        let hint = "say that this is meant: --remote, with a token (--token-env)";
        return Err(Failure::usage(message, Some(hint)));
    }
    let mut hosts = args.host.clone();
    if args.remote {
        hosts.push(address.ip().to_string());
    }
    let guard = Guard { token, hosts };
    let interrupted = Arc::new(Notify::new());
    let told = Arc::clone(&interrupted);
    // Without a handler Ctrl-C simply ends the program, which is as good.
    let _ = ctrlc::set_handler(move || told.notify_one());
    let json = args.json;
    let started = move |address: SocketAddr| {
        let url = format!("http://{address}{PATH}");
        if json {
            // Whoever asked for the address and does not read it will notice.
            let _ =
                files::write(None, &files::json(&serde_json::json!({ "version": 1, "url": url })));
        } else {
            ui::note(&format!("listening on {url}"));
        }
    };
    let ended = async move { interrupted.notified().await };
    serve_http(state, address, &guard, started, ended).await?;
    Err(Failure::Interrupted)
}

/// The token that clients must send, from the variable that the command line names, or the settings.
fn token(args: &McpArgs, settings: &ServerSettings) -> Result<Option<String>, Failure> {
    let Some(name) = args.token_env.as_ref().or(settings.token_env.as_ref()) else {
        return Ok(None);
    };
    match std::env::var(name) {
        Ok(token) if !token.trim().is_empty() => Ok(Some(token.trim().to_owned())),
        _ => {
            let hint = match args.token_env {
                Some(_) => format!("export {name}=..., a long random text"),
                None => format!("export {name}=...; `server.token_env` names the variable"),
            };
            Err(Failure::usage(format!("there is no token in `{name}`"), Some(&hint)))
        }
    }
}

impl From<kitbag_mcp::Error> for Failure {
    fn from(error: kitbag_mcp::Error) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        match error {
            kitbag_mcp::Error::Engine(error) => error.into(),
            error if error.is_usage() => Self::usage(message, hint.as_deref()),
            _ => Self::run(message, hint.as_deref()),
        }
    }
}
