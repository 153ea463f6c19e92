//! What each file and each chunk has of a task's words: one pass over the postings.

use crate::segment::Posting;
use crate::task::{Task, Term};
use crate::view::View;

/// How soon more of the same word stops adding, and how much length counts against a text.
const K1: f32 = 1.4;
const B: f32 = 0.8;
/// For names, paths and messages, whose lengths say less.
const B_SHORT: f32 = 0.4;
/// How many words of a text a word of a path, a name or a scope is worth.
const PATH_WORTH: f32 = 4.0;
const SYMBOL_WORTH: f32 = 2.0;
const CHUNK_PATH_WORTH: f32 = 3.0;
const CHUNK_SYMBOL_WORTH: f32 = 4.0;
const CHUNK_SCOPE_WORTH: f32 = 1.0;

/// What one file has of the task's words.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileEvidence {
    /// All fields as one text, by the whole task.
    pub fused: f32,
    pub title: f32,
    pub prose: f32,
    pub code: f32,
    pub symbol: f32,
    pub symbol_title: f32,
    pub signature: f32,
    pub comment: f32,
    pub path: f32,
    pub path_title: f32,
    /// Names that the task speaks of and the file defines, or only has.
    pub defined: f32,
    pub named: f32,
    /// Names that the task's words would make, and the file has.
    pub joined: f32,
    /// How much of the title's weight it has, and of the whole task's.
    pub covered: f32,
    pub covered_all: f32,
}

/// What one chunk has of the task's words.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChunkEvidence {
    pub fused: f32,
    pub title: f32,
    pub code: f32,
    pub symbol: f32,
    pub defined: f32,
    pub joined: f32,
    pub covered: f32,
}

/// What all files and chunks have of the task's words.
pub(crate) struct Evidence {
    pub files: Vec<FileEvidence>,
    pub chunks: Vec<ChunkEvidence>,
    /// Which of the task's words each chunk may have, as [`word_bit`] marks them.
    pub words: Vec<u128>,
    /// How rare each term is: the logarithm of the share of files that lack it.
    pub rarity: Vec<f32>,
}

/// The mean lengths of texts.
struct Means {
    body: f32,
    symbol: f32,
    signature: f32,
    comment: f32,
    path: f32,
    chunk: f32,
}

impl Means {
    fn of(view: &View) -> Self {
        let files = view.files().len().max(1) as f32;
        let mean = |sum: u64| (sum as f32 / files).max(1.0);
        let sum = |length: &dyn Fn(&crate::segment::Lengths) -> u32| {
            view.files().iter().map(|file| u64::from(length(&view.doc(file).lengths))).sum::<u64>()
        };
        let body = sum(&|lengths| lengths.body);
        let paths = view.files().iter().map(|file| file.path_words.len() as u64).sum();
        Self {
            body: mean(body),
            symbol: mean(sum(&|lengths| lengths.symbol)),
            signature: mean(sum(&|lengths| lengths.signature)),
            comment: mean(sum(&|lengths| lengths.comment)),
            path: mean(paths),
            chunk: (body as f32 / view.chunk_count().max(1) as f32).max(1.0),
        }
    }
}

/// What a file has of one term, over all its chunks.
#[derive(Clone, Copy, Default)]
struct Sum {
    file: u32,
    body: f32,
    comment: f32,
    signature: f32,
    symbol: f32,
    path: f32,
}

