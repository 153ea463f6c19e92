//! Explicit matchers: globs over paths, languages, kinds, words and expressions. They decide without
//! a model, and always: what is not there does not match.
//!
//! The items of one matcher are alternatives; a rule with several matchers wants all of them.

use super::situation::Situation;
use super::truth::Truth;
use kitbag_repo::{GlobError, GlobList};
use kitbag_text::Kind;
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;

/// The most bytes of a glob, a word or an expression.
const MOST_BYTES: usize = 1_000;
/// The most items of a matcher.
pub(super) const MOST_ITEMS: usize = 200;
/// The most memory that an expression may take.
const EXPRESSION_BYTES: usize = 1 << 20;

/// The matchers of a rule. With none of them, everything matches.
#[derive(Debug, Clone, Default)]
pub struct Matchers {
    pub(super) paths: Option<PathGlobs>,
    pub(super) languages: Vec<String>,
    pub(super) kinds: Vec<Kind>,
    pub(super) words: Vec<String>,
    pub(super) expressions: Vec<Regex>,
}

/// Globs over paths.
#[derive(Debug, Clone, Default)]
pub(super) struct PathGlobs {
    /// As they are written, for those who read.
    patterns: Vec<String>,
    /// The globs that take paths in, with the number of the pattern that each comes from; nothing
    /// where every path is in.
    wanted: Option<(GlobList, Vec<usize>)>,
    /// The globs that take paths out again.
    unwanted: Option<GlobList>,
}

/// A situation as matchers look at it.
pub(super) struct Seen<'a> {
    situation: &'a Situation,
    pub text: String,
    languages: BTreeSet<String>,
    /// The words of the text, each between spaces: as they stand, and with joined names taken apart.
    words: [String; 3],
}

impl<'a> Seen<'a> {
    pub fn new(situation: &'a Situation) -> Self {
        let text = situation.text();
        let words = [phrase(&text), phrase(&apart(&text, false)), phrase(&apart(&text, true))];
        Self { situation, languages: situation.languages(), words, text }
    }

    /// The first path that is a folder or lies in it.
    pub fn path_in(&self, folder: &str) -> Option<&str> {
        let is_in = |path: &&String| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.situation.paths.iter().find(is_in).map(String::as_str)
    }

    /// Whether the task names a rule, as chats do: `@name`.
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
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        let Self { paths, languages, kinds, words, expressions } = self;
        paths.is_none()
            && languages.is_empty()
            && kinds.is_empty()
            && words.is_empty()
            && expressions.is_empty()
    }

    /// Whether all of them match, and what says so: the matches, or the first that fails.
    pub(super) fn decide(&self, seen: &Seen<'_>) -> (Truth, String) {
        let all = [
            self.paths.as_ref().map(|globs| globs.decide(&seen.situation.paths)),
            any(&self.languages, "language", |it| seen.languages.contains(&it.to_lowercase())),
            any(&self.kinds, "kind", |it| seen.situation.kinds.contains(it)),
            any(&self.words, "word", |it| {
                let phrase = phrase(it);
                phrase.len() > 2 && seen.words.iter().any(|words| words.contains(&phrase))
            }),
            any(&self.expressions, "expression", |it| it.is_match(&seen.text)),
        ];
        let mut matched = Vec::new();
        for outcome in all.into_iter().flatten() {
            match outcome {
                Ok(reason) => matched.push(reason),
                Err(reason) => return (Truth::Fails, reason),
            }
        }
        (Truth::Holds, matched.join(", "))
    }
}

/// The first item that matches, in words, or that none does; nothing where there is no item.
fn any<T: std::fmt::Display>(
    items: &[T],
    what: &str,
    matches: impl Fn(&T) -> bool,
) -> Option<Result<String, String>> {
    if items.is_empty() {
        return None;
    }
    let listed = || items.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let found = items.iter().find(|item| matches(item));
    Some(match found {
        Some(item) => Ok(format!("the {what} `{item}`")),
        None => Err(format!("no {what} of {}", listed())),
    })
}

