//! Counts with any Hugging Face `tokenizer.json`: Llama, Qwen, DeepSeek, Mistral, Gemma and so on.
//!
//! Tokens are those of the text alone, none added around it, and names of special tokens are
//! ordinary text, as with the built-in vocabularies. [`boundary`] finds out from the tokenizer's own
//! description between which lines its counts add; where that cannot be shown, they are never added.

mod boundary;
mod outline;
mod pattern;

use crate::tokenizer_file::{Content, TokenizerFileError};
use crate::{Measure, TokenCounter};
use boundary::{Analysis, Boundary, Prefix, analyse};
use outline::Outline;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

/// A counter over a `tokenizer.json`.
pub struct HuggingFace {
    name: String,
    /// The tokenizer, without what it puts before a text.
    tokenizer: Tokenizer,
    boundary: Boundary,
    prefix: Prefix,
}

impl HuggingFace {
    /// Reads a tokenizer from a file, or from the `tokenizer.json` of a folder.
    pub fn open(path: &Path) -> Result<Self, TokenizerFileError> {
        Self::new(&Content::read(path)?)
    }

    /// Makes a tokenizer of a file's content.
    pub(crate) fn new(content: &Content) -> Result<Self, TokenizerFileError> {
        let outline: Outline = content.parse()?;
        if outline.model.dropout.is_some_and(|chance| chance > 0.0) {
            return Err(content.wrong("it leaves out merges at random (`model.dropout`)"));
        }
        let mut tokenizer = Tokenizer::from_bytes(content.bytes())
            .map_err(|error| content.wrong(&error.to_string()))?;
        let vocabulary = tokenizer.get_vocab(false);
        if vocabulary.is_empty() {
            return Err(content.wrong("its vocabulary is empty (`model.vocab`)"));
        }
        let analysis = analyse(&outline, vocabulary.keys().map(String::as_str));
        prepare(&mut tokenizer, &analysis, content)?;
        let Analysis { boundary, prefix, .. } = analysis;
        let new = Self { name: content.name(), tokenizer, boundary, prefix };
        // What it cannot encode at all shows at once: an unknown character without a token for it.
        match new.tokenizer.encode_fast(PROBE, false) {
            Ok(encoding) if encoding.is_empty() => {
                Err(content.wrong("it has no token for ordinary text, which it leaves out"))
            }
            Ok(_) => Ok(new),
            Err(error) => Err(content.wrong(&format!("it cannot encode every text: {error}"))),
        }
    }

    /// The token ids of `text`.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let encode = |text: &str| {
            let encoding = self.tokenizer.encode_fast(text, false).ok();
            encoding.map_or_else(Vec::new, |encoding| encoding.get_ids().to_vec())
        };
        match self.prefixed(text) {
            Some(prefixed) => encode(&prefixed),
            None => encode(text),
        }
    }

    /// The text with what the tokenizer puts before it, if it does.
    fn prefixed(&self, text: &str) -> Option<String> {
        let prefix = match &self.prefix {
            Prefix::None => return None,
            Prefix::Always(prefix) => prefix,
            Prefix::UnlessThere(prefix) => {
                if text.starts_with(' ') || text.starts_with(prefix.as_str()) {
                    return None;
                }
                prefix
            }
        };
        (!text.is_empty()).then(|| format!("{prefix}{text}"))
    }

    /// The tokens of a text as it stands. One that the tokenizer fails at has no more tokens than
    /// bytes: a bound is not exact, but never too small.
    fn length(&self, text: &str) -> usize {
        let encoding = self.tokenizer.encode_fast(text, false);
        encoding.map_or(text.len(), |encoding| encoding.len())
    }
}

/// Letters of several scripts, signs, white space and characters that few vocabularies have.
const PROBE: &str = "fn main() {\r\n\tprintln!(\"naïve 中文 \u{1F980}\u{E000}\u{10FFFF}\0\");\n}\n";

impl TokenCounter for HuggingFace {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_exact(&self) -> bool {
        true
    }

    /// What `text` adds in the middle of another: without what is put before a text.
    fn measure(&self, text: &str) -> Measure {
        let main = u32::try_from(self.length(text)).unwrap_or(u32::MAX);
        Measure { main, extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    fn adds_between(&self, previous: &str, line: &str) -> bool {
        self.boundary.adds_between(previous, line)
    }

    fn sums_are_exact(&self) -> bool {
        self.boundary.adds_before_signs() && self.prefix == Prefix::None
    }

    fn count(&self, text: &str) -> usize {
        match self.prefixed(text) {
            Some(prefixed) => self.length(&prefixed),
            None => self.length(text),
        }
    }
}

/// Makes a tokenizer count what a text has, and nothing else.
fn prepare(
    tokenizer: &mut Tokenizer,
    analysis: &Analysis,
    content: &Content,
) -> Result<(), TokenizerFileError> {
    let wrong = |error: tokenizers::Error| content.wrong(&error.to_string());
    tokenizer.with_truncation(None).map_err(wrong)?;
    tokenizer.with_padding(None);
    tokenizer.set_encode_special_tokens(true);
    if analysis.prefix != Prefix::None {
        let normalizer: Option<NormalizerWrapper> = stage(&analysis.normalizer, content)?;
        tokenizer.with_normalizer(normalizer).map_err(wrong)?;
        let cut: Option<PreTokenizerWrapper> = stage(&analysis.pre_tokenizer, content)?;
        tokenizer.with_pre_tokenizer(cut);
    }
    Ok(())
}

/// Reads a stage of a tokenizer, if there is one.
fn stage<T: DeserializeOwned>(
    value: &Value,
    content: &Content,
) -> Result<Option<T>, TokenizerFileError> {
    serde_json::from_value(value.clone()).map_err(|error| content.wrong(&error.to_string()))
}
