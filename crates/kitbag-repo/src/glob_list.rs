//! A few globs for a few paths, as rules have them.
//!
//! A [`crate::Globs`] is compiled for thousands of paths, and takes half a millisecond for that. This
//! is ready in microseconds, since its automaton is built while it reads, and it tells which glob
//! it was that matched. The globs themselves are read by the same library.

use crate::globs::{GlobError, meanings};
use globset::GlobBuilder;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// The most bytes that the automaton of a list may take.
const MOST_BYTES: usize = 10 << 20;

/// Globs, of which the first that matches a path is told.
#[derive(Debug, Clone, Default)]
pub struct GlobList {
    automaton: Option<Regex>,
    /// The number of the glob that each of the automaton's patterns stands for.
    globs: Vec<usize>,
}

impl GlobList {
    /// Globs as [`crate::Globs`] reads them: a name at any depth, a folder with all that is in it.
    pub fn names<S: AsRef<str>>(globs: &[S]) -> Result<Self, GlobError> {
        let mut patterns = Vec::new();
        for (number, glob) in globs.iter().enumerate() {
            let glob = glob.as_ref();
            for meaning in meanings(glob)? {
                patterns.push((number, expression(&meaning, glob)?));
            }
        }
        Self::build(patterns)
    }

    /// Globs that each describe the whole path from the root. What is wrong with some of them is
    /// told, and the others are taken.
    pub fn whole<S: AsRef<str>>(globs: &[S]) -> (Self, Vec<GlobError>) {
        let (mut patterns, mut wrong) = (Vec::new(), Vec::new());
        for (number, glob) in globs.iter().enumerate() {
            let glob = glob.as_ref();
            match expression(glob.strip_prefix("./").unwrap_or(glob), glob) {
                Ok(pattern) => patterns.push((number, pattern)),
                Err(error) => wrong.push(error),
            }
        }
        let list = Self::build(patterns).unwrap_or_else(|error| {
            wrong.push(error);
            Self::default()
        });
        (list, wrong)
    }

    /// The number of the first glob that matches a path, relative to the root.
    pub fn first(&self, path: &str) -> Option<usize> {
        let found = self.automaton.as_ref()?.find(path)?;
        self.globs.get(found.pattern().as_usize()).copied()
    }

    fn build(patterns: Vec<(usize, String)>) -> Result<Self, GlobError> {
        let (globs, patterns): (Vec<usize>, Vec<String>) = patterns.into_iter().unzip();
        let config = Regex::config()
            .utf8_empty(false)
            .auto_prefilter(false)
            .dfa(false)
            .onepass(false)
            .nfa_size_limit(Some(MOST_BYTES));
        let automaton = Regex::builder()
            .syntax(syntax::Config::new().utf8(false).dot_matches_new_line(true))
            .configure(config)
            .build_many(&patterns)
            .map_err(|error| GlobError::TooLarge { reason: error.to_string() })?;
        Ok(Self { automaton: Some(automaton), globs })
    }
}

/// The expression that stands for `meaning`, which the glob `typed` has.
fn expression(meaning: &str, typed: &str) -> Result<String, GlobError> {
    let glob = GlobBuilder::new(meaning).literal_separator(true).build().map_err(|error| {
        GlobError::Invalid { glob: typed.to_owned(), reason: error.kind().to_string() }
    })?;
    Ok(glob.regex().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Globs;

    const PATHS: [&str; 9] = [
        "main.rs",
        "src/lib.rs",
        "src/a/b.rs",
        "src/a/b.py",
        "tests/src/x.rs",
        "docs/a.md",
        "docs/ä b.md",
        "a\nb.rs",
        "",
    ];

    #[test]
    fn names_mean_what_they_mean_elsewhere() {
        let globs =
            ["*.py", "src", "./src/a", "/src/", "*.{md,py}", "src/**/*.rs", "[a-m]*", "?.md"];
        for glob in globs {
            let (list, set) =
                (GlobList::names(&[glob]).unwrap(), Globs::new(&[glob], &[]).unwrap());
            for path in PATHS {
                assert_eq!(list.first(path).is_some(), set.accepts(path), "{glob} on {path:?}");
            }
        }
    }

    #[test]
    fn a_whole_glob_is_the_whole_path() {
        let (list, wrong) = GlobList::whole(&["*.rs", "{a", "src/*.rs", "**/*.rs"]);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        let first: Vec<Option<usize>> = PATHS[..4].iter().map(|path| list.first(path)).collect();
        assert_eq!(first, [Some(0), Some(2), Some(3), None]);
    }

    #[test]
    fn of_several_the_first_is_told() {
        let list = GlobList::names(&["docs", "*.rs", "src"]).unwrap();
        assert_eq!(list.first("src/lib.rs"), Some(1));
        assert_eq!(list.first("src/a/b.py"), Some(2));
        assert_eq!(GlobList::names::<&str>(&[]).unwrap().first("a"), None);
    }

    #[test]
    fn a_bad_glob_is_named() {
        let error = GlobList::names(&["*.rs", "src/[a"]).unwrap_err();
        assert!(error.to_string().ends_with("in the glob `src/[a`"), "{error}");
        assert!(GlobList::names(&["/"]).is_err());
    }
}
