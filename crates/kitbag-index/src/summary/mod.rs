//! Which of many repositories is a task about?
//!
//! A [`RepositorySummary`] is a few tens of kilobytes that say what distinguishes a repository: the words
//! that are more common in it than in code in general, and which of them it defines, has in its paths or in
//! its README. It follows from the files of a commit alone. [`rank_repositories`] compares a task with the
//! summaries of all repositories, and [`choose_repositories`] picks those worth searching.

mod build;
mod mentions;
mod rank;

pub use rank::{NamedSummary, RankedRepository, choose_repositories, rank_repositories};

use crate::envelope::{self, FileDigest, FileType, FormatError};
use serde::{Deserialize, Serialize};

/// Maximum number of words of a summary, which limits its size to 30 kB.
pub const MAX_SUMMARY_WORDS: usize = 6_000;

/// Bits of a mark: the share of the contents with the word, as a negative power of two.
const SHARE_BITS: u8 = 0x0f;
/// The code defines the word, or a name that contains it.
const DEFINED: u8 = 1 << 4;
/// A path contains the word.
const IN_PATH: u8 = 1 << 5;
/// The README contains the word.
const IN_README: u8 = 1 << 6;

/// What distinguishes a repository, in at most 30 kB. Two repositories with the same files have equal summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositorySummary {
    /// Number of contents that it was made from.
    contents: u32,
    /// Ids of the words, ascending.
    words: Vec<u32>,
    /// The share and the places of each word.
    marks: Vec<u8>,
}

/// The part of a summary before the words.
#[derive(Serialize, Deserialize)]
struct SummaryHeader {
    contents: u32,
    words: u32,
}

impl RepositorySummary {
    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the number of contents that it was made from.
    pub fn contents(&self) -> usize {
        self.contents as usize
    }

    /// Encodes the summary as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = SummaryHeader { contents: self.contents, words: self.words.len() as u32 };
        let words = self.words.iter().flat_map(|word| word.to_le_bytes());
        let tail: Vec<u8> = words.chain(self.marks.iter().copied()).collect();
        envelope::encode(FileType::Summary, &header, &tail)
    }

    /// Decodes a summary from a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let (header, tail): (SummaryHeader, _) = envelope::decode(FileType::Summary, bytes)?;
        let count = header.words as usize;
        if count > MAX_SUMMARY_WORDS || tail.len() != 5 * count {
            return Err(FormatError::Layout);
        }
        let (words, marks) = tail.split_at(4 * count);
        let words = words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let summary = Self { contents: header.contents, words, marks: marks.to_vec() };
        summary.words.is_sorted_by(|a, b| a < b).then_some(summary).ok_or(FormatError::Layout)
    }

    /// Returns the name of the file with these bytes, which contains their hash.
    pub fn file_name(bytes: &[u8]) -> String {
        FileDigest::of(bytes).summary_name()
    }

    /// Returns the version of the encoding, which other programs may not be able to read.
    pub fn format() -> u32 {
        FileType::Summary.version()
    }

    fn mark(&self, word: u32) -> Option<WordMark> {
        let at = self.words.binary_search(&word).ok()?;
        Some(WordMark(self.marks[at]))
    }

    /// Returns the share of the words of both that both have, from 0 to 1.
    fn similarity(&self, other: &Self) -> f32 {
        let mut rest = other.words.iter().copied().peekable();
        let is_shared = |word: &&u32| {
            while rest.next_if(|other| other < *word).is_some() {}
            rest.peek() == Some(*word)
        };
        let shared = self.words.iter().filter(is_shared).count();
        let all = self.words.len() + other.words.len() - shared;
        if all == 0 { 1.0 } else { shared as f32 / all as f32 }
    }
}

/// What a summary says about a word.
#[derive(Debug, Clone, Copy)]
struct WordMark(u8);

impl WordMark {
    /// Share of the contents that have the word, rounded down to a power of two.
    fn share(self) -> f32 {
        (-f32::from(self.0 & SHARE_BITS)).exp2()
    }

    fn has(self, place: u8) -> bool {
        self.0 & place != 0
    }
}

#[cfg(test)]
mod tests;
