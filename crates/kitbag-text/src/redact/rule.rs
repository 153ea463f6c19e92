//! Rules and the part of the text that their regular expressions are matched against.

use super::candidate::SecretCandidate;
use super::guard;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;
use std::ops::Range;

/// MatchWindow sizes in bytes from the keyword, which bound the time for long lines that are full of keywords.
/// Longer secrets are extended to their end.
const START_WINDOW_BYTES: usize = 4_096;
const WITHIN_WINDOW_BYTES: usize = 640;
/// Applies to both sides of the keyword.
const LINE_WINDOW_BYTES: usize = 256;

/// Maximum size of a character class that is part of a prefix, such as `gh[pousr]_`.
const MAX_PREFIX_CLASS: usize = 9;

/// A kind of secret.
pub(super) struct SecretRule {
    /// Id used in markers and reports.
    pub id: &'static str,
    /// Kind of secret that it finds.
    pub description: &'static str,
    /// Words, one of which is in or near every such secret. Case-sensitive. If there are none, the
    /// expression begins with them.
    pub keywords: &'static [&'static str],
    /// Regular expression (ASCII only). The secret is group 1, or the whole match.
    pub pattern: &'static str,
    /// Part of the text that the expression is matched against.
    pub window: MatchWindow,
    /// Minimum distance between two keywords at which the rule is tried. A window that was searched contains the
    /// secrets near the keywords in it, and texts that are full of keywords take linear time.
    pub min_distance: usize,
    /// Decides whether a match is a secret.
    pub guard: fn(&SecretCandidate<'_>) -> bool,
}

/// Part of the text that an expression is matched against.
#[derive(Debug, Clone, Copy)]
pub(super) enum MatchWindow {
    /// From a keyword that begins a word.
    Start,
    /// From a keyword that may be within a word.
    Within,
    /// Around the keyword on its line.
    Line,
    /// Whatever a function finds at the keyword.
    Custom(fn(&str, Range<usize>) -> Vec<Range<usize>>),
    /// The value of a name, found by `names.rs` and `assignment.rs`.
    Name,
}

/// A token with a characteristic prefix.
pub(super) const fn rule(
    id: &'static str,
    description: &'static str,
    pattern: &'static str,
) -> SecretRule {
    let (window, guard) = (MatchWindow::Start, guard::is_not_placeholder);
    SecretRule { id, description, keywords: &[], pattern, window, min_distance: 0, guard }
}

/// A secret that a function finds at a keyword.
pub(super) const fn custom(
    id: &'static str,
    description: &'static str,
    keywords: &'static [&'static str],
    find: fn(&str, Range<usize>) -> Vec<Range<usize>>,
) -> SecretRule {
    let (window, guard) = (MatchWindow::Custom(find), guard::is_not_placeholder);
    SecretRule { id, description, keywords, pattern: "", window, min_distance: 0, guard }
}

impl SecretRule {
    /// Changes the rule to tokens that are only recognizable by a keyword on the same line.
    pub const fn near(self, keywords: &'static [&'static str]) -> Self {
        let min_distance = LINE_WINDOW_BYTES / 2;
        Self { keywords, window: MatchWindow::Line, min_distance, ..self }
    }

    /// Changes the rule to values assigned to a name that contains a keyword.
    pub const fn after(self, keywords: &'static [&'static str]) -> Self {
        Self { keywords, window: MatchWindow::Within, ..self }
    }

    /// Tries the rule again only at keywords that are this far from the last one.
    pub const fn at_distance(self, min_distance: usize) -> Self {
        Self { min_distance, ..self }
    }

    pub const fn with_guard(self, guard: fn(&SecretCandidate<'_>) -> bool) -> Self {
        Self { guard, ..self }
    }

    /// Returns the words at which the expression is tried: the keywords, or its literal prefixes.
    pub fn keywords(&self) -> Vec<Vec<u8>> {
        if matches!(self.window, MatchWindow::Name) {
            return self.keywords.iter().flat_map(|keyword| spellings(keyword)).collect();
        }
        if !self.keywords.is_empty() {
            return self.keywords.iter().map(|keyword| keyword.as_bytes().to_vec()).collect();
        }
        let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(self.pattern);
        let hir = parsed.expect("a test compiles all expressions");
        let mut prefixes = Extractor::new().limit_class(MAX_PREFIX_CLASS).extract(&hir);
        // Of two prefixes, one of which begins with the other, the shorter one suffices.
        prefixes.sort();
        prefixes.minimize_by_preference();
        let literals = prefixes.literals().expect("the expression of a token begins with a word");
        literals.iter().map(|literal| literal.as_bytes().to_vec()).collect()
    }

    pub fn compile(&self) -> Regex {
        let pattern = match self.window {
            MatchWindow::Line | MatchWindow::Custom(_) | MatchWindow::Name => {
                self.pattern.to_owned()
            }
            MatchWindow::Start | MatchWindow::Within => format!(r"\A(?:{})", self.pattern),
        };
        RegexBuilder::new(&pattern).unicode(false).build().expect("a test compiles all expressions")
    }
}

/// Returns a word in lowercase, in uppercase and with a capital. Other spellings are rare in names, and an automaton
/// that ignores case is slower.
fn spellings(word: &str) -> Vec<Vec<u8>> {
    let mut capitalized = word.as_bytes().to_vec();
    if let Some(letter) = capitalized.iter_mut().find(|it| it.is_ascii_alphabetic()) {
        letter.make_ascii_uppercase();
    }
    vec![word.as_bytes().to_vec(), word.to_ascii_uppercase().into_bytes(), capitalized]
}

/// Whether a word begins at `at`: not after a letter or digit, unless it ends an escape such as `\n`.
pub(super) fn is_boundary(content: &[u8], at: usize) -> bool {
    let Some(&before) = content[..at].last() else { return true };
    if !before.is_ascii_alphanumeric() {
        return true;
    }
    match content[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    }
}

impl MatchWindow {
    /// Returns the range for a keyword, which does not extend beyond its line.
    pub fn range(self, content: &str, keyword: &Range<usize>) -> Range<usize> {
        let from_keyword =
            |bytes| keyword.start..line_end(content, keyword.start, keyword.start + bytes);
        match self {
            Self::Start => from_keyword(START_WINDOW_BYTES),
            Self::Within => from_keyword(WITHIN_WINDOW_BYTES),
            Self::Line | Self::Custom(_) | Self::Name => around(content, keyword),
        }
    }
}

/// Returns the end of the token that contains `end`, for secrets that extend beyond the window.
pub(super) fn token_end(content: &str, end: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_~.-".contains(byte);
    end + content.as_bytes()[end..].iter().take_while(|byte| is_part(byte)).count()
}

fn around(content: &str, keyword: &Range<usize>) -> Range<usize> {
    let from = keyword.start.saturating_sub(LINE_WINDOW_BYTES);
    let before = &content.as_bytes()[from..keyword.start];
    let start = memchr::memrchr(b'\n', before).map_or(from, |at| from + at + 1);
    start..line_end(content, keyword.end, keyword.end + LINE_WINDOW_BYTES)
}

/// Returns the end of the line at `at`, but at most `limit`.
fn line_end(content: &str, at: usize, limit: usize) -> usize {
    let bytes = content.as_bytes();
    let limit = limit.min(bytes.len());
    let end = memchr::memchr(b'\n', &bytes[at..limit]).map_or(limit, |end| at + end);
    if end > at && bytes[end - 1] == b'\r' { end - 1 } else { end }
}
