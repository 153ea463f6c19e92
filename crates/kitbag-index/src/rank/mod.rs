//! From a task and a tree to ranked chunks.
//!
//! `evidence` and `history` gather what every file has; the best files become *candidates*, and
//! each is described by plain numbers, its features; what was learnt turns them into a score. The
//! same is then done for the chunks of the best files, to whose features the file's score belongs.

mod evidence;
mod features;
mod graph;
mod history;
mod model;
mod phrases;

pub use features::{CHUNK_FEATURES, Candidate, ChunkCandidate, Context, FILE_FEATURES, Features};
pub use model::{Contribution, Model, Models};

use crate::file_kind::FileKind;
use crate::task::{About, Task};
use crate::view::View;
use kitbag_text::Chunk;

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
        RankedFile { file: it.file, candidate, score: scorer.score(&it.features) - cost }
    };
    let mut files: Vec<RankedFile> = features.candidates.iter().enumerate().map(score).collect();
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

const KIND_COST: f32 = 3.0;
const ASKED_COST: f32 = 0.3;

impl Ranking<'_> {
    fn rank_chunks(&mut self) {
        let scorer = self.models.chunks();
        let described = self.files.len().min(MOST_DESCRIBED);
        let first: Vec<(usize, f32)> =
            self.files[..described].iter().map(|it| (it.candidate, it.score)).collect();
        let ranked = |it: ChunkCandidate| RankedChunk {
            file: it.file,
            chunk: it.chunk,
            score: scorer.score(&it.features),
            candidate: it.candidate,
            features: it.features,
        };
        self.chunks = self.features.chunks(&first).into_iter().map(ranked).collect();
        self.chunks.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then((a.file, a.chunk).cmp(&(b.file, b.chunk)))
        });
        let least = self.chunks.last().map_or(0.0, |it| it.score);
        for (rank, file) in self.files[described..].iter().enumerate() {
            let count = self.features.forward(file.candidate).map_or(0, |it| it.chunks.len());
            let score = least - 1.0 - rank as f32;
            let rest = (0..count).map(|chunk| RankedChunk {
                file: file.file,
                chunk,
                score,
                candidate: file.candidate,
                features: Vec::new(),
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
        self.models.files().explain(&self.features.candidates[it.candidate].features)
    }

    /// Why a chunk has its score; nothing where it only follows from its file's.
    pub fn explain_chunk(&self, it: &RankedChunk) -> Vec<Contribution> {
        if it.features.is_empty() {
            return Vec::new();
        }
        self.models.chunks().explain(&it.features)
    }
}
