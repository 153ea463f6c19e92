//! From a task to sources: the search provider.
//!
//! The index ranks the chunks of a tree; the best become sources that come cut and counted.

use kitbag_core::{Cancel, Cancelled};
use kitbag_index::{
    Analysis, Clues, Context, Forward, Models, Past, RankedChunk, Ranking, Record, Task, View, rank,
};
use kitbag_repo::{FileEntry, FileId, Tree};
use kitbag_text::{Chunk, ChunkLimits, Kind, Piece, Source, Text, decode};
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
    /// bring up what has little to do with the task. `most` chunks at the most. A file that is not as
    /// the index knows it is cut by `analysis`, which has to be the index's own.
    pub fn sources(
        &self,
        found: &Ranking<'_>,
        changed: &dyn Fn(&str) -> Option<i64>,
        (budget, most): (usize, usize),
        analysis: &Analysis<'_>,
    ) -> Result<Vec<Source>, Cancelled> {
        let all = reach(found, budget.saturating_mul(RESERVE), LEAST_RESERVE).min(most);
        let close = close(&found.chunks).min(all);
        let texts = self.texts(found, &found.chunks[..all], analysis)?;
        let mut taken = FxHashSet::default();
        let (first, rest) = ((0..close, close), (close..all, close));
        let mut sources = gather(found, &texts, first, &mut taken, &|path| changed(path));
        sources.extend(gather(found, &texts, rest, &mut taken, &|_| None));
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

    /// The texts of the files that some chunks are in, with what the index has of them.
    fn texts(
        &self,
        found: &Ranking<'_>,
        chunks: &[RankedChunk],
        analysis: &Analysis<'_>,
    ) -> Result<FxHashMap<usize, FileText>, Cancelled> {
        let mut first: Vec<&RankedChunk> = chunks.iter().collect();
        first.sort_by_key(|chunk| chunk.file);
        first.dedup_by_key(|chunk| chunk.file);
        let text = |chunk: &&RankedChunk| {
            self.cancel.check()?;
            let text = self.text(chunk.file, found.forward(chunk), analysis)?;
            Ok(text.map(|text| (chunk.file, text)))
        };
        let texts = first.par_iter().map(text).collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(texts.into_iter().flatten().collect())
    }

    /// A file's text; `None` where it is gone, or is no text any more. A file that has changed since
    /// the index looked at it is cut anew.
    fn text(
        &self,
        file: usize,
        forward: Option<&Forward>,
        analysis: &Analysis<'_>,
    ) -> Result<Option<FileText>, Cancelled> {
        let Some((entry, forward)) = self.entries.get(file).zip(forward) else { return Ok(None) };
        let Ok(bytes) = self.tree.read(entry, MOST_BYTES) else { return Ok(None) };
        let is_current = matches!(entry.id, FileId::Blob(_)) || self.view.is_current(file, &bytes);
        let Ok(decoded) = decode(bytes) else { return Ok(None) };
        let (path, text) = (entry.path.clone(), Arc::new(Text::new(decoded.content)));
        if is_current {
            let tally = Arc::clone(&forward.tally);
            return Ok(Some(FileText { path, text, tally, cut_anew: None }));
        }
        let how = (&analysis.limits, analysis.counting);
        let Record { chunks, tally, .. } = Record::until(&path, &text, how, self.cancel)?;
        Ok(Some(FileText { path, text, tally: Arc::new(tally), cut_anew: Some(chunks) }))
    }
}

/// A file's text, and the counts of its lines.
struct FileText {
    path: String,
    text: Arc<Text>,
    tally: Arc<kitbag_tokens::Tally>,
    /// Its chunks, where they are others than the index knows.
    cut_anew: Option<Vec<Chunk>>,
}

