//! The parts of a `tokenizer.json` from which Kitbag derives where counts are additive.

use serde::Deserialize;
use serde_json::Value;

/// How a tokenizer splits text.
#[derive(Debug, Deserialize)]
pub struct TokenizerSpec {
    /// Tokens that are matched before anything else.
    #[serde(default)]
    pub added_tokens: Vec<AddedToken>,
    #[serde(default)]
    pub normalizer: Value,
    #[serde(default)]
    pub pre_tokenizer: Value,
    pub model: ModelSpec,
}

/// A token that is not part of the model's vocabulary.
#[derive(Debug, Deserialize)]
pub struct AddedToken {
    pub content: String,
    /// Whether it includes the whitespace before it.
    #[serde(default)]
    pub lstrip: bool,
    /// Whether it includes the whitespace after it.
    #[serde(default)]
    pub rstrip: bool,
    /// Whether it is a control token, which Kitbag counts as ordinary text.
    #[serde(default)]
    pub special: bool,
}

/// How tokens are found in the pieces of a text.
#[derive(Debug, Deserialize)]
pub struct ModelSpec {
    /// `BPE`, `WordPiece`, `Unigram` or `WordLevel`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Probability of skipping a merge, used in training.
    pub dropout: Option<f64>,
    pub continuing_subword_prefix: Option<String>,
    pub end_of_word_suffix: Option<String>,
    /// Whether characters without a token are encoded as bytes.
    #[serde(default)]
    pub byte_fallback: bool,
}
