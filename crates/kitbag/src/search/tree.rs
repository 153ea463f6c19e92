//! Search over a tree of files.
//!
//! The index ranks the chunks of a tree; the best become sources that are already chunked and
//! counted.

use super::SearchResult;
use super::why::Reasons;
use kitbag_core::{Cancel, Cancelled};
use kitbag_index::{
    AnalysisSettings, CommitHistory, ContentRecord, FileSignals, IndexView, ParsedTask, RankModels,
    RankedChunk, SearchContext, SearchRanking, StoredDoc, is_within, rank,
};
use kitbag_repo::{FileEntry, FileId, Tree};
use kitbag_text::{Chunk, Kind, Piece, Source, Text, decode};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(crate) use kitbag_index::MAX_FILE_BYTES;

/// Tokens of the returned chunks, as a multiple of the budget.
const RESERVE_FACTOR: usize = 4;
/// Minimum number of returned chunks, however many tokens they have.
const MIN_RESERVE: usize = 300;

/// Returns the decoded content of a file, or `None` if it is not text or cannot be read.
pub fn read(tree: &dyn Tree, entry: &FileEntry) -> Option<String> {
    let bytes = tree.read(entry, MAX_FILE_BYTES).ok()?;
    decode(bytes).ok()
}

/// The history of a tree, and the time from which ages are measured.
#[derive(Clone, Copy)]
pub struct SearchHistory<'a> {
    /// Commits that the tree descends from.
    pub past: &'a CommitHistory,
    /// Reference time, in seconds since 1970.
    pub now: i64,
}

/// Limits on the sources of a search.
#[derive(Clone, Copy)]
pub struct SourceLimits {
    /// Tokens of the pack, of which the sources get a multiple.
    pub budget: usize,
    /// Maximum number of chunks.
    pub max_chunks: usize,
}

/// A search over one tree.
pub struct Search<'a> {
    tree: &'a dyn Tree,
    view: &'a IndexView,
    past: &'a CommitHistory,
    now: i64,
    models: &'a RankModels,
    folder: Option<&'a str>,
    cancel: &'a Cancel,
    /// The tree's entry for each file of the view.
    entries: Vec<&'a FileEntry>,
}

impl<'a> Search<'a> {
    /// Creates a search over `view`, which covers files of `tree`.
    pub fn new(
        tree: &'a dyn Tree,
        view: &'a IndexView,
        SearchHistory { past, now }: SearchHistory<'a>,
        models: &'a RankModels,
        cancel: &'a Cancel,
    ) -> Self {
        // Both lists are sorted by path, and the view contains no other files.
        let mut files = view.files().iter().peekable();
        let is_next = |entry: &&FileEntry| files.next_if(|file| file.path == entry.path).is_some();
        let entries = tree.files().iter().filter(is_next).collect();
        Self { tree, view, past, now, models, folder: None, cancel, entries }
    }

    /// Prefers the files of a folder.
    #[must_use]
    pub fn preferring(self, folder: Option<&'a str>) -> Self {
        Self { folder, ..self }
    }

