//! Access checks: `Host` and `Origin` on every route, the token if one is set, and a content type
//! that no form of another site can send. Repeated headers are refused before (`request_form`).

use crate::http_metrics;
use crate::options::AccessPolicy;
use crate::page;
use crate::problem::Problem;
use crate::state::{HttpState, SharedState};
use crate::viewer::Viewer;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::sync::Arc;

const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Position of the viewer that sees all repositories. Those of the grants follow.
const FULL_VIEWER: usize = 0;

/// Statuses of problems that quote what a client has guessed, and show it as it was.
const QUOTING: [StatusCode; 3] =
    [StatusCode::BAD_REQUEST, StatusCode::FORBIDDEN, StatusCode::NOT_FOUND];

/// Route that says whether requests should be sent to the server.
pub(crate) const READINESS_PATH: &str = "/readyz";

/// Routes that require no token, like the files of the page.
const PROBE_PATHS: [&str; 2] = ["/healthz", READINESS_PATH];

/// Middleware that refuses requests the policy does not accept.
pub(crate) async fn check(State(state): SharedState, mut request: Request, next: Next) -> Response {
    match state.access.check(&request) {
        Ok(position) => {
            if let Some(viewer) = viewer_at(&state, position) {
                // The routes of another protocol know only of the access.
                request.extensions_mut().insert(viewer.access.clone());
                request.extensions_mut().insert(Arc::clone(viewer));
            }
            let access = viewer_at(&state, position).map(|viewer| viewer.access.clone());
            let mut response = next.run(request).await;
            if let Some(access) = access.filter(|access| !access.is_full())
                && !QUOTING.contains(&response.status())
                && let Some(problem) = response.extensions_mut().get_mut::<Problem>()
            {
                problem.detail = state.repositories.without_folders(&problem.detail, &access);
            }
            response
        }
        Err(problem) => {
            http_metrics::count_refused(&problem.kind);
            problem.into_response()
        }
    }
}

fn viewer_at(state: &HttpState, position: Option<usize>) -> Option<&Arc<Viewer>> {
    position.and_then(|position| state.viewers.get(position))
}

impl AccessPolicy {
    /// Returns the position of the viewer, if the request may see more than the page itself.
    fn check(&self, request: &Request) -> Result<Option<usize>, Problem> {
        let headers = request.headers();
        let host = self.check_host(request)?;
        let viewer = self.check_token(request)?;
        check_origin(headers, &host, viewer.is_some() && self.requires_token())?;
        // No form can send DELETE, which ends an agent's session and has no body.
        let without_body = [Method::GET, Method::HEAD, Method::OPTIONS, Method::DELETE];
        if without_body.contains(request.method()) || is_json(headers) {
            return Ok(viewer);
        }
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let detail = "the content type must be `application/json`";
        Err(Problem::new(status, "unsupported_media_type", detail))
    }

    /// Returns the requested host, with its port. A name that is not this server's means DNS
    /// rebinding: a foreign name that resolves to this address.
    fn check_host(&self, request: &Request) -> Result<String, Problem> {
        let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
        let refused = || {
            Problem::forbidden("host", "the `Host` header does not name this server")
                .with_hint("use the address of the server, or start it with --host NAME")
        };
        let host = host.ok_or_else(refused)?.to_ascii_lowercase();
        let name = without_port(&host);
        let is_own = LOOPBACK_HOSTS.contains(&name)
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        if is_own { Ok(host) } else { Err(refused()) }
    }

    /// Returns the position of the viewer whose token the request carries, or that of all if none is required;
    /// fails if one is required and missing.
    fn check_token(&self, request: &Request) -> Result<Option<usize>, Problem> {
        if !self.requires_token() {
            return Ok(Some(FULL_VIEWER));
        }
        let sent = request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
        let sent = sent.and_then(bearer_token).map(digest);
        // Comparing hashes of equal length keeps the timing independent of the token, and comparing with all
        // of them keeps it independent of which one it is.
        let is_sent = |token: &str| sent == Some(digest(token));
        let full = self.token.as_deref().is_some_and(is_sent).then_some(FULL_VIEWER);
        let granted = self.grants.iter().map(|grant| is_sent(&grant.token)).collect::<Vec<bool>>();
        let granted = granted.iter().position(|is_sent| *is_sent);
        if let Some(viewer) = full.or(granted.map(|at| at + FULL_VIEWER + 1)) {
            return Ok(Some(viewer));
        }
        let path = request.uri().path();
        if PROBE_PATHS.contains(&path) || page::is_file(path) {
            return Ok(None);
        }
        let detail = "a token is required: `Authorization: Bearer ...`";
        Err(Problem::new(StatusCode::UNAUTHORIZED, "token", detail)
            .with_hint("`server.token_env` names the environment variable that holds the token"))
    }
}

/// Accepts requests of this server's own page, and of programs that send the token.
fn check_origin(headers: &HeaderMap, host: &str, has_token: bool) -> Result<(), Problem> {
    let refused = || Problem::forbidden("origin", "requests from another origin are not allowed");
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if authority != Some(host) {
            return Err(refused());
        }
    }
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let is_cross_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    // Following a link from another site to the page is fine.
    let is_navigation = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    if is_cross_site && !is_navigation && !has_token { Err(refused()) } else { Ok(()) }
}

/// Returns the token of an `Authorization` header. The case of the scheme does not matter.
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let media_type = content_type.and_then(|it| it.split(';').next()).map(str::trim);
    media_type.is_some_and(|it| it.eq_ignore_ascii_case("application/json"))
}

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
    fn without_port_handles_names_and_addresses() {
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
}
