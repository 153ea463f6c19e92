//! The web page: built files that are embedded in the program, compressed.

use crate::problem::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::read::DeflateDecoder;
use sha2::{Digest, Sha256};
use std::io::Read;

/// Names and compressed contents of the files in `panel/dist`, from `build.rs`.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|&(_, compressed)| compressed)
}

fn decompress(compressed: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    if let Err(error) = DeflateDecoder::new(compressed).read_to_end(&mut content) {
        // The file is compiled in, and a test reads each one.
        unreachable!("a damaged file of the page: {error}");
    }
    content
}

/// Returns whether `path` is the page or one of its files.
pub(crate) fn is_file(path: &str) -> bool {
    find(file_name(path)).is_some()
}

/// Serves a file of the page. This is the fallback route, so anything else is a 404.
pub(crate) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let name = file_name(uri.path());
    let Some(compressed) = find(name) else {
        let problem = Problem::not_found(format!("no route matches `{}`", uri.path()));
        return problem.with_hint("`/openapi.json` lists the routes").into_response();
    };
    if !matches!(method, Method::GET | Method::HEAD) {
        let detail = format!("method {method} is not allowed for the files of the page");
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail);
        return ([(header::ALLOW, "GET, HEAD")], problem).into_response();
    }
    let etag = format!("\"{}\"", kitbag::hex(&Sha256::digest(compressed)[..16]));
    let is_cached = headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == *etag);
    let mut response = match is_cached {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Response::new(Body::from(decompress(compressed))),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

fn file_name(path: &str) -> &str {
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
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;
    use std::fs;

    #[test]
    fn files_are_those_that_were_built() {
        assert!(find("index.html").is_some());
        for (name, compressed) in FILES {
            let built = fs::read(format!("panel/dist/{name}")).unwrap();
            assert!(decompress(compressed) == built, "{name} differs");
        }
    }
}
