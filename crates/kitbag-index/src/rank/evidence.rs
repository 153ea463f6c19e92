//! How well every file and chunk matches the words of a task: one pass over the postings, scored with
//! BM25 by field and by part of the task.

use crate::segment::{FieldLengths, Posting};
use crate::task::{ParsedTask, TaskTerm};
use crate::view::IndexView;

/// BM25 saturation of repeated words. This and the following constants were set by hand, and the
/// models were trained with them.
pub(super) const BM25_K1: f32 = 1.4;
/// BM25 length normalization of whole texts.
const BM25_B: f32 = 0.8;
/// BM25 length normalization of names, paths, signatures and comments.
const BM25_B_SHORT: f32 = 0.4;
/// Weights of a word in a path, a defined name or an enclosing name, relative to the body.
const FILE_PATH_WEIGHT: f32 = 4.0;
const FILE_SYMBOL_WEIGHT: f32 = 2.0;
const CHUNK_PATH_WEIGHT: f32 = 3.0;
const CHUNK_SYMBOL_WEIGHT: f32 = 4.0;
const CHUNK_SCOPE_WEIGHT: f32 = 1.0;

/// Scores of a file; see docs/factors.md.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileEvidence {
    pub all_fields: f32,
    pub title: f32,
    pub prose: f32,
    pub code: f32,
    pub symbol: f32,
    pub symbol_title: f32,
    pub signature: f32,
    pub comment: f32,
    pub path: f32,
    pub path_title: f32,
    pub defined_names: f32,
    pub mentioned_names: f32,
    pub compound_names: f32,
    pub title_coverage: f32,
    pub task_coverage: f32,
}

/// Scores of a chunk; see docs/factors.md.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChunkEvidence {
    pub all_fields: f32,
    pub title: f32,
    pub code: f32,
    pub symbol: f32,
    pub defined_names: f32,
    pub mentioned_names: f32,
    pub compound_names: f32,
    pub title_coverage: f32,
    pub task_coverage: f32,
    /// Scores with the rarity of words among the chunks of the file, instead of among all files.
    pub distinctive: f32,
    pub distinctive_title: f32,
}

/// Scores of all files and chunks of a tree.
pub(super) struct Evidence {
    pub files: Vec<FileEvidence>,
    pub chunks: Vec<ChunkEvidence>,
    /// Words of the task that each chunk may have, as a set of [`word_bit`]s.
    pub chunk_words: Vec<u128>,
    /// Inverse document frequency of each term, over files.
    pub idf: Vec<f32>,
    /// Number of files that have each term.
    pub files_with: Vec<u32>,
    /// Where each term occurs at all.
    pub occurrence: Vec<Occurrence>,
}

/// Where a term of the task occurs in a tree, from the least to the most telling place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Occurrence {
    /// Nowhere.
    None,
    /// In a text or a path.
    Used,
    /// In the name of a symbol.
    Defined,
}

impl Occurrence {
    fn of(counts: &[TermCounts]) -> Self {
        match counts {
            [] => Self::None,
            counts if counts.iter().any(|it| it.symbol > 0.0) => Self::Defined,
            _ => Self::Used,
        }
    }
}

/// Mean lengths in words.
struct MeanLengths {
    body: f32,
    symbol: f32,
    signature: f32,
    comment: f32,
    path: f32,
    chunk: f32,
}

impl MeanLengths {
    fn of(view: &IndexView) -> Self {
        let count = view.files().len().max(1) as f32;
        let mean = |sum: u64| (sum as f32 / count).max(1.0);
        let sum = |length: fn(&FieldLengths) -> u32| -> u64 {
            view.files().iter().map(|file| u64::from(length(&file.doc.lengths))).sum()
        };
        let body = sum(|lengths| lengths.body);
        let paths = view.files().iter().map(|file| file.path_words.len() as u64).sum();
        Self {
            body: mean(body),
            symbol: mean(sum(|lengths| lengths.symbol)),
            signature: mean(sum(|lengths| lengths.signature)),
            comment: mean(sum(|lengths| lengths.comment)),
            path: mean(paths),
            chunk: (body as f32 / view.chunk_count().max(1) as f32).max(1.0),
        }
    }
}

/// Occurrences of one term in a file, over all its chunks.
#[derive(Clone, Copy, Default)]
struct TermCounts {
    file: u32,
    body: f32,
    comment: f32,
    signature: f32,
    symbol: f32,
    path: f32,
}

/// A term with its postings and its counts by file.
struct TermMatches<'a> {
    term: &'a TaskTerm,
    idf: f32,
    postings: &'a [(u32, Posting)],
    /// Sorted by file.
    counts: &'a [TermCounts],
}

