//! Where the counts of a tokenizer are additive, derived from its own description.
//!
//! Each [`Boundary`] is a proof sketch: which text on either side of a newline ensures that no token
//! spans it, and that each side is split as if it were alone. Any other tokenizer is
//! [`Boundary::Unknown`]: its texts are counted as a whole, which is slower but just as exact.

use super::pattern::{NewlineSplit, newline_split};
use super::spec::{AddedToken, ModelSpec, TokenizerSpec, stage_kind, stages};
use crate::bpe::ends_with_word;
use serde_json::Value;

/// Rule for the lines before which counts are additive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Words end at whitespace, which is not part of any token (WordPiece).
    Words,
    /// Text is split after newlines, unless more newlines or a blank line follow (Llama 3, Qwen,
    /// DeepSeek).
    Newlines {
        /// Whether slashes can be part of the newlines before them.
        slashes: bool,
    },
    /// No token contains anything but newlines after a newline (Llama 2, Gemma).
    Pieces,
    /// Text is split after a single newline between two visible characters (GPT-2).
    Lone,
    Unknown,
}

/// Text that a tokenizer adds before the text it encodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prefix {
    None,
    /// Added unless the text already begins with it or with a space.
    UnlessPresent(String),
    Always(String),
}

/// How a tokenizer splits text.
#[derive(Debug, PartialEq)]
pub struct SplitAnalysis {
    pub boundary: Boundary,
    /// Removed from the stages of the tokenizer.
    pub prefix: Prefix,
}

impl Boundary {
    pub fn is_additive_between(self, previous: &str, line: &str) -> bool {
        match self {
            Self::Words => true,
            Self::Newlines { slashes: false } => first_visible(line).is_some(),
            Self::Newlines { slashes: true } => match first_visible(line) {
                Some(_) if line.starts_with('/') => ends_with_word(previous),
                first => first.is_some(),
            },
            Self::Pieces => !line.is_empty() && !line.starts_with('\n'),
            Self::Lone => {
                let before = previous.strip_suffix('\n').and_then(|line| line.chars().next_back());
                let ends_visibly = before.is_some_and(|c| c.is_ascii_graphic());
                ends_visibly && line.starts_with(|c: char| c.is_ascii_graphic())
            }
            Self::Unknown => false,
        }
    }

    /// Whether counts are additive before every line that begins with ASCII punctuation other than a slash,
    /// and between any line and a blank one counted with it. The packer's own lines require no more.
    pub fn is_additive_before_punctuation(self) -> bool {
        matches!(self, Self::Words | Self::Newlines { .. } | Self::Pieces)
    }
}

/// Returns the first character of a line after spaces and tabs if it is ASCII, which no normalizer moves.
fn first_visible(line: &str) -> Option<char> {
    let first = line.chars().find(|c| !matches!(c, ' ' | '\t'))?;
    first.is_ascii_graphic().then_some(first)
}

/// Determines where the counts of a tokenizer with the vocabulary `tokens` are additive, and removes its
/// prefix from the stages of `spec`.
pub fn analyze<'a>(
    spec: &mut TokenizerSpec,
    tokens: impl Iterator<Item = &'a str>,
) -> SplitAnalysis {
    let unknown = || SplitAnalysis { boundary: Boundary::Unknown, prefix: Prefix::None };
    if spec.added_tokens.iter().any(spans_newline) {
        return unknown();
    }
    let is_special = spec.added_tokens.iter().all(|token| token.special);
    words(spec)
        .or_else(|| byte_level(spec))
        .or_else(|| pieces(spec, tokens))
        .filter(|it| it.prefix == Prefix::None || is_special)
        .unwrap_or_else(unknown)
}

/// Whether an added token could include a newline together with the text after it, or whitespace of
/// adjacent lines.
fn spans_newline(token: &AddedToken) -> bool {
    let after = token.content.trim_start_matches(|c| c != '\n').trim_start_matches('\n');
    !after.is_empty() || !token.special && (token.lstrip || token.rstrip)
}

/// Recognizes tokenizers that split at whitespace and drop it.
fn words(spec: &TokenizerSpec) -> Option<SplitAnalysis> {
    let is_harmless = stages(&spec.normalizer, "normalizers").iter().all(|stage| {
        is_unicode_form(stage) || matches!(stage_kind(stage), "BertNormalizer" | "Lowercase")
    });
    let stages = stages(&spec.pre_tokenizer, "pretokenizers");
    let splits_words = matches!(
        stage_kind(stages.first()?),
        "BertPreTokenizer" | "Whitespace" | "WhitespaceSplit"
    );
    let is_known = is_harmless && splits_words && stages.len() == 1;
    is_known.then_some(SplitAnalysis { boundary: Boundary::Words, prefix: Prefix::None })
}

