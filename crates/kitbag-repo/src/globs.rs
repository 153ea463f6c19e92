//! Globs that choose files: `--include` and `--exclude`.

use crate::{GlobError, GlobList};

/// Globs of files to include and to exclude. The default accepts every file.
///
/// A glob without `/` matches a file or folder of that name at any depth, one with `/` a path from the
/// root. A folder that matches includes everything in it. `*` stops at `/`, `**` does not.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    include: GlobList,
    exclude: GlobList,
}

impl Globs {
    /// Compiles both lists. An empty `include` accepts everything.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, GlobError> {
        Ok(Self { include: GlobList::new(include)?, exclude: GlobList::new(exclude)? })
    }

    /// Returns whether every file is accepted.
    pub fn accepts_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Returns whether only some files are included.
    pub(crate) fn has_includes(&self) -> bool {
        !self.include.is_empty()
    }

    /// Returns whether a file is included and not excluded. The path is relative to the root.
    pub fn accepts(&self, path: &str) -> bool {
        let is_included = self.include.is_empty() || self.include.first_match(path).is_some();
        is_included && !self.excludes(path)
    }

    /// Returns whether a file, or a folder with everything in it, is excluded.
    pub(crate) fn excludes(&self, path: &str) -> bool {
        self.exclude.first_match(path).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(include: &[&str], exclude: &[&str]) -> Vec<&'static str> {
        let globs = Globs::new(include, exclude).unwrap();
        ["main.rs", "src/lib.rs", "src/a/b.rs", "src/a/b.py", "tests/src/x.rs", "docs/a.md"]
            .into_iter()
            .filter(|path| globs.accepts(path))
            .collect()
    }

    #[test]
    fn globs_match_names_paths_and_folders() {
        assert_eq!(accepted(&["*.py", "*.md"], &[]), ["src/a/b.py", "docs/a.md"]);
        assert_eq!(accepted(&["src/*.rs"], &[]), ["src/lib.rs"]);
        assert_eq!(accepted(&["src/**/*.rs"], &[]), ["src/lib.rs", "src/a/b.rs"]);
        assert_eq!(accepted(&["./src/a"], &[]), ["src/a/b.rs", "src/a/b.py"]);
        assert_eq!(accepted(&["/src/"], &["*.py"]), ["src/lib.rs", "src/a/b.rs"]);
        assert_eq!(accepted(&["*.{md,py}"], &["docs"]), ["src/a/b.py"]);
        assert_eq!(accepted(&[], &["src", "*.md"]), ["main.rs"]);
        assert_eq!(accepted(&["main.rs/"], &[]), [""; 0]);
    }

    #[test]
    fn error_names_the_glob() {
        let error = Globs::new(&["*.rs", "src/[a"], &[]).unwrap_err();
        assert!(error.to_string().starts_with("invalid glob `src/[a`: "), "{error}");
        assert!(Globs::new(&[""], &[]).is_err());
        assert!(Globs::new(&[], &["/"]).is_err());
    }
}
