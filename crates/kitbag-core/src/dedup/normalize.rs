//! Normalization of contents before they are compared.

use super::DedupInput;
use crate::settings::{DeduplicationSettings, Settings};
use kitbag_text::{Cancel, Cancelled, comment_ranges};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::ops::Range;

/// A SHA-256 of normalized content.
pub type ContentHash = [u8; 32];

/// Content hashes by candidate.
pub type ContentHashes = FxHashMap<usize, ContentHash>;

/// Removes the differences that the settings ignore.
pub struct Normalizer<'a> {
    input: DedupInput<'a>,
    settings: &'a DeduplicationSettings,
    /// Byte ranges of the comments of each file; empty unless comments are ignored.
    comments: FxHashMap<usize, Vec<Range<usize>>>,
}

impl<'a> Normalizer<'a> {
    pub fn new(
        input: DedupInput<'a>,
        settings: &'a Settings,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let Settings { chunking, deduplication: settings, .. } = settings;
        let mut indices = Vec::new();
        if settings.ignore_comments {
            indices.extend(input.indices.iter().map(|&index| input.scored[index].candidate.file));
            indices.sort_unstable();
            indices.dedup();
        }
        let comments = indices
            .into_par_iter()
            .map(|index| {
                cancel.check()?;
                let file = &input.files[index];
                let ranges = comment_ranges(&file.text, file.language, chunking, cancel)?;
                Ok((index, ranges))
            })
            .collect::<Result<FxHashMap<_, _>, Cancelled>>()?;
        Ok(Self { input, settings, comments })
    }

    /// Returns the content of the candidate at `index`, without comments if they are ignored. A
    /// candidate with nothing but comments keeps them.
    pub fn text(&self, index: usize) -> Cow<'a, str> {
        let candidate = &self.input.scored[index].candidate;
        let file = &self.input.files[candidate.file];
        let rows = file.rows(candidate.chunk.span);
        let text = file.slice(rows.clone());
        let comments = self.comments.get(&candidate.file).map_or(&[][..], Vec::as_slice);
        let Some(&start) = file.text.row_starts().get(rows.start) else { return text.into() };
        let code = remove_ranges(text, start as usize, comments);
        if code.trim().is_empty() { text.into() } else { code }
    }

    /// Returns the content hashes of the candidates that may be duplicates. A cheap hash finds
    /// those, so that the SHA-256 is computed only for them.
    pub fn hashes(&self, cancel: &Cancel) -> Result<ContentHashes, Cancelled> {
        let indices = self.input.indices;
        let text = |index: usize| {
            let text = self.text(index);
            if self.settings.case_sensitive { text } else { text.to_lowercase().into() }
        };
        let quick = indices
            .par_iter()
            .map(|&index| cancel.check().map(|()| quick_hash(&text(index))))
            .collect::<Result<Vec<u64>, Cancelled>>()?;
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for &hash in &quick {
            *counts.entry(hash).or_default() += 1;
        }
        let repeated = indices.iter().zip(&quick).filter(|(_, hash)| counts[hash] > 1);
        let hash = |index| content_hash(&text(index), self.settings.normalize_whitespace);
        Ok(repeated.map(|(&index, _)| (index, hash(index))).collect())
    }
}

/// Removes `ranges`, which are byte ranges of the file, from `text`, which starts at byte `start`.
fn remove_ranges<'a>(text: &'a str, start: usize, ranges: &[Range<usize>]) -> Cow<'a, str> {
    let first = ranges.partition_point(|range| range.end <= start);
    let end = start + text.len();
    let mut inside = ranges[first..].iter().take_while(|range| range.start < end).peekable();
    if inside.peek().is_none() {
        return text.into();
    }
    let mut rest = String::with_capacity(text.len());
    let mut at = start;
    for range in inside {
        rest.push_str(&text[at.max(start) - start..range.start.max(at) - start]);
        at = range.end.min(end);
    }
    rest.push_str(&text[at - start..]);
    rest.into()
}

/// Returns the SHA-256 of a text, without whitespace, or as is except for trailing line endings.
pub fn content_hash(text: &str, normalize_whitespace: bool) -> ContentHash {
    let mut hash = Sha256::new();
    if normalize_whitespace {
        for word in text.split_whitespace() {
            hash.update(word);
        }
    } else {
        hash.update(text.trim_end_matches(['\r', '\n']));
    }
    hash.finalize().into()
}

/// Returns a hash of the characters that are not whitespace: cheap, and equal for equal contents.
fn quick_hash(text: &str) -> u64 {
    let visible = text.chars().filter(|c| !c.is_whitespace());
    visible.fold(0, |hash: u64, c| hash.wrapping_mul(31).wrapping_add(u64::from(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_is_ignored_only_when_normalized() {
        let hash = |text| content_hash(text, true);
        assert_eq!(hash("fn a() {\n  b\n}"), hash("fn a(){b}"));
        assert_eq!(quick_hash("fn a() {\n\u{a0}b\n}"), quick_hash("fn a(){b}"));
        assert_ne!(hash("fn a() {}"), hash("fn A() {}"));
        assert_ne!(content_hash("a b", false), content_hash("ab", false));
        assert_eq!(content_hash("a b\r\n", false), content_hash("a b", false));
    }

    #[test]
    fn file_ranges_are_removed_from_a_part_of_the_file() {
        // The file is `0123456789`, the part `3456`.
        assert_eq!(remove_ranges("3456", 3, &[0..2, 8..9]), "3456");
        assert_eq!(remove_ranges("3456", 3, &[1..4, 6..9]), "45");
        assert_eq!(remove_ranges("3456", 3, &[5..6, 8..9]), "346");
        assert_eq!(remove_ranges("3456", 3, &[0..5, 5..10]), "");
    }
}
