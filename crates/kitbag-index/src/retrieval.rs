//! BM25 over files and over their chunks, the two ranks fused.

use crate::analysis::{Bag, ChunkWords, FileChunks, FileWords};
use crate::file_kind::FileKind;
use crate::query::Query;

/// How soon more of the same word stops adding.
const K1: f64 = 1.2;
/// How much length counts against a text.
const B: f64 = 0.75;
/// How many words of the body a word of the path is worth.
const PATH_WORTH: f64 = 4.0;
/// How many words of the body a word of a defined symbol is worth.
const SYMBOL_WORTH: f64 = 2.0;
/// The constant of reciprocal-rank fusion.
const FUSION: f64 = 10.0;

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
    /// Its fused score.
    pub score: f64,
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

/// Ranks files for `query`, best first. Files without any of its words are left out.
pub fn rank_files<'a>(
    query: &Query,
    files: impl Iterator<Item = (&'a str, &'a FileWords)>,
) -> Vec<FileHit> {
    let rows: Vec<Row> = files.map(|(path, words)| Row::of_file(query, path, words)).collect();
    let rarity = rarity(query, &rows);
    let mean = mean_length(&rows);
    let hit = |(file, row): (usize, &Row)| FileHit {
        file,
        score: row.score(&rarity, mean) * row.worth,
    };
    let mut hits: Vec<FileHit> = rows.iter().enumerate().map(hit).collect();
    hits.retain(|hit| hit.score > 0.0);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    hits
}

/// Ranks the chunks of files that were found, which come best first, and fuses the rank of a chunk
/// with the rank of its file. Chunks without any of the query's words are left out.
pub fn rank_chunks(query: &Query, files: &[Found<'_>]) -> Vec<ChunkHit> {
    let mut rows: Vec<(usize, usize, Row)> = Vec::new();
    for (rank, file) in files.iter().enumerate() {
        let worth = file.kind.worth(query);
        let path = Bag::of(file.path);
        for (place, chunk) in file.chunks.chunks.iter().enumerate() {
            rows.push((rank, place, Row::of_chunk(query, &path, chunk, worth)));
        }
    }
    let lengths = rows.iter().map(|(_, _, row)| row.length).sum::<f64>();
    let mean = lengths / (rows.len().max(1)) as f64;
    let rarity = rarity(query, rows.iter().map(|(_, _, row)| row));
    let scored = rows.iter().map(|(rank, place, row)| {
        (*rank, *place, row.score(&rarity, mean) * row.worth)
    });
    let mut scored: Vec<(usize, usize, f64)> = scored.filter(|(_, _, score)| *score > 0.0).collect();
    scored.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let fused = scored.into_iter().enumerate().map(|(rank, (file, chunk, _))| ChunkHit {
        file: files[file].file,
        chunk,
        score: 1.0 / (FUSION + rank as f64) + 1.0 / (FUSION + file as f64),
    });
    let mut hits: Vec<ChunkHit> = fused.collect();
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then((a.file, a.chunk).cmp(&(b.file, b.chunk)))
    });
    hits
}

/// The relevance of the hit at `rank`, from 0: steep at first, so that recency and source settle
/// only what is close.
pub fn relevance(rank: usize) -> f64 {
    1.0 / (1.0 + rank as f64 / 20.0)
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
        let worth = FileKind::of(path, words.looks).worth(query);
        let counts = query.terms.iter().map(|term| count(term.id)).collect();
        Self { counts, length: f64::from(words.body.length), worth }
    }

    fn of_chunk(query: &Query, path: &Bag, chunk: &ChunkWords, worth: f64) -> Self {
        let count = |id: u32| {
            f64::from(chunk.body.count(id))
                + SYMBOL_WORTH * f64::from(chunk.symbols.count(id))
                + f64::from(path.count(id))
        };
        let counts = query.terms.iter().map(|term| count(term.id)).collect();
        Self { counts, length: f64::from(chunk.body.length), worth }
    }

    fn score(&self, rarity: &[f64], mean_length: f64) -> f64 {
        let norm = K1 * (1.0 - B + B * self.length / mean_length.max(1.0));
        let part = |(count, rarity): (&f64, &f64)| rarity * count * (K1 + 1.0) / (count + norm);
        self.counts.iter().zip(rarity).map(part).sum()
    }
}

fn mean_length(rows: &[Row]) -> f64 {
    rows.iter().map(|row| row.length).sum::<f64>() / rows.len().max(1) as f64
}

/// How much each term counts: the more, the fewer texts have it and the more the task insists.
fn rarity<'a>(query: &Query, rows: impl IntoIterator<Item = &'a Row>) -> Vec<f64> {
    let mut with = vec![0u32; query.terms.len()];
    let mut all = 0u32;
    for row in rows {
        all += 1;
        for (with, count) in with.iter_mut().zip(&row.counts) {
            *with += u32::from(*count > 0.0);
        }
    }
    let idf = |with: u32| (1.0 + (f64::from(all - with) + 0.5) / (f64::from(with) + 0.5)).ln();
    with.into_iter().zip(&query.terms).map(|(with, term)| idf(with) * term.weight).collect()
}
