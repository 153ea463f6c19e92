//! Ranks the chunks of a tree for a task.
//!
//! `evidence` and `history` score every file; the best files become *candidates*, which are described
//! by numeric features, and a learned model turns the features into a score. The chunks of the best
//! files are then scored in the same way.

mod calibration;
mod chunk_score;
mod evidence;
mod features;
mod forest;
mod history;
mod model;
mod paths;
mod phrases;
mod references;
mod signals;
#[cfg(test)]
mod tests;

pub use chunk_score::CHUNK_SCORE_FACTORS;
pub use features::{
    CHUNK_FEATURES, ChunkCandidate, FILE_FEATURES, Features, FileCandidate, SearchContext,
    TASK_FEATURES,
};
pub use history::similar_commits;
pub use model::{Contribution, RankModels};
pub use signals::FileSignals;

use crate::file_kind::FileKind;
use crate::segment::StoredDoc;
use crate::task::{ParsedTask, TaskTopics};
use crate::view::{IndexView, IndexedFile};
use calibration::{Calibration, TaskShape};
use chunk_score::{ChunkInFile, ChunkScore};
use kitbag_text::{Chunk, ChunkKind};
use model::TaskModels;
pub use paths::is_within;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Number of the best files whose chunks are scored; the chunks of other files follow file by file.
const MAX_FILES_WITH_SCORED_CHUNKS: usize = 60;

/// Inverse temperature of the softmax that turns scores into probabilities. Below 1 it evens them out,
/// so that packs spread over more files: 0.7 gave F@32k 95.1 and H@8k 63.6 on issues, where 0.8 gave
/// 92.8 and 64.9.
const SOFTMAX_SHARPNESS: f32 = 0.8;

/// Gap in score between the best chunk of the best file, which comes first at any size, and the next
/// chunk. Chosen by hand. Leading with
/// the best chunks of five files raised F@8k by four points and cost two of H@8k (docs/quality.md).
const BEST_FILE_LEAD: f32 = 0.2;

/// Penalty in logits of a listed chunk for each chunk of its file that is listed before it. On the 398
/// development questions, N@10 was 0.816 without it and 0.844 with 2.
const REPEATED_FILE_PENALTY: f32 = 2.0;

/// Penalty in logits for a test, documentation or data file when the task is not about such files: it
/// has to look fifty times as likely as a code file. Chosen by hand.
const KIND_PENALTY: f32 = 4.0;
/// Penalty in logits when the task is about such files. With 0.3, 21 packs of 327 commits began with
/// such a file, nine of them in two test frameworks (docs/quality.md).
const ON_TOPIC_KIND_PENALTY: f32 = 1.5;

/// Penalty in logits for a changelog when the task does not ask for one. Chosen by hand.
const CHANGELOG_PENALTY: f32 = 6.0;

/// Bonus in logits for a file of the folder that the user works in. It outweighs a slightly better match
/// elsewhere, and neither a clearly better one nor the penalty of an unasked test. Chosen by hand.
const FOLDER_BONUS: f32 = 1.5;

/// The ranked files and chunks of a tree.
pub struct SearchRanking<'a> {
    features: Features<'a>,
    models: TaskModels<'a>,
    /// Files, best first.
    pub files: Vec<RankedFile>,
    /// Chunks, best first.
    pub chunks: Vec<RankedChunk>,
    /// Chance that the task is about this repository, from 0 to 1.
    pub fit: f64,
}

/// A file with its score.
#[derive(Debug, Clone, Copy)]
pub struct RankedFile {
    /// Index of the file in the view.
    pub file: usize,
    candidate: usize,
    /// Score after the penalty and the bonus.
    pub score: f32,
    kind_penalty: f32,
    folder_bonus: f32,
}

/// A chunk with its score.
#[derive(Debug, Clone)]
pub struct RankedChunk {
    /// Index of the file in the view.
    pub file: usize,
    /// Index of the chunk in the file.
    pub chunk: usize,
    /// Score of the chunk.
    pub score: f32,
    /// Chance that the chunk matters for the task, from 0 to 1.
    pub relevance: f64,
    candidate: usize,
    features: Vec<f32>,
    /// Parts of the score; `None` if it only follows from the rank of the file.
    parts: Option<ChunkScore>,
}

