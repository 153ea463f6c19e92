//! Who may call: Host and Origin on every route, a token where there is one, and nothing that a
//! foreign page could make a browser send.

use crate::problem::Problem;
use crate::state::State;
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Who may call a server.
#[derive(Clone, Default)]
pub struct Guard {
    /// What every request must carry as `Authorization: Bearer ...`, if anything.
    pub token: Option<String>,
    /// Names of the server beside those of the loopback, that requests may carry as `Host`.
    pub hosts: Vec<String>,
}

/// It is shown without the token.
impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (has_token, hosts) = (self.token.is_some(), &self.hosts);
        f.debug_struct("Guard").field("has_token", &has_token).field("hosts", hosts).finish()
    }
}

/// The names of the loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// What is open to everybody who reaches the server: whether it lives, and the page's own files.
const OPEN: [&str; 1] = ["/healthz"];

/// Lets through what may pass.
pub(crate) async fn check(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    match state.guard.admit(&request) {
        Ok(()) => next.run(request).await,
        Err(problem) => {
            crate::meters::refused(&problem.kind);
            problem.into_response()
        }
    }
}

impl Guard {
    fn admit(&self, request: &Request) -> Result<(), Problem> {
        let headers = request.headers();
        let host = self.host(request)?;
        let has_token = self.token(request)?;
        same_origin(headers, &host, has_token)?;
        // No form can send `DELETE`, which ends the session of an agent and has no body.
        let is_open = [Method::GET, Method::HEAD, Method::OPTIONS, Method::DELETE];
        let changes = !is_open.contains(request.method());
        if changes && !is_json(headers) {
            let detail = "the content type must be `application/json`";
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                detail,
            ));
        }
        Ok(())
    }

    /// The host that was called. A name that is not ours was made to lead here: DNS rebinding.
    fn host(&self, request: &Request) -> Result<String, Problem> {
        let given = request.headers().get_all(header::HOST).iter().collect::<Vec<_>>();
        let given = match given.as_slice() {
            [one] => one.to_str().ok().map(str::to_owned),
            [] => request.uri().authority().map(|authority| authority.to_string()),
            _ => None,
        };
        let refused = || {
            Problem::forbidden("host", "the `Host` of the request is not one of this server")
                .hint("call it by its address, or start it with --host NAME")
        };
        let given = given.ok_or_else(refused)?.to_ascii_lowercase();
        let name = without_port(&given);
        let is_ours =
            LOOPBACK.contains(&name) || self.hosts.iter().any(|it| it.eq_ignore_ascii_case(name));
        if is_ours { Ok(given) } else { Err(refused()) }
    }

    /// Whether the request carries the token; an error where it must and does not.
    fn token(&self, request: &Request) -> Result<bool, Problem> {
        let Some(token) = &self.token else { return Ok(false) };
        let path = request.uri().path();
        let given = request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
        let given = given.and_then(|it| it.strip_prefix("Bearer ")).map(str::trim);
        // Hashes of equal length are compared, so that the time tells nothing of the token.
        if given.map(digest) == Some(digest(token)) {
            return Ok(true);
        }
        if OPEN.contains(&path) || crate::page::is_file(path) {
            return Ok(false);
        }
        let detail = "a token is needed: `Authorization: Bearer ...`";
        Err(Problem::new(StatusCode::UNAUTHORIZED, "token", detail)
            .hint("it is in the environment variable that `server.token_env` names"))
    }
}

/// A page may call only the server that it is from; a program that carries the token may anyway.
fn same_origin(headers: &HeaderMap, host: &str, has_token: bool) -> Result<(), Problem> {
    let refused = || Problem::forbidden("origin", "a page of another origin may not call");
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if authority != Some(host) {
            return Err(refused());
        }
    }
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let is_foreign = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    // A person may follow a link to the page from elsewhere.
    let is_visit = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    if is_foreign && !is_visit && !has_token { Err(refused()) } else { Ok(()) }
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let essence = given.and_then(|it| it.split(';').next()).map(str::trim);
    essence.is_some_and(|it| it.eq_ignore_ascii_case("application/json"))
}

/// The name of a host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_taken_off_names_and_addresses() {
        for (host, name) in [
            ("localhost:7420", "localhost"),
            ("localhost", "localhost"),
            ("[::1]:7420", "[::1]"),
            ("[::1]", "[::1]"),
            ("127.0.0.1:80", "127.0.0.1"),
        ] {
            assert_eq!(without_port(host), name);
        }
    }

    #[test]
    fn a_guard_is_shown_without_its_token() {
        let guard = Guard { token: Some("hush".into()), hosts: vec!["box".into()] };
        assert_eq!(format!("{guard:?}"), "Guard { has_token: true, hosts: [\"box\"] }");
    }
}
