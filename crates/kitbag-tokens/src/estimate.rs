//! Estimators for when no exact vocabulary is to be had, or speed is all.

use crate::{Measure, TokenCounter};

/// A formula that estimates tokens. Reports mark its counts as estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// A token for each four characters, begun ones counted whole, and one more for each three
    /// that are neither letters, digits nor white space.
    Characters,
    /// Four tokens for three words; a word longer than ten characters counts one more, and one of
    /// mixed case one more.
    Words,
}

impl Estimator {
    /// Both of them.
    pub const ALL: [Estimator; 2] = [Self::Characters, Self::Words];
}

impl TokenCounter for Estimator {
    fn name(&self) -> &str {
        match self {
            Self::Characters => "characters",
            Self::Words => "words",
        }
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn measure(&self, text: &str) -> Measure {
        match self {
            Self::Characters => characters(text),
            Self::Words => words(text),
        }
    }

    fn tokens(&self, Measure { main, extra }: Measure) -> usize {
        let tokens = match self {
            Self::Characters => u64::from(main).div_ceil(4) + u64::from(extra) / 3,
            Self::Words => (u64::from(main) * 4).div_ceil(3),
        };
        tokens as usize
    }

    fn adds_between(&self, _previous: &str, _line: &str) -> bool {
        true
    }

    fn adds_at(&self, before: char, after: char) -> bool {
        match self {
            Self::Characters => true,
            Self::Words => before.is_whitespace() || after.is_whitespace(),
        }
    }
}

fn characters(text: &str) -> Measure {
    let mut measure = Measure::default();
    for c in text.chars() {
        measure.main += 1;
        measure.extra += u32::from(!c.is_alphanumeric() && !c.is_whitespace());
    }
    measure
}

fn words(text: &str) -> Measure {
    let weight = |word: &str| {
        let long = word.chars().nth(10).is_some();
        let mixed = word.contains(char::is_uppercase) && word.contains(char::is_lowercase);
        1 + u32::from(long) + u32::from(mixed)
    };
    Measure { main: text.split_whitespace().map(weight).sum(), extra: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_round_up_and_specials_down() {
        assert_eq!(Estimator::Characters.count(""), 0);
        assert_eq!(Estimator::Characters.count("abc"), 1);
        assert_eq!(Estimator::Characters.count("abcd e"), 2);
        assert_eq!(Estimator::Characters.count("a();"), 1 + 1);
    }

    #[test]
    fn long_and_mixed_words_cost_more() {
        assert_eq!(Estimator::Words.count(" \n\t"), 0);
        assert_eq!(Estimator::Words.count("one"), 2);
        assert_eq!(Estimator::Words.count("one two six"), 4);
        assert_eq!(Estimator::Words.count("extraordinary"), 3);
        assert_eq!(Estimator::Words.count("getUserNameNow"), 4);
    }
}
