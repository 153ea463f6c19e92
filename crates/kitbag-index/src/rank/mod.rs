//! From a task and a tree to ranked chunks.
//!
//! `evidence` and `history` gather what every file has; the best files become *candidates*, and
//! each is described by plain numbers, its features; what was learnt turns them into a score. The
//! same is then done for the chunks of the best files, to whose features the file's score belongs.

mod clues;
mod evidence;
mod features;
mod forest;
mod graph;
mod history;
mod model;
mod phrases;
mod worth;

pub use clues::Clues;
pub use features::{CHUNK_FEATURES, Candidate, ChunkCandidate, Context, FILE_FEATURES, Features};
pub use history::commits_like;
pub use model::{Contribution, Model, Models};
pub use worth::WORTH_FACTORS;

use crate::file_kind::FileKind;
use crate::task::{About, Task};
use crate::view::View;
use kitbag_text::Chunk;
use rayon::prelude::*;
use worth::Worth;

/// How many of the best files have their chunks described; the rest follow by their words.
const MOST_DESCRIBED: usize = 60;

/// The ranked files and chunks of a tree.
pub struct Ranking<'a> {
    features: Features<'a>,
    models: &'a Models,
    /// The files, best first.
    pub files: Vec<RankedFile>,
    /// The chunks, best first.
    pub chunks: Vec<RankedChunk>,
}

/// A file that was found.
#[derive(Debug, Clone, Copy)]
pub struct RankedFile {
    /// Its place in the view.
    pub file: usize,
    /// Its place among the candidates.
    candidate: usize,
    /// Its score, what its kind costs it included.
    pub score: f32,
    /// What its kind costs it.
    cost: f32,
}

/// A chunk that was found.
#[derive(Debug, Clone)]
pub struct RankedChunk {
    /// The place of its file in the view.
    pub file: usize,
    /// Its place in the file.
    pub chunk: usize,
    /// Its score.
    pub score: f32,
    candidate: usize,
    features: Vec<f32>,
    /// What beside its features made its score; `None` where that only follows from its file's.
    worth: Option<Worth>,
}

/// Ranks the chunks of a tree for a task.
pub fn rank<'a>(
    task: &'a Task,
    view: &'a View,
    context: &Context<'_>,
    models: &'a Models,
) -> Ranking<'a> {
    let features = Features::gather(task, view, context);
    let scorer = models.files();
    let score = |(candidate, it): (usize, &Candidate)| {
        let cost = cost(view.files()[it.file].kind, &task.about);
        RankedFile { file: it.file, candidate, score: scorer.score(&it.features) - cost, cost }
    };
    let mut files: Vec<RankedFile> =
        features.candidates.par_iter().enumerate().map(score).collect();
    files.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    let mut ranking = Ranking { features, models, files, chunks: Vec::new() };
    ranking.rank_chunks();
    ranking
}

/// What a file of a kind that the task does not speak of is set back by.
fn cost(kind: FileKind, about: &About) -> f32 {
    let unless = |asked: bool, cost: f32| if asked { ASKED_COST } else { cost };
    match kind {
        FileKind::Code => 0.0,
        FileKind::Test => unless(about.tests, KIND_COST),
        FileKind::Documentation => unless(about.documentation, KIND_COST),
        FileKind::Data => unless(about.data, KIND_COST),
        FileKind::Derived => KIND_COST,
    }
}

/// In logits: unasked, a file of such a kind has to look fifty times as likely as one of code.
const KIND_COST: f32 = 4.0;
const ASKED_COST: f32 = 1.5;

/// What a file's best chunk gains, as a share of the file's chance: that the file is shown at all
/// is worth something, whichever of its chunks is the right one.
const FIRST_SHARE: f32 = 0.2;
/// How far scores are trusted: less makes chances more even, and packs spread.
const TRUST: f32 = 0.8;
/// How far the choice within a file is trusted besides.
const CHUNK_TRUST: f32 = 1.1;
/// How much the size of a chunk counts against it: a budget buys more small ones.
const SIZE_COST: f32 = 0.7;
/// How far the first chunk stands before the second.
const LEAD: f32 = 0.2;

