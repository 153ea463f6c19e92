//! The first pass: a hand-weighted score that chooses the candidates among all files.

use crate::rank::evidence::Evidence;
use crate::rank::history::HistoryEvidence;
use crate::rank::paths::is_within;
use crate::task::ParsedTask;
use crate::view::{IndexView, IndexedFile};

/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 300;

/// Factor of the score of a file of the preferred folder, when more files match than there are candidates.
const PREFERRED_FACTOR: f32 = 2.0;

/// A file with its first-pass score.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredFile {
    /// Index of the file in the view.
    pub file: usize,
    pub score: f32,
}

/// Returns the candidates, best first. Files of the preferred folder are more likely to be among them, and
/// have no better scores.
pub(super) fn first_pass(
    task: &ParsedTask,
    view: &IndexView,
    evidence: &Evidence,
    history: &HistoryEvidence,
    folder: Option<&str>,
) -> Vec<ScoredFile> {
    let best = |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, f32::max).max(1e-6);
    let files = &evidence.files;
    let best_all_fields = best(&mut files.iter().map(|it| it.all_fields));
    let best_title = best(&mut files.iter().map(|it| it.title));
    let best_chunk = best(&mut evidence.chunks.iter().map(|it| it.all_fields));
    let best_symbol = best(&mut files.iter().map(|it| it.symbol));
    let best_path = best(&mut files.iter().map(|it| it.path));
    let best_history = best(&mut history.files.iter().map(|it| it.messages));
    let score = |(file, it): (usize, &IndexedFile)| {
        let words = &files[file];
        let chunks = &evidence.chunks[it.chunk_range()];
        let chunk = chunks.iter().map(|chunk| chunk.all_fields).fold(0.0, f32::max);
        let sum = words.all_fields / best_all_fields
            + chunk / best_chunk
            + 0.3 * words.title / best_title
            + 0.3 * words.symbol / best_symbol
            + 0.3 * words.path / best_path
            + 0.3 * history.files[file].messages / best_history;
        let mention = if task.mentions_of(&it.path).is_empty() { 0.0 } else { 1.0 };
        ScoredFile { file, score: (sum + mention) * it.kind.weight(&task.topics) }
    };
    let mut all: Vec<ScoredFile> = view.files().iter().enumerate().map(score).collect();
    all.retain(|it| it.score > 0.0);
    if let Some(folder) = folder.filter(|_| all.len() > MAX_CANDIDATES) {
        let is_preferred = |it: &ScoredFile| is_within(&view.files()[it.file].path, folder);
        let weight = |it: &ScoredFile| if is_preferred(it) { PREFERRED_FACTOR } else { 1.0 };
        sort(&mut all, |it| it.score * weight(it));
        all.truncate(MAX_CANDIDATES);
    }
    sort(&mut all, |it| it.score);
    all.truncate(MAX_CANDIDATES);
    all
}

fn sort(files: &mut [ScoredFile], score: impl Fn(&ScoredFile) -> f32) {
    files.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.file.cmp(&b.file)));
}
