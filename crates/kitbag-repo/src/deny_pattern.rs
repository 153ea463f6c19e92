//! Parses a pattern of the denylist into globs over whole paths.

use crate::GlobError;

/// Returns lower-case globs over whole paths, for the paths that a pattern matches and everything beneath.
/// A glob without a leading `/` is relative to the repository. The leading `/` of a built-in pattern is
/// the root of the file system; that of others is either root.
pub(crate) fn parse(pattern: &str, is_built_in: bool) -> Result<Vec<String>, GlobError> {
    let invalid = |reason| GlobError::invalid(pattern.trim(), reason);
    let lower = pattern.trim().to_ascii_lowercase().replace('\\', "/");
    if lower.starts_with('!') {
        return Err(invalid("`!` is not supported: a pattern cannot allow a denied path"));
    }
    let names: Vec<&str> = lower.split('/').filter(|it| !it.is_empty() && *it != ".").collect();
    if names.is_empty() {
        return Err(invalid("nothing to match"));
    }
    if names.contains(&"..") {
        return Err(invalid("`..` leads out of the root"));
    }
    let is_fixed = |name: &&str| *name != "**";
    let first = names.iter().position(is_fixed).unwrap_or(0);
    let path = match names.iter().rposition(is_fixed) {
        Some(last) => names[first..=last].join("/"),
        None => "*".to_owned(),
    };
    let prefixes: &[&str] = match lower.as_bytes() {
        [b'/', ..] if is_built_in => &["/"],
        [b'/', ..] if first == 0 => &["/", ""],
        [b'.', b'/', ..] if first == 0 => &[""],
        _ => &["**/"],
    };
    let is_glob = path.contains(['[', '{']) || path.split('/').any(|name| name == "**");
    // A file may be called `[id].tsx`, so brackets and braces also match themselves.
    let literal = escape_brackets(&path);
    let readings: Vec<String> = is_glob.then_some(path).into_iter().chain([literal]).collect();
    let globs = prefixes.iter().flat_map(|prefix| {
        readings.iter().flat_map(move |it| [format!("{prefix}{it}"), format!("{prefix}{it}/**")])
    });
    Ok(globs.collect())
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
