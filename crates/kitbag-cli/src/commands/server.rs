//! Parts that `kitbag mcp`, `kitbag proxy` and `kitbag serve` share.

use crate::exit::CliError;
use kitbag::{RepoAccess, ServerSettings};
use kitbag_http::{MIN_TOKEN_CHARS, TokenGrant};
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

/// Reads the tokens of `server.tokens`, each of which is for some of the repositories. An entry is the name of an
/// environment variable and patterns: `TEAM_TOKEN=acme/* tools/lint`.
pub fn grants(settings: &ServerSettings, full: Option<&str>) -> Result<Vec<TokenGrant>, CliError> {
    let mut grants: Vec<TokenGrant> = Vec::new();
    for entry in &settings.tokens {
        let example = "an entry is the name of an environment variable and patterns, such as \
                       `TEAM_TOKEN=acme/* tools/lint`";
        let invalid =
            |why: String| CliError::usage(format!("`server.tokens`: {why}"), Some(example));
        let parts = entry.split_once('=').map(|(name, patterns)| (name.trim(), patterns.trim()));
        let (name, patterns) = parts
            .filter(|(name, patterns)| !name.is_empty() && !patterns.is_empty())
            .ok_or_else(|| invalid(format!("`{entry}` does not grant anything")))?;
        let access = RepoAccess::granted(name, patterns.split_whitespace());
        let access = access.map_err(|error| invalid(error.to_string()))?;
        let token = token_in(name, "server.tokens")?;
        let is_known = full == Some(&token) || grants.iter().any(|grant| grant.token == token);
        if is_known {
            let message = format!("the token in `{name}` is that of another entry too");
            return Err(CliError::usage(message, Some("use a different token for each of them")));
        }
        grants.push(TokenGrant { token, access });
    }
    Ok(grants)
}

/// Reads the token that clients must send from the environment variable `name`, or from the one that
/// the settings name.
pub fn token(name: Option<&str>, settings: &ServerSettings) -> Result<Option<String>, CliError> {
    match (name, settings.token_env.as_deref()) {
        (Some(name), _) => token_in(name, "").map(Some),
        (None, Some(name)) => token_in(name, "server.token_env").map(Some),
        (None, None) => Ok(None),
    }
}

/// Reads a token from an environment variable that the setting `named_by` names, if it is not empty.
fn token_in(variable: &str, named_by: &str) -> Result<String, CliError> {
    let token = std::env::var(variable).unwrap_or_default().trim().to_owned();
    let length = token.chars().count();
    if length >= MIN_TOKEN_CHARS {
        return Ok(token);
    }
    if length > 0 {
        let message = format!(
            "the token in `{variable}` is too short: it needs at least {MIN_TOKEN_CHARS} characters"
        );
        let hint = format!("use a random one: export {variable}=$(openssl rand -hex 32)");
        return Err(CliError::usage(message, Some(&hint)));
    }
    let advice = format!("set it to a long random string: export {variable}=...");
    let hint = match named_by {
        "" => advice,
        setting => format!("`{setting}` names it; {advice}"),
    };
    let message = format!("environment variable `{variable}` is not set, or empty");
    Err(CliError::usage(message, Some(&hint)))
}

pub fn parse_address(text: &str) -> Option<SocketAddr> {
    text.to_socket_addrs().ok().and_then(|mut addresses| addresses.next())
}