impl Evidence {
    /// Scores the files and chunks of a tree for a task.
    pub fn gather(task: &ParsedTask, view: &IndexView) -> Self {
        let mut evidence = Self {
            files: vec![FileEvidence::default(); view.files().len()],
            chunks: vec![ChunkEvidence::default(); view.chunk_count()],
            chunk_words: vec![0; view.chunk_count()],
            idf: Vec::with_capacity(task.terms.len()),
            files_with: Vec::with_capacity(task.terms.len()),
            occurrence: Vec::with_capacity(task.terms.len()),
        };
        let means = MeanLengths::of(view);
        let path_matches = path_matches(task, view);
        let (mut title_weight, mut task_weight) = (0.0, 0.0);
        let mut postings = Vec::new();
        for (at, term) in task.terms.iter().enumerate() {
            read_postings(view, term, &mut postings);
            let start = path_matches.partition_point(|it| it.term < at);
            let end = path_matches.partition_point(|it| it.term <= at);
            let counts = count_by_file(&postings, &path_matches[start..end]);
            let idf = idf(view.files().len(), counts.len());
            evidence.idf.push(idf);
            evidence.files_with.push(counts.len() as u32);
            evidence.occurrence.push(Occurrence::of(&counts));
            title_weight += term.title * idf;
            task_weight += term.weight * idf;
            let matches = TermMatches { term, idf, postings: &postings, counts: &counts };
            evidence.add_files(&matches, view, &means);
            evidence.add_chunks(&matches, view, &means);
        }
        for term in &task.compound_names {
            read_postings(view, term, &mut postings);
            let counts = count_by_file(&postings, &[]);
            let idf = idf(view.files().len(), counts.len());
            let matches = TermMatches { term, idf, postings: &postings, counts: &counts };
            evidence.add_compound_name(&matches, view);
        }
        for file in &mut evidence.files {
            file.title_coverage /= f32::max(title_weight, 1e-6);
            file.task_coverage /= f32::max(task_weight, 1e-6);
        }
        for chunk in &mut evidence.chunks {
            chunk.title_coverage /= f32::max(title_weight, 1e-6);
            chunk.task_coverage /= f32::max(task_weight, 1e-6);
        }
        evidence
    }

    fn add_compound_name(&mut self, matches: &TermMatches<'_>, view: &IndexView) {
        let score = |is_defined: bool| {
            matches.idf * matches.term.weight * if is_defined { 2.0 } else { 1.0 }
        };
        for counts in matches.counts {
            self.files[counts.file as usize].compound_names += score(counts.symbol > 0.0);
        }
        for (file, posting) in matches.postings {
            let range = view.files()[*file as usize].chunk_range();
            if let Some(chunk) = self.chunks.get_mut(range.start + posting.chunk as usize) {
                chunk.compound_names += score(posting.counts.symbol > 0);
            }
        }
    }

    fn add_files(&mut self, matches: &TermMatches<'_>, view: &IndexView, means: &MeanLengths) {
        let TermMatches { term, idf, .. } = *matches;
        for counts in matches.counts {
            let file = &view.files()[counts.file as usize];
            let lengths = file.doc.lengths;
            let it = &mut self.files[counts.file as usize];
            let all_fields =
                counts.body + FILE_PATH_WEIGHT * counts.path + FILE_SYMBOL_WEIGHT * counts.symbol;
            let length = lengths.body as f32 / means.body;
            it.all_fields += idf * term.weight * saturate(all_fields, length, BM25_B);
            let body = idf * saturate(counts.body, length, BM25_B);
            it.title += body * term.title;
            it.prose += body * term.prose;
            it.code += body * term.code;
            let length = lengths.symbol as f32 / means.symbol;
            let symbol = idf * saturate(counts.symbol, length, BM25_B_SHORT);
            it.symbol += symbol * term.weight;
            it.symbol_title += symbol * term.title;
            let length = lengths.signature as f32 / means.signature;
            it.signature += idf * term.weight * saturate(counts.signature, length, BM25_B_SHORT);
            let length = lengths.comment as f32 / means.comment;
            it.comment += idf * term.weight * saturate(counts.comment, length, BM25_B_SHORT);
            let length = file.path_words.len() as f32 / means.path;
            let path = idf * saturate(counts.path, length, BM25_B_SHORT);
            it.path += path * term.weight;
            it.path_title += path * term.title;
            if term.is_name {
                it.mentioned_names += idf * term.weight;
                it.defined_names += if counts.symbol > 0.0 { idf * term.weight } else { 0.0 };
            }
            it.title_coverage += term.title * idf;
            it.task_coverage += term.weight * idf;
        }
    }

    fn add_chunks(&mut self, matches: &TermMatches<'_>, view: &IndexView, means: &MeanLengths) {
        let TermMatches { term, idf, counts: by_file, .. } = *matches;
        for of_file in matches.postings.chunk_by(|a, b| a.0 == b.0) {
            let number = of_file[0].0;
            let at = by_file.binary_search_by_key(&number, |counts| counts.file);
            let path = at.map_or(0.0, |at| by_file[at].path);
            let file = &view.files()[number as usize];
            let lengths = view.chunk_lengths(file);
            let idf_in_file = self::idf(file.chunk_range().len(), of_file.len());
            for (_, posting) in of_file {
                let place = file.chunk_range().start + posting.chunk as usize;
                let (Some(it), Some(words)) =
                    (self.chunks.get_mut(place), self.chunk_words.get_mut(place))
                else {
                    continue;
                };
                *words |= word_bit(term.id);
                let length = lengths.get(posting.chunk as usize).map_or(0.0, |&it| it as f32);
                let frequency = chunk_frequency(posting, path, length / means.chunk);
                it.add(term, idf, frequency, f32::from(posting.counts.symbol));
                it.distinctive += idf_in_file * frequency * term.weight;
                it.distinctive_title += idf_in_file * frequency * term.title;
            }
        }
    }
}

