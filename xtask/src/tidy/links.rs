//! Relative links in Markdown pages.

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
        if file.is_empty() || has_scheme(target) {
            continue;
        }
        if !resolve(folder, file).is_some_and(|resolved| exists(&resolved)) {
            violations.push(format!("{path}:{number}: broken link: `{target}`"));
        }
    }
    violations
}

/// Every `[text](target)` and `[label]: target` outside code, with its line number.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        match fence {
            Some(mark) if start.starts_with(mark) => fence = None,
            Some(_) => {}
            None if start.starts_with("```") => fence = Some("```"),
            None if start.starts_with("~~~") => fence = Some("~~~"),
            None => found.extend(targets(line).into_iter().map(|target| (number + 1, target))),
        }
    }
    found
}

fn targets(line: &str) -> Vec<&str> {
    if let Some((label, target)) = line.split_once("]: ")
        && label.starts_with('[')
    {
        return target.split_whitespace().take(1).collect();
    }
    line.match_indices("](")
        .filter(|&(at, _)| !is_code(line, at))
        .filter_map(|(at, mark)| {
            let rest = &line[at + mark.len()..];
            let target = &rest[..rest.find(')')?];
            target.split_whitespace().next()
        })
        .collect()
}

/// Whether the byte at `at` lies between a backtick and its partner.
fn is_code(line: &str, at: usize) -> bool {
    line[..at].matches('`').count() % 2 == 1 && line[at..].contains('`')
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
    }

    #[test]
    fn addresses_anchors_and_code_are_not_files() {
        check("README.md", "[a](https://example.org/x) [b](mailto:x@example.org) [c](#top)", &[]);
        check("README.md", "`[a](gone.md)`\n```\n[a](gone.md)\n```\n", &[]);
        check("README.md", "`code` [a](gone.md) `code`", &["README.md:1: broken link: `gone.md`"]);
    }
}
