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

/// Returns the stages of a normalizer or pre-tokenizer, with nested sequences flattened.
pub fn stages(value: &Value, within: &str) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        value if stage_kind(value) == "Sequence" => {
            let parts = value[within].as_array().cloned().unwrap_or_default();
            parts.iter().flat_map(|part| stages(part, within)).collect()
        }
        value => vec![value.clone()],
    }
}

/// Returns the `type` of a stage.
pub fn stage_kind(stage: &Value) -> &str {
    stage["type"].as_str().unwrap_or("")
}
