//! BM25 over files and over their chunks, the two ranks fused.
//!
//! The constants were set on the two development sets (`docs/quality.md` has what they bring).

use crate::analysis::{Bag, ChunkWords, FileChunks, FileWords};
use crate::file_kind::FileKind;
use crate::query::Query;
use rustc_hash::FxHashMap;

/// How soon more of the same word stops adding.
const K1: f64 = 1.4;
/// How much length counts against a text.
const B: f64 = 0.8;
/// How many words of a file a word of its path is worth.
const PATH_WORTH: f64 = 4.0;
/// How many words of a chunk a word of its path is worth.
const CHUNK_PATH_WORTH: f64 = 3.0;
/// How many words of a chunk a word of a symbol that it defines is worth.
const SYMBOL_WORTH: f64 = 4.0;
/// What a file gains that the task names.
const NAMED_WORTH: f64 = 1.5;
/// The constant of reciprocal-rank fusion, and what a file's rank counts in it.
const FUSION: f64 = 60.0;
const FILE_SHARE: f64 = 0.3;
/// How much each chunk of a file sets the next one of the same file back.
const SPREAD: f64 = 0.1;
/// The rank whose relevance is one half.
const HALF_RELEVANCE: f64 = 4.0;

/// A file that has words of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct FileHit {
    /// Its place in the list that was searched.
    pub file: usize,
    /// Its score: BM25 times what its kind is worth.
    pub score: f64,
}

/// A chunk that has words of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHit {
    /// The place of its file in the list that was searched.
    pub file: usize,
    /// Its place in the file.
    pub chunk: usize,
}

/// A file that was found, with its chunks.
pub struct Found<'a> {
    /// Its place in the list that was searched.
    pub file: usize,
    /// Its path.
    pub path: &'a str,
    /// Its words' kind.
    pub kind: FileKind,
    /// Its chunks.
    pub chunks: &'a FileChunks,
}

/// How much each term of a query counts: the more, the fewer files have it and the more the task
/// insists on it.
#[derive(Debug, Clone)]
pub struct Rarity(Vec<f64>);

/// Ranks files for `query`, best first. Files without any of its words are left out. What the
/// terms count follows from the same list, and is handed back for the chunks.
pub fn rank_files<'a>(
    query: &Query,
    files: impl Iterator<Item = (&'a str, &'a FileWords)>,
) -> (Vec<FileHit>, Rarity) {
    let rows: Vec<Row> = files.map(|(path, words)| Row::of_file(query, path, words)).collect();
    let rarity = rarity(query, &rows);
    let mean = mean_length(&rows);
    let hit = |(file, row): (usize, &Row)| FileHit { file, score: row.score(&rarity, mean) };
    let mut hits: Vec<FileHit> = rows.iter().enumerate().map(hit).collect();
    hits.retain(|hit| hit.score > 0.0);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    (hits, rarity)
}

/// Ranks the chunks of files that were found, which come best first: by the rank of the chunk and
/// the rank of its file, spread over files. Chunks without any of the query's words are left out.
pub fn rank_chunks(query: &Query, rarity: &Rarity, files: &[Found<'_>]) -> Vec<ChunkHit> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for (rank, file) in files.iter().enumerate() {
        let worth = worth(query, file.path, file.kind);
        let path = Bag::of(file.path);
        for (place, chunk) in file.chunks.chunks.iter().enumerate() {
            places.push((rank, place));
            rows.push(Row::of_chunk(query, &path, chunk, worth));
        }
    }
    let mean = mean_length(&rows);
    let scored = places.into_iter().zip(&rows).map(|(place, row)| (place, row.score(rarity, mean)));
    let by_chunk = ordered(scored.filter(|(_, score)| *score > 0.0));
    let fused = by_chunk.into_iter().enumerate().map(|(rank, (file, chunk))| {
        let score = 1.0 / (FUSION + rank as f64) + FILE_SHARE / (FUSION + file as f64);
        ((file, chunk), score)
    });
    let hits = spread(ordered(fused)).into_iter();
    hits.map(|(file, chunk)| ChunkHit { file: files[file].file, chunk }).collect()
}

/// The relevance of the hit at `rank`, from 0: steep at first, so that recency and source settle
/// only what is close.
pub fn relevance(rank: usize) -> f64 {
    1.0 / (1.0 + rank as f64 / HALF_RELEVANCE)
}

/// The places by their score, best first.
fn ordered(scored: impl Iterator<Item = ((usize, usize), f64)>) -> Vec<(usize, usize)> {
    let mut scored: Vec<((usize, usize), f64)> = scored.collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.into_iter().map(|(place, _)| place).collect()
}

