//! How the regular expression of a pre-tokenizer splits text at newlines.
//!
//! The expressions of byte-level vocabularies are lists of alternatives, the last of which match white
//! space. Parsing an alternative with `regex-syntax` shows whether a match can extend past a newline.
//! Nothing is guessed: an expression of unknown form is [`NewlineSplit::Unknown`].

use regex_syntax::hir::{Class, Hir, HirKind};

/// How the pieces of a split end at newlines, by how much is known about the text after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NewlineSplit {
    /// No piece contains a newline.
    Never,
    /// A piece includes all consecutive newlines, and nothing after them.
    Newlines,
    /// Like `Newlines`, but slashes after punctuation and newlines are included too.
    NewlinesAndSlashes,
    /// Whitespace before other text is one piece, except for its last character (GPT-2).
    LastBlank,
    Unknown,
}

/// Last alternatives of expressions like Llama 3's and GPT-2's.
const NEWLINES: [&str; 3] = [r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"];
const LAST_BLANK: [&str; 2] = [r"\s+(?!\S)", r"\s+"];

/// Determines how `expression` splits text at newlines.
pub fn newline_split(expression: &str) -> NewlineSplit {
    let expression = expression.replace('\r', r"\r").replace('\n', r"\n");
    let alternatives = alternatives(&expression);
    if let Some(words) = alternatives.strip_suffix(&NEWLINES) {
        return words.iter().map(|word| newline_reach(word)).fold(NewlineSplit::Newlines, Ord::max);
    }
    let never_reach =
        |words: &[&str]| words.iter().all(|word| newline_reach(word) == NewlineSplit::Never);
    match alternatives.strip_suffix(&LAST_BLANK) {
        Some(words) if never_reach(words) => NewlineSplit::LastBlank,
        None if never_reach(&alternatives) => NewlineSplit::Never,
        _ => NewlineSplit::Unknown,
    }
}

/// Returns how far a match of an alternative can extend at a newline.
///
/// Accepts newlines only in the last part of an alternative, and only as a greedy repetition.
fn newline_reach(alternative: &str) -> NewlineSplit {
    let Ok(hir) = regex_syntax::parse(alternative) else { return NewlineSplit::Unknown };
    if !can_match_newline(&hir) {
        return NewlineSplit::Never;
    }
    let HirKind::Concat(parts) = hir.kind() else { return NewlineSplit::Unknown };
    let Some((last, rest)) = parts.split_last() else { return NewlineSplit::Unknown };
    if rest.iter().any(can_match_newline) {
        return NewlineSplit::Unknown;
    }
    match last.kind() {
        HirKind::Repetition(it) if it.greedy && it.min == 0 && it.max.is_none() => {
            reach_of_class(&it.sub)
        }
        _ => NewlineSplit::Unknown,
    }
}

fn reach_of_class(class: &Hir) -> NewlineSplit {
    let HirKind::Class(Class::Unicode(class)) = class.kind() else { return NewlineSplit::Unknown };
    let mut reach = NewlineSplit::Newlines;
    for c in class.iter().flat_map(|range| range.start()..=range.end()) {
        match c {
            '\n' | '\r' => {}
            '/' => reach = NewlineSplit::NewlinesAndSlashes,
            _ => return NewlineSplit::Unknown,
        }
    }
    reach
}

/// Whether a match can contain a newline or depend on the surrounding text.
fn can_match_newline(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&'\n'))
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => true,
        HirKind::Repetition(repetition) => can_match_newline(&repetition.sub),
        HirKind::Capture(capture) => can_match_newline(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(can_match_newline),
    }
}

/// Splits an expression into its top-level alternatives.
fn alternatives(expression: &str) -> Vec<&str> {
    let (mut groups, mut classes, mut escaped) = (0, 0, false);
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in expression.char_indices() {
        match c {
            _ if escaped => {
                escaped = false;
                continue;
            }
            '\\' => escaped = true,
            '[' => classes += 1,
            ']' => classes -= 1,
            '(' if classes == 0 => groups += 1,
            ')' if classes == 0 => groups -= 1,
            '|' if groups == 0 && classes == 0 => {
                found.push(&expression[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&expression[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLAMA_3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
    const DEEPSEEK_V3: &str = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";
    const NEMO: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
    const GPT_2: &str =
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

    #[test]
    fn expressions_of_known_vocabularies_are_recognized() {
        assert_eq!(newline_split(LLAMA_3), NewlineSplit::Newlines);
        assert_eq!(newline_split(&LLAMA_3.replace("{1,3}", "")), NewlineSplit::Newlines, "Qwen 2");
        assert_eq!(newline_split(DEEPSEEK_V3), NewlineSplit::Newlines);
        assert_eq!(newline_split(NEMO), NewlineSplit::NewlinesAndSlashes);
        assert_eq!(newline_split(GPT_2), NewlineSplit::LastBlank);
        assert_eq!(newline_split(r"\p{N}{1,3}"), NewlineSplit::Never);
        assert_eq!(newline_split("[一-龥぀-ゟ゠-ヿ]+"), NewlineSplit::Never);
    }

    #[test]
    fn expression_that_could_match_past_a_newline_is_unknown() {
        for unknown in [
            r"\s+",
            r"[^a]+",
            r"(?s).",
            r"a$",
            r"\bword\b",
            r"x(?=\n)",
            "(",
            &LLAMA_3.replace(r"[^\s\p{L}\p{N}]+[\r\n]*", r"[^\p{L}\p{N}]+"),
            &LLAMA_3.replace(r"[\r\n]*|\s*", r"[\r\n ]*|\s*"),
            &LLAMA_3.replace(r"[\r\n]*|\s*", r"[\r\n]*?|\s*"),
            &LLAMA_3.replace(r"\s*[\r\n]+|", r"\s*[\r\n]+ ?|"),
            &GPT_2.replace(r" ?\p{L}+", r"\s?\p{L}+"),
        ] {
            assert_eq!(newline_split(unknown), NewlineSplit::Unknown, "{unknown}");
        }
    }
}
