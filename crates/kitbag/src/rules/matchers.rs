//! Explicit matchers: globs over paths, languages, kinds, words and expressions. They decide without
//! a model, and always: what is not there does not match.
//!
//! The items of one matcher are alternatives; a rule with several matchers wants all of them.

use super::situation::Situation;
use super::truth::Truth;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use kitbag_repo::{GlobError, Globs};
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
#[derive(Debug, Clone)]
pub(super) enum PathGlobs {
    /// As `--include` has them: a name at any depth, a folder with all that is in it. Those that
    /// begin with `!` take paths out again.
    Ours { patterns: Vec<String>, globs: Globs },
    /// As the makers of other conventions have them: each describes the whole path from the root,
    /// and `*` stops at a slash.
    Whole { patterns: Vec<String>, set: GlobSet },
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
    /// Globs as Kitbag has them everywhere. What is wrong with one is told by its number.
    pub fn ours(patterns: &[String]) -> Result<Self, (usize, String)> {
        let (mut include, mut exclude) = (Vec::new(), Vec::new());
        for (number, pattern) in patterns.iter().enumerate() {
            check_length(pattern).map_err(|error| (number, error))?;
            match pattern.strip_prefix('!') {
                Some(plain) => exclude.push(plain),
                None => include.push(pattern.as_str()),
            }
        }
        let globs = Globs::new(&include, &exclude).map_err(|error| {
            let is_wrong = |pattern: &&str| match &error {
                GlobError::Invalid { glob, .. } => glob == pattern,
                GlobError::TooLarge { .. } => false,
            };
            let plain = |pattern: &String| pattern.trim_start_matches('!').to_owned();
            let number = patterns.iter().position(|it| is_wrong(&plain(it).as_str()));
            (number.unwrap_or(0), error.to_string())
        })?;
        Ok(Self::Ours { patterns: patterns.to_vec(), globs })
    }

    /// Globs that describe whole paths, and what is wrong with those that are left out.
    pub fn whole(patterns: &[String]) -> (Self, Vec<String>) {
        let (mut kept, mut wrong) = (Vec::new(), Vec::new());
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let plain = pattern.strip_prefix("./").unwrap_or(pattern);
            let built = check_length(pattern).and_then(|()| {
                let glob = GlobBuilder::new(plain).literal_separator(true).build();
                glob.map_err(|error| format!("{} in the glob `{pattern}`", error.kind()))
            });
            match built {
                Ok(glob) => {
                    set.add(glob);
                    kept.push(pattern.clone());
                }
                Err(error) => wrong.push(error),
            }
        }
        let set = set.build().unwrap_or_else(|error| {
            wrong.push(format!("the globs are too large: {error}"));
            kept.clear();
            GlobSet::empty()
        });
        (Self::Whole { patterns: kept, set }, wrong)
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
        match self {
            Self::Ours { patterns, globs } => {
                if !globs.accepts(path) {
                    return None;
                }
                // Which of them it is, is looked for only where one is known to match.
                let alone = |pattern: &&String| {
                    !pattern.starts_with('!')
                        && Globs::new(&[pattern.as_str()], &[]).is_ok_and(|it| it.accepts(path))
                };
                patterns.iter().find(alone).or(patterns.first()).map(String::as_str)
            }
            Self::Whole { patterns, set } => {
                set.matches(path).first().map(|&number| patterns[number].as_str())
            }
        }
    }

    fn listed(&self) -> String {
        let (Self::Ours { patterns, .. } | Self::Whole { patterns, .. }) = self;
        let patterns: Vec<String> = patterns.iter().map(|it| format!("`{it}`")).collect();
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
