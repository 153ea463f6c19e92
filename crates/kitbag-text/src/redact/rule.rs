//! What a rule is, and where its expression is tried.

use super::guard;
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;

/// How far an expression is tried from its keyword on, in bytes: where the keyword begins a word,
/// where it may stand anywhere, and on either side of it. A line of a megabyte that is full of
/// keywords must not cost more than others. A secret that is longer is followed to its end.
const REACH: usize = 4_096;
const WITHIN_REACH: usize = 640;
const LINE_REACH: usize = 256;

/// A kind of secret: a line of the tables.
pub(super) struct Rule {
    /// Its name, in markers and reports.
    pub id: &'static str,
    /// What it finds.
    pub description: &'static str,
    /// One of these stands in or beside every such secret. They are looked for as they are written.
    pub keywords: &'static [&'static str],
    /// What the secret looks like: group 1, or all of it. ASCII alone.
    pub pattern: &'static str,
    /// Where the expression is tried.
    pub place: Place,
    /// Tells whether what matched is a secret.
    pub guard: fn(&Candidate<'_>) -> bool,
}

/// Where an expression is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// From the keyword on, which begins a word.
    Start,
    /// From the keyword on, which may stand within a word.
    Within,
    /// Anywhere on the keyword's line, not far from it.
    Line,
    /// It has lines of its own, and code of its own that finds them.
    Block,
}

/// What matched.
pub(super) struct Candidate<'a> {
    pub content: &'a str,
    pub keyword: Range<usize>,
    pub secret: Range<usize>,
}

impl<'a> Candidate<'a> {
    pub fn value(&self) -> &'a str {
        &self.content[self.secret.clone()]
    }
}

/// A token whose first characters say whose it is.
pub(super) const fn token(
    id: &'static str,
    description: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    let guard = guard::is_no_placeholder;
    Rule { id, description, keywords, pattern, place: Place::Start, guard }
}

/// A token that only the words beside it tell.
pub(super) const fn beside(
    id: &'static str,
    description: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule { place: Place::Line, ..token(id, description, keywords, pattern) }
}

/// A value that is assigned to a name which ends in the keyword.
pub(super) const fn value(
    id: &'static str,
    description: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule { place: Place::Within, ..token(id, description, keywords, pattern) }
}

impl Rule {
    /// The same rule with another guard.
    pub const fn guarded(self, guard: fn(&Candidate<'_>) -> bool) -> Self {
        Self { guard, ..self }
    }

    pub fn compile(&self) -> Regex {
        let pattern = match self.place {
            Place::Line | Place::Block => self.pattern.to_owned(),
            Place::Start | Place::Within => format!(r"\A(?:{})", self.pattern),
        };
        RegexBuilder::new(&pattern)
            .unicode(false)
            .build()
            .expect("a test compiles the expressions of all rules")
    }
}

/// Whether a word may begin at `at`: after no letter or digit, or after an escape such as `\n`.
pub(super) fn is_boundary(content: &[u8], at: usize) -> bool {
    let Some(&before) = content[..at].last() else { return true };
    if !before.is_ascii_alphanumeric() && before != b'_' {
        return true;
    }
    match content[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    }
}

/// The part of the keyword's line that an expression is tried on.
pub(super) fn window(place: Place, content: &str, keyword: &Range<usize>) -> Range<usize> {
    match place {
        Place::Start => keyword.start..end_within(content, keyword.start, REACH),
        Place::Within => keyword.start..end_within(content, keyword.start, WITHIN_REACH),
        Place::Line | Place::Block => around(content, keyword),
    }
}

/// The end of a secret that reaches to the end of what was looked at: that of its characters.
pub(super) fn followed(content: &str, end: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_~.-".contains(byte);
    let more = content.as_bytes()[end..].iter().take_while(|byte| is_part(byte)).count();
    end + more
}

fn around(content: &str, keyword: &Range<usize>) -> Range<usize> {
    let from = keyword.start.saturating_sub(LINE_REACH);
    let before = &content.as_bytes()[from..keyword.start];
    let start = memchr::memrchr(b'\n', before).map_or(from, |at| from + at + 1);
    start..end_within(content, keyword.end, LINE_REACH)
}

fn end_within(content: &str, at: usize, reach: usize) -> usize {
    let bytes = content.as_bytes();
    let most = (at + reach).min(bytes.len());
    let end = memchr::memchr(b'\n', &bytes[at..most]).map_or(most, |end| at + end);
    if end > at && bytes[end - 1] == b'\r' { end - 1 } else { end }
}
