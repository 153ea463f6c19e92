//! Where the counts of a tokenizer add, derived from its own description.
//!
//! Each [`Boundary`] is a proof in short: what may stand on either side of a newline so that no token
//! reaches over it, and that neither side is cut otherwise than alone. A tokenizer of any other form
//! is [`Boundary::Unknown`]: its texts are counted as a whole, which is slower and just as exact.

use super::outline::{AddedToken, ModelOutline, Outline};
use super::pattern::{Ending, ending};
use serde_json::Value;

/// Before which lines counts add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Words end at white space, which is no part of a token (WordPiece).
    Words,
    /// Text is cut after newlines, before anything but more of them and white space at the end of a
    /// line (Llama 3, Qwen, DeepSeek); where `slashes`, also not before a slash.
    Newlines {
        /// Whether slashes can belong to the newlines before them.
        slashes: bool,
    },
    /// No token has anything after a newline but newlines (Llama 2, Gemma).
    Pieces,
    /// Text is cut after a newline that stands alone between two characters (GPT-2).
    Lone,
    /// Nothing is known.
    Unknown,
}

/// What a tokenizer puts before a text that it encodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prefix {
    /// Nothing.
    None,
    /// This text, unless it begins with it or with a space.
    UnlessThere(String),
    /// This text.
    Always(String),
}

/// How texts of a tokenizer can be taken apart.
#[derive(Debug, PartialEq)]
pub struct Analysis {
    /// Where its counts add.
    pub boundary: Boundary,
    /// What it puts before a text. Taken out of the two that follow.
    pub prefix: Prefix,
    /// Its normalizer.
    pub normalizer: Value,
    /// Its pre-tokenizer.
    pub pre_tokenizer: Value,
}

impl Boundary {
    /// Whether measures add between two lines.
    pub fn adds_between(self, previous: &str, line: &str) -> bool {
        match self {
            Self::Words => true,
            Self::Newlines { slashes: false } => first_sign(line).is_some(),
            Self::Newlines { slashes: true } => match first_sign(line) {
                Some(_) if line.starts_with('/') => previous
                    .trim_end_matches(['\r', '\n'])
                    .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '\t')),
                first => first.is_some(),
            },
            Self::Pieces => !line.is_empty() && !line.starts_with('\n'),
            Self::Lone => {
                let before = previous.strip_suffix('\n').and_then(|line| line.chars().next_back());
                let alone = before.is_some_and(|c| c.is_ascii_graphic());
                alone && line.starts_with(|c: char| c.is_ascii_graphic())
            }
            Self::Unknown => false,
        }
    }

    /// Whether counts add before every line that begins with an ASCII sign other than a slash, and
    /// between any line and a blank one counted with it: all that the packer's own lines need.
    pub fn adds_before_signs(self) -> bool {
        matches!(self, Self::Words | Self::Newlines { .. } | Self::Pieces)
    }
}

/// The first character of a line that is no space or tab, if that is an ASCII one: those are what
/// every normalizer leaves where they are.
fn first_sign(line: &str) -> Option<char> {
    let first = line.chars().find(|c| !matches!(c, ' ' | '\t'))?;
    first.is_ascii_graphic().then_some(first)
}

/// Finds out where the counts of a tokenizer add. `tokens` are those of its vocabulary.
pub fn analyse<'a>(outline: &Outline, tokens: impl Iterator<Item = &'a str>) -> Analysis {
    let unknown = || Analysis {
        boundary: Boundary::Unknown,
        prefix: Prefix::None,
        normalizer: outline.normalizer.clone(),
        pre_tokenizer: outline.pre_tokenizer.clone(),
    };
    if outline.added_tokens.iter().any(reaches_over_newlines) {
        return unknown();
    }
    let found = words(outline)
        .or_else(|| byte_level(outline))
        .or_else(|| pieces(outline, tokens))
        .filter(|it| it.prefix == Prefix::None || outline.added_tokens.iter().all(|t| t.special));
    found.unwrap_or_else(unknown)
}

/// Whether an added token, which is looked for before anything else, could take a newline together
/// with what follows it, or white space of the lines around it.
fn reaches_over_newlines(token: &AddedToken) -> bool {
    let after = token.content.trim_start_matches(|c| c != '\n').trim_start_matches('\n');
    !after.is_empty() || !token.special && (token.lstrip || token.rstrip)
}

/// Tokenizers that cut at white space and drop it.
fn words(outline: &Outline) -> Option<Analysis> {
    let harmless = stages(&outline.normalizer, "normalizers").iter().all(|stage| {
        is_unicode_form(stage) || matches!(kind(stage), "BertNormalizer" | "Lowercase")
    });
    let stages = stages(&outline.pre_tokenizer, "pretokenizers");
    let cuts =
        matches!(kind(stages.first()?), "BertPreTokenizer" | "Whitespace" | "WhitespaceSplit");
    (harmless && cuts && stages.len() == 1).then(|| plain(outline, Boundary::Words))
}

/// Tokenizers that cut by an expression and then look at bytes.
fn byte_level(outline: &Outline) -> Option<Analysis> {
    let normalizers = stages(&outline.normalizer, "normalizers");
    if !normalizers.iter().all(is_unicode_form) {
        return None;
    }
    let stages = stages(&outline.pre_tokenizer, "pretokenizers");
    let mut main = None;
    for stage in &stages {
        let boundary = match stage_ending(stage) {
            Ending::Never => continue,
            Ending::Newlines => Boundary::Newlines { slashes: false },
            Ending::NewlinesAndSlashes => Boundary::Newlines { slashes: true },
            Ending::LastBlank => Boundary::Lone,
            Ending::Unknown => return None,
        };
        // A second cut by white space would see pieces that the first one made.
        if main.replace(boundary).is_some() {
            return None;
        }
    }
    let mut analysis = plain(outline, main?);
    if stages.iter().any(|stage| truth(stage, "add_prefix_space")) {
        if stages.len() != 1 {
            return None;
        }
        analysis.prefix = Prefix::UnlessThere(" ".into());
        analysis.pre_tokenizer["add_prefix_space"] = Value::Bool(false);
    }
    Some(analysis)
}