    /// Returns the tree that is searched.
    pub(crate) fn tree(&self) -> &'a dyn Tree {
        self.tree
    }

    /// Returns the view that is searched.
    pub(crate) fn view(&self) -> &'a IndexView {
        self.view
    }

    /// Returns the flag that stops the search.
    pub(crate) fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// Returns the tree's entry for a file of the view.
    pub(crate) fn entry(&self, file: usize) -> Option<&'a FileEntry> {
        self.entries.get(file).copied()
    }

    /// Ranks the chunks of the tree for `task`.
    pub fn find(&self, task: &'a ParsedTask) -> Result<SearchRanking<'a>, Cancelled> {
        self.cancel.check()?;
        let text = |file: usize| {
            if self.cancel.check().is_err() {
                return None;
            }
            read(self.tree, self.entries.get(file)?).map(Text::new)
        };
        let (history, now, folder) = (self.past, self.now, self.folder);
        let context = SearchContext { history, now, folder, read: &text };
        let ranking = rank(task, self.view, &context, self.models);
        self.cancel.check().map(|()| ranking)
    }

    /// Returns the best results as chunked sources. A file that has changed since it was indexed is
    /// chunked with `analysis`, which must be that of the index.
    pub fn sources(
        &self,
        found: &SearchRanking<'_>,
        changed: &dyn Fn(&str) -> Option<i64>,
        limits: SourceLimits,
        analysis: &AnalysisSettings<'_>,
    ) -> Result<Vec<Source>, Cancelled> {
        let reserve = limits.budget.saturating_mul(RESERVE_FACTOR);
        let all = reach(found, reserve, MIN_RESERVE).min(limits.max_chunks);
        let texts = self.texts(found, &found.chunks[..all], analysis)?;
        let mut results = ResultSources { found, texts, taken: FxHashSet::default() };
        Ok(results.gather(&found.chunks[..all], changed))
    }

    /// Returns the signals for the files of `sources`, other than the words they contain.
    pub fn signals(
        &self,
        found: &SearchRanking<'_>,
        sources: &[Source],
    ) -> FxHashMap<String, FileSignals> {
        self.signals_of(found, sources.iter().map(|source| source.path.as_str()).collect())
    }

    /// Returns the data from which the reasons for `results` are made.
    pub(crate) fn reasons(
        &self,
        found: &SearchRanking<'_>,
        task: ParsedTask,
        results: &[SearchResult],
    ) -> Reasons {
        let wanted = results.iter().map(|result| result.path.as_str()).collect();
        Reasons { task, rarity: found.term_idf().to_vec(), files: self.signals_of(found, wanted) }
    }

    fn signals_of(
        &self,
        found: &SearchRanking<'_>,
        wanted: FxHashSet<&str>,
    ) -> FxHashMap<String, FileSignals> {
        let mut signals = FxHashMap::default();
        for hit in &found.chunks {
            let Some(entry) = self.entries.get(hit.file) else { continue };
            if wanted.contains(entry.path.as_str()) && !signals.contains_key(&entry.path) {
                let in_folder = self.folder.is_some_and(|folder| is_within(&entry.path, folder));
                let signal = FileSignals { in_folder, ..found.signals(hit) };
                signals.insert(entry.path.clone(), signal);
            }
            if signals.len() == wanted.len() {
                break;
            }
        }
        signals
    }

    /// Reads the files that contain `chunks`.
    fn texts(
        &self,
        found: &SearchRanking<'_>,
        chunks: &[RankedChunk],
        analysis: &AnalysisSettings<'_>,
    ) -> Result<FxHashMap<usize, FileText>, Cancelled> {
        let mut first: Vec<&RankedChunk> = chunks.iter().collect();
        first.sort_by_key(|chunk| chunk.file);
        first.dedup_by_key(|chunk| chunk.file);
        let text = |chunk: &&RankedChunk| {
            self.cancel.check()?;
            let text = self.text(chunk.file, found.stored_doc(chunk), analysis)?;
            Ok(text.map(|text| (chunk.file, text)))
        };
        let texts = first.par_iter().map(text).collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(texts.into_iter().flatten().collect())
    }

    /// Returns the text of a file, or `None` if it no longer exists or is no longer text. A file
    /// that has changed since it was indexed is chunked again.
    fn text(
        &self,
        file: usize,
        forward: Option<&StoredDoc>,
        analysis: &AnalysisSettings<'_>,
    ) -> Result<Option<FileText>, Cancelled> {
        let Some((entry, forward)) = self.entries.get(file).zip(forward) else { return Ok(None) };
        let Ok(bytes) = self.tree.read(entry, MAX_FILE_BYTES) else { return Ok(None) };
        let is_current = matches!(entry.id, FileId::Blob(_)) || self.view.is_current(file, &bytes);
        let Ok(content) = decode(bytes) else { return Ok(None) };
        let (path, text) = (entry.path.clone(), Arc::new(Text::new(content)));
        if is_current {
            let tally = Arc::clone(&forward.tally);
            return Ok(Some(FileText { path, text, tally, rechunked: None }));
        }
        let ContentRecord { chunks, tally, .. } =
            ContentRecord::analyze(&path, &text, analysis, self.cancel)?;
        Ok(Some(FileText { path, text, tally: Arc::new(tally), rechunked: Some(chunks) }))
    }
}

/// The text of a file, and the token counts of its lines.
struct FileText {
    path: String,
    text: Arc<Text>,
    tally: Arc<kitbag_tokens::Tally>,
    /// Current chunks, if the file has changed since it was indexed.
    rechunked: Option<Vec<Chunk>>,
}

