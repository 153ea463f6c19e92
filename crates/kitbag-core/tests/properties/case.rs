//! A random request.

use kitbag_core::{Cancel, Decision, Job, PackError, Packed, Settings, decide, pack};
use kitbag_text::{Piece, Source, Span, Text, chunk_text};
use kitbag_tokens::{CachedCounter, Vocabulary};
use std::fmt;
use std::sync::LazyLock;

static COUNTINGS: LazyLock<Vec<CachedCounter>> = LazyLock::new(|| {
    let names = ["o200k_base", "cl100k_base", "characters", "words"];
    names.iter().map(|name| CachedCounter::named(name).expect("a built-in counter")).collect()
});

/// The counter at a index, and its cache, which all cases share.
pub fn counting(counter: usize) -> &'static CachedCounter {
    &COUNTINGS[counter]
}

/// The budget of a case.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    Tokens(usize),
    /// The cost of everything.
    Total,
    TotalLessOne,
    /// A fraction of the cost of everything.
    Fraction(f64),
}

/// A random request.
#[derive(Clone)]
pub struct Case {
    pub sources: Vec<Source>,
    pub task: &'static str,
    pub now: Option<i64>,
    pub limit: Limit,
    pub settings: Settings,
    pub counter: usize,
}

/// A case with its budget and its pack.
pub struct Outcome {
    pub budget: usize,
    pub packed: Packed,
}

impl Case {
    pub fn run(&self) -> Result<Outcome, PackError> {
        let budget = self.budget()?;
        Ok(Outcome { budget, packed: self.pack(budget)? })
    }

    /// The budget in tokens.
    pub fn budget(&self) -> Result<usize, PackError> {
        let total = || self.decide(usize::MAX).map(|decision| decision.total_tokens);
        Ok(match self.limit {
            Limit::Tokens(tokens) => tokens,
            Limit::Total => total()?,
            Limit::TotalLessOne => total()?.saturating_sub(1),
            Limit::Fraction(fraction) => (total()? as f64 * fraction) as usize,
        })
    }

    pub fn pack(&self, budget: usize) -> Result<Packed, PackError> {
        pack(self.job(budget, &Cancel::default()), &mut ())
    }

    pub fn decide(&self, budget: usize) -> Result<Decision, PackError> {
        decide(self.job(budget, &Cancel::default()), &mut ())
    }

    pub fn job<'a>(&'a self, budget: usize, cancel: &'a Cancel) -> Job<'a> {
        Job {
            sources: self.sources.clone(),
            task: self.task,
            now: self.now,
            budget,
            settings: &self.settings,
            counting: counting(self.counter),
            cancel,
        }
    }

    /// Returns the lines of a source's chunks: its pieces, clipped to its text, or those of the
    /// chunker.
    pub fn chunks(&self, source: &Source) -> Vec<Span> {
        let Some(pieces) = &source.pieces else {
            let limits = &self.settings.chunking;
            let chunked = chunk_text(&source.path, &source.text, limits, counting(self.counter));
            return chunked.chunks.iter().map(|chunk| chunk.span).collect();
        };
        pieces.iter().filter_map(|piece| inside(piece, &source.text)).collect()
    }

    /// Counts a text without the code used for packing.
    pub fn recount(&self, text: &str) -> usize {
        let encoded = |vocabulary: Vocabulary| vocabulary.encode(text).len();
        match self.counter {
            0 => encoded(Vocabulary::O200kBase),
            1 => encoded(Vocabulary::Cl100kBase),
            2 => {
                let special = |c: &char| !c.is_alphanumeric() && !c.is_whitespace();
                text.chars().count().div_ceil(4) + text.chars().filter(special).count() / 3
            }
            _ => {
                let is_mixed = |word: &str| {
                    word.contains(char::is_lowercase) && word.contains(char::is_uppercase)
                };
                let words = text.split_whitespace().map(|word| {
                    1 + usize::from(word.chars().count() > 10) + usize::from(is_mixed(word))
                });
                (words.sum::<usize>() * 4).div_ceil(3)
            }
        }
    }
}

fn inside(piece: &Piece, text: &Text) -> Option<Span> {
    let last = text.span()?.end.min(piece.chunk.span.end);
    let blank = text.slice(piece.chunk.span).trim().is_empty();
    (!blank).then(|| Span::new(piece.chunk.span.start, last))
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { chunking, weights, min_score, deduplication, selection, budget, .. } =
            &self.settings;
        let (max, min) = (chunking.max_chunk_tokens, chunking.min_chunk_tokens);
        let counter = counting(self.counter).counter().name();
        writeln!(f, "{counter} {:?} task {:?} now {:?}", self.limit, self.task, self.now)?;
        writeln!(
            f,
            "chunks {min}-{max}, {} lines, {:?}",
            chunking.lines_per_chunk, chunking.strategy
        )?;
        writeln!(f, "{weights:?} {min_score:?} {deduplication:?} {selection:?} {budget:?}")?;
        for source in &self.sources {
            let Source { path, kind, text, relevance, timestamp, pieces, .. } = source;
            let from = source.from.as_ref().map(|from| from.provider.as_str());
            let origin = (from, source.is_given);
            writeln!(f, "{path:?} {kind} {relevance:?} {timestamp:?} {origin:?}")?;
            writeln!(f, "  from line {}: {:?}", text.first_line(), text.content())?;
            for Piece { chunk, relevance } in pieces.iter().flatten() {
                writeln!(f, "  piece {relevance:?} {chunk:?}")?;
            }
        }
        Ok(())
    }
}
