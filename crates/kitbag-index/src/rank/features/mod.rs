//! Features of the candidate files and of their chunks.

/// Declares a struct of features, the list of their names, and, for features of candidates, which of them
/// are divided by the best value among the candidates.
macro_rules! features {
    (
        $(#[$doc:meta])* $name:ident, $list:ident:
        scaled: [$($scaled:ident),+ $(,)?],
        plain: [$($plain:ident),+ $(,)?],
    ) => {
        features! { $(#[$doc])* $name, $list: plain: [$($scaled,)+ $($plain),+], }

        impl $name {
            /// Divides the scaled features by their best values.
            fn scale_to_best(all: &mut [Self]) {
                $(
                    let best = all.iter().map(|it| it.$scaled).fold(0.0, f32::max);
                    if best > 0.0 {
                        all.iter_mut().for_each(|it| it.$scaled /= best);
                    }
                )+
            }
        }
    };
    ($(#[$doc:meta])* $name:ident, $list:ident: plain: [$($plain:ident),+ $(,)?],) => {
        $(#[$doc])*
        pub const $list: &[&str] = &[$(stringify!($plain)),+];

        #[derive(Debug, Clone, Copy, Default)]
        pub(super) struct $name { $(pub(super) $plain: f32),+ }

        impl $name {
            fn to_vec(self) -> Vec<f32> { vec![$(self.$plain),+] }
        }
    };
}

mod chunk_votes;
mod chunks;
mod common_words;
mod files;
mod first_pass;
mod task_fit;
mod votes;

pub use chunks::{CHUNK_FEATURES, ChunkCandidate};
pub use files::FILE_FEATURES;
pub use task_fit::TASK_FEATURES;

use super::evidence::{ChunkEvidence, Evidence};
use super::history::HistoryEvidence;
use super::phrases::{PhraseOverlap, Phrases};
use super::references::{References, references};
use crate::history::CommitHistory;
use crate::segment::StoredDoc;
use crate::task::ParsedTask;
use crate::view::IndexView;
use first_pass::first_pass;
use kitbag_text::Text;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Number of candidates between which references are searched.
const MAX_LINKED: usize = 120;

/// Number of candidates that are read to compare phrases.
const MAX_READ: usize = 60;

/// A file that may be relevant to a task.
#[derive(Debug, Clone)]
pub struct FileCandidate {
    /// Index of the file in the view.
    pub file: usize,
    /// Features in the order of [`FILE_FEATURES`].
    pub features: Vec<f32>,
}

/// Inputs of ranking besides the task and the index.
pub struct SearchContext<'a> {
    /// History of the checked-out commit.
    pub history: &'a CommitHistory,
    /// Time from which ages are measured, in seconds since 1970.
    pub now: i64,
    /// Folder whose files are preferred.
    pub folder: Option<&'a str>,
    /// Reads a file by its index in the view.
    pub read: &'a (dyn Fn(usize) -> Option<Text> + Sync),
}

/// The candidates for a task, with the data that the features of their chunks are computed from.
pub struct Features<'a> {
    task: &'a ParsedTask,
    view: &'a IndexView,
    evidence: Evidence,
    /// Candidates, ordered by the first pass.
    pub candidates: Vec<FileCandidate>,
    /// Features of the task as a whole, in the order of [`TASK_FEATURES`].
    pub task_fit: Vec<f32>,
    docs: Vec<Option<StoredDoc>>,
    references: References,
    /// Phrase overlaps of the chunks of the first [`MAX_READ`] candidates.
    overlaps: Vec<Vec<PhraseOverlap>>,
}

impl<'a> Features<'a> {
    /// Chooses candidates and computes their features.
    pub fn gather(task: &'a ParsedTask, view: &'a IndexView, context: &SearchContext<'_>) -> Self {
        let evidence = Evidence::gather(task, view);
        let history = HistoryEvidence::gather(task, view, context.history, context.now);
        let chosen = first_pass(task, view, &evidence, &history, context.folder);
        let files: Vec<usize> = chosen.iter().map(|it| it.file).collect();
        let docs: Vec<Option<StoredDoc>> =
            files.iter().map(|&file| view.stored_doc(file)).collect();
        let linked = files.len().min(MAX_LINKED);
        let references = references(view, &files[..linked], &docs[..linked]);
        let mut features = Self {
            task,
            view,
            evidence,
            candidates: Vec::new(),
            task_fit: Vec::new(),
            docs,
            references,
            overlaps: Vec::new(),
        };
        features.overlaps = features.phrase_overlaps(&files, context);
        features.candidates = features.file_candidates(&chosen, &history, context.history);
        features.task_fit = features.task_features(&history);
        features
    }

    /// Returns the stored chunks of a candidate.
    pub fn stored_doc(&self, candidate: usize) -> Option<&StoredDoc> {
        self.docs[candidate].as_ref()
    }

    /// Whether the task mentions a file.
    pub(super) fn is_mentioned(&self, file: usize) -> bool {
        !self.task.mentions_of(&self.view.files()[file].path).is_empty()
    }

    pub(super) fn term_idf(&self) -> &[f32] {
        &self.evidence.idf
    }

    fn chunk_evidence(&self, file: usize) -> &[ChunkEvidence] {
        &self.evidence.chunks[self.view.files()[file].chunk_range()]
    }

    /// Returns the IDF of a term by index, scaled so that 1 is a rare word.
    fn scaled_idf(&self, term: usize) -> f32 {
        (self.evidence.idf.get(term).copied().unwrap_or(0.0) / 5.0).min(1.5)
    }

    fn phrase_overlaps(
        &self,
        files: &[usize],
        context: &SearchContext<'_>,
    ) -> Vec<Vec<PhraseOverlap>> {
        let ids = self.task.terms.iter().map(|term| term.id);
        let idf: FxHashMap<u32, f32> = ids.zip(self.evidence.idf.iter().copied()).collect();
        let lines = self.task.lines.iter().map(String::as_str);
        let phrases = Phrases::of(lines, |id| idf.get(&id).copied());
        if phrases.is_empty() {
            return Vec::new();
        }
        let of_file = |(&file, doc): (&usize, &Option<StoredDoc>)| {
            let Some(doc) = doc else { return Vec::new() };
            let words = &self.evidence.chunk_words[self.view.files()[file].chunk_range()];
            let may_match =
                |chunk: usize| words.get(chunk).is_some_and(|&it| phrases.may_occur_in(it));
            let mut overlaps = vec![PhraseOverlap::default(); doc.chunks.len()];
            if !(0..doc.chunks.len()).any(may_match) {
                return overlaps;
            }
            let Some(text) = (context.read)(file) else { return overlaps };
            let mut seen = Vec::new();
            for (at, (overlap, chunk)) in overlaps.iter_mut().zip(&doc.chunks).enumerate() {
                if may_match(at) {
                    *overlap = phrases.overlap(text.slice(chunk.span), &mut seen);
                }
            }
            overlaps
        };
        files.par_iter().zip(&self.docs).take(MAX_READ).map(of_file).collect()
    }
}
