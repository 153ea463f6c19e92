//! What is read of a `tokenizer.json` beside what the tokenizer itself reads.

use serde::Deserialize;
use serde_json::Value;

/// The parts of a `tokenizer.json` that say how it cuts texts.
#[derive(Debug, Deserialize)]
pub struct Outline {
    /// Tokens that are looked for before anything else.
    #[serde(default)]
    pub added_tokens: Vec<AddedToken>,
    /// How texts are rewritten first.
    #[serde(default)]
    pub normalizer: Value,
    /// How they are cut then.
    #[serde(default)]
    pub pre_tokenizer: Value,
    /// How tokens are found in the pieces.
    pub model: ModelOutline,
}

/// A token that is not of the model's making.
#[derive(Debug, Deserialize)]
pub struct AddedToken {
    /// Its text.
    pub content: String,
    /// Whether it takes the white space before it.
    #[serde(default)]
    pub lstrip: bool,
    /// Whether it takes the white space after it.
    #[serde(default)]
    pub rstrip: bool,
    /// Whether it marks something, and is ordinary text where it stands in a text.
    #[serde(default)]
    pub special: bool,
}

/// How tokens are found.
#[derive(Debug, Deserialize)]
pub struct ModelOutline {
    /// `BPE`, `WordPiece`, `Unigram` or `WordLevel`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The chance that a merge is left out, in training.
    #[serde(default)]
    pub dropout: Option<f64>,
    /// What begins a token that continues a word.
    #[serde(default)]
    pub continuing_subword_prefix: Option<String>,
    /// What ends a token that ends a word.
    #[serde(default)]
    pub end_of_word_suffix: Option<String>,
    /// Whether characters without a token become bytes.
    #[serde(default)]
    pub byte_fallback: bool,
}