impl Ranking<'_> {
    /// Orders chunks by the chance that they are what the task is about, and what they cost: the
    /// chance of the file times that of the chunk within it.
    fn rank_chunks(&mut self) {
        let described = self.files.len().min(MOST_DESCRIBED);
        let scores: Vec<f32> = self.files.iter().map(|file| file.score).collect();
        let chances = chances(&scores);
        let first = self.files[..described].iter().map(|file| file.candidate);
        let chunks = self.features.chunks(first);
        let scorer = self.models.chunks();
        let scores: Vec<f32> = chunks.par_iter().map(|it| scorer.score(&it.features)).collect();
        let mut rest = chunks.into_iter().zip(scores).peekable();
        for (file, chance) in self.files[..described].iter().zip(&chances) {
            let mut of_file: Vec<ChunkCandidate> = Vec::new();
            let mut scores: Vec<f32> = Vec::new();
            while let Some((it, score)) = rest.next_if(|it| it.0.candidate == file.candidate) {
                of_file.push(it);
                scores.push(score);
            }
            let worths = self.worths(&of_file, *chance, &scores);
            let ranked = of_file.into_iter().zip(worths).map(|(it, worth)| RankedChunk {
                file: it.file,
                chunk: it.chunk,
                score: worth.score(),
                candidate: it.candidate,
                features: it.features,
                worth: Some(worth),
            });
            self.chunks.extend(ranked);
        }
        self.chunks.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then((a.file, a.chunk).cmp(&(b.file, b.chunk)))
        });
        self.lead();
        self.add_rest(described);
    }

    /// The best chunk of the best file comes first, whatever it costs.
    fn lead(&mut self) {
        let Some(file) = self.files.first() else { return };
        if let Some(at) = self.chunks.iter().position(|it| it.file == file.file) {
            let best = self.chunks[0].score;
            self.chunks[..=at].rotate_right(1);
            let first = &mut self.chunks[0];
            let before = std::mem::replace(&mut first.score, best + LEAD);
            if let Some(worth) = &mut first.worth {
                worth.lead = first.score - before;
            }
        }
    }

    /// What each chunk of a file is worth.
    fn worths(&self, of_file: &[ChunkCandidate], chance: f32, scores: &[f32]) -> Vec<Worth> {
        let chances = chances(scores);
        let tokens = |it: &ChunkCandidate| {
            let chunk = self.features.forward(it.candidate)?.chunks.get(it.chunk)?;
            Some(chunk.tokens as f32)
        };
        let tokens: Vec<f32> = of_file.iter().map(|it| tokens(it).unwrap_or(0.0)).collect();
        let costs: Vec<f32> = tokens.iter().map(|it| (it + 20.0).powf(SIZE_COST)).collect();
        let plain: Vec<f32> = chances.iter().map(|it| it.powf(CHUNK_TRUST)).collect();
        let worth = |at: usize| chance * plain[at] / costs[at];
        let best =
            (0..of_file.len()).max_by(|&a, &b| worth(a).total_cmp(&worth(b)).then(b.cmp(&a)));
        let of = |at: usize| {
            let bonus = if Some(at) == best { FIRST_SHARE } else { 0.0 };
            let worth = chance * (plain[at] + bonus) / costs[at];
            let (within, tokens, cost) = (chances[at], tokens[at], costs[at]);
            Worth { worth, chance, within, bonus, tokens, cost, lead: 0.0 }
        };
        (0..of_file.len()).map(of).collect()
    }

    /// The chunks of the files that were not described follow, file by file.
    fn add_rest(&mut self, described: usize) {
        let least = self.chunks.last().map_or(0.0, |it| it.score);
        for (rank, file) in self.files[described..].iter().enumerate() {
            let count = self.features.forward(file.candidate).map_or(0, |it| it.chunks.len());
            let rest = (0..count).map(|chunk| RankedChunk {
                file: file.file,
                chunk,
                score: least - 1.0 - rank as f32,
                candidate: file.candidate,
                features: Vec::new(),
                worth: None,
            });
            self.chunks.extend(rest);
        }
    }

    /// What a chunk that was found is.
    pub fn chunk(&self, it: &RankedChunk) -> Option<&Chunk> {
        self.features.forward(it.candidate)?.chunks.get(it.chunk)
    }

    /// What is kept of a file that was found.
    pub fn forward(&self, it: &RankedChunk) -> Option<&crate::segment::Forward> {
        self.features.forward(it.candidate)
    }

    /// Why a file has its score.
    pub fn explain_file(&self, it: &RankedFile) -> Vec<Contribution> {
        let features = &self.features.candidates[it.candidate].features;
        let mut all = self.models.files().explain(features);
        if it.cost > 0.0 {
            all.push(Contribution { feature: "kind", value: 1.0, adds: -it.cost });
        }
        all
    }

    /// Why a chunk has its score, which is the sum of what all factors add; nothing where it only
    /// follows from its file's.
    pub fn explain_chunk(&self, it: &RankedChunk) -> Vec<Contribution> {
        let Some(worth) = &it.worth else { return Vec::new() };
        worth.explain(it.score, self.models.chunks().explain(&it.features))
    }
}

/// Scores as chances that sum to 1.
fn chances(scores: &[f32]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = scores.iter().map(|score| (TRUST * (score - best)).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests;
