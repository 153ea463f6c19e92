//! Estimates for families of models whose tokenizers are not public or not built in.
//!
//! An estimate is a number of `o200k_base` tokens times a factor, rounded up once over the whole text,
//! so it adds wherever those do. The factors are conservative: `scripts/measure-estimates` holds them
//! against public tokenizers of the same makers on real source and writes `docs/estimates.md`.

use crate::{Bpe, Measure, TokenCounter, Vocabulary};

/// A family of models whose tokens are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Claude 3 to 4.6. The tokenizer is not public.
    Claude,
    /// Claude Opus 4.7 and everything after it. The tokenizer is not public.
    ClaudeNext,
    /// Gemini. Its makers count with the tokenizers of Gemma 2 and 3.
    Gemini,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Self::Claude, Self::ClaudeNext, Self::Gemini];

    /// The name of its counter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::ClaudeNext => "claude-4.7",
            Self::Gemini => "gemini",
        }
    }

    /// The tokens that it may have for a hundred of `o200k_base`.
    pub const fn percent(self) -> u64 {
        match self {
            Self::Claude => 140,
            Self::ClaudeNext => 190,
            Self::Gemini => 140,
        }
    }
}

impl TokenCounter for Family {
    fn name(&self) -> &str {
        (*self).name()
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn error(&self) -> Option<&str> {
        Some(match self {
            Self::Claude => {
                "a conservative estimate, 1.40 times o200k_base: the tokenizer is not public, and \
                 reports put it 16 to 30 % above o200k_base"
            }
            Self::ClaudeNext => {
                "a conservative estimate, 1.90 times o200k_base: the tokenizer is not public, and \
                 its maker puts it about 30 % above that of earlier models"
            }
            Self::Gemini => {
                "a conservative estimate, 1.40 times o200k_base: 11 to 28 % above the tokenizers of \
                 Gemma by language, and too low for fewer than 1 % of files"
            }
        })
    }

    fn measure(&self, text: &str) -> Measure {
        BASE.measure(text)
    }

    fn tokens(&self, measure: Measure) -> usize {
        (u64::from(measure.main) * self.percent()).div_ceil(100) as usize
    }

    fn adds_between(&self, previous: &str, line: &str) -> bool {
        BASE.adds_between(previous, line)
    }

    fn adds_at(&self, before: char, after: char) -> bool {
        BASE.adds_at(before, after)
    }
}

const BASE: Bpe = Bpe::new(Vocabulary::O200kBase);
