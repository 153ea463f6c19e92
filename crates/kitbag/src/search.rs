//! From a task to sources: the search provider.
//!
//! Every file's words are looked at; only the files that rank well are cut into chunks. Where
//! analyses come from is the caller's affair: made on the spot, or kept from an earlier run.

use kitbag_core::{Cancel, Cancelled};
use kitbag_index::{
    ChunkHit, FileChunks, FileKind, FileWords, Found, Query, Rarity, rank_chunks, rank_files,
    relevance,
};
use kitbag_repo::{FileEntry, Tree};
use kitbag_text::{Chunk, ChunkLimits, Kind, Piece, Source, Text, decode};
use kitbag_tokens::Counting;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The largest file that is searched.
pub(crate) const MOST_BYTES: u64 = 10 << 20;

/// How many files are cut into chunks.
const MOST_FILES: usize = 300;

/// How many of the best chunks come with the time of their last change.
const TIMED: usize = 16;

/// The chunks that are handed on in all: so many budgets' worth, and so many at least.
const RESERVE: usize = 4;
const LEAST_RESERVE: usize = 500;

/// How search cuts: classes are taken apart early, so that the right method can be found and a
/// large class does not take the whole budget.
pub(crate) fn finer(limits: &ChunkLimits) -> ChunkLimits {
    ChunkLimits { max_class_tokens: limits.max_class_tokens.min(400), ..limits.clone() }
}

/// Where analyses of files come from.
pub(crate) trait Analyses: Sync {
    /// The words of a file; `None` where it is not text.
    fn words(&self, tree: &dyn Tree, entry: &FileEntry) -> Option<Arc<FileWords>>;
    /// The chunks of a file; `None` where it is not text.
    fn chunks(&self, tree: &dyn Tree, entry: &FileEntry) -> Option<Arc<FileChunks>>;
}

/// Analyses made on the spot.
pub(crate) struct Fresh<'a> {
    pub limits: ChunkLimits,
    pub counting: &'a Counting,
}

impl Analyses for Fresh<'_> {
    fn words(&self, tree: &dyn Tree, entry: &FileEntry) -> Option<Arc<FileWords>> {
        read(tree, entry).map(|content| Arc::new(FileWords::of(&content)))
    }

    fn chunks(&self, tree: &dyn Tree, entry: &FileEntry) -> Option<Arc<FileChunks>> {
        let text = Text::new(read(tree, entry)?);
        Some(Arc::new(FileChunks::of(&entry.path, &text, &self.limits, self.counting)))
    }
}

/// The decoded content of a file; `None` where it is not text, or cannot be read.
pub(crate) fn read(tree: &dyn Tree, entry: &FileEntry) -> Option<String> {
    let bytes = tree.read(entry, MOST_BYTES).ok()?;
    decode(bytes).ok().map(|decoded| decoded.content)
}

/// A search over one tree.
pub(crate) struct Search<'a> {
    pub tree: &'a dyn Tree,
    pub analyses: &'a dyn Analyses,
    /// When a file last changed.
    pub changed: &'a (dyn Fn(&str) -> Option<i64> + Sync),
    pub cancel: &'a Cancel,
}

/// The files that rank best, with their kinds.
struct Files {
    best: Vec<(usize, FileKind)>,
    rarity: Rarity,
    searched: usize,
}

/// What a search found.
pub(crate) struct Findings {
    /// The chunks, best first.
    hits: Vec<ChunkHit>,
    chunks: FxHashMap<usize, Arc<FileChunks>>,
    /// How many bytes of the task were not read.
    pub unread: usize,
    /// How many files were searched: those that are text, and not too large.
    pub searched: usize,
}

