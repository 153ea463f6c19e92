//! The vocabularies that are built in, counted exactly as their owners count.

use crate::{Measure, TokenCounter};
use std::sync::LazyLock;
use tiktoken::CoreBpe;

/// A byte-pair vocabulary that is built into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// GPT-4o and everything after it.
    O200kBase,
    /// GPT-4 and GPT-3.5.
    Cl100kBase,
}

impl Vocabulary {
    /// All of them, the default first.
    pub const ALL: [Vocabulary; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The name that its owner gave it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}

static O200K: LazyLock<CoreBpe> = LazyLock::new(tiktoken::encoding::o200k_base);
static CL100K: LazyLock<CoreBpe> = LazyLock::new(tiktoken::encoding::cl100k_base);

/// An exact counter over a built-in vocabulary. The vocabulary is unpacked at the first count, once
/// in a process.
#[derive(Debug, Clone, Copy)]
pub struct Bpe(Vocabulary);

impl Bpe {
    /// A counter for `vocabulary`; costs nothing until it counts.
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self(vocabulary)
    }

    /// The token ids of `text`, special tokens treated as ordinary text.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.core().encode(text)
    }

    fn core(&self) -> &'static CoreBpe {
        match self.0 {
            Vocabulary::O200kBase => &O200K,
            Vocabulary::Cl100kBase => &CL100K,
        }
    }
}

impl TokenCounter for Bpe {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn measure(&self, text: &str) -> Measure {
        let count = self.core().count(text);
        Measure { main: u32::try_from(count).unwrap_or(u32::MAX), extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    /// Both vocabularies first split text by a regular expression and merge inside the pieces only.
    /// No piece runs from a newline into a line whose white space ends on that line, but for one:
    /// o200k lets punctuation swallow the newlines *and slashes* that follow it. Blank lines join
    /// the newlines before them in either.
    fn adds_between(&self, previous: &str, line: &str) -> bool {
        match line.chars().find(|c| !c.is_whitespace() || matches!(c, '\n' | '\r')) {
            None | Some('\n' | '\r') => false,
            Some(_) if self.0 == Vocabulary::Cl100kBase || !line.starts_with('/') => true,
            Some(_) => previous
                .trim_end_matches(['\r', '\n'])
                .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '\t')),
        }
    }

    /// In both expressions a piece has a space only as its first character, or is all white space.
    fn adds_at(&self, before: char, after: char) -> bool {
        after == ' ' && !before.is_whitespace()
    }
}
