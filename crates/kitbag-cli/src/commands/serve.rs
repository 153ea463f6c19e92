//! `kitbag serve`.

use super::server::{grants, parse_address, runtime, token};
use crate::args::{StoreArgs, parse_setting};
use crate::exit::CliError;
use crate::interrupt::token_on_interrupt;
use crate::terminal::escaped;
use crate::{engine, files, repos, ui};
use clap::Args;
use kitbag::{Cancel, Engine, FailedRepository, ServerSettings};
use kitbag_http::{
    AccessPolicy, HttpLimits, HttpOptions, HttpState, IndexProgress, PhaseCell, Router, ServeError,
    ServerPhase,
};
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub const EXAMPLES: &str = "Examples:
  kitbag serve
  kitbag serve --repo ~/app --repo ~/library
  kitbag serve --repos /srv/mirrors
  KITBAG_TOKEN=... kitbag serve --listen 0.0.0.0:7420 --host build.example.org \\
      --set server.token_env=KITBAG_TOKEN";

/// Time after which a server is ready although repositories have no summary yet. Requests to all repositories go
/// on without these.
const MAX_SUMMARIZE_TIME: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Repository to serve, with or without a work tree. Can be repeated; requests that name none use the
    /// first [default: that of the current folder, unless `--repos` is given].
    #[arg(long, value_name = "DIR")]
    pub repo: Vec<PathBuf>,
    /// Folder of repositories to serve, such as bare mirrors, as they come and go: `owner/name`,
    /// `owner+name` or `name`, each with or without `.git`. Requests name one as `owner/name`.
    #[arg(long, value_name = "DIR")]
    repos: Option<PathBuf>,
    /// Address to listen on [default: `server.listen`, 127.0.0.1:7420]. Port 0 picks a free port. An
    /// address that other machines can reach requires a token.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Host name that clients may use. Can be repeated.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Override a setting, such as `server.limits.concurrency=4`. Can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    #[command(flatten)]
    store: StoreArgs,
    /// Print a line of JSON when the server is ready.
    #[arg(long)]
    json: bool,
}

impl ServeArgs {
    /// Returns the repository whose settings apply to logs.
    pub fn log_repo(&self) -> Option<&Path> {
        let is_default = self.repo.is_empty() && self.repos.is_none();
        self.repo.first().map(PathBuf::as_path).or(is_default.then(|| repos::folder(None)))
    }

    /// Returns the repositories that are served from the start.
    pub fn named_repos(&self) -> Vec<PathBuf> {
        match (self.repo.is_empty(), &self.repos) {
            (true, None) => vec![repos::folder(None).to_owned()],
            _ => self.repo.clone(),
        }
    }
}

/// Serves until Ctrl-C or a signal to terminate.
pub fn run(args: &ServeArgs) -> Result<(), CliError> {
    let progress = Arc::new(IndexProgress::default());
    let reported = Arc::clone(&progress);
    let engine = engine::open_with(&args.store.settings(&args.set))?;
    let engine = engine.with_progress(move |done, total| reported.update(done, total));
    let engine = Arc::new(engine);
    engine.check_store_settings()?;
    let settings = engine.server_settings()?;
    let address = address(args, &settings)?;
    let token = token(None, &settings)?;
    let grants = grants(&settings, token.as_deref())?;
    let access = AccessPolicy { token, grants, hosts: hosts(args, address) };
    if !address.ip().is_loopback() && !access.requires_token() {
        return Err(ServeError::TokenRequired { address }.into());
    }
    let (interrupted, stopping) = (token_on_interrupt(), CancellationToken::new());
    let mcp = mcp(&engine, args, &settings, &access.hosts, stopping.clone())?;
    let (limits, phase) = (HttpLimits::from(&settings), Arc::new(PhaseCell::default()));
    phase.set(ServerPhase::Starting);
    let options = HttpOptions {
        access,
        limits,
        repos_folder: args.repos.clone(),
        progress: Arc::clone(&progress),
        phase: Arc::clone(&phase),
    };
    let repos = args.named_repos();
    let state = HttpState::new(Arc::clone(&engine), &repos, options)?;
    ui::warnings(state.warnings());
    let runtime = runtime(None)?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await;
        let listener = listener
            .map_err(|source| ServeError::Listen { address: address.to_string(), source })?;
        print_address(args, &state, listener.local_addr().map_err(ServeError::from)?)?;
        let folder = args.repos.clone();
        tokio::spawn(refresh_indexes(engine, repos, folder, progress, Arc::clone(&phase)));
        let stop = stopping.clone();
        tokio::spawn(async move {
            interrupted.cancelled().await;
            phase.set(ServerPhase::Draining);
            tokio::time::sleep(settings.drain).await;
            stop.cancel();
        });
        kitbag_http::serve(state, listener, mcp, stopping.cancelled_owned()).await?;
        Ok::<(), CliError>(())
    });
    // Work whose client has disconnected is not waited for.
    runtime.shutdown_background();
    served
}

