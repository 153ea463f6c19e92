//! Which repositories a caller may see.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The repositories that a caller of a server may see, by name. Clones are cheap.
///
/// ```
/// use kitbag::RepoAccess;
///
/// let access = RepoAccess::granted("TEAM_TOKEN", ["acme/*", "tools/lint"]).unwrap();
/// assert!(access.allows("acme/app") && access.allows("tools/lint"));
/// assert!(!access.allows("other/app") && !access.allows("acme/app/plugin"));
/// assert!(RepoAccess::all().allows("anything"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RepoAccess(Option<Arc<Grant>>);

#[derive(PartialEq, Eq)]
struct Grant {
    /// Name that distinguishes the callers of one server.
    caller: String,
    patterns: Vec<String>,
}

/// A pattern that matches no name of a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid repository pattern `{pattern}`")]
pub struct RepoPatternError {
    /// The pattern.
    pub pattern: String,
}

impl RepoAccess {
    /// Grants all repositories.
    pub fn all() -> Self {
        Self(None)
    }

    /// Grants no repository.
    pub fn none() -> Self {
        Self(Some(Arc::new(Grant { caller: String::new(), patterns: Vec::new() })))
    }

    /// Grants the repositories whose names match a pattern: `owner/name`, in which `*` stands for any
    /// characters of one part, or `*` alone for all repositories.
    pub fn granted<'a>(
        caller: &str,
        patterns: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, RepoPatternError> {
        let patterns: Vec<String> = patterns.into_iter().map(str::to_owned).collect();
        if let Some(pattern) = patterns.iter().find(|it| !is_pattern(it)) {
            return Err(RepoPatternError { pattern: pattern.clone() });
        }
        Ok(Self(Some(Arc::new(Grant { caller: caller.to_owned(), patterns }))))
    }

    /// Whether the caller may see the repository with this name.
    pub fn allows(&self, name: &str) -> bool {
        let Some(grant) = &self.0 else { return true };
        grant.patterns.iter().any(|pattern| pattern == "*" || matches_name(pattern, name))
    }

    /// Whether the caller may see all repositories, including those that are added later.
    pub fn is_full(&self) -> bool {
        self.0.as_ref().is_none_or(|grant| grant.patterns.iter().any(|pattern| pattern == "*"))
    }

    /// Returns the name of the caller, which is empty if no repositories were granted to it explicitly.
    pub fn caller(&self) -> &str {
        self.0.as_ref().map_or("", |grant| &grant.caller)
    }
}

impl fmt::Debug for RepoAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("RepoAccess(all)"),
            Some(grant) => write!(f, "RepoAccess({}: {:?})", grant.caller, grant.patterns),
        }
    }
}

/// Replaces a folder in a text by a name, but not at the beginning of a longer name: `/srv/app` is not in `/srv/app2`.
pub fn without_folder(text: &str, folder: &Path, name: &str) -> String {
    let folder = folder.to_string_lossy();
    // The root folder is in every path.
    if folder.len() < 2 {
        return text.to_owned();
    }
    let mut parts = text.split(folder.as_ref());
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|c: char| c.is_alphanumeric() || "-_.+".contains(c));
        replaced.push_str(if goes_on { &folder } else { name });
        replaced.push_str(part);
    }
    replaced
}

fn is_pattern(pattern: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && !part.contains("**")
            && !part.contains(|c: char| c.is_control() || matches!(c, '\\' | '?' | '[' | '{' | '!'))
    };
    pattern.split('/').all(is_part)
}

/// Whether a name has the parts of a pattern.
fn matches_name(pattern: &str, name: &str) -> bool {
    let (patterns, names) = (pattern.split('/'), name.split('/'));
    patterns.clone().count() == names.clone().count()
        && patterns.zip(names).all(|(pattern, part)| matches_part(pattern, part))
}

/// Whether a part of a name matches a part of a pattern, in which `*` stands for any characters.
fn matches_part(pattern: &str, part: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == part };
    let Some(mut left) = part.strip_prefix(start) else { return false };
    let Some((middle, end)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    for piece in middle.split('*') {
        let Some(at) = left.find(piece) else { return false };
        left = &left[at + piece.len()..];
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_part_by_part() {
        for (pattern, name, expected) in [
            ("acme/app", "acme/app", true),
            ("acme/app", "acme/app2", false),
            ("acme/app", "Acme/app", false),
            ("acme/*", "acme/app", true),
            ("acme/*", "acme/app/x", false),
            ("acme/*", "acmeevil/app", false),
            ("acme*/*", "acme-labs/app", true),
            ("*/app", "other/app", true),
            ("*", "other/app", true),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("app", "acme/app", false),
        ] {
            let access = RepoAccess::granted("TOKEN", [pattern]).expect("a pattern");
            assert_eq!(access.allows(name), expected, "{pattern} {name}");
        }
        assert!(!RepoAccess::granted("TOKEN", []).expect("no pattern").allows("app"));
    }

    #[test]
    fn patterns_that_could_be_misread_are_refused() {
        for pattern in
            ["", "/app", "acme/", "acme//app", "../app", "acme/**", "!acme/app", "a?", "[a]"]
        {
            let refused = RepoAccess::granted("TOKEN", [pattern]);
            assert_eq!(refused, Err(RepoPatternError { pattern: pattern.to_owned() }), "{pattern}");
        }
    }

    #[test]
    fn only_a_lone_star_grants_everything() {
        let is_full = |pattern| RepoAccess::granted("T", [pattern]).expect("a pattern").is_full();
        assert!(is_full("*") && !is_full("*/*") && RepoAccess::all().is_full());
    }
}
