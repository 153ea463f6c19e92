//! The trait that every token counter implements.

use std::ops::{Add, AddAssign, Sub};

/// The contribution of a piece of text to a token count, in a form that can be summed.
///
/// For a vocabulary, `main` is the number of tokens. For an estimator, the two fields are the inputs
/// of its formula, so that rounding happens once, over the whole text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measure {
    /// Tokens, characters or words.
    pub main: u32,
    /// Second input of the formula, or 0 if it has only one.
    pub extra: u32,
}

impl Add for Measure {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            main: self.main.saturating_add(other.main),
            extra: self.extra.saturating_add(other.extra),
        }
    }
}

impl AddAssign for Measure {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Measure {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            main: self.main.saturating_sub(other.main),
            extra: self.extra.saturating_sub(other.extra),
        }
    }
}

/// Counts tokens as one model or one formula does.
pub trait TokenCounter: Send + Sync {
    /// Name used in reports, such as `o200k_base`.
    fn name(&self) -> &str;

    /// Whether counts are the model's own rather than estimates.
    fn is_exact(&self) -> bool;

    /// Name of the counter with the same measures, which can share its tallies: its own, unless it
    /// multiplies the counts of another.
    fn measure_name(&self) -> &str {
        self.name()
    }

    /// Describes how far an estimate may be off and how that was measured; `None` for an exact count.
    fn error_margin(&self) -> Option<&str> {
        None
    }

    /// Measures `text`.
    fn measure(&self, text: &str) -> Measure;

    /// Converts a sum of measures to tokens.
    fn tokens(&self, measure: Measure) -> usize;

    /// Whether measures can be summed between two lines, the first of which ends in a newline: if so,
    /// `measure(a + b) == measure(a) + measure(b)` for every `a` that ends in the line `previous`
    /// and every `b` that begins with `line`.
    fn is_additive_between(&self, previous: &str, line: &str) -> bool;

    /// Whether measures can be summed between any text that ends in `before` and any that begins with
    /// `after`, both on one line. Must be `false` unless this is certain.
    fn is_additive_at(&self, _before: char, _after: char) -> bool {
        false
    }

    /// Whether the measures of a text's parts, split before lines that begin with ASCII punctuation other
    /// than a slash, always add up to the count of the whole. If not, the packer recounts the whole
    /// text for every chunk it tries.
    fn has_exact_sums(&self) -> bool {
        true
    }

    /// Counts the tokens of `text`; 0 for the empty text.
    fn count(&self, text: &str) -> usize {
        self.tokens(self.measure(text))
    }
}
