//! Estimates for model families whose tokenizers are not public or not built in.
//!
//! An estimate is the `o200k_base` count times a factor, rounded up once over the whole text, so it is
//! additive wherever `o200k_base` is. The factors are conservative: `scripts/measure-estimates` compares
//! them with public tokenizers of the same vendors on real source code and writes `docs/estimates.md`.

use crate::bpe::{Bpe, Vocabulary};
use crate::counter::{Measure, TokenCounter};

/// A model family whose tokens are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFamily {
    /// Claude 3 to 4.6. The tokenizer is not public.
    Claude,
    /// Claude Opus 4.7 and later. The tokenizer is not public.
    ClaudeNext,
    /// Gemini, which is counted with the tokenizers of Gemma 2 and 3.
    Gemini,
}

impl ModelFamily {
    /// All families.
    pub const ALL: [ModelFamily; 3] = [Self::Claude, Self::ClaudeNext, Self::Gemini];

    /// Name of its counter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::ClaudeNext => "claude-4.7",
            Self::Gemini => "gemini",
        }
    }

    /// Estimated tokens per hundred tokens of `o200k_base`.
    pub const fn percent(self) -> u64 {
        match self {
            Self::Claude => 140,
            Self::ClaudeNext => 190,
            Self::Gemini => 140,
        }
    }
}

impl TokenCounter for ModelFamily {
    fn name(&self) -> &str {
        (*self).name()
    }

    fn is_exact(&self) -> bool {
        false
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
        })
    }

    fn measure(&self, text: &str) -> Measure {
        BASE.measure(text)
    }

    fn tokens(&self, measure: Measure) -> usize {
        (u64::from(measure.main) * self.percent()).div_ceil(100) as usize
    }

    fn is_additive_between(&self, previous: &str, line: &str) -> bool {
        BASE.is_additive_between(previous, line)
    }

    fn is_additive_at(&self, before: char, after: char) -> bool {
        BASE.is_additive_at(before, after)
    }
}

const BASE: Bpe = Bpe::new(Vocabulary::O200kBase);