/// Serves the same repositories to agents at `/mcp`, with the same engine, so that the page shows
/// their packs. The HTTP server has already checked the token.
fn mcp(
    engine: &Arc<Engine>,
    args: &ServeArgs,
    settings: &ServerSettings,
    hosts: &[String],
    interrupted: CancellationToken,
) -> Result<Router, CliError> {
    let limits = kitbag_mcp::McpLimits::from(settings);
    let repos_folder = args.repos.clone();
    let options =
        kitbag_mcp::McpOptions { limits, repos_folder, ..kitbag_mcp::McpOptions::default() };
    let repos = args.named_repos();
    let state = kitbag_mcp::McpState::with_shared_engine(Arc::clone(engine), &repos, options)?;
    let access = kitbag_mcp::HttpAccess { token: None, hosts: hosts.to_vec() };
    Ok(kitbag_mcp::app_until(state, &access, interrupted))
}

fn print_address(args: &ServeArgs, state: &HttpState, address: SocketAddr) -> Result<(), CliError> {
    let address = format!("http://{address}");
    let repos = state.repositories();
    if args.json {
        let repo = |(name, path): &(String, PathBuf)| json!({"name": name, "path": path});
        let repos: Vec<_> = repos.iter().map(repo).collect();
        let line = json!({"version": 1, "address": address, "repos": repos});
        files::print_line(&line.to_string())?;
    }
    let names: Vec<String> = match &args.repos {
        Some(_) if repos.len() != 1 => vec![kitbag::plural(repos.len(), "repository")],
        _ => repos.iter().map(|(name, _)| escaped(name).into_owned()).collect(),
    };
    ui::note(&format!("serving {} at {address}", names.join(", ")));
    Ok(())
}

/// Updates the indexes, so that the first request need not wait, and takes or makes the summaries that requests to
/// all repositories need. The server is ready when this is done, or has taken long.
async fn refresh_indexes(
    engine: Arc<Engine>,
    repos: Vec<PathBuf>,
    folder: Option<PathBuf>,
    progress: Arc<IndexProgress>,
    phase: Arc<PhaseCell>,
) {
    for repo in repos {
        // A request reports the same error to its client.
        if let Ok(refreshed) = engine.refresh_index(&repo, None, &Cancel::default()).await {
            ui::warnings(&refreshed.warnings);
        }
    }
    let found = folder.and_then(|folder| repos::found_in(&folder).ok()).unwrap_or_default();
    let total = found.len();
    progress.update_summaries(0, total);
    let cancel = Cancel::default();
    let report = move |done| progress.update_summaries(done, total);
    let mut summarize = std::pin::pin!(engine.summarize_with_progress(found, report, &cancel));
    let summarized = match tokio::time::timeout(MAX_SUMMARIZE_TIME, &mut summarize).await {
        Ok(summarized) => summarized,
        Err(_) => {
            phase.set(ServerPhase::Ready);
            summarize.await
        }
    };
    if let Ok(summarized) = summarized {
        ui::warnings(&summarized.warnings);
        for FailedRepository { name, reason, .. } in &summarized.failed {
            ui::warning(&format!("`{name}` cannot be indexed: {reason}"));
        }
    }
    phase.set(ServerPhase::Ready);
}

/// Returns the address to listen on. Only the command line may open it to other machines.
fn address(args: &ServeArgs, settings: &ServerSettings) -> Result<SocketAddr, CliError> {
    let text = args.listen.as_deref().unwrap_or(&settings.listen);
    let Some(address) = parse_address(text) else {
        let hint = Some("use an address such as `127.0.0.1:7420`");
        return Err(CliError::usage(format!("invalid address: `{text}`"), hint));
    };
    if args.listen.is_none() && !address.ip().is_loopback() {
        let message = format!("`server.listen` opens `{address}` to other machines");
        let hint = "to allow that, name the address on the command line: --listen ADDR";
        return Err(CliError::usage(message, Some(hint)));
    }
    Ok(address)
}

/// Returns the host names that clients may use, apart from the loopback's.
fn hosts(args: &ServeArgs, address: SocketAddr) -> Vec<String> {
    let own = match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    };
    args.host.iter().cloned().chain([own]).collect()
}

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Engine(error) => error.into(),
            error => Self::classified(error.is_usage(), error.to_string(), error.hint()),
        }
    }
}
