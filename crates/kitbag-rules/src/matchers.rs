//! Matchers: globs, languages, kinds, words and expressions. They decide without a model and are never
//! undecided.
//!
//! The items of one matcher are alternatives; all matchers of a rule must match.

use crate::situation::Situation;
use kitbag_repo::{GlobError, GlobList};
use kitbag_text::Kind;
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;

/// Maximum length of a glob or an expression.
const MAX_PATTERN_BYTES: usize = 1_000;
/// Maximum number of items of a matcher.
pub(crate) const MAX_ITEMS: usize = 200;
/// Maximum memory of a compiled expression.
const MAX_EXPRESSION_BYTES: usize = 1 << 20;

/// The matchers of a rule. Without any, every situation matches.
#[derive(Debug, Clone, Default)]
pub struct Matchers {
    pub(crate) paths: Option<PathGlobs>,
    pub(crate) languages: Vec<String>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) words: Vec<String>,
    pub(crate) expressions: Vec<Regex>,
}

/// Globs over paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathGlobs {
    /// The globs as written, for messages.
    patterns: Vec<String>,
    /// The globs of `list`; if empty, every path is included.
    included: Vec<String>,
    list: GlobList,
    excluded: GlobList,
}

/// A situation, prepared for matching.
pub(crate) struct SituationView<'a> {
    situation: &'a Situation,
    pub text: String,
    languages: BTreeSet<String>,
    /// The words of the text, separated by spaces: as written, and with camel case split in two ways.
    words: [String; 3],
}

impl<'a> SituationView<'a> {
    pub fn new(situation: &'a Situation) -> Self {
        let text = situation.text();
        let words = [
            normalize(&text),
            normalize(&split_camel_case(&text, false)),
            normalize(&split_camel_case(&text, true)),
        ];
        Self { situation, languages: situation.languages(), words, text }
    }

    /// Returns the first path that is in a folder or the folder itself.
    pub fn path_in(&self, folder: &str) -> Option<&str> {
        let is_in = |path: &&String| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.situation.paths.iter().find(is_in).map(String::as_str)
    }

    /// Whether a path of the situation matches the globs.
    pub fn has_match(&self, globs: &PathGlobs) -> bool {
        self.situation.paths.iter().any(|path| globs.matches(path))
    }

    /// Whether the task mentions a rule: `@name`.
    pub fn mentions(&self, name: &str) -> bool {
        let task = &self.situation.task;
        let is_end = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        let mention = format!("@{name}");
        task.match_indices(&mention).any(|(at, _)| {
            let before = task[..at].chars().next_back();
            is_end(before) && is_end(task[at + mention.len()..].chars().next())
        })
    }
}

impl Matchers {
    /// Whether there are no matchers.
    pub fn is_empty(&self) -> bool {
        let Self { paths, languages, kinds, words, expressions } = self;
        paths.is_none()
            && languages.is_empty()
            && kinds.is_empty()
            && words.is_empty()
            && expressions.is_empty()
    }

    /// Describes the matches if all matchers match, else the first mismatch as the error.
    pub(crate) fn decide(&self, view: &SituationView<'_>) -> Result<String, String> {
        let all = [
            self.paths.as_ref().map(|globs| globs.decide(&view.situation.paths)),
            first_match(&self.languages, "language", |it| {
                view.languages.contains(&it.to_lowercase())
            }),
            first_match(&self.kinds, "kind", |it| view.situation.kinds.contains(it)),
            first_match(&self.words, "word", |it| {
                let phrase = normalize(it);
                phrase.len() > 2 && view.words.iter().any(|words| words.contains(&phrase))
            }),
            first_match(&self.expressions, "expression", |it| it.is_match(&view.text)),
        ];
        let matched: Result<Vec<String>, String> = all.into_iter().flatten().collect();
        Ok(matched?.join(", "))
    }
}

/// Describes the first item that matches, or that none does. Returns `None` without items.
fn first_match<T: std::fmt::Display>(
    items: &[T],
    what: &str,
    matches: impl Fn(&T) -> bool,
) -> Option<Result<String, String>> {
    if items.is_empty() {
        return None;
    }
    let found = items.iter().find(|item| matches(item));
    Some(match found {
        Some(item) => Ok(format!("the {what} `{item}`")),
        None => Err(format!("no {what} of {}", quoted_list(items))),
    })
}

