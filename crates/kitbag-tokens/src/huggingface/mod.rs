//! Counters for any Hugging Face `tokenizer.json`: Llama, Qwen, DeepSeek, Mistral, Gemma and others.
//!
//! No tokens are added around a text, and names of special tokens are ordinary text, as with the
//! built-in vocabularies. [`boundary`] derives from the tokenizer's own description between which lines
//! its counts are additive; without a proof they are never summed.

mod boundary;
mod guard;
mod pattern;
mod spec;

use crate::counter::{Measure, TokenCounter};
use crate::panics::contain_panic;
use crate::tokenizer_file::{TokenizerFile, TokenizerFileError};
use boundary::{Boundary, Prefix, SplitAnalysis, analyze};
use guard::check_stages;
use serde::de::DeserializeOwned;
use serde_json::Value;
use spec::TokenizerSpec;
use std::borrow::Cow;
use std::path::Path;
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

/// An exact counter that uses a `tokenizer.json`.
pub struct HuggingFace {
    name: String,
    /// The tokenizer with its `prefix` removed.
    tokenizer: Tokenizer,
    boundary: Boundary,
    prefix: Prefix,
}

impl HuggingFace {
    /// Loads a tokenizer from a file, or from the `tokenizer.json` in a directory.
    pub fn open(path: &Path) -> Result<Self, TokenizerFileError> {
        Self::new(&TokenizerFile::read(path)?)
    }

    pub(crate) fn new(file: &TokenizerFile) -> Result<Self, TokenizerFileError> {
        let counter = contain_panic(|| Self::parse(file));
        counter.unwrap_or_else(|| Err(file.unusable("the tokenizer library cannot run it")))
    }

    fn parse(file: &TokenizerFile) -> Result<Self, TokenizerFileError> {
        let mut spec: TokenizerSpec = file.parse()?;
        if spec.model.dropout.is_some_and(|probability| probability > 0.0) {
            return Err(file.unusable("merges are skipped at random (`model.dropout`)"));
        }
        check_stages(&spec).map_err(|reason| file.unusable(reason))?;
        let mut tokenizer =
            Tokenizer::from_bytes(&file.bytes).map_err(|error| file.unusable(error))?;
        let vocabulary = tokenizer.get_vocab(false);
        if vocabulary.is_empty() {
            return Err(file.unusable("the vocabulary is empty (`model.vocab`)"));
        }
        let SplitAnalysis { boundary, prefix } =
            analyze(&mut spec, vocabulary.keys().map(String::as_str));
        let unusable = |error: tokenizers::Error| file.unusable(error);
        if prefix != Prefix::None {
            let normalizer: Option<NormalizerWrapper> = parse_stage(spec.normalizer, file)?;
            tokenizer.with_normalizer(normalizer).map_err(unusable)?;
            let pre_tokenizer: Option<PreTokenizerWrapper> = parse_stage(spec.pre_tokenizer, file)?;
            tokenizer.with_pre_tokenizer(pre_tokenizer);
        }
        tokenizer.with_truncation(None).map_err(unusable)?;
        tokenizer.with_padding(None);
        tokenizer.set_encode_special_tokens(true);
        let counter = Self { name: file.name(), tokenizer, boundary, prefix };
        // Fails early if characters outside the vocabulary cannot be encoded. Every end and start of
        // the text is tried, since some panics depend on what a text ends with.
        for (middle, _) in PROBE.char_indices() {
            let (start, end) = PROBE.split_at(middle);
            let _ = counter.tokenizer.encode_fast(start, false);
            let _ = counter.tokenizer.encode_fast(end, false);
        }
        match counter.tokenizer.encode_fast(PROBE, false) {
            Ok(encoding) if encoding.is_empty() => {
                Err(file.unusable("ordinary text has no tokens and is dropped"))
            }
            Ok(_) => Ok(counter),
            Err(error) => Err(file.unusable(format!("some texts cannot be encoded: {error}"))),
        }
    }

    /// Returns the token ids of `text`.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let text = self.prefixed(text);
        let encoding = contain_panic(|| self.tokenizer.encode_fast(&*text, false).ok()).flatten();
        encoding.map_or_else(Vec::new, |encoding| encoding.get_ids().to_vec())
    }

    /// Returns `text` with the tokenizer's prefix, if it adds one.
    fn prefixed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let prefix = match &self.prefix {
            Prefix::Always(prefix) if !text.is_empty() => prefix,
            Prefix::UnlessPresent(prefix)
                if !text.is_empty()
                    && !text.starts_with(' ')
                    && !text.starts_with(prefix.as_str()) =>
            {
                prefix
            }
            _ => return text.into(),
        };
        format!("{prefix}{text}").into()
    }

    /// Counts the tokens of `text` without a prefix. If the tokenizer fails, the number of bytes is an upper
    /// bound.
    fn count_unprefixed(&self, text: &str) -> usize {
        let encoding = contain_panic(|| self.tokenizer.encode_fast(text, false).ok()).flatten();
        encoding.map_or(text.len(), |encoding| encoding.len())
    }
}

/// Letters of several scripts, punctuation, whitespace and characters that few vocabularies contain.
const PROBE: &str = "fn main() {\r\n\tprintln!(\"naïve 中文 \u{1F980}\u{E000}\u{10FFFF}\0\");\n}\n";

impl TokenCounter for HuggingFace {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_exact(&self) -> bool {
        true
    }

    /// Measures `text` as part of a larger text, without the prefix.
    fn measure(&self, text: &str) -> Measure {
        let main = u32::try_from(self.count_unprefixed(text)).unwrap_or(u32::MAX);
        Measure { main, extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    fn is_additive_between(&self, previous: &str, line: &str) -> bool {
        self.boundary.is_additive_between(previous, line)
    }

    fn has_exact_sums(&self) -> bool {
        self.boundary.is_additive_before_punctuation() && self.prefix == Prefix::None
    }

    fn count(&self, text: &str) -> usize {
        self.count_unprefixed(&self.prefixed(text))
    }
}

fn parse_stage<T: DeserializeOwned>(
    value: Value,
    file: &TokenizerFile,
) -> Result<Option<T>, TokenizerFileError> {
    serde_json::from_value(value).map_err(|error| file.unusable(error))
}