impl Evidence {
    /// Gathers the evidence of a task over a tree.
    pub fn gather(task: &Task, view: &View) -> Self {
        let mut evidence = Self {
            files: vec![FileEvidence::default(); view.files().len()],
            chunks: vec![ChunkEvidence::default(); view.chunk_count()],
            words: vec![0; view.chunk_count()],
            rarity: Vec::with_capacity(task.terms.len()),
        };
        let means = Means::of(view);
        let mut paths = PathWords::of(task, view);
        let (mut title, mut all) = (0.0, 0.0);
        let mut postings: Vec<(u32, Posting)> = Vec::new();
        let mut sums: Vec<Sum> = Vec::new();
        for (at, term) in task.terms.iter().enumerate() {
            postings.clear();
            view.postings(term.id, |file, posting| postings.push((file, posting)));
            sum_by_file(&postings, paths.take(at), &mut sums);
            let rarity = rarity(view.files().len(), sums.len());
            evidence.rarity.push(rarity);
            title += term.title * rarity;
            all += term.all * rarity;
            evidence.add_files(term, rarity, &sums, view, &means);
            evidence.add_chunks(term, rarity, &postings, &sums, view, &means);
        }
        for term in &task.joined {
            postings.clear();
            view.postings(term.id, |file, posting| postings.push((file, posting)));
            sum_by_file(&postings, &[], &mut sums);
            evidence.add_joined(term, &postings, &sums, view);
        }
        for file in &mut evidence.files {
            file.covered /= f32::max(title, 1e-6);
            file.covered_all /= f32::max(all, 1e-6);
        }
        evidence.chunks.iter_mut().for_each(|chunk| chunk.covered /= f32::max(title, 1e-6));
        evidence
    }

    /// Adds what files and chunks have of a name that the task's words would make.
    fn add_joined(&mut self, term: &Term, postings: &[(u32, Posting)], sums: &[Sum], view: &View) {
        let rarity = rarity(view.files().len(), sums.len());
        for sum in sums {
            let it = &mut self.files[sum.file as usize];
            it.joined += rarity * term.all * if sum.symbol > 0.0 { 2.0 } else { 1.0 };
        }
        for (file, posting) in postings {
            let first = view.files()[*file as usize].first_chunk;
            if let Some(it) = self.chunks.get_mut((first + posting.chunk) as usize) {
                let defines = posting.counts.symbol > 0;
                it.joined += rarity * term.all * if defines { 2.0 } else { 1.0 };
            }
        }
    }

    fn add_files(&mut self, term: &Term, rarity: f32, sums: &[Sum], view: &View, means: &Means) {
        for sum in sums {
            let file = &view.files()[sum.file as usize];
            let lengths = view.doc(file).lengths;
            let it = &mut self.files[sum.file as usize];
            let fused = sum.body + PATH_WORTH * sum.path + SYMBOL_WORTH * sum.symbol;
            let length = lengths.body as f32 / means.body;
            it.fused += rarity * term.all * saturate(fused, length, B);
            let body = rarity * saturate(sum.body, length, B);
            it.title += body * term.title;
            it.prose += body * term.prose;
            it.code += body * term.code;
            let length = lengths.symbol as f32 / means.symbol;
            let symbol = rarity * saturate(sum.symbol, length, B_SHORT);
            it.symbol += symbol * term.all;
            it.symbol_title += symbol * term.title;
            let length = lengths.signature as f32 / means.signature;
            it.signature += rarity * term.all * saturate(sum.signature, length, B_SHORT);
            let length = lengths.comment as f32 / means.comment;
            it.comment += rarity * term.all * saturate(sum.comment, length, B_SHORT);
            let length = file.path_words.len() as f32 / means.path;
            let path = rarity * saturate(sum.path, length, B_SHORT);
            it.path += path * term.all;
            it.path_title += path * term.title;
            if term.is_name {
                it.named += rarity * term.all;
                it.defined += if sum.symbol > 0.0 { rarity * term.all } else { 0.0 };
            }
            it.covered += term.title * rarity;
            it.covered_all += term.all * rarity;
        }
    }

