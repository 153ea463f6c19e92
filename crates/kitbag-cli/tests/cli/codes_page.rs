//! The book's page of codes lists all codes.

use std::fs;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/codes.md");
const REASONS: &str = include_str!("../../../kitbag-core/src/report.rs");
const ERRORS: &str = include_str!("../../../kitbag/src/error.rs");
const PATHS: &str = include_str!("../../../kitbag-repo/src/path_error.rs");
const OUTCOMES: &str = include_str!("../../../kitbag-record/src/shape.rs");

/// The first word in quotes of each line between `from` and `to`, if it can be a code.
fn codes(source: &'static str, from: &str, to: &str) -> Vec<&'static str> {
    let part = &source[source.find(from).unwrap()..];
    let part = &part[..part.find(to).unwrap()];
    let quoted = part.lines().filter_map(|line| line.split('"').nth(1));
    quoted.filter(|it| it.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')).collect()
}

#[track_caller]
fn check(codes: &[&str], at_least: usize) {
    let page = fs::read_to_string(PAGE).unwrap();
    assert!(codes.len() >= at_least, "{codes:?}");
    for code in codes {
        assert!(page.contains(&format!("| `{code}` |")), "`{code}` is not in the page of codes");
    }
}

// Shows: NFR-016-54
#[test]
fn the_page_of_codes_has_every_reason() {
    check(&codes(REASONS, "impl Reason", "\n    }\n"), 16);
}

// Shows: NFR-016-54
#[test]
fn the_page_of_codes_has_every_code_of_an_error() {
    check(&codes(ERRORS, "pub fn code", "\n    }\n"), 30);
    let mut paths = codes(PATHS, "pub fn as_str", "\n    }\n");
    // Only the listing of a folder has these, and it is never an error.
    paths.retain(|code| !["too_deep", "too_many"].contains(code));
    check(&paths, 7);
}

#[test]
fn the_page_of_codes_has_every_outcome_of_a_provider() {
    check(&codes(OUTCOMES, "impl ProviderOutcome {", "\n    }\n"), 6);
}