impl FileText {
    /// The chunk that stands for one that the index knows: of those that were cut anew, the one of
    /// the same symbol, or else the first that shares the most lines with it; the last where the file
    /// is shorter now.
    fn at<'b>(&'b self, known: &'b Chunk) -> Option<&'b Chunk> {
        let Some(chunks) = &self.cut_anew else { return Some(known) };
        let likeness = |it: &Chunk| {
            let is_same = it.symbol.is_some() && it.symbol == known.symbol;
            let start = it.span.start.max(known.span.start);
            let end = it.span.end.min(known.span.end);
            (is_same, (end + 1).saturating_sub(start))
        };
        let best = chunks.iter().rev().max_by_key(|it| likeness(it))?;
        if likeness(best) > (false, 0) { Some(best) } else { chunks.last() }
    }
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

/// Turns the hits at some ranks into one source a file. Several chunks that the index knows may be
/// one by now, which is taken once.
fn gather(
    found: &Ranking<'_>,
    texts: &FxHashMap<usize, FileText>,
    (ranks, close): (Range<usize>, usize),
    taken: &mut FxHashSet<(usize, u32)>,
    changed: &dyn Fn(&str) -> Option<i64>,
) -> Vec<Source> {
    let mut order: Vec<usize> = Vec::new();
    let mut pieces: FxHashMap<usize, Vec<Piece>> = FxHashMap::default();
    for rank in ranks {
        let hit = &found.chunks[rank];
        let Some(text) = texts.get(&hit.file) else { continue };
        let Some(chunk) = found.chunk(hit).and_then(|known| text.at(known)) else { continue };
        if text.cut_anew.is_some() && !taken.insert((hit.file, chunk.span.start)) {
            continue;
        }
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
    use kitbag_index::{Refresh, Snapshot};
    use kitbag_repo::{PathError, Skipped};
    use kitbag_tokens::Counting;

    /// One file, that has a content of its own each time, and looks the same.
    struct OneFile {
        files: Vec<FileEntry>,
        content: String,
    }

    impl OneFile {
        fn of(content: &str) -> Self {
            let id = FileId::Stat { modified: 1, changed: 1, size: 1 };
            let files = vec![FileEntry { path: "birds.py".to_owned(), size: 1, id }];
            Self { files, content: content.to_owned() }
        }
    }

    impl Tree for OneFile {
        fn files(&self) -> &[FileEntry] {
            &self.files
        }

        fn read(&self, _entry: &FileEntry, _limit: u64) -> Result<Vec<u8>, PathError> {
            Ok(self.content.clone().into_bytes())
        }

        fn skipped(&self) -> &[Skipped] {
            &[]
        }
    }

    /// What is found for `ibis` in a file that has another content than the index knows.
    fn found_in(known: &str, now: &str) -> Vec<Source> {
        let (counting, cancel) = (Counting::named("words").expect("built in"), Cancel::default());
        let limits = ChunkLimits { min_chunk_tokens: 1, ..ChunkLimits::default() };
        let analysis = Analysis { limits, counting: &counting };
        let refresh = Refresh::new(&analysis, &cancel);
        let view = refresh.run(&OneFile::of(known), &Snapshot::default()).expect("it answers").view;
        let (tree, past, task) = (OneFile::of(now), Past::default(), Task::new("ibis"));
        let search = Search::new(&tree, &view, (&past, 0), Models::learnt(), &cancel);
        let found = search.find(&task).expect("nobody stops it");
        search.sources(&found, &|_| None, (1_000, 10), &analysis).expect("nobody stops it")
    }

    fn symbols(sources: &[Source]) -> Vec<String> {
        let pieces = sources.iter().flat_map(|it| it.pieces.iter().flatten());
        pieces.filter_map(|it| it.chunk.symbol.clone()).collect()
    }

    fn function(name: &str) -> String {
        format!("def {name}(nest):\n    return nest.{name}(1)\n\n\n")
    }

    #[test]
    fn a_file_that_is_not_as_the_index_knows_it_is_cut_anew() {
        let known = function("ibis") + &function("heron");
        let now = "import nests\n\n".to_owned() + &function("ibis") + &function("stork");
        let sources = found_in(&known, &now);
        assert!(!sources.is_empty() && sources.iter().all(|it| it.text.content() == now));
        let symbols = symbols(&sources);
        assert_eq!(symbols.iter().filter(|it| *it == "ibis").count(), 1, "{symbols:?}");
        assert!(!symbols.contains(&"heron".to_owned()), "{symbols:?}");
    }

    #[test]
    fn a_file_that_is_shorter_than_the_index_knows_gives_what_it_has() {
        let known = function("heron").repeat(9) + &function("ibis");
        assert_eq!(symbols(&found_in(&known, &function("ibis"))), ["ibis"]);
        assert_eq!(found_in(&known, "").len(), 0);
    }

    #[test]
    fn relevance_falls_and_steps_down_after_what_is_close() {
        for close in [1, 3, 8] {
            assert!((relevance(0, close) - 1.0).abs() < 1e-9);
            assert!((0..100).all(|rank| relevance(rank, close) > relevance(rank + 1, close)));
            assert!(relevance(close - 1, close) - relevance(close, close) > 0.3);
        }
    }
}
