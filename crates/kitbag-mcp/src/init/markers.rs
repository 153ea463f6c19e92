//! Kitbag's part of a Markdown file, between two markers, so that it can be renewed and removed.

use super::error::InitError;
use std::ops::Range;
use std::path::Path;

const START: &str = "<!-- kitbag:start -->";
const END: &str = "<!-- kitbag:end -->";

/// Returns the part with its markers.
pub(super) fn part(body: &str) -> String {
    format!("{START}\n{}\n{END}\n", body.trim_end())
}

/// Returns the place of the part in a text, with its markers and the line break after them.
pub(super) fn find(path: &Path, text: &str) -> Result<Option<Range<usize>>, InitError> {
    let (starts, ends) = (lines_with(text, START), lines_with(text, END));
    match (starts.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([start], [end]) if start.end <= end.start => Ok(Some(start.start..end.end)),
        _ => {
            let at = starts.iter().chain(&ends).map(|line| line.start).max().unwrap_or(0);
            Err(InitError::Malformed {
                path: path.to_owned(),
                line: text[..at].matches('\n').count() + 1,
                column: 1,
                message: format!("expected one `{START}` and one `{END}` after it"),
            })
        }
    }
}

/// Returns the text with the part renewed, or added after the rest.
pub(super) fn with_part(path: &Path, text: &str, part: &str) -> Result<String, InitError> {
    let part = if text.contains("\r\n") { part.replace('\n', "\r\n") } else { part.to_owned() };
    if let Some(place) = find(path, text)? {
        return Ok(format!("{}{part}{}", &text[..place.start], &text[place.end..]));
    }
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let is_blank_before = text.is_empty() || text.ends_with(&line_break.repeat(2));
    let gap = match text.ends_with('\n') {
        _ if is_blank_before => String::new(),
        true => line_break.to_owned(),
        false => line_break.repeat(2),
    };
    Ok(format!("{text}{gap}{part}"))
}

/// Returns the text without the part and the blank line before it; `None` if nothing but front matter
/// is left.
pub(super) fn without_part(path: &Path, text: &str) -> Result<Option<String>, InitError> {
    let Some(place) = find(path, text)? else { return Ok(Some(text.to_owned())) };
    let (before, after) = (&text[..place.start], &text[place.end..]);
    let blank_line = ["\r\n\r\n", "\n\n"].into_iter().find(|blank| before.ends_with(blank));
    let kept = blank_line.map_or(before.len(), |blank| before.len() - blank.len() / 2);
    let rest = format!("{}{after}", &before[..kept]);
    Ok(Some(rest).filter(|rest| !without_front_matter(rest).trim().is_empty()))
}

/// Returns the places of the lines that consist of `marker`, line breaks included.
fn lines_with(text: &str, marker: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut places = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.trim() == marker {
            places.push(at..at + line.len());
        }
        at += line.len();
    }
    places
}

fn without_front_matter(text: &str) -> &str {
    let body = text.strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    body.map_or(text, |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, body: &str) -> String {
        with_part(Path::new("AGENTS.md"), text, &part(body)).expect("no marker is missing")
    }

    fn without(text: &str) -> Option<String> {
        without_part(Path::new("AGENTS.md"), text).expect("no marker is missing")
    }

    #[test]
    fn a_part_is_added_renewed_and_removed() {
        for text in ["# Mine\n", "# Mine\n\nText.\n", "# Mine\r\n\r\nText.\r\n"] {
            let first = with(text, "one");
            assert!(first.starts_with(text) && first.contains("one"), "{first}");
            assert_eq!(with(&first, "one"), first);
            let second = with(&first, "two");
            assert!(second.contains("two") && !second.contains("one"), "{second}");
            assert_eq!(without(&second).as_deref(), Some(text));
        }
        assert_eq!(with("", "one"), "<!-- kitbag:start -->\none\n<!-- kitbag:end -->\n");
        assert_eq!(without(&with("", "one")), None);
        assert_eq!(without(&with("---\napplyTo: x\n---\n\n", "one")), None);
        assert_eq!(without("# Mine\n").as_deref(), Some("# Mine\n"));
    }

    #[test]
    fn text_around_the_part_is_kept() {
        let text = format!("a\n\n{}\nb\n", part("one"));
        assert_eq!(with(&text, "two"), text.replace("one", "two"));
        assert_eq!(without(&text).as_deref(), Some("a\n\nb\n"));
    }

    #[test]
    fn a_missing_or_repeated_marker_is_an_error() {
        for (text, line) in [
            (format!("a\n{START}\nb\n"), 2),
            (format!("{END}\n{START}\n"), 2),
            (format!("{START}\n{START}\n{END}\n"), 3),
        ] {
            let error = find(Path::new("AGENTS.md"), &text).expect_err("a marker is missing");
            assert!(error.to_string().contains(&format!("line {line}, column 1")), "{error}");
        }
    }
}
