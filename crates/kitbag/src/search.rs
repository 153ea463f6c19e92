//! From a task to sources: the search provider.
//!
//! The index ranks the chunks of a tree; the best become sources that come cut and counted.

use kitbag_core::{Cancel, Cancelled};
use kitbag_index::{Clues, Context, Forward, Models, Past, RankedChunk, Ranking, Task, View, rank};
use kitbag_repo::{FileEntry, FileId, Tree};
use kitbag_text::{ChunkLimits, Kind, Piece, Source, Text, decode};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

pub(crate) use kitbag_index::MOST_BYTES;

/// The chunks that are handed on in all: so many budgets' worth, and so many at least.
const RESERVE: usize = 4;
const LEAST_RESERVE: usize = 300;

/// Chunks whose score is this close to the best are close to each other: recency settles their
/// order, for at most so many.
const CLOSE: f32 = 0.1;
const MOST_CLOSE: usize = 8;

/// How search cuts: classes are taken apart early, so that the right method can be found and a
/// large class does not take the whole budget.
pub(crate) fn finer(limits: &ChunkLimits) -> ChunkLimits {
    ChunkLimits { max_class_tokens: limits.max_class_tokens.min(400), ..limits.clone() }
}

/// The decoded content of a file; `None` where it is not text, or cannot be read.
pub(crate) fn read(tree: &dyn Tree, entry: &FileEntry) -> Option<String> {
    let bytes = tree.read(entry, MOST_BYTES).ok()?;
    decode(bytes).ok().map(|decoded| decoded.content)
}

/// A search over one tree.
pub(crate) struct Search<'a> {
    tree: &'a dyn Tree,
    view: &'a View,
    past: &'a Past,
    now: i64,
    models: &'a Models,
    cancel: &'a Cancel,
    /// The tree's entry of each file of the view.
    entries: Vec<&'a FileEntry>,
}