/// Ranks the chunks of a tree for a task.
pub fn rank<'a>(
    task: &'a ParsedTask,
    view: &'a IndexView,
    context: &SearchContext<'_>,
    models: &'a RankModels,
) -> SearchRanking<'a> {
    let features = Features::gather(task, view, context);
    let of_task = TaskModels::new(models, task);
    let score = |(candidate, it): (usize, &FileCandidate)| {
        let IndexedFile { path, kind, .. } = &view.files()[it.file];
        let kind_penalty = kind_penalty(*kind, &task.topics);
        let is_preferred = context.folder.is_some_and(|folder| is_within(path, folder));
        let folder_bonus = if is_preferred { FOLDER_BONUS } else { 0.0 };
        let score = of_task.score_file(&it.features) - kind_penalty + folder_bonus;
        RankedFile { file: it.file, candidate, score, kind_penalty, folder_bonus }
    };
    let mut files: Vec<RankedFile> =
        features.candidates.par_iter().enumerate().map(score).collect();
    files.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    let fit = features.trusted_fit(models.calibration.fit(models.task.score(&features.task_fit)));
    let mut ranking = SearchRanking { features, models: of_task, files, chunks: Vec::new(), fit };
    ranking.rank_chunks();
    ranking.calibrate(&models.calibration);
    ranking
}

fn kind_penalty(kind: FileKind, topics: &TaskTopics) -> f32 {
    let is_on_topic = match kind {
        FileKind::Code => return 0.0,
        FileKind::Test => topics.tests,
        FileKind::Documentation => topics.documentation,
        FileKind::Changelog if !topics.changelog => return CHANGELOG_PENALTY,
        FileKind::Changelog => true,
        FileKind::Data => topics.data,
        FileKind::Derived => false,
    };
    if is_on_topic { ON_TOPIC_KIND_PENALTY } else { KIND_PENALTY }
}

