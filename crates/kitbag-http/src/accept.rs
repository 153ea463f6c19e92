//! Content negotiation for packs: the whole report as JSON, or the text alone.

use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode, header};

/// Formats of the text and their media types. The first that matches a wildcard counts.
const TEXT_TYPES: [(&str, &str); 3] =
    [("markdown", "text/markdown"), ("plain", "text/plain"), ("xml", "application/xml")];

pub(crate) const JSON: &str = "application/json";

/// Media types of a pack other than JSON.
pub(crate) const TEXT_MEDIA_TYPES: [&str; 3] = [TEXT_TYPES[0].1, TEXT_TYPES[1].1, TEXT_TYPES[2].1];

/// What a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// The report as JSON.
    Report,
    /// The text in this format.
    Text { format: &'static str, media_type: &'static str },
}

/// Returns what a client prefers. No header, or one that accepts anything, means JSON; of several with the
/// same weight, the first counts.
pub(crate) fn accepted(headers: &HeaderMap) -> Result<Accepted, Problem> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<(&str, f32)> = values.flat_map(|value| value.split(',')).map(range).collect();
    if ranges.iter().all(|(name, _)| name.is_empty()) {
        return Ok(Accepted::Report);
    }
    let mut best: Option<(Accepted, f32)> = None;
    for (name, weight) in ranges {
        let candidate = offer(name).filter(|_| weight > 0.0);
        let is_better = best.is_none_or(|(_, best)| weight > best);
        best = candidate.filter(|_| is_better).map(|it| (it, weight)).or(best);
    }
    best.map(|(accepted, _)| accepted).ok_or_else(not_acceptable)
}

fn offer(range: &str) -> Option<Accepted> {
    if matches!(range, JSON | "application/*" | "*/*") {
        return Some(Accepted::Report);
    }
    let matches = |media_type: &str| range == media_type || range == "text/*";
    let (format, media_type) = TEXT_TYPES.into_iter().find(|(_, it)| matches(it))?;
    Some(Accepted::Text { format, media_type })
}

/// Splits a media range from its weight, which is 1 unless it is given.
fn range(text: &str) -> (&str, f32) {
    let (name, parameters) = text.split_once(';').unwrap_or((text, ""));
    let mut parameters = parameters.split(';').filter_map(|it| it.trim().split_once('='));
    let weight = parameters.find(|(name, _)| name.eq_ignore_ascii_case("q"));
    (name.trim(), weight.and_then(|(_, weight)| weight.trim().parse().ok()).unwrap_or(1.0))
}

fn not_acceptable() -> Problem {
    let types: Vec<String> = TEXT_MEDIA_TYPES.iter().map(|it| format!("`{it}`")).collect();
    let detail = "the header `accept` has no media type of a pack";
    Problem::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", detail)
        .with_hint(format!("accept `{JSON}`, or {} for the text alone", types.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_preferred_type_is_chosen() {
        let format = |header: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(header));
            match accepted(&headers) {
                Ok(Accepted::Report) => "report",
                Ok(Accepted::Text { format, .. }) => format,
                Err(_) => "none",
            }
        };
        for (header, expected) in [
            ("", "report"),
            ("*/*", "report"),
            ("application/json", "report"),
            ("text/markdown", "markdown"),
            ("text/*", "markdown"),
            ("text/plain;charset=utf-8", "plain"),
            ("text/html, application/xml;q=0.9, */*;q=0.8", "xml"),
            ("application/json;q=0.5, text/plain", "plain"),
            ("text/markdown, application/json", "markdown"),
            ("text/markdown;q=0, */*", "report"),
            ("text/html", "none"),
            ("text/markdown;q=0", "none"),
        ] {
            assert_eq!(format(header), expected, "{header}");
        }
        assert_eq!(accepted(&HeaderMap::new()).ok(), Some(Accepted::Report));
    }
}
