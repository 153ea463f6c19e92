//! Which files a person wants: `--include` and `--exclude`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use thiserror::Error;

/// A glob that cannot be used.
#[derive(Debug, Error)]
pub enum GlobError {
    /// It is not a glob.
    #[error("{reason} in the glob `{glob}`")]
    Invalid {
        /// The glob as it was given.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// All globs together are too much.
    #[error("the globs are too large: {reason}")]
    TooLarge {
        /// What the compiler of globs said.
        reason: String,
    },
}

/// The files to take and the files to leave out. The default takes everything.
///
/// A glob without `/` matches a file or a folder of that name at any depth, one with `/` the path
/// from the root. A folder that matches stands for everything in it. `*` stops at `/`, `**` does
/// not.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Globs {
    /// Compiles both lists. An empty `include` takes everything.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, GlobError> {
        Ok(Self { include: compile(include)?, exclude: compile(exclude)? })
    }

    /// Whether they take everything.
    pub fn take_all(&self) -> bool {
        self.include.is_none() && self.exclude.is_none()
    }

    /// Whether the file is wanted. The path is relative to the root.
    pub fn accepts(&self, path: &str) -> bool {
        self.include.as_ref().is_none_or(|set| set.is_match(path)) && !self.excludes(path)
    }

    /// Whether the file or folder, and with it everything beneath, is left out.
    pub fn excludes(&self, path: &str) -> bool {
        self.exclude.as_ref().is_some_and(|set| set.is_match(path))
    }
}

fn compile<S: AsRef<str>>(globs: &[S]) -> Result<Option<GlobSet>, GlobError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        add(&mut set, glob.as_ref())?;
    }
    set.build().map(Some).map_err(|error| GlobError::TooLarge { reason: error.to_string() })
}

/// Adds a glob in all its meanings.
fn add(set: &mut GlobSetBuilder, glob: &str) -> Result<(), GlobError> {
    for meaning in meanings(glob)? {
        let built =
            GlobBuilder::new(&meaning).literal_separator(true).build().map_err(|error| {
                GlobError::Invalid { glob: glob.to_owned(), reason: error.kind().to_string() }
            })?;
        set.add(built);
    }
    Ok(())
}

/// What a glob stands for, as globs over whole paths: the thing itself, and everything beneath it.
pub(crate) fn meanings(glob: &str) -> Result<impl Iterator<Item = String> + use<>, GlobError> {
    let rest = glob.strip_prefix("./").unwrap_or(glob);
    let rooted = rest.starts_with('/');
    let trimmed = rest.trim_matches('/');
    if trimmed.is_empty() {
        let reason = "nothing to match".to_owned();
        return Err(GlobError::Invalid { glob: glob.to_owned(), reason });
    }
    let anywhere = !rooted && !trimmed.contains('/');
    let prefix = if anywhere { "**/" } else { "" };
    let itself = (!rest.ends_with('/')).then(|| format!("{prefix}{trimmed}"));
    Ok(itself.into_iter().chain([format!("{prefix}{trimmed}/**")]))
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
    fn a_glob_matches_names_paths_and_folders() {
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
    fn a_bad_glob_is_named() {
        let error = Globs::new(&["*.rs", "src/[a"], &[]).unwrap_err();
        assert!(error.to_string().ends_with("in the glob `src/[a`"), "{error}");
        assert!(Globs::new(&[""], &[]).is_err());
        assert!(Globs::new(&[], &["/"]).is_err());
    }
}
