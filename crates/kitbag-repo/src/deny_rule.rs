//! A pattern of the denylist that is more than a name or an extension.
//!
//! What has `*` and `?` alone is held against a path component by component. Classes, alternatives
//! and a `**` between folders are globs, read by the library that reads all globs.

use crate::GlobError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At any folder.
    Anywhere,
    /// At the root of the file system, and at that of the repository.
    Roots,
    /// At the root of the file system.
    FileSystem,
    /// At the root of the repository.
    Repository,
}

/// What a pattern says, in lower case.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub components: Vec<String>,
    pub anchor: Anchor,
}

impl Written {
    /// Reads a pattern. A leading `/` of one that is built in is the file system's.
    pub fn read(pattern: &str, is_built_in: bool) -> Result<Self, GlobError> {
        let wrong = |reason: &str| wrong(pattern, reason.to_owned());
        let lower = pattern.trim().to_ascii_lowercase().replace('\\', "/");
        if lower.starts_with('!') {
            return Err(wrong("no pattern allows again what others deny: `!` is not understood"));
        }
        let anchor = match (lower.starts_with('/'), lower.starts_with("./")) {
            (true, _) if is_built_in => Anchor::FileSystem,
            (true, _) => Anchor::Roots,
            (_, true) => Anchor::Repository,
            _ => Anchor::Anywhere,
        };
        let mut components: Vec<String> = lower
            .split('/')
            .filter(|name| !name.is_empty() && *name != ".")
            .map(str::to_owned)
            .collect();
        if components.iter().any(|name| name == "..") {
            return Err(wrong("paths are denied within the root, and `..` leads out"));
        }
        let is_all = components.iter().any(|name| name == "**");
        // Whatever a pattern matches is denied with everything beneath, and at any depth.
        while components.last().is_some_and(|name| name == "**") {
            components.pop();
        }
        let is_deep = components.first().is_some_and(|name| name == "**");
        while components.first().is_some_and(|name| name == "**") {
            components.remove(0);
        }
        match components.is_empty() {
            true if is_all => Ok(Self { components: vec!["*".to_owned()], anchor }),
            true => Err(wrong("nothing to match")),
            false => Ok(Self { anchor: if is_deep { anchor.deep() } else { anchor }, components }),
        }
    }

    /// The name, where it is a single one that may stand anywhere.
    pub fn name(&self) -> Option<&str> {
        match &self.components[..] {
            [name] if self.anchor == Anchor::Anywhere => Some(name),
            _ => None,
        }
    }

    /// Whether more than `*` and `?` in single components is to be understood.
    pub fn is_glob(&self) -> bool {
        self.components.iter().any(|name| name == "**" || name.contains(['[', '{']))
    }
}

impl Anchor {
    /// What a `**` makes of it at the beginning. A rule for the whole file system stays one.
    fn deep(self) -> Self {
        match self {
            Self::FileSystem => Self::FileSystem,
            Self::Anywhere | Self::Roots | Self::Repository => Self::Anywhere,
        }
    }

    /// Whether it may begin where a path does.
    fn fits(self, is_absolute: bool) -> bool {
        match self {
            Self::Anywhere | Self::Roots => true,
            Self::FileSystem => is_absolute,
            Self::Repository => !is_absolute,
        }
    }
}

/// A pattern that is not a mere name or extension.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    how: How,
    anchor: Anchor,
    /// The number of the pattern.
    pub pattern: usize,
}

/// How paths are held against it.
#[derive(Debug, Clone)]
enum How {
    Components(Vec<String>),
    Globs(GlobSet),
}

impl Rule {
    /// The rule of components, in which brackets and braces stand for themselves.
    pub fn plain(written: Written, pattern: usize) -> Self {
        let Written { components, anchor } = written;
        Self { how: How::Components(components), anchor, pattern }
    }

    /// The rule of what is a glob.
    pub fn glob(written: &Written, typed: &str, pattern: usize) -> Result<Self, GlobError> {
        let path = written.components.join("/");
        let prefix = if written.anchor == Anchor::Anywhere { "**/" } else { "" };
        let mut set = GlobSetBuilder::new();
        for meaning in [format!("{prefix}{path}"), format!("{prefix}{path}/**")] {
            let mut glob = GlobBuilder::new(&meaning);
            let glob = glob.literal_separator(true).empty_alternates(true).build();
            set.add(glob.map_err(|error| wrong(typed, error.kind().to_string()))?);
        }
        let set = set.build().map_err(|error| wrong(typed, error.kind().to_string()))?;
        Ok(Self { how: How::Globs(set), anchor: written.anchor, pattern })
    }

    /// Whether it denies a path from the root of the file system by where it begins.
    pub fn is_of_file_system(&self) -> bool {
        matches!(self.anchor, Anchor::Roots | Anchor::FileSystem)
    }

    /// Whether it denies a path, given by its components in lower case.
    pub fn matches(&self, path: &[&str], is_absolute: bool) -> bool {
        if !self.anchor.fits(is_absolute) {
            return false;
        }
        let components = match &self.how {
            How::Globs(set) => return set.is_match(path.join("/")),
            How::Components(components) => components,
        };
        let here =
            |names: &[&str]| names.iter().zip(components).all(|(name, part)| wildcard(part, name));
        match self.anchor {
            Anchor::Anywhere => path.windows(components.len()).any(here),
            _ => path.get(..components.len()).is_some_and(here),
        }
    }
}

fn wrong(pattern: &str, reason: String) -> GlobError {
    GlobError::Invalid { glob: pattern.trim().to_owned(), reason }
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters and `?` for one.
fn wildcard(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                // The last star takes one character more.
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                p = star + 1;
                n = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_take_back_what_a_star_took_too_early() {
        assert!(wildcard("*ab*c", "aabxabc"));
        assert!(wildcard("?*", "x"));
        assert!(!wildcard("?*", ""));
        assert!(!wildcard("*.a", "x.ab"));
    }
}
