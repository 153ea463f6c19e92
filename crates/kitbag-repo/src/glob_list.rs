//! A list of globs, compiled into one automaton.
//!
//! `globset` parses the globs, but its `GlobSet` takes half a millisecond to compile even a few, and most
//! lists are used for few paths. The automaton here is ready in microseconds, since it is determinized
//! during the search, and it reports which glob matched.

use globset::GlobBuilder;
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use thiserror::Error;

const MAX_AUTOMATON_BYTES: usize = 10 << 20;

/// A glob that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GlobError {
    /// The glob is malformed.
    #[error("invalid glob `{glob}`: {reason}")]
    Invalid {
        /// The glob as given.
        glob: String,
        /// The problem with the glob.
        reason: String,
    },
    /// The automaton of all globs exceeds its size limit.
    #[error("the globs are too large: {reason}")]
    TooLarge {
        /// The compiler's message.
        reason: String,
    },
}

impl GlobError {
    pub(crate) fn invalid(glob: &str, reason: impl ToString) -> Self {
        Self::Invalid { glob: glob.to_owned(), reason: reason.to_string() }
    }
}

/// Globs that are matched against paths relative to the root.
#[derive(Debug, Clone, Default)]
pub struct GlobList {
    automaton: Option<Regex>,
    /// The index of the glob that each pattern of the automaton comes from.
    indices: Vec<usize>,
}

impl GlobList {
    /// Compiles globs that match a name at any depth or, with a `/`, a path from the root. A folder that
    /// matches includes everything in it.
    pub fn new<S: AsRef<str>>(globs: &[S]) -> Result<Self, GlobError> {
        let mut regexes = Vec::new();
        for (index, glob) in globs.iter().map(AsRef::as_ref).enumerate() {
            for expanded in expand(glob)? {
                regexes.push((index, to_regex(&expanded, glob, false)?));
            }
        }
        Self::compile(regexes)
    }

    /// Compiles globs that match whole paths from the root. Invalid ones are left out and returned as
    /// errors.
    pub fn anchored<S: AsRef<str>>(globs: &[S]) -> (Self, Vec<GlobError>) {
        let (mut regexes, mut errors) = (Vec::new(), Vec::new());
        for (index, glob) in globs.iter().map(AsRef::as_ref).enumerate() {
            match to_regex(glob.strip_prefix("./").unwrap_or(glob), glob, false) {
                Ok(regex) => regexes.push((index, regex)),
                Err(error) => errors.push(error),
            }
        }
        let list = Self::compile(regexes).unwrap_or_else(|error| {
            errors.push(error);
            Self::default()
        });
        (list, errors)
    }

    /// Returns the index of the first glob that matches `path`.
    pub fn first_match(&self, path: &str) -> Option<usize> {
        let found = self.automaton.as_ref()?.search_half(&Input::new(path))?;
        self.indices.get(found.pattern().as_usize()).copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// Compiles regexes, each with the index that [`Self::first_match`] returns for it.
    pub(crate) fn compile(regexes: Vec<(usize, String)>) -> Result<Self, GlobError> {
        if regexes.is_empty() {
            return Ok(Self::default());
        }
        let (indices, regexes): (Vec<usize>, Vec<String>) = regexes.into_iter().unzip();
        let config = Regex::config()
            .utf8_empty(false)
            .auto_prefilter(false)
            .dfa(false)
            .onepass(false)
            .nfa_size_limit(Some(MAX_AUTOMATON_BYTES));
        let automaton = Regex::builder()
            .syntax(syntax::Config::new().utf8(false).dot_matches_new_line(true))
            .configure(config)
            .build_many(&regexes)
            .map_err(|error| GlobError::TooLarge { reason: error.to_string() })?;
        Ok(Self { automaton: Some(automaton), indices })
    }
}

/// Translates a glob over whole paths into a regex. An error names `typed`, the glob as the user wrote
/// it.
pub(crate) fn to_regex(
    glob: &str,
    typed: &str,
    empty_alternates: bool,
) -> Result<String, GlobError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .empty_alternates(empty_alternates)
        .build()
        .map(|glob| glob.regex().to_owned())
        .map_err(|error| GlobError::invalid(typed, error.kind()))
}

/// Returns globs over whole paths that together mean `glob`: the file or folder itself, and everything
/// beneath it.
fn expand(glob: &str) -> Result<impl Iterator<Item = String> + use<>, GlobError> {
    let rest = glob.strip_prefix("./").unwrap_or(glob);
    let path = rest.trim_matches('/');
    if path.is_empty() {
        return Err(GlobError::invalid(glob, "nothing to match"));
    }
    let is_name = !rest.starts_with('/') && !path.contains('/');
    let prefix = if is_name { "**/" } else { "" };
    let itself = (!rest.ends_with('/')).then(|| format!("{prefix}{path}"));
    Ok(itself.into_iter().chain([format!("{prefix}{path}/**")]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use globset::GlobSetBuilder;

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
    fn matches_are_those_of_globset() {
        for glob in
            ["*.py", "src", "./src/a", "/src/", "*.{md,py}", "src/**/*.rs", "[a-m]*", "?.md"]
        {
            let mut set = GlobSetBuilder::new();
            for expanded in expand(glob).unwrap() {
                set.add(GlobBuilder::new(&expanded).literal_separator(true).build().unwrap());
            }
            let (list, set) = (GlobList::new(&[glob]).unwrap(), set.build().unwrap());
            for path in PATHS {
                let is_match = list.first_match(path).is_some();
                assert_eq!(is_match, set.is_match(path), "{glob} on {path:?}");
            }
        }
    }

    #[test]
    fn anchored_globs_match_whole_paths() {
        let (list, errors) = GlobList::anchored(&["*.rs", "{a", "src/*.rs", "**/*.rs"]);
        assert_eq!(errors.len(), 1, "{errors:?}");
        let first: Vec<_> = PATHS[..4].iter().map(|path| list.first_match(path)).collect();
        assert_eq!(first, [Some(0), Some(2), Some(3), None]);
    }

    #[test]
    fn first_of_several_matches_is_reported() {
        let list = GlobList::new(&["docs", "*.rs", "src"]).unwrap();
        assert_eq!(list.first_match("src/lib.rs"), Some(1));
        assert_eq!(list.first_match("src/a/b.py"), Some(2));
        assert_eq!(GlobList::new::<&str>(&[]).unwrap().first_match("a"), None);
    }

    #[test]
    fn error_names_the_glob() {
        let error = GlobList::new(&["*.rs", "src/[a"]).unwrap_err();
        assert!(error.to_string().starts_with("invalid glob `src/[a`: "), "{error}");
        assert!(GlobList::new(&["/"]).is_err());
    }
}
