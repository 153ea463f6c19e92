//! How many tokens a text costs: exact counters, estimators, and the cache of counts.
//!
//! [`TokenCounter`] is the seam: the vocabularies of [`Bpe`] and the two [`Estimator`]s implement
//! it, and a library user may add another. [`Tally`] answers the packer's question, "what do lines
//! 10 to 40 of this text cost?", exactly and without counting them again. [`Counting`] holds a
//! counter together with its cache.
//!
//! ```
//! use kitbag_tokens::Counting;
//! let counting = Counting::named("o200k_base").unwrap();
//! assert_eq!(counting.count("fn main() {}"), 4);
//! assert_eq!(counting.count(""), 0);
//! ```

mod bpe;
mod cache;
mod estimate;
mod models;
mod tally;

pub use bpe::{Bpe, Vocabulary};
pub use cache::{CacheStats, Counting, DEFAULT_CACHE_SIZE};
pub use estimate::Estimator;
pub use models::{Model, UnknownModel, model, models};
pub use tally::Tally;

use std::ops::{Add, AddAssign, Sub};

/// What a counter learns from one piece of text, in a form that adds.
///
/// For a vocabulary `main` is the number of tokens; for an estimator the two numbers are what its
/// formula is made of, so that rounding happens once, over the whole text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measure {
    /// Tokens, characters or words.
    pub main: u32,
    /// The formula's second ingredient, 0 where it has none.
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

/// Counts tokens the way one model, or one formula, does.
pub trait TokenCounter: Send + Sync {
    /// The name that reports carry, such as `o200k_base`.
    fn name(&self) -> &str;

    /// Whether the count is the model's own, and not an estimate.
    fn is_exact(&self) -> bool;

    /// What `text` adds to a count.
    fn measure(&self, text: &str) -> Measure;

    /// The tokens that a sum of measures stands for.
    fn tokens(&self, measure: Measure) -> usize;

    /// Whether measures add between two lines, the first of which ends in a newline: if so,
    /// `measure(a + b) == measure(a) + measure(b)` for every `a` that ends in the line `previous`
    /// and every `b` that begins with `line`.
    fn adds_between(&self, previous: &str, line: &str) -> bool;

    /// Whether measures add between any text that ends in `before` and any that begins with
    /// `after`, both on one line. Where it is not certain, they do not.
    fn adds_at(&self, _before: char, _after: char) -> bool {
        false
    }

    /// The tokens of `text`; 0 for the empty text.
    fn count(&self, text: &str) -> usize {
        self.tokens(self.measure(text))
    }
}

/// Whether a claimed count is within 1 % of the true one.
pub fn is_within_one_percent(actual: usize, claimed: usize) -> bool {
    actual.abs_diff(claimed) * 100 <= actual
}