impl SearchRanking<'_> {
    /// Orders chunks by their value for their size.
    fn rank_chunks(&mut self) {
        let scored_files = self.files.len().min(MAX_FILES_WITH_SCORED_CHUNKS);
        let file_scores: Vec<f32> = self.files.iter().map(|file| file.score).collect();
        let file_probabilities = softmax(&file_scores);
        let best_files = self.files[..scored_files].iter().map(|file| file.candidate);
        let chunks = self.features.chunks(best_files);
        let models = self.models;
        let logits: Vec<f32> =
            chunks.par_iter().map(|it| models.score_chunk(&it.features)).collect();
        let mut rest = chunks.into_iter().zip(logits).peekable();
        for (file, probability) in self.files[..scored_files].iter().zip(file_probabilities) {
            let mut of_file: Vec<ChunkCandidate> = Vec::new();
            let mut logits: Vec<f32> = Vec::new();
            while let Some((it, logit)) = rest.next_if(|it| it.0.candidate == file.candidate) {
                of_file.push(it);
                logits.push(logit);
            }
            let parts = self.score_in_file(probability, &of_file, &logits);
            let ranked = of_file.into_iter().zip(parts).map(|(it, parts)| RankedChunk {
                file: it.file,
                chunk: it.chunk,
                score: parts.score(),
                relevance: 0.0,
                candidate: it.candidate,
                features: it.features,
                parts: Some(parts),
            });
            self.chunks.extend(ranked);
        }
        self.chunks.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then((a.file, a.chunk).cmp(&(b.file, b.chunk)))
        });
        self.lead_with_best_file();
        self.add_remaining_files(scored_files);
    }

    /// Sets the relevance of every chunk.
    fn calibrate(&mut self, calibration: &Calibration) {
        let (brevity, is_name) = self.features.task_shape();
        let shape = TaskShape {
            fit: self.fit,
            brevity: brevity.into(),
            is_name: is_name.into(),
            change: self.models.change.into(),
        };
        for chunk in &mut self.chunks {
            chunk.relevance = calibration.relevance(chunk.score, &shape);
        }
    }

    /// Scores the chunks of a file, given their logits.
    fn score_in_file(
        &self,
        file_probability: f32,
        of_file: &[ChunkCandidate],
        logits: &[f32],
    ) -> Vec<ChunkScore> {
        let is_asked = of_file.first().is_some_and(|it| self.features.is_mentioned(it.file));
        let chunk = |(it, probability): (&ChunkCandidate, f32)| {
            let doc = self.features.stored_doc(it.candidate);
            let chunk = doc.and_then(|doc| doc.chunks.get(it.chunk));
            ChunkInFile {
                probability,
                tokens: chunk.map_or(0.0, |chunk| chunk.tokens as f32),
                is_imports: !is_asked
                    && chunk.is_some_and(|it| {
                        matches!(it.kind, ChunkKind::Imports | ChunkKind::Output)
                    }),
            }
        };
        ChunkScore::of_file(file_probability, of_file.iter().zip(softmax(logits)).map(chunk))
    }

    /// Moves the best chunk of the best file to the front, whatever its size.
    fn lead_with_best_file(&mut self) {
        let Some(file) = self.files.first() else { return };
        if let Some(at) = self.chunks.iter().position(|it| it.file == file.file) {
            let best = self.chunks[0].score;
            self.chunks[..=at].rotate_right(1);
            let first = &mut self.chunks[0];
            let before = std::mem::replace(&mut first.score, best + BEST_FILE_LEAD);
            if let Some(parts) = &mut first.parts {
                parts.lead = first.score - before;
            }
        }
    }

    /// Appends the chunks of the files whose chunks were not scored, file by file.
    fn add_remaining_files(&mut self, scored_files: usize) {
        let lowest = self.chunks.last().map_or(0.0, |it| it.score);
        for (rank, file) in self.files[scored_files..].iter().enumerate() {
            let count = self.features.stored_doc(file.candidate).map_or(0, |it| it.chunks.len());
            let rest = (0..count).map(|chunk| RankedChunk {
                file: file.file,
                chunk,
                score: lowest - 1.0 - rank as f32,
                relevance: 0.0,
                candidate: file.candidate,
                features: Vec::new(),
                parts: None,
            });
            self.chunks.extend(rest);
        }
    }

    /// Returns the indexes of the chunks in the order of a list that a person reads, best first: a
    /// further chunk of a file comes later than its score alone would put it, because the first one
    /// already shows the file.
    pub fn listing(&self) -> Vec<usize> {
        let mut earlier: FxHashMap<usize, u32> = FxHashMap::default();
        let score = |(at, it): (usize, &RankedChunk)| {
            let of_file = earlier.entry(it.file).or_default();
            let score = it.score - REPEATED_FILE_PENALTY * *of_file as f32;
            *of_file += 1;
            (score, at)
        };
        let mut scores: Vec<(f32, usize)> = self.chunks.iter().enumerate().map(score).collect();
        scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scores.into_iter().map(|(_, at)| at).collect()
    }

    /// Returns the chunk of a ranked chunk.
    pub fn chunk(&self, it: &RankedChunk) -> Option<&Chunk> {
        self.stored_doc(it)?.chunks.get(it.chunk)
    }

    /// Returns the stored chunks of a ranked chunk's file.
    pub fn stored_doc(&self, it: &RankedChunk) -> Option<&StoredDoc> {
        self.features.stored_doc(it.candidate)
    }

    /// Returns the contributions to a file's score.
    pub fn explain_file(&self, it: &RankedFile) -> Vec<Contribution> {
        let features = &self.features.candidates[it.candidate].features;
        let mut all = self.models.explain_file(features);
        if it.kind_penalty > 0.0 {
            all.push(Contribution { feature: "kind", value: 1.0, amount: -it.kind_penalty });
        }
        if it.folder_bonus > 0.0 {
            all.push(Contribution { feature: "folder", value: 1.0, amount: it.folder_bonus });
        }
        all
    }

    /// Returns the contributions to a chunk's score, which sum up to it; none if the score only follows
    /// from the rank of the file.
    pub fn explain_chunk(&self, it: &RankedChunk) -> Vec<Contribution> {
        let Some(parts) = &it.parts else { return Vec::new() };
        parts.explain(it.score, self.models.explain_chunk(&it.features))
    }
}

/// Turns scores into probabilities that sum to 1.
fn softmax(scores: &[f32]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> =
        scores.iter().map(|score| (SOFTMAX_SHARPNESS * (score - best)).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