/// How one stage of a pre-tokenizer ends its pieces.
fn stage_ending(stage: &Value) -> Ending {
    match kind(stage) {
        // The expression of GPT-2 is the default.
        "ByteLevel" if stage["use_regex"].as_bool().unwrap_or(true) => Ending::LastBlank,
        "ByteLevel" | "Digits" => Ending::Never,
        "Split" if stage["behavior"] == "Isolated" && !truth(stage, "invert") => {
            match (&stage["pattern"]["Regex"], &stage["pattern"]["String"]) {
                (Value::String(expression), _) => ending(expression),
                (_, Value::String(text)) if !text.contains('\n') => Ending::Never,
                _ => Ending::Unknown,
            }
        }
        _ => Ending::Unknown,
    }
}

/// Tokenizers of SentencePiece's kind that merge pairs: they do not cut at all, but no token of
/// theirs has anything after a newline.
fn pieces<'a>(outline: &Outline, tokens: impl Iterator<Item = &'a str>) -> Option<Analysis> {
    if !merges_plainly(&outline.model) {
        return None;
    }
    let mut analysis = plain(outline, Boundary::Pieces);
    take_prepended(&mut analysis)?;
    take_metaspace(&mut analysis)?;
    let mut newline = false;
    for token in tokens {
        newline |= token == "\n" || token == "<0x0A>" && outline.model.byte_fallback;
        let after = token.trim_start_matches(|c| c != '\n').trim_start_matches('\n');
        let of_bytes = token != "<0x0A>" && token.contains("<0x0A>");
        if !after.is_empty() || of_bytes {
            return None;
        }
    }
    newline.then_some(analysis)
}

/// Takes a prefix out of the normalizer; nothing if something else is in it that is not known.
fn take_prepended(analysis: &mut Analysis) -> Option<()> {
    let mut kept = Vec::new();
    for stage in stages(&analysis.normalizer, "normalizers") {
        match kind(&stage) {
            "Prepend" if kept.is_empty() && analysis.prefix == Prefix::None => {
                analysis.prefix = Prefix::Always(stage["prepend"].as_str()?.to_owned());
            }
            "Replace" if is_space_replacement(&stage) => kept.push(stage),
            _ => return None,
        }
    }
    if analysis.prefix != Prefix::None {
        analysis.normalizer = serde_json::json!({"type": "Sequence", "normalizers": kept});
    }
    Some(())
}

/// Takes the prefix out of a Metaspace; nothing if the text is cut by something else.
fn take_metaspace(analysis: &mut Analysis) -> Option<()> {
    let stages = stages(&analysis.pre_tokenizer, "pretokenizers");
    let [stage] = stages.as_slice() else { return stages.is_empty().then_some(()) };
    match kind(stage) {
        // Spaces are gone by then, and a cut before or after one would be at no newline.
        "Split" if stage["pattern"]["String"] == " " => Some(()),
        "Metaspace" if analysis.prefix == Prefix::None => {
            let replacement = stage["replacement"].as_str()?.to_owned();
            let scheme = stage["prepend_scheme"].as_str();
            let never = match scheme {
                Some(scheme) => scheme == "never",
                None => stage["add_prefix_space"] == Value::Bool(false),
            };
            if !never {
                analysis.prefix = Prefix::UnlessThere(replacement);
                let mut stage = stage.clone();
                stage["prepend_scheme"] = "never".into();
                stage["add_prefix_space"] = Value::Bool(false);
                analysis.pre_tokenizer = stage;
            }
            Some(())
        }
        _ => None,
    }
}

/// Whether a model merges pairs, the same way everywhere in a text.
fn merges_plainly(model: &ModelOutline) -> bool {
    let empty = |text: &Option<String>| text.as_deref().unwrap_or("").is_empty();
    model.kind.as_deref() == Some("BPE")
        && empty(&model.continuing_subword_prefix)
        && empty(&model.end_of_word_suffix)
}

fn plain(outline: &Outline, boundary: Boundary) -> Analysis {
    Analysis {
        boundary,
        prefix: Prefix::None,
        normalizer: outline.normalizer.clone(),
        pre_tokenizer: outline.pre_tokenizer.clone(),
    }
}

/// The stages of a normalizer or pre-tokenizer, sequences taken apart.
fn stages(value: &Value, within: &str) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        value if kind(value) == "Sequence" => {
            let parts = value[within].as_array().cloned().unwrap_or_default();
            parts.iter().flat_map(|part| stages(part, within)).collect()
        }
        value => vec![value.clone()],
    }
}

/// Unicode's normal forms leave newlines and ASCII where they are, and reach over neither.
fn is_unicode_form(stage: &Value) -> bool {
    matches!(kind(stage), "NFC" | "NFD" | "NFKC" | "NFKD")
}

fn is_space_replacement(stage: &Value) -> bool {
    let content = stage["content"].as_str();
    stage["pattern"]["String"] == " " && content.is_some_and(|content| !content.contains('\n'))
}

fn kind(stage: &Value) -> &str {
    stage["type"].as_str().unwrap_or("")
}

fn truth(stage: &Value, key: &str) -> bool {
    stage[key].as_bool().unwrap_or(false)
}
