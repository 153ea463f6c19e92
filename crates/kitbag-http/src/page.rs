//! The page: its built files, which are in the program.

use crate::problem::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "panel/dist"]
struct Files;

/// The folder whose files have their content's hash in their names.
const HASHED: &str = "assets/";

/// Whether a path is the page, or one of its files.
pub(crate) fn is_file(path: &str) -> bool {
    Files::get(name(path)).is_some()
}

/// Answers with a file of the page, or that there is nothing.
pub(crate) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let name = name(uri.path());
    let Some(file) = Files::get(name) else {
        let problem = Problem::not_found(format!("there is nothing at `{}`", uri.path()));
        return problem.hint("`/openapi.json` lists the routes").into_response();
    };
    if !matches!(method, Method::GET | Method::HEAD) {
        let detail = "a file of the page can only be read";
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail);
        return ([(header::ALLOW, "GET, HEAD")], problem).into_response();
    }
    let hash = file.metadata.sha256_hash();
    let tag: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let caching =
        if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == *tag);
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Response::new(Body::from(file.data)),
    };
    let own = response.headers_mut();
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    own.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        own.insert(header::ETAG, tag);
    }
    response
}

/// The name of a file: the page itself for `/`.
fn name(path: &str) -> &str {
    match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
