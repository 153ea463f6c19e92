//! Parts that `kitbag mcp`, `kitbag proxy` and `kitbag serve` share.

use crate::exit::CliError;
use kitbag::ServerSettings;
use kitbag_http::MIN_TOKEN_CHARS;
use std::net::{SocketAddr, ToSocketAddrs};
use tokio::runtime::{Builder, Runtime};

/// Starts a runtime with `threads` threads, or one for each core. The engine has its own threads.
pub fn runtime(threads: Option<usize>) -> Result<Runtime, CliError> {
    let mut builder = Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads);
    }
    let runtime = builder.enable_all().build();
    runtime.map_err(|error| CliError::run(format!("cannot start the runtime: {error}"), None))
}

/// Reads the token that clients must send from the environment variable `name`, or from the one that
/// the settings name.
pub fn token(name: Option<&str>, settings: &ServerSettings) -> Result<Option<String>, CliError> {
    let Some(variable) = name.or(settings.token_env.as_deref()) else { return Ok(None) };
    let token = std::env::var(variable).unwrap_or_default().trim().to_owned();
    let length = token.chars().count();
    if length >= MIN_TOKEN_CHARS {
        return Ok(Some(token));
    }
    if length > 0 {
        let message = format!(
            "the token in `{variable}` is too short: it needs at least {MIN_TOKEN_CHARS} characters"
        );
        let hint = format!("use a random one: export {variable}=$(openssl rand -hex 32)");
        return Err(CliError::usage(message, Some(&hint)));
    }
    let hint = match name {
        Some(_) => format!("set it to a long random string: export {variable}=..."),
        None => format!(
            "`server.token_env` names it; set it to a long random string: export {variable}=..."
        ),
    };
    let message = format!("environment variable `{variable}` is not set, or empty");
    Err(CliError::usage(message, Some(&hint)))
}

pub fn parse_address(text: &str) -> Option<SocketAddr> {
    text.to_socket_addrs().ok().and_then(|mut addresses| addresses.next())
}