impl<'a> Search<'a> {
    /// A search over `view`, which shows the files of `tree`.
    pub fn new(
        tree: &'a dyn Tree,
        view: &'a View,
        (past, now): (&'a Past, i64),
        models: &'a Models,
        cancel: &'a Cancel,
    ) -> Self {
        // Both are sorted by path, and the view has no others.
        let mut files = view.files().iter().peekable();
        let is_next = |entry: &&FileEntry| files.next_if(|file| file.path == entry.path).is_some();
        let entries = tree.files().iter().filter(is_next).collect();
        Self { tree, view, past, now, models, cancel, entries }
    }

    /// Ranks the chunks of the tree for `task`.
    pub fn find(&self, task: &'a Task) -> Result<Ranking<'a>, Cancelled> {
        self.cancel.check()?;
        let text = |file: usize| {
            if self.cancel.check().is_err() {
                return None;
            }
            read(self.tree, self.entries.get(file)?).map(Text::new)
        };
        let context = Context { past: self.past, now: self.now, read: &text };
        let ranking = rank(task, self.view, &context, self.models);
        self.cancel.check().map(|()| ranking)
    }

    /// The best of what was found, as sources that come cut. Those that are close to the best come
    /// with their time, so that recency settles what is close; the rest without, so that it cannot
    /// bring up what has little to do with the task. `most` chunks at the most.
    pub fn sources(
        &self,
        found: &Ranking<'_>,
        changed: &dyn Fn(&str) -> Option<i64>,
        (budget, most): (usize, usize),
    ) -> Result<Vec<Source>, Cancelled> {
        let all = reach(found, budget.saturating_mul(RESERVE), LEAST_RESERVE).min(most);
        let close = close(&found.chunks).min(all);
        let texts = self.texts(found, &found.chunks[..all])?;
        let mut sources = gather(found, &texts, 0..close, close, &|path| changed(path));
        sources.extend(gather(found, &texts, close..all, close, &|_| None));
        Ok(sources)
    }

    /// What speaks for the files of some sources, beside the words that they have.
    pub fn clues(&self, found: &Ranking<'_>, sources: &[Source]) -> FxHashMap<String, Clues> {
        let wanted: FxHashSet<&str> = sources.iter().map(|source| source.path.as_str()).collect();
        let mut clues = FxHashMap::default();
        for hit in &found.chunks {
            let Some(entry) = self.entries.get(hit.file) else { continue };
            if wanted.contains(entry.path.as_str()) && !clues.contains_key(&entry.path) {
                clues.insert(entry.path.clone(), found.clues(hit));
            }
            if clues.len() == wanted.len() {
                break;
            }
        }
        clues
    }

    /// The texts of the files that some chunks are in, with what the index has of them. A file that
    /// has changed since the index looked at it is left out: the next pack sees it.
    fn texts(
        &self,
        found: &Ranking<'_>,
        chunks: &[RankedChunk],
    ) -> Result<FxHashMap<usize, FileText>, Cancelled> {
        let mut first: Vec<&RankedChunk> = chunks.iter().collect();
        first.sort_by_key(|chunk| chunk.file);
        first.dedup_by_key(|chunk| chunk.file);
        let text = |chunk: &&RankedChunk| {
            self.cancel.check()?;
            Ok(self.text(chunk.file, found.forward(chunk)).map(|text| (chunk.file, text)))
        };
        let texts = first.par_iter().map(text).collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(texts.into_iter().flatten().collect())
    }

    fn text(&self, file: usize, forward: Option<&Forward>) -> Option<FileText> {
        let entry = self.entries.get(file)?;
        let bytes = self.tree.read(entry, MOST_BYTES).ok()?;
        if matches!(entry.id, FileId::Stat { .. }) && !self.view.is_current(file, &bytes) {
            return None;
        }
        let text = Arc::new(Text::new(decode(bytes).ok()?.content));
        Some(FileText { path: entry.path.clone(), text, tally: Arc::clone(&forward?.tally) })
    }
}

/// A file's text, and the counts of its lines.
struct FileText {
    path: String,
    text: Arc<Text>,
    tally: Arc<kitbag_tokens::Tally>,
}

/// How many chunks are close to the best.
fn close(chunks: &[RankedChunk]) -> usize {
    let best = chunks.first().map_or(0.0, |chunk| chunk.score);
    chunks.iter().take(MOST_CLOSE).take_while(|chunk| chunk.score >= best - CLOSE).count()
}

/// The relevance of the hit at `rank`, from 0: nearly 1 for those that are close to the best, and
/// falling steeply for the others, so that what recency adds cannot bridge the step.
fn relevance(rank: usize, close: usize) -> f64 {
    if rank < close {
        return 1.0 - 0.01 * rank as f64;
    }
    0.6 / (1.0 + (rank - close) as f64 / 8.0)
}

/// Turns the hits at some ranks into one source a file.
fn gather(
    found: &Ranking<'_>,
    texts: &FxHashMap<usize, FileText>,
    ranks: Range<usize>,
    close: usize,
    changed: &dyn Fn(&str) -> Option<i64>,
) -> Vec<Source> {
    let mut order: Vec<usize> = Vec::new();
    let mut pieces: FxHashMap<usize, Vec<Piece>> = FxHashMap::default();
    for rank in ranks {
        let hit = &found.chunks[rank];
        let Some(chunk) = found.chunk(hit) else { continue };
        let of_file = pieces.entry(hit.file).or_insert_with(|| {
            order.push(hit.file);
            Vec::new()
        });
        of_file.push(Piece { chunk: chunk.clone(), relevance: Some(relevance(rank, close)) });
    }
    let source = |file: usize| {
        let it = texts.get(&file)?;
        Some(Source {
            timestamp: changed(&it.path),
            path: it.path.clone(),
            kind: Kind::SearchResult,
            text: Arc::clone(&it.text),
            relevance: None,
            expanded_context: None,
            pieces: pieces.remove(&file),
            tally: Some(Arc::clone(&it.tally)),
            from: None,
        })
    };
    order.into_iter().filter_map(source).collect()
}

/// How many of the best hits there are until they have `tokens` together and are `least` at least.
fn reach(found: &Ranking<'_>, tokens: usize, least: usize) -> usize {
    let mut sum = 0usize;
    let within = found.chunks.iter().enumerate().take_while(|(rank, hit)| {
        let before = sum;
        sum += found.chunk(hit).map_or(0, |chunk| chunk.tokens as usize);
        before < tokens || *rank < least
    });
    within.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_falls_and_steps_down_after_what_is_close() {
        for close in [1, 3, 8] {
            assert!((relevance(0, close) - 1.0).abs() < 1e-9);
            assert!((0..100).all(|rank| relevance(rank, close) > relevance(rank + 1, close)));
            assert!(relevance(close - 1, close) - relevance(close, close) > 0.3);
        }
    }
}
