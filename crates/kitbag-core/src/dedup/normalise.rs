//! What of a content counts when two are compared.

use super::Ranked;
use crate::settings::DeduplicationSettings;
use crate::{Cancel, Cancelled};
use kitbag_text::{ChunkLimits, comment_ranges_until};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::ops::Range;

/// A SHA-256.
pub type Hash = [u8; 32];

/// The content hashes of candidates, by place.
pub type Hashes = FxHashMap<usize, Hash>;

/// Takes from contents what makes no difference.
pub struct Normaliser<'a> {
    ranked: Ranked<'a>,
    settings: &'a DeduplicationSettings,
    /// The comments of each file, in bytes; empty where comments count.
    comments: FxHashMap<usize, Vec<Range<usize>>>,
}

impl<'a> Normaliser<'a> {
    pub fn new(
        ranked: Ranked<'a>,
        settings: &'a DeduplicationSettings,
        limits: &ChunkLimits,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut files = Vec::new();
        if settings.ignore_comments {
            files.extend(ranked.places.iter().map(|&place| ranked.scored[place].candidate.sheet));
            files.sort_unstable();
            files.dedup();
        }
        let comments = files
            .into_par_iter()
            .map(|file| {
                cancel.check()?;
                let sheet = &ranked.sheets[file];
                let ranges = comment_ranges_until(sheet.text(), sheet.language, limits, cancel)?;
                Ok((file, ranges))
            })
            .collect::<Result<FxHashMap<_, _>, Cancelled>>()?;
        Ok(Self { ranked, settings, comments })
    }

    /// The content of the candidate at `place`, without comments where they make no difference. A
    /// candidate that is nothing but comments keeps them.
    pub fn text(&self, place: usize) -> Cow<'a, str> {
        let candidate = &self.ranked.scored[place].candidate;
        let sheet = &self.ranked.sheets[candidate.sheet];
        let rows = sheet.rows(candidate.chunk.span);
        let text = sheet.slice(rows.clone());
        let comments = self.comments.get(&candidate.sheet).map_or(&[][..], Vec::as_slice);
        let Some(&start) = sheet.text().starts().get(rows.start) else { return text.into() };
        let without = without(text, start as usize, comments);
        if without.trim().is_empty() { text.into() } else { without }
    }

    /// The content hashes of the candidates that may be copies: a quick hash finds those, and the
    /// SHA-256 decides.
    pub fn hashes(&self, cancel: &Cancel) -> Result<Hashes, Cancelled> {
        let places = self.ranked.places;
        let text = |place: usize| {
            let text = self.text(place);
            if self.settings.case_sensitive { text } else { text.to_lowercase().into() }
        };
        let quick = places
            .par_iter()
            .map(|&place| cancel.check().map(|()| quick_hash(&text(place))))
            .collect::<Result<Vec<u64>, Cancelled>>()?;
        let mut alike: FxHashMap<u64, u32> = FxHashMap::default();
        for &hash in &quick {
            *alike.entry(hash).or_default() += 1;
        }
        let copies = places.iter().zip(&quick).filter(|(_, hash)| alike[hash] > 1);
        let hash = |place| content_hash(&text(place), self.settings.normalize_whitespace);
        Ok(copies.map(|(&place, _)| (place, hash(place))).collect())
    }
}

/// `text`, which begins at byte `start` of its file, without the ranges of the file's bytes.
fn without<'a>(text: &'a str, start: usize, ranges: &[Range<usize>]) -> Cow<'a, str> {
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

/// The SHA-256 of a text: without its white space, or as it is but for the last line ending.
pub fn content_hash(text: &str, normalize_whitespace: bool) -> Hash {
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

/// A sum over a text's bytes that are not white space: equal for equal texts, and cheap.
fn quick_hash(text: &str) -> u64 {
    let mut sum = 0u64;
    let mut add = |byte: u8, counts: bool| {
        let value = u64::from(byte) + 0x9e37_79b9;
        sum = sum.wrapping_add(u64::from(counts) * value.wrapping_mul(value));
    };
    if text.is_ascii() {
        text.bytes().for_each(|byte| add(byte, !matches!(byte, b'\t'..=b'\r' | b' ')));
    } else {
        text.split_whitespace().flat_map(str::bytes).for_each(|byte| add(byte, true));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_make_a_difference_unless_asked_to() {
        let hash = |text| content_hash(text, true);
        assert_eq!(hash("fn a() {\n  b\n}"), hash("fn a(){b}"));
        assert_eq!(quick_hash("fn a() {\n\u{a0}b\n}"), quick_hash("fn a(){b}"));
        assert_ne!(hash("fn a() {}"), hash("fn A() {}"));
        assert_ne!(content_hash("a b", false), content_hash("ab", false));
        assert_eq!(content_hash("a b\r\n", false), content_hash("a b", false));
    }

    #[test]
    fn ranges_of_a_file_are_taken_from_a_part_of_it() {
        // The file is `0123456789`, the part `3456`.
        assert_eq!(without("3456", 3, &[0..2, 8..9]), "3456");
        assert_eq!(without("3456", 3, &[1..4, 6..9]), "45");
        assert_eq!(without("3456", 3, &[5..6, 8..9]), "346");
        assert_eq!(without("3456", 3, &[0..5, 5..10]), "");
    }
}