impl PathGlobs {
    /// Globs as Kitbag has them everywhere: a name at any depth, a folder with all that is in it.
    /// Those that begin with `!` take paths out. What is wrong with one is told by its number.
    pub fn ours(patterns: &[String]) -> Result<Self, (usize, String)> {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for (number, pattern) in patterns.iter().enumerate() {
            check_length(pattern).map_err(|error| (number, error))?;
            match pattern.strip_prefix('!') {
                Some(plain) => unwanted.push((number, plain)),
                None => wanted.push((number, pattern.as_str())),
            }
        }
        let list = |globs: &[(usize, &str)]| {
            let (numbers, globs): (Vec<usize>, Vec<&str>) = globs.iter().copied().unzip();
            let list = GlobList::names(&globs).map_err(|error| {
                let is_wrong =
                    |it: &&str| matches!(&error, GlobError::Invalid { glob, .. } if glob == it);
                let number = globs.iter().position(is_wrong).map_or(0, |at| numbers[at]);
                (number, error.to_string())
            })?;
            Ok((!globs.is_empty()).then_some((list, numbers)))
        };
        let (wanted, unwanted) = (list(&wanted)?, list(&unwanted)?.map(|(list, _)| list));
        Ok(Self { patterns: patterns.to_vec(), wanted, unwanted })
    }

    /// Globs as the makers of other conventions have them: each describes the whole path from the
    /// root, and `*` stops at a slash. What is wrong with those that are left out is told.
    pub fn whole(patterns: &[String]) -> (Self, Vec<String>) {
        let (mut patterns, mut wrong) = (patterns.to_vec(), Vec::new());
        patterns.retain(|pattern| match check_length(pattern) {
            Ok(()) => true,
            Err(error) => {
                wrong.push(error);
                false
            }
        });
        let (list, errors) = GlobList::whole(&patterns);
        wrong.extend(errors.iter().map(GlobError::to_string));
        let numbers = (0..patterns.len()).collect();
        (Self { patterns, wanted: Some((list, numbers)), unwanted: None }, wrong)
    }

    /// Which path matches which glob, in words, or that none does.
    fn decide(&self, paths: &[String]) -> Result<String, String> {
        let found = paths.iter().find_map(|path| Some((path, self.pattern_of(path)?)));
        match found {
            Some((path, pattern)) => Ok(format!("`{path}` matches `{pattern}`")),
            None => Err(format!("no file matches {}", self.listed())),
        }
    }

    fn pattern_of(&self, path: &str) -> Option<&str> {
        if self.unwanted.as_ref().is_some_and(|list| list.first(path).is_some()) {
            return None;
        }
        let number = match &self.wanted {
            Some((list, numbers)) => numbers[list.first(path)?],
            None => 0,
        };
        self.patterns.get(number).map(String::as_str)
    }

    fn listed(&self) -> String {
        let patterns: Vec<String> = self.patterns.iter().map(|it| format!("`{it}`")).collect();
        if patterns.is_empty() { "anything".to_owned() } else { patterns.join(", ") }
    }
}

/// An expression, bounded in what it may cost.
pub(super) fn expression(pattern: &str) -> Result<Regex, String> {
    check_length(pattern)?;
    let built = RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(EXPRESSION_BYTES)
        .dfa_size_limit(EXPRESSION_BYTES)
        .build();
    built.map_err(|error| {
        let told = error.to_string();
        let last = told.lines().last().unwrap_or_default().trim_start_matches("error: ");
        let last = last.trim_end_matches('.');
        format!("{last} in the expression `{pattern}`")
    })
}

fn check_length(pattern: &str) -> Result<(), String> {
    if pattern.len() > MOST_BYTES {
        return Err(format!("a pattern of more than {MOST_BYTES} bytes"));
    }
    Ok(())
}

/// The words of a text in lower case, each between spaces.
fn phrase(text: &str) -> String {
    let mut words = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

/// A text with a space before each capital that follows a small letter or a digit
/// (`handleOAuthCallback`) and, if wanted, before the last of several capitals that a small letter
/// follows (`HTTPServer`).
fn apart(text: &str, in_capitals: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut split = String::with_capacity(text.len() + text.len() / 8);
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                let goes_on = in_capitals && after.is_some_and(|after| after.is_lowercase());
                !before.is_uppercase() || goes_on
            });
        if begins {
            split.push(' ');
        }
        split.push(c);
    }
    split
}
