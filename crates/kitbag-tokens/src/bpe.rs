//! Built-in byte-pair vocabularies, counted exactly as by the models that use them.

use crate::counter::{Measure, TokenCounter};
use std::sync::LazyLock;
use tiktoken::CoreBpe;

/// A built-in byte-pair vocabulary, which is unpacked once per process, on first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// GPT-4o and later models.
    O200kBase,
    /// GPT-4 and GPT-3.5.
    Cl100kBase,
}

impl Vocabulary {
    /// All vocabularies, the default first.
    pub const ALL: [Vocabulary; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// Name given by its publisher.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// Returns the token ids of `text`. Special tokens are treated as ordinary text.
    pub fn encode(self, text: &str) -> Vec<u32> {
        self.core().encode(text)
    }

    fn core(self) -> &'static CoreBpe {
        match self {
            Self::O200kBase => &O200K,
            Self::Cl100kBase => &CL100K,
        }
    }
}

static O200K: LazyLock<CoreBpe> = LazyLock::new(tiktoken::encoding::o200k_base);
static CL100K: LazyLock<CoreBpe> = LazyLock::new(tiktoken::encoding::cl100k_base);

impl TokenCounter for Vocabulary {
    fn name(&self) -> &str {
        (*self).name()
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

    /// Both vocabularies first split text by a regular expression and merge only inside the pieces.
    /// No piece extends from a newline into a line whose leading whitespace ends on that line, with one
    /// exception: in o200k, punctuation also takes the newlines *and slashes* that follow it. Blank lines
    /// join the newlines before them in both.
    fn is_additive_between(&self, previous: &str, line: &str) -> bool {
        match line.chars().find(|c| !c.is_whitespace() || matches!(c, '\n' | '\r')) {
            None | Some('\n' | '\r') => false,
            Some(_) if *self == Self::Cl100kBase || !line.starts_with('/') => true,
            Some(_) => ends_with_word(previous),
        }
    }

    /// In both expressions, a space is only ever the first character of a piece, or the piece is all
    /// whitespace.
    fn is_additive_at(&self, before: char, after: char) -> bool {
        after == ' ' && !before.is_whitespace()
    }
}

/// Whether a line ends with a character that no vocabulary joins with the newlines and slashes after it.
pub(crate) fn ends_with_word(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n'])
        .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '\t'))
}