/// BM25 term frequency of a word in a chunk, whose length is relative to the mean.
fn chunk_frequency(posting: &Posting, path: f32, length: f32) -> f32 {
    let counts = &posting.counts;
    let all_fields = counts.body as f32
        + CHUNK_SYMBOL_WEIGHT * f32::from(counts.symbol)
        + CHUNK_SCOPE_WEIGHT * f32::from(counts.scope)
        + CHUNK_PATH_WEIGHT * path;
    saturate(all_fields, length, BM25_B)
}

impl ChunkEvidence {
    /// Adds a term of the task that the chunk has, and that it defines `symbol` times.
    fn add(&mut self, term: &TaskTerm, idf: f32, frequency: f32, symbol: f32) {
        let score = idf * frequency;
        self.all_fields += score * term.weight;
        self.title += score * term.title;
        self.code += score * term.code;
        let name = if term.is_name { idf * term.weight } else { 0.0 };
        self.mentioned_names += name;
        if symbol > 0.0 {
            self.symbol += idf * term.weight * symbol / (symbol + 1.0);
            self.defined_names += name;
        }
        self.title_coverage += term.title * idf;
        self.task_coverage += term.weight * idf;
    }
}

/// Returns the bit of a word in a set of words. Words share bits, so only absence is certain.
pub(super) fn word_bit(id: u32) -> u128 {
    1 << (id % u128::BITS)
}

fn read_postings(view: &IndexView, term: &TaskTerm, postings: &mut Vec<(u32, Posting)>) {
    postings.clear();
    // Faster than `extend`: nested iterators run in one loop.
    view.postings(term.id).for_each(|posting| postings.push(posting));
}

/// Occurrences of a term in a path.
struct PathMatch {
    term: usize,
    file: u32,
    count: f32,
}

/// Returns the occurrences of the task's terms in paths, sorted by term and file.
fn path_matches(task: &ParsedTask, view: &IndexView) -> Vec<PathMatch> {
    let mut terms: Vec<(u32, usize)> =
        task.terms.iter().enumerate().map(|(at, term)| (term.id, at)).collect();
    terms.sort_unstable();
    let mut found: Vec<PathMatch> = Vec::new();
    for (file, it) in view.files().iter().enumerate() {
        for word in &it.path_words {
            if let Ok(place) = terms.binary_search_by_key(word, |term| term.0) {
                found.push(PathMatch { term: terms[place].1, file: file as u32, count: 1.0 });
            }
        }
    }
    found.sort_unstable_by_key(|it| (it.term, it.file));
    found.dedup_by(|next, kept| {
        let is_same = (next.term, next.file) == (kept.term, kept.file);
        kept.count += if is_same { next.count } else { 0.0 };
        is_same
    });
    found
}

/// Sums postings and path matches of a term by file, sorted by file.
fn count_by_file(postings: &[(u32, Posting)], in_paths: &[PathMatch]) -> Vec<TermCounts> {
    let mut all: Vec<TermCounts> = Vec::new();
    for of_file in postings.chunk_by(|a, b| a.0 == b.0) {
        let mut counts = TermCounts { file: of_file[0].0, ..TermCounts::default() };
        for (_, posting) in of_file {
            counts.body += posting.counts.body as f32;
            counts.comment += f32::from(posting.counts.comment);
            counts.signature += f32::from(posting.counts.signature);
            counts.symbol += f32::from(posting.counts.symbol);
        }
        all.push(counts);
    }
    let in_paths = in_paths.iter();
    all.extend(in_paths.map(|it| TermCounts {
        file: it.file,
        path: it.count,
        ..TermCounts::default()
    }));
    // Files in several segments, or with a shared content, come out of order.
    all.sort_by_key(|counts| counts.file);
    all.dedup_by(|next, kept| {
        let is_same = next.file == kept.file;
        if is_same {
            kept.body += next.body;
            kept.comment += next.comment;
            kept.signature += next.signature;
            kept.symbol += next.symbol;
            kept.path += next.path;
        }
        is_same
    });
    all
}

/// BM25 term frequency of a text, whose length is relative to the mean.
fn saturate(count: f32, length: f32, b: f32) -> f32 {
    if count <= 0.0 {
        return 0.0;
    }
    count * (BM25_K1 + 1.0) / (count + BM25_K1 * (1.0 - b + b * length))
}

/// Inverse document frequency of a word that `with` of `all` documents have.
pub(super) fn idf(all: usize, with: usize) -> f32 {
    (1.0 + (all.saturating_sub(with) as f32 + 0.5) / (with as f32 + 0.5)).ln()
}
