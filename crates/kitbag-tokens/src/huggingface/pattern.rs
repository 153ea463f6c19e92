//! What an expression that splits text before tokens are looked for does at the end of a line.
//!
//! The expressions of ByteLevel vocabularies are lists of alternatives, the last of which take white
//! space. Read with `regex-syntax`, an alternative shows whether it can run over a newline. Nothing
//! is guessed: an expression that is not of a known form is [`Ending::Unknown`].

use regex_syntax::hir::{Class, Hir, HirKind};

/// How the pieces of a split end at a newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A piece takes all newlines that follow each other, and nothing after them.
    Newlines,
    /// The same, and after punctuation slashes with them.
    NewlinesAndSlashes,
    /// White space before something else is one piece but for its last character (GPT-2).
    LastBlank,
    /// No piece has a newline in it.
    Never,
    /// It cannot be told.
    Unknown,
}

/// The alternatives that end an expression of the Llama 3 kind, and one of the GPT-2 kind.
const NEWLINES: [&str; 3] = [r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"];
const LAST_BLANK: [&str; 2] = [r"\s+(?!\S)", r"\s+"];

/// What `expression` does at the end of a line.
pub fn ending(expression: &str) -> Ending {
    let expression = expression.replace('\r', r"\r").replace('\n', r"\n");
    let alternatives = alternatives(&expression);
    if let Some(words) = alternatives.strip_suffix(&NEWLINES) {
        let runs: Vec<Run> = words.iter().map(|word| run(word)).collect();
        return match runs.iter().max() {
            Some(Run::Unknown) => Ending::Unknown,
            Some(Run::NewlinesAndSlashes) => Ending::NewlinesAndSlashes,
            _ => Ending::Newlines,
        };
    }
    let stays = |words: &[&str]| words.iter().all(|word| run(word) == Run::Never);
    match alternatives.strip_suffix(&LAST_BLANK) {
        Some(words) if stays(words) => Ending::LastBlank,
        Some(_) => Ending::Unknown,
        None if stays(&alternatives) => Ending::Never,
        None => Ending::Unknown,
    }
}

/// How far an alternative can go at a newline, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Run {
    Never,
    Newlines,
    NewlinesAndSlashes,
    Unknown,
}

/// An alternative may take newlines with its last part only, and only as many as there are.
fn run(alternative: &str) -> Run {
    let Ok(hir) = regex_syntax::parse(alternative) else { return Run::Unknown };
    if !takes_newline(&hir) {
        return Run::Never;
    }
    let HirKind::Concat(parts) = hir.kind() else { return Run::Unknown };
    let Some((last, rest)) = parts.split_last() else { return Run::Unknown };
    if rest.iter().any(takes_newline) {
        return Run::Unknown;
    }
    match last.kind() {
        HirKind::Repetition(many) if many.greedy && many.min == 0 && many.max.is_none() => {
            of_newlines(&many.sub)
        }
        _ => Run::Unknown,
    }
}

fn of_newlines(class: &Hir) -> Run {
    let HirKind::Class(Class::Unicode(class)) = class.kind() else { return Run::Unknown };
    let mut run = Run::Newlines;
    for c in class.iter().flat_map(|range| range.start()..=range.end()) {
        match c {
            '\n' | '\r' => {}
            '/' => run = Run::NewlinesAndSlashes,
            _ => return Run::Unknown,
        }
    }
    run
}

/// Whether a match of it can have a newline in it, or can hang on what stands around it.
fn takes_newline(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&'\n'))
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => true,
        HirKind::Repetition(repetition) => takes_newline(&repetition.sub),
        HirKind::Capture(capture) => takes_newline(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(takes_newline),
    }
}

/// The alternatives at the top of an expression.
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
    fn the_expressions_of_known_vocabularies_are_understood() {
        assert_eq!(ending(LLAMA_3), Ending::Newlines);
        assert_eq!(ending(&LLAMA_3.replace("{1,3}", "")), Ending::Newlines, "Qwen 2");
        assert_eq!(ending(DEEPSEEK_V3), Ending::Newlines);
        assert_eq!(ending(NEMO), Ending::NewlinesAndSlashes);
        assert_eq!(ending(GPT_2), Ending::LastBlank);
        assert_eq!(ending(r"\p{N}{1,3}"), Ending::Never);
        assert_eq!(ending("[一-龥぀-ゟ゠-ヿ]+"), Ending::Never);
    }

    #[test]
    fn an_expression_that_could_run_over_a_newline_is_not_trusted() {
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
            assert_eq!(ending(unknown), Ending::Unknown, "{unknown}");
        }
    }
}
