//! Estimates of tokens where no vocabulary is available: the tokenizer is not public or not built in.
//!
//! The estimate for a family of models is the `o200k_base` count times a factor, rounded up once over
//! the whole text, so it is additive wherever `o200k_base` is. The factors are conservative:
//! `scripts/measure-estimates` compares them with public tokenizers of the same vendors on real source
//! code and writes `docs/estimates.md`.

use crate::bpe::Vocabulary;
use crate::counter::{Measure, TokenCounter};

/// Vocabulary whose counts are multiplied.
const BASE: Vocabulary = Vocabulary::O200kBase;

/// A formula that estimates tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Claude 3 to 4.6. The tokenizer is not public.
    Claude,
    /// Claude Opus 4.7 and later. The tokenizer is not public.
    ClaudeNext,
    /// Gemini, which is counted with the tokenizers of Gemma 2 and 3.
    Gemini,
    /// One token per four characters, rounded up, plus one per three characters that are neither
    /// alphanumeric nor whitespace, rounded down.
    Characters,
    /// Four tokens per three words. Words longer than ten characters and words of mixed case count as
    /// one word more each.
    Words,
}

impl Estimator {
    /// All estimators.
    pub const ALL: [Estimator; 5] =
        [Self::Claude, Self::ClaudeNext, Self::Gemini, Self::Characters, Self::Words];

    /// Name used in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::ClaudeNext => "claude-4.7",
            Self::Gemini => "gemini",
            Self::Characters => "characters",
            Self::Words => "words",
        }
    }

    /// Estimated tokens per hundred tokens of `o200k_base`; `None` for formulas without a vocabulary.
    pub const fn percent(self) -> Option<u64> {
        match self {
            Self::Claude => Some(140),
            Self::ClaudeNext => Some(190),
            Self::Gemini => Some(140),
            Self::Characters | Self::Words => None,
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

    fn measure_name(&self) -> &str {
        if self.percent().is_some() { BASE.name() } else { self.name() }
    }

    fn error_margin(&self) -> Option<&str> {
        Some(match self {
            Self::Claude => {
                "a conservative estimate, 1.40 times o200k_base; the tokenizer is not public and \
                 reportedly counts 16 to 30 % more than o200k_base"
            }
            Self::ClaudeNext => {
                "a conservative estimate, 1.90 times o200k_base; the tokenizer is not public and, \
                 according to its vendor, counts about 30 % more than that of earlier models"
            }
            Self::Gemini => {
                "a conservative estimate, 1.40 times o200k_base; 11 to 28 % above the Gemma tokenizers \
                 by language, and too low for fewer than 1 % of files"
            }
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
            Self::Claude | Self::ClaudeNext | Self::Gemini => BASE.measure(text),
        }
    }

    fn tokens(&self, Measure { main, extra }: Measure) -> usize {
        let (main, extra) = (u64::from(main), u64::from(extra));
        let tokens = match (self, self.percent()) {
            (_, Some(percent)) => (main * percent).div_ceil(100),
            (Self::Words, _) => (main * 4).div_ceil(3),
            _ => main.div_ceil(4) + extra / 3,
        };
        tokens as usize
    }

    fn is_additive_between(&self, previous: &str, line: &str) -> bool {
        self.percent().is_none() || BASE.is_additive_between(previous, line)
    }

    fn is_additive_at(&self, before: char, after: char) -> bool {
        match self {
            Self::Characters => true,
            Self::Words => before.is_whitespace() || after.is_whitespace(),
            Self::Claude | Self::ClaudeNext | Self::Gemini => BASE.is_additive_at(before, after),
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
