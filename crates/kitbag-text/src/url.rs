//! URLs of files on code hosting services.

/// Returns the path and the line of the file that a URL points to, on GitHub, GitLab, Gitea,
/// Bitbucket and similar services.
pub fn file_of_url(url: &str) -> Option<(&str, Option<u32>)> {
    let (page, anchor) = url.split_once('#').unwrap_or((url, ""));
    let page = page.split_once('?').map_or(page, |(page, _)| page);
    let after_ref = |route: &'static str| {
        let (_, rest) = page.split_once(route)?;
        rest.split_once('/').map(|(_, path)| path)
    };
    // `raw.githubusercontent.com/owner/name/ref/path`
    let raw = || page.split_once("://raw.githubusercontent.com/")?.1.splitn(4, '/').nth(3);
    let path = ["/blob/", "/tree/", "/raw/", "/blame/"].into_iter().find_map(after_ref);
    let path = path.or_else(raw).or_else(|| after_ref("/src/"))?;
    Some((path, line_of_anchor(anchor))).filter(|(path, _)| !path.is_empty())
}

/// Parses `L10`, `L10-L20`, `L10C3`, `lines-10:20` and `line-10`.
fn line_of_anchor(anchor: &str) -> Option<u32> {
    let prefixes = ["L", "lines-", "line-"];
    leading_line(prefixes.into_iter().find_map(|prefix| anchor.strip_prefix(prefix))?)
}

/// Parses the number that a text begins with as a line number, which starts at 1.
pub fn leading_line(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok().filter(|&line| line > 0)
}

/// Calls `visit` with each URL of a line and the text before it, then with the rest of the line.
pub fn for_each_url<'a>(line: &'a str, mut visit: impl FnMut(&'a str, Option<&'a str>)) {
    let mut rest = line;
    while let Some(at) = rest.find("http://").into_iter().chain(rest.find("https://")).min() {
        let url = &rest[at..];
        let end = url
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '"' | '\'' | '`'))
            .unwrap_or(url.len());
        visit(&rest[..at], Some(&url[..end]));
        rest = &url[end..];
    }
    visit(rest, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_many_services_point_to_files() {
        for (url, path, line) in [
            ("https://github.com/o/n/blob/main/src/a.py#L4-L9", "src/a.py", Some(4)),
            ("https://github.com/o/n/blob/main/README.md?plain=1#L7", "README.md", Some(7)),
            ("https://github.com/o/n/tree/v1/src", "src", None),
            (
                "https://gitlab.com/o/n/-/blob/main/src/a.py?ref_type=heads#L12",
                "src/a.py",
                Some(12),
            ),
            ("https://raw.githubusercontent.com/o/n/main/src/a.py", "src/a.py", None),
            ("https://bitbucket.org/o/n/src/main/src/a.py#lines-10:20", "src/a.py", Some(10)),
            ("https://code.example.org/o/n/src/branch/a.py", "a.py", None),
            ("https://github.com/o/n/blame/main/a.py#L0", "a.py", None),
        ] {
            assert_eq!(file_of_url(url), Some((path, line)), "{url}");
        }
        for url in
            ["https://github.com/o/n/issues/4", "https://github.com/o/n/blob/main", "https://x"]
        {
            assert_eq!(file_of_url(url), None, "{url}");
        }
    }
}