/// Sets each chunk back by the number of better ones from the same file, so that a long file does
/// not push all others out.
fn spread(order: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut seen: FxHashMap<usize, f64> = FxHashMap::default();
    let setback = |(rank, place): (usize, (usize, usize))| {
        let before = seen.entry(place.0).or_default();
        let score = -(rank as f64 + 5.0) * (1.0 + SPREAD * *before);
        *before += 1.0;
        (place, score)
    };
    let scored: Vec<((usize, usize), f64)> = order.into_iter().enumerate().map(setback).collect();
    ordered(scored.into_iter())
}

/// What a match in the file at `path` is worth.
fn worth(query: &Query, path: &str, kind: FileKind) -> f64 {
    kind.worth(query) * if query.names(path) { NAMED_WORTH } else { 1.0 }
}

/// What one text has of the query's words.
struct Row {
    counts: Vec<f64>,
    length: f64,
    worth: f64,
}

impl Row {
    fn of_file(query: &Query, path: &str, words: &FileWords) -> Self {
        let path_words = Bag::of(path);
        let count = |id: u32| {
            f64::from(words.body.count(id)) + PATH_WORTH * f64::from(path_words.count(id))
        };
        let counts = query.terms.iter().map(|term| count(term.id)).collect();
        let worth = worth(query, path, FileKind::of(path, words.looks));
        Self { counts, length: f64::from(words.body.length), worth }
    }

    fn of_chunk(query: &Query, path: &Bag, chunk: &ChunkWords, worth: f64) -> Self {
        let count = |id: u32| {
            f64::from(chunk.body.count(id))
                + SYMBOL_WORTH * f64::from(chunk.symbols.count(id))
                + CHUNK_PATH_WORTH * f64::from(path.count(id))
        };
        let counts = query.terms.iter().map(|term| count(term.id)).collect();
        Self { counts, length: f64::from(chunk.body.length), worth }
    }

    fn score(&self, rarity: &Rarity, mean_length: f64) -> f64 {
        let norm = K1 * (1.0 - B + B * self.length / mean_length.max(1.0));
        let part = |(count, rarity): (&f64, &f64)| rarity * count * (K1 + 1.0) / (count + norm);
        self.counts.iter().zip(&rarity.0).map(part).sum::<f64>() * self.worth
    }
}

fn mean_length(rows: &[Row]) -> f64 {
    rows.iter().map(|row| row.length).sum::<f64>() / rows.len().max(1) as f64
}

fn rarity(query: &Query, rows: &[Row]) -> Rarity {
    let mut with = vec![0usize; query.terms.len()];
    for row in rows {
        for (with, count) in with.iter_mut().zip(&row.counts) {
            *with += usize::from(*count > 0.0);
        }
    }
    let idf = |with: usize| (1.0 + ((rows.len() - with) as f64 + 0.5) / (with as f64 + 0.5)).ln();
    let terms = query.terms.iter();
    Rarity(with.into_iter().zip(terms).map(|(with, term)| idf(with) * term.weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(query: &str, files: &[(&str, &str)]) -> Vec<usize> {
        let words: Vec<FileWords> = files.iter().map(|(_, text)| FileWords::of(text)).collect();
        let list = files.iter().zip(&words).map(|((path, _), words)| (*path, words));
        rank_files(&Query::new(query), list).0.into_iter().map(|hit| hit.file).collect()
    }

    #[test]
    fn rare_words_outweigh_common_ones() {
        let found = files(
            "parse the manifest",
            &[("a.rs", "parse parse"), ("b.rs", "manifest"), ("c.rs", "parse"), ("d.rs", "none")],
        );
        assert_eq!(found, [1, 0, 2]);
    }

    #[test]
    fn code_comes_before_tests_and_documentation_that_say_the_same() {
        let found = files(
            "login token",
            &[("docs/a.md", "login token"), ("tests/a.rs", "login token"), ("a.rs", "login token")],
        );
        assert_eq!(found, [2, 1, 0]);
    }

    #[test]
    fn a_file_that_the_task_names_comes_first() {
        let same = "fn login() {}";
        let found = files("login fails, see src/b.rs", &[("src/a.rs", same), ("src/b.rs", same)]);
        assert_eq!(found[0], 1);
    }

    #[test]
    fn one_file_does_not_push_out_the_others() {
        let order: Vec<(usize, usize)> = (0..30).map(|chunk| (0, chunk)).chain([(1, 0)]).collect();
        let place = spread(order).iter().position(|&place| place == (1, 0));
        assert!(place.is_some_and(|place| place < 20), "{place:?}");
    }

    #[test]
    fn relevance_falls_steeply_from_one() {
        assert!((relevance(0) - 1.0).abs() < 1e-9);
        assert!((relevance(4) - 0.5).abs() < 1e-9);
        assert!((0..100).all(|rank| relevance(rank) > relevance(rank + 1)));
    }
}
