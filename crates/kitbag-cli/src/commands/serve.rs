//! `kitbag serve`.

use crate::args::ServeArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{Cancel, Engine, ServerSettings};
use kitbag_http::{Error, Guard, Limits, Options, Router, State};
use serde_json::json;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Serves until Ctrl-C or a signal to end.
pub fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let engine = Arc::new(files::engine_with(&args.set)?);
    let settings = engine.server_settings()?;
    let address = address(args, &settings)?;
    let hosts = hosts(args, address);
    let guard = Guard { token: token(&settings)?, hosts };
    if !address.ip().is_loopback() && guard.token.is_none() {
        return Err(Error::Unguarded { address }.into());
    }
    let (stop, mcp) = mcp(&engine, args, &settings, &guard.hosts)?;
    let options = Options { guard, limits: Limits::from(&settings) };
    let state = State::new(Arc::clone(&engine), &args.repo, options)?;
    for warning in state.warnings() {
        ui::warning(warning);
    }
    let ended = ended();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::run(format!("cannot start: {error}"), None))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await;
        let listener =
            listener.map_err(|source| Error::Listen { address: address.to_string(), source })?;
        tell(args, &state, listener.local_addr().map_err(Error::from)?)?;
        tokio::spawn(warm(engine, args.repo.clone()));
        let ended = async {
            ended.notified().await;
            // Streams that agents hold open end too.
            stop.cancel();
        };
        kitbag_http::serve_with(state, listener, mcp, ended).await?;
        Ok::<(), Failure>(())
    });
    // What still works for nobody is not waited for.
    runtime.shutdown_background();
    served
}

/// The same repositories for agents, at `/mcp`: with the same engine, so that the page shows what they
/// pack, and behind the same guards, which have checked the token already.
fn mcp(
    engine: &Arc<Engine>,
    args: &ServeArgs,
    settings: &ServerSettings,
    hosts: &[String],
) -> Result<(CancellationToken, Router), Failure> {
    let limits = kitbag_mcp::Limits::from(settings);
    let options = kitbag_mcp::Options { limits, ..kitbag_mcp::Options::default() };
    let state = kitbag_mcp::State::sharing(Arc::clone(engine), &args.repo, options)?;
    let guard = kitbag_mcp::Guard { token: None, hosts: hosts.to_vec() };
    let stop = CancellationToken::new();
    Ok((stop.clone(), kitbag_mcp::app_until(state, &guard, stop)))
}

/// Says where the server listens.
fn tell(args: &ServeArgs, state: &State, address: SocketAddr) -> Result<(), Failure> {
    let address = format!("http://{address}");
    let repos: Vec<_> = state.repos().collect();
    if args.json {
        let repo = |(name, path): &(&str, &std::path::Path)| json!({"name": name, "path": path});
        let repos: Vec<_> = repos.iter().map(repo).collect();
        let line = json!({"version": 1, "address": address, "repos": repos}).to_string();
        files::write(None, &format!("{line}\n"))?;
    }
    let names: Vec<String> = repos.iter().map(|(name, _)| ui::visible(name).into_owned()).collect();
    ui::note(&format!("serving {} at {address}", names.join(", ")));
    Ok(())
}

/// Brings the indexes up to date, so that the first request need not wait for it.
async fn warm(engine: Arc<Engine>, repos: Vec<PathBuf>) {
    for repo in repos {
        // What is wrong with it, a request will be told.
        let _ = engine.refresh_index(&repo, &Cancel::default()).await;
    }
}

/// The address to listen at. Only the command line may open it to other machines.
fn address(args: &ServeArgs, settings: &ServerSettings) -> Result<SocketAddr, Failure> {
    let given = args.listen.as_deref().unwrap_or(&settings.listen);
    let address = given.to_socket_addrs().ok().and_then(|mut all| all.next());
    let Some(address) = address else {
        let hint = Some("an address is such as `127.0.0.1:7420`");
        return Err(Failure::usage(format!("not an address: `{given}`"), hint));
    };
    if args.listen.is_none() && !address.ip().is_loopback() {
        let message = format!("`server.listen` opens `{address}` to other machines");
        return Err(Failure::usage(message, Some("say so on the command line: --listen ADDR")));
    }
    Ok(address)
}

/// The names that clients may call the server by, beside those of the loopback.
fn hosts(args: &ServeArgs, address: SocketAddr) -> Vec<String> {
    let own = match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    };
    args.host.iter().cloned().chain([own]).collect()
}

/// The token that requests must carry, from the variable that the settings name.
fn token(settings: &ServerSettings) -> Result<Option<String>, Failure> {
    let Some(name) = &settings.token_env else { return Ok(None) };
    let token = std::env::var(name).ok().map(|token| token.trim().to_owned());
    match token.filter(|token| !token.is_empty()) {
        Some(token) => Ok(Some(token)),
        None => {
            let message = format!("the environment variable `{name}` has no token in it");
            Err(Failure::usage(message, Some("`server.token_env` names the variable")))
        }
    }
}

/// Told by Ctrl-C, or a signal to end. A second one ends the program there and then.
fn ended() -> Arc<Notify> {
    let ended = Arc::new(Notify::new());
    let (told, once) = (Arc::clone(&ended), AtomicBool::new(false));
    // Without a handler Ctrl-C simply ends the program, which is nearly as good.
    let _ = ctrlc::set_handler(move || {
        if once.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        told.notify_one();
    });
    ended
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        match error {
            Error::Engine(error) => error.into(),
            error if error.is_usage() => Self::usage(message, hint.as_deref()),
            _ => Self::run(message, hint.as_deref()),
        }
    }
}
