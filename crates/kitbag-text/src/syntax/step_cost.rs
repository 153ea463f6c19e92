//! Estimates the cost of a parser step in a large text from samples.
//!
//! A step through text that does not match the grammar is many times slower than one through code, since
//! the parser tries all alternatives at every token. Steps are counted, not timed, so the same number
//! would take one second for code and ten for a word list. A few samples show which it is, at a
//! constant cost.

use super::parser::{has_too_many_errors, run_parser};
use crate::cancel::Cancel;
use crate::language::CompiledGrammar;

/// Smaller texts are parsed in acceptable time even if every step is slow.
const MIN_SAMPLED_BYTES: usize = 256 << 10;

const SAMPLES: usize = 6;
const SAMPLE_BYTES: usize = 6 << 10;
/// Parser steps per sample.
const SAMPLE_STEPS: u32 = 2_000;

/// Cost of a step through text that does not match the grammar, relative to code: the mean over twenty
/// grammars, which range from 4 to 25.
const ERROR_STEP_COST: u32 = 16;

/// Returns the cost of a step in `content` relative to code.
pub(super) fn step_cost(grammar: &CompiledGrammar, content: &str, cancel: &Cancel) -> u32 {
    // Data grammars have few alternatives, and a sample of data is rarely valid on its own.
    if content.len() < MIN_SAMPLED_BYTES || grammar.quirks.is_data {
        return 1;
    }
    let fails = |sample: &&str| match run_parser(grammar, sample, SAMPLE_STEPS, cancel) {
        Some(tree) => has_too_many_errors(&tree, sample.len()),
        None => true,
    };
    let failed = samples(content).into_iter().filter(fails).count() as u32;
    1 + (ERROR_STEP_COST - 1) * failed / SAMPLES as u32
}

/// Returns evenly spaced samples, the first at the beginning of the text. The others begin with a line,
/// preferably one that begins with a letter, since it is rarely inside a comment or a string.
fn samples(content: &str) -> Vec<&str> {
    let sample = |index: usize| {
        let start = content.floor_char_boundary(content.len() / SAMPLES * index);
        let end = content.floor_char_boundary(start + SAMPLE_BYTES);
        let sample = &content[start..end];
        let half = &sample.as_bytes()[..sample.len().min(SAMPLE_BYTES / 2)];
        let letter = half.windows(2).position(|it| it[0] == b'\n' && it[1].is_ascii_alphabetic());
        let line = letter.or_else(|| half.iter().position(|&byte| byte == b'\n'));
        if index == 0 { sample } else { &sample[line.map_or(0, |line| line + 1)..] }
    };
    (0..SAMPLES).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Language, LanguageStructure};

    fn cost(language: &str, content: &str) -> u32 {
        let Some(LanguageStructure::Items(grammar)) =
            Language::named(language).map(Language::structure)
        else {
            panic!("{language} has a grammar")
        };
        step_cost(grammar.compiled(), content, &Cancel::default())
    }

    #[test]
    fn steps_through_prose_cost_more_than_steps_through_code() {
        let code = "fn f(a: u32) -> u32 {\n    let b = a + 1;\n    b * 2\n}\n\n".repeat(8_000);
        let words = "some words that are not code and that go on and on\n".repeat(8_000);
        let half = format!("{}{}", &code[..code.len() / 2], &words[..words.len() / 2]);
        assert_eq!(cost("rust", &code), 1);
        assert_eq!(cost("rust", &words), ERROR_STEP_COST);
        assert!((2..ERROR_STEP_COST).contains(&cost("rust", &half)), "{}", cost("rust", &half));
        assert_eq!(cost("rust", &words[..MIN_SAMPLED_BYTES - 1]), 1, "a small text is not sampled");
    }

    #[test]
    fn samples_respect_character_boundaries_and_size() {
        for content in [
            "é".repeat(MIN_SAMPLED_BYTES),
            "\n".repeat(MIN_SAMPLED_BYTES),
            "a".repeat(MIN_SAMPLED_BYTES),
        ] {
            assert_eq!(samples(&content).len(), SAMPLES);
            assert!(samples(&content).iter().all(|sample| sample.len() <= SAMPLE_BYTES));
        }
    }
}