impl FileText {
    /// Returns the current counterpart of an indexed chunk. In a file that has changed, this is the
    /// chunk with the same symbol, or else the first that shares the most lines with it, or else
    /// the last chunk.
    fn at<'b>(&'b self, known: &'b Chunk) -> Option<&'b Chunk> {
        let Some(chunks) = &self.rechunked else { return Some(known) };
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

/// Turns ranked chunks into sources.
struct ResultSources<'a> {
    found: &'a SearchRanking<'a>,
    texts: FxHashMap<usize, FileText>,
    /// Chunks of changed files that are included, by file and first line. Several indexed chunks may
    /// have the same current counterpart.
    taken: FxHashSet<(usize, u32)>,
}

impl ResultSources<'_> {
    /// Turns hits into one source per file.
    fn gather(
        &mut self,
        hits: &[RankedChunk],
        changed: &dyn Fn(&str) -> Option<i64>,
    ) -> Vec<Source> {
        let mut sources: Vec<Source> = Vec::new();
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        for hit in hits {
            let Some(text) = self.texts.get(&hit.file) else { continue };
            let known = self.found.chunk(hit);
            let Some(chunk) = known.and_then(|known| text.at(known)) else { continue };
            if text.rechunked.is_some() && !self.taken.insert((hit.file, chunk.span.start)) {
                continue;
            }
            let place = *places.entry(hit.file).or_insert_with(|| {
                sources.push(Source {
                    timestamp: changed(&text.path),
                    tally: Some(Arc::clone(&text.tally)),
                    ..Source::new(&text.path, Kind::SearchResult, Arc::clone(&text.text))
                });
                sources.len() - 1
            });
            let relevance = Some(hit.relevance);
            let pieces = sources[place].pieces.get_or_insert_default();
            pieces.push(Piece { chunk: chunk.clone(), relevance });
        }
        sources
    }
}

/// Counts the best hits needed to reach both `tokens` tokens and `least` hits.
fn reach(found: &SearchRanking<'_>, tokens: usize, least: usize) -> usize {
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
    use kitbag_tokens::CachedCounter;

    /// A tree of one file, whose metadata is the same whatever its content.
    struct OneFile {
        files: Vec<FileEntry>,
        content: String,
    }

    impl OneFile {
        fn new(content: &str) -> Self {
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

    /// Searches for `ibis` in a file whose content has changed from `known` to `now` since it was
    /// indexed.
    fn found_in(known: &str, now: &str) -> Vec<Source> {
        let (counting, cancel) =
            (CachedCounter::named("words").expect("built in"), Cancel::default());
        let limits = kitbag_text::ChunkLimits { min_chunk_tokens: 1, ..Default::default() };
        let analysis = AnalysisSettings { limits, counting: &counting };
        let refresh = Refresh::new(&analysis, &cancel);
        let view = refresh.run(&OneFile::new(known), &Snapshot::default()).view;
        let (tree, past, task) =
            (OneFile::new(now), CommitHistory::default(), ParsedTask::new("ibis"));
        let search = Search::new(
            &tree,
            &view,
            SearchHistory { past: &past, now: 0 },
            RankModels::learned(),
            &cancel,
        );
        let found = search.find(&task).expect("not cancelled");
        let limits = SourceLimits { budget: 1_000, max_chunks: 10 };
        search.sources(&found, &|_| None, limits, &analysis).expect("not cancelled")
    }

    fn symbols(sources: &[Source]) -> Vec<String> {
        let pieces = sources.iter().flat_map(|it| it.pieces.iter().flatten());
        pieces.filter_map(|it| it.chunk.symbol.clone()).collect()
    }

    fn function(name: &str) -> String {
        format!("def {name}(nest):\n    return nest.{name}(1)\n\n\n")
    }

    #[test]
    fn a_file_that_changed_since_it_was_indexed_is_rechunked() {
        let known = function("ibis") + &function("heron");
        let now = "import nests\n\n".to_owned() + &function("ibis") + &function("stork");
        let sources = found_in(&known, &now);
        assert!(!sources.is_empty() && sources.iter().all(|it| it.text.content() == now));
        let symbols = symbols(&sources);
        assert_eq!(symbols.iter().filter(|it| *it == "ibis").count(), 1, "{symbols:?}");
        assert!(!symbols.contains(&"heron".to_owned()), "{symbols:?}");
    }

    #[test]
    fn a_file_that_shrank_since_it_was_indexed_gives_its_chunks() {
        let known = function("heron").repeat(9) + &function("ibis");
        assert_eq!(symbols(&found_in(&known, &function("ibis"))), ["ibis"]);
        assert_eq!(found_in(&known, "").len(), 0);
    }
}
