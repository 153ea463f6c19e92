//! How much a step of the parser costs in a large text, by samples of it.
//!
//! A step through what the grammar makes nothing of costs many times as much as one through code:
//! all ways to go on are tried at every token. Steps are counted and not timed, so the same count
//! would be a second for code, and ten for a list of words. What kind of text it is, a few small
//! stretches of it tell, at a cost that does not grow with the text.

use super::parse::{has_too_many_errors, run};
use crate::Cancel;
use crate::language::Compiled;

/// Smaller texts are parsed within the bound whatever they are.
const LARGE: usize = 256 << 10;

/// So many stretches of so many bytes are tried, each with so many steps.
const SAMPLES: usize = 6;
const SAMPLE_BYTES: usize = 6 << 10;
const SAMPLE_STEPS: u32 = 2_000;

/// How many times as much a step costs where the grammar makes nothing of a text: the mean of what
/// was measured for twenty grammars, which lie between 4 and 25.
const COST_OF_ERRORS: u32 = 16;

/// How many times as much as in code a step costs in `content`.
pub(super) fn cost_of_steps(grammar: &Compiled, content: &str, cancel: &Cancel) -> u32 {
    // Grammars of data have few ways to go on, and a stretch of data seldom stands alone.
    if content.len() < LARGE || grammar.traits.data {
        return 1;
    }
    let fails = |sample: &&str| match run(grammar, sample, SAMPLE_STEPS, cancel) {
        Some(tree) => has_too_many_errors(&tree, sample.len()),
        None => true,
    };
    let failed = samples(content).into_iter().filter(fails).count() as u32;
    1 + (COST_OF_ERRORS - 1) * failed / SAMPLES as u32
}

/// Stretches of a text: one at its beginning, the others evenly apart. They begin with a line where
/// one begins in the first half of a stretch, best with one that begins with a letter: it is seldom
/// in the midst of a comment or a string.
fn samples(content: &str) -> Vec<&str> {
    let stretch = |at: usize| {
        let start = content.floor_char_boundary(content.len() / SAMPLES * at);
        let end = content.floor_char_boundary(start + SAMPLE_BYTES);
        let sample = &content[start..end];
        let half = &sample.as_bytes()[..sample.len().min(SAMPLE_BYTES / 2)];
        let letter = half.windows(2).position(|it| it[0] == b'\n' && it[1].is_ascii_alphabetic());
        let line = letter.or_else(|| half.iter().position(|&byte| byte == b'\n'));
        if at == 0 { sample } else { &sample[line.map_or(0, |line| line + 1)..] }
    };
    (0..SAMPLES).map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::language::Structure;

    fn cost(language: &str, content: &str) -> u32 {
        let Some(Structure::Items(grammar)) = Language::named(language).map(Language::structure)
        else {
            panic!("{language} has a grammar")
        };
        cost_of_steps(grammar.compiled(), content, &Cancel::default())
    }

    #[test]
    fn steps_through_words_cost_more_than_steps_through_code() {
        let code = "fn f(a: u32) -> u32 {\n    let b = a + 1;\n    b * 2\n}\n\n".repeat(8_000);
        let words = "some words that are no code at all and go on and on\n".repeat(8_000);
        let half = format!("{}{}", &code[..code.len() / 2], &words[..words.len() / 2]);
        assert_eq!(cost("rust", &code), 1);
        assert_eq!(cost("rust", &words), COST_OF_ERRORS);
        assert!((2..COST_OF_ERRORS).contains(&cost("rust", &half)), "{}", cost("rust", &half));
        assert_eq!(cost("rust", &words[..LARGE - 1]), 1, "a small text is not sampled");
    }

    #[test]
    fn samples_of_any_text_are_within_it() {
        for content in ["é".repeat(LARGE), "\n".repeat(LARGE), "a".repeat(LARGE)] {
            assert_eq!(samples(&content).len(), SAMPLES);
            assert!(samples(&content).iter().all(|sample| sample.len() <= SAMPLE_BYTES));
        }
    }
}
