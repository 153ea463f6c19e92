//! Parses a pattern of the denylist into globs over whole paths.

use crate::GlobError;

/// Where a pattern may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    AnyFolder,
    /// The root of the file system or of the repository.
    EitherRoot,
    FileSystemRoot,
    RepositoryRoot,
}

#[derive(Debug)]
pub(crate) struct DenyPattern {
    pub anchor: Anchor,
    /// Lower-case globs over whole paths without a leading `/`, for the paths that the pattern matches
    /// and everything beneath.
    pub globs: Vec<String>,
}

impl DenyPattern {
    /// Parses a pattern. The leading `/` of a built-in pattern is the root of the file system.
    pub fn parse(pattern: &str, is_built_in: bool) -> Result<Self, GlobError> {
        let invalid = |reason| GlobError::invalid(pattern.trim(), reason);
        let lower = pattern.trim().to_ascii_lowercase().replace('\\', "/");
        if lower.starts_with('!') {
            return Err(invalid("`!` is not supported: a pattern cannot allow a denied path"));
        }
        let mut anchor = match lower.as_bytes() {
            [b'/', ..] if is_built_in => Anchor::FileSystemRoot,
            [b'/', ..] => Anchor::EitherRoot,
            [b'.', b'/', ..] => Anchor::RepositoryRoot,
            _ => Anchor::AnyFolder,
        };
        let names: Vec<&str> = lower.split('/').filter(|it| !it.is_empty() && *it != ".").collect();
        if names.is_empty() {
            return Err(invalid("nothing to match"));
        }
        if names.contains(&"..") {
            return Err(invalid("`..` leads out of the root"));
        }
        let is_fixed = |name: &&str| *name != "**";
        let path = match (names.iter().position(is_fixed), names.iter().rposition(is_fixed)) {
            (Some(first), Some(last)) => {
                if first > 0 && anchor != Anchor::FileSystemRoot {
                    anchor = Anchor::AnyFolder;
                }
                names[first..=last].join("/")
            }
            _ => "*".to_owned(),
        };
        let prefix = if anchor == Anchor::AnyFolder { "**/" } else { "" };
        let is_glob = path.contains(['[', '{']) || path.split('/').any(|name| name == "**");
        // A file may be called `[id].tsx`, so brackets and braces also match themselves.
        let literal = escape_brackets(&path);
        let readings = is_glob.then_some(path).into_iter().chain([literal]);
        let globs = readings.flat_map(|it| [format!("{prefix}{it}"), format!("{prefix}{it}/**")]);
        Ok(Self { anchor, globs: globs.collect() })
    }
}

fn escape_brackets(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '[' | ']' | '{' | '}' => escaped.extend(['[', c, ']']),
            c => escaped.push(c),
        }
    }
    escaped
}