/// Recognizes tokenizers that split by a regular expression and then merge bytes.
fn byte_level(spec: &mut TokenizerSpec) -> Option<SplitAnalysis> {
    let normalizers = stages(&spec.normalizer, "normalizers");
    if !normalizers.iter().all(is_unicode_form) {
        return None;
    }
    let stages = stages(&spec.pre_tokenizer, "pretokenizers");
    let mut main = None;
    for stage in &stages {
        let boundary = match stage_split(stage) {
            NewlineSplit::Never => continue,
            NewlineSplit::Newlines => Boundary::Newlines { slashes: false },
            NewlineSplit::NewlinesAndSlashes => Boundary::Newlines { slashes: true },
            NewlineSplit::LastBlank => Boundary::Lone,
            NewlineSplit::Unknown => return None,
        };
        // A second split by whitespace would apply to the pieces of the first.
        if main.replace(boundary).is_some() {
            return None;
        }
    }
    let (boundary, mut prefix) = (main?, Prefix::None);
    if stages.iter().any(|stage| flag(stage, "add_prefix_space")) {
        if stages.len() != 1 {
            return None;
        }
        prefix = Prefix::UnlessPresent(" ".into());
        spec.pre_tokenizer["add_prefix_space"] = Value::Bool(false);
    }
    Some(SplitAnalysis { boundary, prefix })
}

fn stage_split(stage: &Value) -> NewlineSplit {
    match stage_kind(stage) {
        // The default is the expression of GPT-2.
        "ByteLevel" if stage["use_regex"].as_bool().unwrap_or(true) => NewlineSplit::LastBlank,
        "ByteLevel" | "Digits" => NewlineSplit::Never,
        "Split" if stage["behavior"] == "Isolated" && !flag(stage, "invert") => {
            match (&stage["pattern"]["Regex"], &stage["pattern"]["String"]) {
                (Value::String(expression), _) => newline_split(expression),
                (_, Value::String(text)) if !text.contains('\n') => NewlineSplit::Never,
                _ => NewlineSplit::Unknown,
            }
        }
        _ => NewlineSplit::Unknown,
    }
}

/// Recognizes SentencePiece tokenizers that merge pairs: they do not split text, but none of their tokens
/// contains anything but newlines after a newline.
fn pieces<'a>(
    spec: &mut TokenizerSpec,
    tokens: impl Iterator<Item = &'a str>,
) -> Option<SplitAnalysis> {
    if !is_position_independent_bpe(&spec.model) {
        return None;
    }
    let prepended = take_prepended(&mut spec.normalizer)?;
    let prefix = take_metaspace(&mut spec.pre_tokenizer, prepended)?;
    let mut has_newline = false;
    for token in tokens {
        has_newline |= token == "\n" || token == "<0x0A>" && spec.model.byte_fallback;
        let after = token.trim_start_matches(|c| c != '\n').trim_start_matches('\n');
        let contains_newline_byte = token != "<0x0A>" && token.contains("<0x0A>");
        if !after.is_empty() || contains_newline_byte {
            return None;
        }
    }
    has_newline.then_some(SplitAnalysis { boundary: Boundary::Pieces, prefix })
}

/// Removes a prefix from a normalizer and returns it; `None` if there are unknown stages.
fn take_prepended(normalizer: &mut Value) -> Option<Prefix> {
    let (mut prefix, mut kept) = (Prefix::None, Vec::new());
    for stage in stages(normalizer, "normalizers") {
        match stage_kind(&stage) {
            "Prepend" if kept.is_empty() && prefix == Prefix::None => {
                prefix = Prefix::Always(stage["prepend"].as_str()?.to_owned());
            }
            "Replace" if is_space_replacement(&stage) => kept.push(stage),
            _ => return None,
        }
    }
    if prefix != Prefix::None {
        *normalizer = serde_json::json!({"type": "Sequence", "normalizers": kept});
    }
    Some(prefix)
}

/// Removes the prefix of a Metaspace stage and returns it, or `prepended` if there is none; `None` if
/// another stage splits the text.
fn take_metaspace(pre_tokenizer: &mut Value, prepended: Prefix) -> Option<Prefix> {
    let mut stages = stages(pre_tokenizer, "pretokenizers");
    let [stage] = stages.as_mut_slice() else { return stages.is_empty().then_some(prepended) };
    match stage_kind(stage) {
        // The normalizer has replaced the spaces, and none of them is a newline.
        "Split" if stage["pattern"]["String"] == " " => Some(prepended),
        "Metaspace" if prepended == Prefix::None => {
            let replacement = stage["replacement"].as_str()?.to_owned();
            let is_never = match stage["prepend_scheme"].as_str() {
                Some(scheme) => scheme == "never",
                None => stage["add_prefix_space"] == Value::Bool(false),
            };
            if is_never {
                return Some(Prefix::None);
            }
            stage["prepend_scheme"] = "never".into();
            stage["add_prefix_space"] = Value::Bool(false);
            *pre_tokenizer = stage.take();
            Some(Prefix::UnlessPresent(replacement))
        }
        _ => None,
    }
}

/// Whether a model merges pairs the same way everywhere in a text.
fn is_position_independent_bpe(model: &ModelSpec) -> bool {
    let is_empty = |text: &Option<String>| text.as_deref().unwrap_or("").is_empty();
    model.kind.as_deref() == Some("BPE")
        && is_empty(&model.continuing_subword_prefix)
        && is_empty(&model.end_of_word_suffix)
}

/// Unicode normalization forms keep newlines and ASCII in place and never combine across them.
fn is_unicode_form(stage: &Value) -> bool {
    matches!(stage_kind(stage), "NFC" | "NFD" | "NFKC" | "NFKD")
}

fn is_space_replacement(stage: &Value) -> bool {
    let content = stage["content"].as_str();
    stage["pattern"]["String"] == " " && content.is_some_and(|content| !content.contains('\n'))
}

fn flag(stage: &Value, key: &str) -> bool {
    stage[key].as_bool().unwrap_or(false)
}