impl Search<'_> {
    /// Ranks the chunks of the tree for `task`.
    pub fn find(&self, task: &str) -> Result<Findings, Cancelled> {
        let query = Query::new(task);
        let Files { best: files, rarity, searched } = self.files(&query)?;
        let chunks = self.chunks(&files)?;
        let entries = self.tree.files();
        let found: Vec<Found<'_>> = files
            .iter()
            .zip(&chunks)
            .filter_map(|((file, kind), chunks)| {
                let path = entries[*file].path.as_str();
                Some(Found { file: *file, path, kind: *kind, chunks: chunks.as_deref()? })
            })
            .collect();
        let hits = rank_chunks(&query, &rarity, &found);
        let chunks = files.into_iter().zip(chunks);
        let chunks = chunks.filter_map(|((file, _), chunks)| Some((file, chunks?))).collect();
        Ok(Findings { hits, chunks, unread: query.unread, searched })
    }

    /// The best of what was found, as sources that come cut. The very best come with their time, so
    /// that recency settles what is close; the rest without, so that it cannot bring up what has
    /// little to do with the task.
    pub fn sources(&self, found: &Findings, budget: usize) -> Result<Vec<Source>, Cancelled> {
        let all = reach(found, budget.saturating_mul(RESERVE), LEAST_RESERVE);
        let first = all.min(TIMED);
        let texts = self.texts(&found.hits[..all])?;
        let mut sources = self.gather(found, &texts, 0..first, true);
        sources.extend(self.gather(found, &texts, first..all, false));
        Ok(sources)
    }

    /// The files that rank best, with their kinds.
    fn files(&self, query: &Query) -> Result<Files, Cancelled> {
        let entries = self.tree.files();
        let words = entries
            .par_iter()
            .map(|entry| self.cancel.check().map(|()| self.analyses.words(self.tree, entry)))
            .collect::<Result<Vec<_>, Cancelled>>()?;
        let known: Vec<usize> = (0..entries.len()).filter(|&file| words[file].is_some()).collect();
        let list = known.iter().filter_map(|&file| {
            words[file].as_deref().map(|words| (entries[file].path.as_str(), words))
        });
        let (hits, rarity) = rank_files(query, list);
        let kind = |file: usize| {
            let looks = words[file].as_deref().map(|words| words.looks).unwrap_or_default();
            FileKind::of(&entries[file].path, looks)
        };
        let best = hits.into_iter().take(MOST_FILES).map(|hit| known[hit.file]);
        let best = best.map(|file| (file, kind(file))).collect();
        Ok(Files { best, rarity, searched: known.len() })
    }

    fn chunks(
        &self,
        files: &[(usize, FileKind)],
    ) -> Result<Vec<Option<Arc<FileChunks>>>, Cancelled> {
        let entries = self.tree.files();
        let chunks = |(file, _): &(usize, FileKind)| {
            self.cancel.check().map(|()| self.analyses.chunks(self.tree, &entries[*file]))
        };
        files.par_iter().map(chunks).collect()
    }

    /// The texts of the files that some hits are in.
    fn texts(&self, hits: &[ChunkHit]) -> Result<FxHashMap<usize, Arc<Text>>, Cancelled> {
        let entries = self.tree.files();
        let mut files: Vec<usize> = hits.iter().map(|hit| hit.file).collect();
        files.sort_unstable();
        files.dedup();
        let text = |&file: &usize| {
            self.cancel.check()?;
            Ok(read(self.tree, &entries[file]).map(|content| (file, Arc::new(Text::new(content)))))
        };
        let texts = files.par_iter().map(text).collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(texts.into_iter().flatten().collect())
    }

    /// Turns the hits at some ranks into one source a file.
    fn gather(
        &self,
        found: &Findings,
        texts: &FxHashMap<usize, Arc<Text>>,
        ranks: Range<usize>,
        timed: bool,
    ) -> Vec<Source> {
        let mut order: Vec<usize> = Vec::new();
        let mut pieces: FxHashMap<usize, Vec<Piece>> = FxHashMap::default();
        for rank in ranks {
            let hit = &found.hits[rank];
            let chunk: Chunk = found.chunks[&hit.file].chunks[hit.chunk].chunk.clone();
            let of_file = pieces.entry(hit.file).or_insert_with(|| {
                order.push(hit.file);
                Vec::new()
            });
            of_file.push(Piece { chunk, relevance: Some(relevance(rank)) });
        }
        let source = |file: usize| {
            let path = &self.tree.files()[file].path;
            Some(Source {
                path: path.clone(),
                kind: Kind::SearchResult,
                text: Arc::clone(texts.get(&file)?),
                relevance: None,
                timestamp: (self.changed)(path).filter(|_| timed),
                pieces: pieces.remove(&file),
            })
        };
        order.into_iter().filter_map(source).collect()
    }
}

/// How many of the best hits there are until they have `tokens` together and are `least` at least.
fn reach(found: &Findings, tokens: usize, least: usize) -> usize {
    let mut sum = 0usize;
    let within = found.hits.iter().enumerate().take_while(|(rank, hit)| {
        let before = sum;
        sum += found.chunks[&hit.file].chunks[hit.chunk].chunk.tokens as usize;
        before < tokens || *rank < least
    });
    within.count()
}