    fn add_chunks(
        &mut self,
        term: &Term,
        rarity: f32,
        postings: &[(u32, Posting)],
        sums: &[Sum],
        view: &View,
        means: &Means,
    ) {
        for (file, posting) in postings {
            let place = sums.binary_search_by_key(file, |sum| sum.file);
            let path = place.map_or(0.0, |place| sums[place].path);
            let file = &view.files()[*file as usize];
            let lengths = view.chunk_lengths(file);
            let length = lengths.get(posting.chunk as usize).map_or(0.0, |&it| it as f32);
            let length = length / means.chunk;
            let counts = &posting.counts;
            let symbol = f32::from(counts.symbol);
            let tf = counts.body as f32
                + CHUNK_SYMBOL_WORTH * symbol
                + CHUNK_SCOPE_WORTH * f32::from(counts.scope)
                + CHUNK_PATH_WORTH * path;
            let place = (file.first_chunk + posting.chunk) as usize;
            let (Some(it), Some(words)) = (self.chunks.get_mut(place), self.words.get_mut(place))
            else {
                continue;
            };
            *words |= word_bit(term.id);
            let body = rarity * saturate(tf, length, B);
            it.fused += body * term.all;
            it.title += body * term.title;
            it.code += body * term.code;
            if symbol > 0.0 {
                it.symbol += rarity * term.all * symbol / (symbol + 1.0);
                it.defined += if term.is_name { rarity * term.all } else { 0.0 };
            }
            it.covered += term.title * rarity;
        }
    }
}

/// The mark of a word. Words share marks, so a mark says only what a chunk does not have.
pub(crate) fn word_bit(id: u32) -> u128 {
    1 << (id % u128::BITS)
}

/// Where the task's words stand in paths.
struct PathWords {
    /// A term's place, a file, and how often: by term and file.
    found: Vec<(u32, u32, f32)>,
}

impl PathWords {
    fn of(task: &Task, view: &View) -> Self {
        let mut terms: Vec<(u32, u32)> =
            task.terms.iter().enumerate().map(|(at, term)| (term.id, at as u32)).collect();
        terms.sort_unstable();
        let mut found: Vec<(u32, u32, f32)> = Vec::new();
        for (file, it) in view.files().iter().enumerate() {
            for word in &it.path_words {
                if let Ok(place) = terms.binary_search_by_key(word, |term| term.0) {
                    found.push((terms[place].1, file as u32, 1.0));
                }
            }
        }
        found.sort_unstable_by_key(|it| (it.0, it.1));
        found.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0.0 };
            same
        });
        Self { found }
    }

    /// The files whose paths have a term.
    fn take(&mut self, term: usize) -> &[(u32, u32, f32)] {
        let from = self.found.partition_point(|it| (it.0 as usize) < term);
        let to = self.found.partition_point(|it| it.0 as usize <= term);
        &self.found[from..to]
    }
}

/// Sums postings and path words by file, in the order of the files.
fn sum_by_file(postings: &[(u32, Posting)], paths: &[(u32, u32, f32)], sums: &mut Vec<Sum>) {
    sums.clear();
    for (file, posting) in postings {
        if sums.last().is_none_or(|sum| sum.file != *file) {
            sums.push(Sum { file: *file, ..Sum::default() });
        }
        if let Some(sum) = sums.last_mut() {
            sum.body += posting.counts.body as f32;
            sum.comment += f32::from(posting.counts.comment);
            sum.signature += f32::from(posting.counts.signature);
            sum.symbol += f32::from(posting.counts.symbol);
        }
    }
    sums.extend(paths.iter().map(|&(_, file, path)| Sum { file, path, ..Sum::default() }));
    // Contents that several files share, and segments, come out of order.
    sums.sort_by_key(|sum| sum.file);
    sums.dedup_by(|next, kept| {
        let same = next.file == kept.file;
        if same {
            kept.body += next.body;
            kept.comment += next.comment;
            kept.signature += next.signature;
            kept.symbol += next.symbol;
            kept.path += next.path;
        }
        same
    });
}

/// What occurrences are worth in a text of that length, in means.
fn saturate(count: f32, length: f32, b: f32) -> f32 {
    if count <= 0.0 {
        return 0.0;
    }
    count * (K1 + 1.0) / (count + K1 * (1.0 - b + b * length))
}

/// How rare a word is that `with` of `all` files have.
pub(crate) fn rarity(all: usize, with: usize) -> f32 {
    (1.0 + (all.saturating_sub(with) as f32 + 0.5) / (with as f32 + 0.5)).ln()
}
