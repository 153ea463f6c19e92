//! What retrieval needs of one file's content.

use crate::file_kind::Looks;
use kitbag_text::{Chunk, ChunkLimits, Language, Text, chunk, for_each_word};
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Changes whenever an analysis of the same content would come out differently.
pub const ANALYSIS_VERSION: u32 = 1;

/// The words of one text and how often each occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bag {
    /// All words, repeated ones included.
    pub length: u32,
    /// The id of each word, and its number, by id.
    counts: Vec<(u32, u32)>,
}

impl Bag {
    /// The words of `text`.
    pub fn of(text: &str) -> Self {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let mut length = 0;
        for_each_word(text, |word| {
            length += 1;
            *counts.entry(word_id(word)).or_default() += 1;
        });
        let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
        counts.sort_unstable();
        Self { length, counts }
    }

    /// How often a word occurs.
    pub fn count(&self, id: u32) -> u32 {
        self.counts.binary_search_by_key(&id, |entry| entry.0).map_or(0, |at| self.counts[at].1)
    }
}

/// The words of a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWords {
    /// The words of its content.
    pub body: Bag,
    /// What its content says about its kind.
    pub looks: Looks,
}

impl FileWords {
    /// Analyses the content of a file; it is not parsed.
    pub fn of(content: &str) -> Self {
        Self { body: Bag::of(content), looks: Looks::of(content) }
    }
}

/// The chunks of a file, with their words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChunks {
    /// The chunks, in order.
    pub chunks: Vec<ChunkWords>,
}

/// A chunk and its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkWords {
    /// The chunk.
    pub chunk: Chunk,
    /// The words of its lines.
    pub body: Bag,
    /// The words of the symbols that it defines.
    pub symbols: Bag,
}

impl FileChunks {
    /// Cuts and analyses the content of the file at `path`.
    pub fn of(path: &str, text: &Text, limits: &ChunkLimits, counting: &Counting) -> Self {
        let tally = counting.tally(text.content(), text.starts());
        let language = Language::of_text(path, text);
        let chunked = chunk(text, language, limits, counting, &tally);
        let chunks = chunked.chunks.into_iter().map(|chunk| ChunkWords {
            body: Bag::of(text.slice(chunk.span)),
            symbols: Bag::of(&chunk.defines.join(" ")),
            chunk,
        });
        Self { chunks: chunks.collect() }
    }
}

/// The id of a word: a hash that is the same on every machine. Two words share one about once in
/// four thousand million pairs.
pub fn word_id(word: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in word.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_whole_and_split() {
        let bag = Bag::of("getUser(); get_user(user)");
        assert_eq!(bag.count(word_id("user")), 3);
        assert_eq!(bag.count(word_id("getuser")), 1);
        assert_eq!(bag.count(word_id("nothing")), 0);
        assert_eq!(bag.length, 7);
    }
}