impl PathGlobs {
    /// Compiles globs with the syntax of `--include`; those that start with `!` exclude paths. An error
    /// has the number of its pattern.
    pub fn new(patterns: &[String]) -> Result<Self, (usize, String)> {
        for (number, pattern) in patterns.iter().enumerate() {
            check_length(pattern).map_err(|error| (number, error))?;
        }
        let (excluded, included): (Vec<String>, Vec<String>) =
            patterns.iter().cloned().partition(|pattern| pattern.starts_with('!'));
        let excluded: Vec<&str> = excluded.iter().map(|pattern| &pattern[1..]).collect();
        let with_number = |error: GlobError| {
            let is_invalid = |pattern: &String| {
                let plain = pattern.strip_prefix('!').unwrap_or(pattern);
                matches!(&error, GlobError::Invalid { glob, .. } if glob == plain)
            };
            (patterns.iter().position(is_invalid).unwrap_or(0), error.to_string())
        };
        let list = GlobList::new(&included).map_err(with_number)?;
        let excluded = GlobList::new(&excluded).map_err(with_number)?;
        Ok(Self { patterns: patterns.to_vec(), included, list, excluded })
    }

    /// Compiles globs as other tools do: each matches the whole path from the root, and `*` does not
    /// match a slash. Invalid globs are left out and returned as messages.
    pub fn anchored(mut patterns: Vec<String>) -> (Self, Vec<String>) {
        let mut invalid = Vec::new();
        patterns.retain(|pattern| match check_length(pattern) {
            Ok(()) => true,
            Err(error) => {
                invalid.push(error);
                false
            }
        });
        let (list, errors) = GlobList::anchored(&patterns);
        invalid.extend(errors.iter().map(GlobError::to_string));
        (Self { included: patterns.clone(), patterns, list, ..Self::default() }, invalid)
    }

    /// Describes the first path that matches a glob, or that none does.
    fn decide(&self, paths: &[String]) -> Result<String, String> {
        let found = paths.iter().find_map(|path| Some((path, self.matching_pattern(path)?)));
        match found {
            Some((path, pattern)) => Ok(format!("`{path}` matches `{pattern}`")),
            None if self.patterns.is_empty() => Err("no given file matches anything".to_owned()),
            None => Err(format!("no given file matches {}", quoted_list(&self.patterns))),
        }
    }

    /// Whether a path matches.
    pub fn matches(&self, path: &str) -> bool {
        self.matching_pattern(path).is_some()
    }

    fn matching_pattern(&self, path: &str) -> Option<&String> {
        if self.excluded.first_match(path).is_some() {
            return None;
        }
        if self.included.is_empty() {
            return self.patterns.first();
        }
        self.included.get(self.list.first_match(path)?)
    }
}

fn quoted_list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

/// Compiles a case-insensitive expression of bounded size.
pub(crate) fn expression(pattern: &str) -> Result<Regex, String> {
    check_length(pattern)?;
    let built = RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(MAX_EXPRESSION_BYTES)
        .dfa_size_limit(MAX_EXPRESSION_BYTES)
        .build();
    built.map_err(|error| {
        let message = error.to_string();
        let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
        format!("invalid expression `{pattern}`: {}", reason.trim_end_matches('.'))
    })
}

fn check_length(pattern: &str) -> Result<(), String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("pattern longer than {MAX_PATTERN_BYTES} bytes"));
    }
    Ok(())
}

/// Returns the words of a text in lower case, with a space before and after each.
fn normalize(text: &str) -> String {
    let mut words = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

/// Inserts a space before each capital that follows a lowercase letter or a digit
/// (`handleOAuthCallback`) and, if `in_capitals`, before the last capital of a run that a lowercase
/// letter follows (`HTTPServer`).
fn split_camel_case(text: &str, in_capitals: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut split = String::with_capacity(text.len() + text.len() / 8);
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let starts_word = c.is_uppercase()
            && before.is_some_and(|before| {
                let ends_run = in_capitals && after.is_some_and(|after| after.is_lowercase());
                !before.is_uppercase() || ends_run
            });
        if starts_word {
            split.push(' ');
        }
        split.push(c);
    }
    split
}
