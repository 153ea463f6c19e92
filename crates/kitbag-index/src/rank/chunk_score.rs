//! The score of a chunk: the logarithm of the probability of its file, times its probability within
//! the file, over its size to a power. The factors therefore add up to the score.

use super::model::{Contribution, by_magnitude};

/// Names of the factors of a chunk's score that are not features of the chunk itself.
pub const CHUNK_SCORE_FACTORS: &[&str] = &[
    "file_probability",
    "probability_in_file",
    "size",
    "imports",
    "best_in_file",
    "best_in_best_file",
];

/// Exponent of a chunk's probability within its file. Above 1 it concentrates on the best chunks of a
/// file. In simulation, 1.0 with a bonus of 0.15 gained half a point of H@8k on commits over 1.1 with 0.2,
/// and nothing on issues (docs/quality.md).
const IN_FILE_EXPONENT: f32 = 1.0;

/// Bonus of the best chunk of a file, as a share of the file's probability: showing the file at all is
/// worth something, whichever chunk is right. Measured together with [`IN_FILE_EXPONENT`].
const BEST_IN_FILE_BONUS: f32 = 0.15;

/// Exponent of a chunk's size, which its probability is divided by: a budget holds more small chunks.
/// Chosen by trading F against H on the development sets ("Spreading" in docs/quality.md).
const SIZE_EXPONENT: f32 = 0.7;

/// Tokens added to every chunk's size, so that tiny chunks do not win by size alone. Chosen by hand.
const SIZE_OFFSET_TOKENS: f32 = 20.0;

/// Factor of a chunk of imports, relative to the best other chunk of its file: it is worth showing only
/// beside code of the file.
const IMPORTS_SHARE: f32 = 0.9;

/// Factor of a chunk of imports in a file that has nothing else, such as an `__init__.py` that re-exports
/// the package: what it names is defined elsewhere.
const REEXPORTS_SHARE: f32 = 0.1;

/// A chunk of a file to be scored.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkInFile {
    pub probability: f32,
    pub tokens: f32,
    /// Whether it has nothing but imports, and the task does not ask for its file.
    pub is_imports: bool,
}

/// The parts of a chunk's score.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkScore {
    pub file_probability: f32,
    pub probability_in_file: f32,
    is_best_in_file: bool,
    tokens: f32,
    /// Factor of a chunk of imports, otherwise 1.
    imports: f32,
    /// Gain of the best chunk of the best file.
    pub lead: f32,
}

impl ChunkScore {
    /// Scores the chunks of a file.
    pub fn of_file(file_probability: f32, chunks: impl Iterator<Item = ChunkInFile>) -> Vec<Self> {
        let chunks: Vec<ChunkInFile> = chunks.collect();
        let score = |it: &ChunkInFile| Self {
            file_probability,
            probability_in_file: it.probability,
            is_best_in_file: false,
            tokens: it.tokens,
            imports: 1.0,
            lead: 0.0,
        };
        let mut scores: Vec<Self> = chunks.iter().map(score).collect();
        // The first of several best ones, and imports only if there is nothing else.
        let by_value = |&a: &usize, &b: &usize| {
            let is_code = |at: usize| !chunks[at].is_imports;
            is_code(a).cmp(&is_code(b)).then(scores[a].value().total_cmp(&scores[b].value()))
        };
        let Some(best) = (0..scores.len()).rev().max_by(by_value) else { return scores };
        scores[best].is_best_in_file = true;
        let best_value = scores[best].value();
        for (at, score) in scores.iter_mut().enumerate().filter(|(at, _)| chunks[*at].is_imports) {
            score.imports = match at == best {
                true => REEXPORTS_SHARE,
                false => (IMPORTS_SHARE * best_value / score.value()).min(1.0),
            };
        }
        scores
    }

    /// Returns the score without the lead.
    pub fn score(&self) -> f32 {
        ln(self.value())
    }

    fn value(&self) -> f32 {
        self.file_probability * (self.weight() + self.bonus()) / self.size_cost() * self.imports
    }

    fn weight(&self) -> f32 {
        self.probability_in_file.powf(IN_FILE_EXPONENT)
    }

    fn bonus(&self) -> f32 {
        if self.is_best_in_file { BEST_IN_FILE_BONUS } else { 0.0 }
    }

    fn size_cost(&self) -> f32 {
        (self.tokens + SIZE_OFFSET_TOKENS).powf(SIZE_EXPONENT)
    }

    /// Adds the other factors to the contributions of the features, so that all of them sum up to
    /// `score`.
    pub fn explain(&self, score: f32, mut all: Vec<Contribution>) -> Vec<Contribution> {
        let factor = |feature, value, amount| Contribution { feature, value, amount };
        let best_in_file = if self.is_best_in_file {
            ln(self.weight() + self.bonus()) - ln(self.weight())
        } else {
            0.0
        };
        all.extend([
            factor("file_probability", self.file_probability, ln(self.file_probability)),
            factor("size", self.tokens, -ln(self.size_cost())),
            factor("imports", f32::from(self.imports < 1.0), ln(self.imports)),
            factor("best_in_file", f32::from(self.is_best_in_file), best_in_file),
            factor("best_in_best_file", f32::from(self.lead != 0.0), self.lead),
        ]);
        // The features give a logit; the rest is what turns it into a probability within the file.
        let explained: f32 = all.iter().map(|it| it.amount).sum();
        all.push(factor("probability_in_file", self.probability_in_file, score - explained));
        all.retain(|it| it.amount != 0.0);
        all.sort_by(by_magnitude);
        all
    }
}

fn ln(number: f32) -> f32 {
    number.max(f32::MIN_POSITIVE).ln()
}
