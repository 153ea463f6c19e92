//! Relative links in Markdown pages.

use pulldown_cmark::{Event, Parser, Tag};

/// Whether the links of a page are checked: pages at the root and under `docs/`.
pub fn is_checked(path: &str) -> bool {
    path.ends_with(".md") && (!path.contains('/') || path.starts_with("docs/"))
}

/// Links of the page at `path` whose target does not exist. `exists` takes paths from the root.
pub fn violations(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut violations = Vec::new();
    for (number, target) in links(text) {
        let file = target.split(['#', '?']).next().unwrap_or_default();
        if file.is_empty() || has_scheme(&target) {
            continue;
        }
        if !resolve(folder, file).is_some_and(|resolved| exists(&resolved)) {
            violations.push(format!("{path}:{number}: broken link: `{target}`"));
        }
    }
    violations
}

/// Targets of links, images and reference definitions, with their line numbers.
fn links(text: &str) -> Vec<(usize, String)> {
    let parser = Parser::new(text);
    let definitions = parser.reference_definitions().iter();
    let mut found: Vec<(usize, String)> =
        definitions.map(|(_, it)| (it.span.start, it.dest.to_string())).collect();
    for (event, range) in parser.into_offset_iter() {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
            found.push((range.start, dest_url.into_string()));
        }
    }
    for (at, _) in &mut found {
        *at = text[..*at].matches('\n').count() + 1;
    }
    found
}

fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_alphanumeric()))
}

/// Resolves `file` from `folder` to a path from the root; `None` outside the project.
fn resolve(folder: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if file.starts_with('/') {
        return None;
    }
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let exists = |target: &str| ["README.md", "docs", "docs/tokens.md", ""].contains(&target);
        assert_eq!(violations(path, text, exists), expected, "{text}");
    }

    #[test]
    fn pages_at_the_root_and_under_docs_are_checked() {
        assert!(is_checked("README.md"));
        assert!(is_checked("docs/guide/start.md"));
        assert!(!is_checked("crates/kitbag/README.md"));
        assert!(!is_checked("docs/page.txt"));
    }

    #[test]
    fn links_to_existing_files_pass() {
        check("README.md", "[a](docs/tokens.md) and [b](./docs/) and [c](docs/tokens.md#top)", &[]);
        check("docs/a.md", "[a](tokens.md) [b](../README.md \"title\") [c](..)", &[]);
        check("docs/a.md", "[label]: ../README.md", &[]);
    }

    #[test]
    fn broken_links_are_reported_with_their_line() {
        check("README.md", "one\n[a](gone.md#x)", &["README.md:2: broken link: `gone.md#x`"]);
        check("docs/a.md", "[a](README.md)", &["docs/a.md:1: broken link: `README.md`"]);
        check("README.md", "[a](../out.md)", &["README.md:1: broken link: `../out.md`"]);
        check("README.md", "[a](/README.md)", &["README.md:1: broken link: `/README.md`"]);
        check("README.md", "[a]: gone.md", &["README.md:1: broken link: `gone.md`"]);
        check("README.md", "![a](gone.svg)", &["README.md:1: broken link: `gone.svg`"]);
    }

    #[test]
    fn addresses_anchors_and_code_are_not_files() {
        check("README.md", "[a](https://example.org/x) [b](mailto:x@example.org) [c](#top)", &[]);
        check("README.md", "`[a](gone.md)`\n```\n[a](gone.md)\n```\n", &[]);
        check("README.md", "`code` [a](gone.md) `code`", &["README.md:1: broken link: `gone.md`"]);
    }
}
