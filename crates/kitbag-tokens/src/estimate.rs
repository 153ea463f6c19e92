//! Formulas that estimate tokens where no vocabulary is available.

use crate::counter::{Measure, TokenCounter};

/// A formula that estimates tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// One token per four characters, rounded up, plus one per three characters that are neither
    /// alphanumeric nor white space, rounded down.
    Characters,
    /// Four tokens per three words. Words longer than ten characters and words of mixed case count as
    /// one word more each.
    Words,
}

impl Estimator {
    /// All estimators.
    pub const ALL: [Estimator; 2] = [Self::Characters, Self::Words];

    /// Name used in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Words => "words",
        }
    }
}

impl TokenCounter for Estimator {
    fn name(&self) -> &str {
        (*self).name()
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn error_margin(&self) -> Option<&str> {
        Some(match self {
            Self::Characters => {
                "a formula without a vocabulary: from 28 % below to 31 % above o200k_base, by language"
            }
            Self::Words => {
                "a formula without a vocabulary: 12 to 58 % below o200k_base, by language"
            }
        })
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

    fn is_additive_between(&self, _previous: &str, _line: &str) -> bool {
        true
    }

    fn is_additive_at(&self, before: char, after: char) -> bool {
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
        let is_long = word.chars().nth(10).is_some();
        let is_mixed = word.contains(char::is_uppercase) && word.contains(char::is_lowercase);
        1 + u32::from(is_long) + u32::from(is_mixed)
    };
    Measure { main: text.split_whitespace().map(weight).sum(), extra: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: FMT-19 to FMT-21, FMT-35
    #[test]
    fn characters_round_up_and_punctuation_rounds_down() {
        assert_eq!(Estimator::Characters.count(""), 0);
        assert_eq!(Estimator::Characters.count("abc"), 1);
        assert_eq!(Estimator::Characters.count("abcd e"), 2);
        assert_eq!(Estimator::Characters.count("a();"), 1 + 1);
    }

    // Shows: FMT-22 to FMT-24
    #[test]
    fn long_and_mixed_words_cost_more() {
        assert_eq!(Estimator::Words.count(" \n\t"), 0);
        assert_eq!(Estimator::Words.count("one"), 2);
        assert_eq!(Estimator::Words.count("one two six"), 4);
        assert_eq!(Estimator::Words.count("extraordinary"), 3);
        assert_eq!(Estimator::Words.count("getUserNameNow"), 4);
    }
}
