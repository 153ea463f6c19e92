//! Addresses on forges, and the files that they lead to.

/// The path of the file that an address leads to, and its line where it names one: on GitHub, GitLab,
/// Gitea, Bitbucket and the like.
pub fn file_of_address(address: &str) -> Option<(&str, Option<u32>)> {
    let (place, anchor) = address.split_once('#').unwrap_or((address, ""));
    let place = place.split_once('?').map_or(place, |(place, _)| place);
    let after_ref = |rest: &'static str| {
        let (_, rest) = place.split_once(rest)?;
        rest.split_once('/').map(|(_, path)| path)
    };
    // `raw.githubusercontent.com/owner/name/ref/path`
    let raw = || place.split_once("://raw.githubusercontent.com/")?.1.splitn(4, '/').nth(3);
    let path = ["/blob/", "/tree/", "/raw/", "/blame/"].into_iter().find_map(after_ref);
    let path = path.or_else(raw).or_else(|| after_ref("/src/"))?;
    Some((path, line_of_anchor(anchor))).filter(|(path, _)| !path.is_empty())
}

/// `L10`, `L10-L20`, `L10C3`, `lines-10:20`, `line-10`.
fn line_of_anchor(anchor: &str) -> Option<u32> {
    let marks = ["L", "lines-", "line-"];
    let number = marks.into_iter().find_map(|mark| anchor.strip_prefix(mark))?;
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok().filter(|&line| line > 0)
}

/// Calls `found` with the text between addresses and with each address, in order.
pub fn for_each_address<'a>(line: &'a str, mut found: impl FnMut(&'a str, Option<&'a str>)) {
    let mut rest = line;
    while let Some(at) = rest.find("http://").into_iter().chain(rest.find("https://")).min() {
        let address = &rest[at..];
        let end = address
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '"' | '\'' | '`'))
            .unwrap_or(address.len());
        found(&rest[..at], Some(&address[..end]));
        rest = &address[end..];
    }
    found(rest, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_many_forges_lead_to_files() {
        for (address, path, line) in [
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
            assert_eq!(file_of_address(address), Some((path, line)), "{address}");
        }
        for address in
            ["https://github.com/o/n/issues/4", "https://github.com/o/n/blob/main", "https://x"]
        {
            assert_eq!(file_of_address(address), None, "{address}");
        }
    }
}
