//! Near-duplicates: chunks with nearly the same set of words.
//!
//! This is prefix filtering. Two sets of words with a Jaccard similarity of at least `threshold` must
//! share one of their rarest words: the prefixes of the rarest `n - ceil(threshold * n) + 1` words of
//! each set intersect. So only sets that share such a word are compared, without missing any.

use kitbag_text::{Cancel, Cancelled};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Minimum length of a word, in characters.
const MIN_WORD_CHARS: usize = 3;

/// Tolerance for rounding, so that a pair exactly at the threshold is not missed.
const EPSILON: f64 = 1e-9;

/// Returns the Jaccard similarity of the word sets of two texts. A word is a run of at least three
/// letters and digits, in lower case. A text without words has a similarity of 0 to any other.
pub fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let shared = other.iter().filter(|word| one.binary_search(word).is_ok()).count();
    jaccard(shared, one.len(), other.len())
}

/// An index over the word sets of the kept candidates.
pub struct NearDuplicates {
    threshold: f64,
    /// The words of each candidate as ids in a global order, rarest first.
    sets: Vec<Vec<u32>>,
    /// The kept candidates by the words in their prefix.
    postings: FxHashMap<u32, Vec<PrefixPosting>>,
    /// The kept candidates, and the winner for duplicates of each.
    kept: Vec<(usize, usize)>,
}

/// An occurrence of a word in the prefix of a kept candidate.
struct PrefixPosting {
    /// Index in `kept`.
    kept: u32,
    /// Position of the word in the set.
    position: u32,
    /// Size of the set.
    words: u32,
}

impl NearDuplicates {
    /// Extracts the words of the candidates at `indices`.
    pub fn new<'a>(
        indices: &[usize],
        text: impl Fn(usize) -> Cow<'a, str> + Sync,
        threshold: f64,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let words = indices
            .par_iter()
            .map(|&index| cancel.check().map(|()| words(&text(index))))
            .collect::<Result<Vec<Vec<String>>, Cancelled>>()?;
        let mut sets = vec![Vec::new(); indices.iter().max().map_or(0, |last| last + 1)];
        for (&index, set) in indices.iter().zip(ids_by_rarity(&words)) {
            sets[index] = set;
        }
        Ok(Self { threshold, sets, postings: FxHashMap::default(), kept: Vec::new() })
    }

    /// Returns the winner of the best kept candidate that the one at `index` nearly duplicates, among
    /// those that it `is_comparable` to.
    pub fn find(&self, index: usize, is_comparable: impl Fn(usize) -> bool) -> Option<usize> {
        let set = self.sets.get(index)?;
        let mut possible: Vec<u32> = Vec::new();
        for (position, word) in set[..self.prefix_len(set.len())].iter().enumerate() {
            for posting in self.postings.get(word).into_iter().flatten() {
                let (other, words) = (posting.position as usize, posting.words as usize);
                // An upper bound on the shared words: those from this one on, and those before.
                let max_shared = (set.len() - position).min(words - other) + position.min(other);
                if jaccard(max_shared, set.len(), words) + EPSILON >= self.threshold {
                    possible.push(posting.kept);
                }
            }
        }
        possible.sort_unstable();
        possible.dedup();
        let mut kept = possible.into_iter().map(|kept| self.kept[kept as usize]);
        let found =
            kept.find(|&(kept, _)| is_comparable(kept) && self.is_similar(set, &self.sets[kept]));
        found.map(|(_, winner)| winner)
    }

    /// Adds a kept candidate, whose duplicates lose to `winner`.
    pub fn insert(&mut self, index: usize, winner: usize) {
        let Some(set) = self.sets.get(index) else { return };
        let (kept, words) = (self.kept.len() as u32, set.len() as u32);
        for (position, &word) in (0..).zip(&set[..self.prefix_len(set.len())]) {
            let posting = PrefixPosting { kept, position, words };
            self.postings.entry(word).or_default().push(posting);
        }
        self.kept.push((index, winner));
    }

    /// Compares two sorted sets, stopping as soon as they cannot reach the threshold.
    fn is_similar(&self, one: &[u32], other: &[u32]) -> bool {
        let (mut a, mut b, mut shared) = (0, 0, 0);
        while a < one.len() && b < other.len() {
            match one[a].cmp(&other[b]) {
                Ordering::Equal => (a, b, shared) = (a + 1, b + 1, shared + 1),
                order => {
                    let max_shared = shared + (one.len() - a).min(other.len() - b);
                    if jaccard(max_shared, one.len(), other.len()) < self.threshold {
                        return false;
                    }
                    if order == Ordering::Less { a += 1 } else { b += 1 }
                }
            }
        }
        jaccard(shared, one.len(), other.len()) >= self.threshold
    }

    /// Returns the length of the prefix of a set of `words` words.
    fn prefix_len(&self, words: usize) -> usize {
        let min_shared = (words as f64 * self.threshold - EPSILON).ceil().max(1.0) as usize;
        (words + 1).saturating_sub(min_shared).min(words)
    }
}

/// Converts each set to word ids, rarest first.
fn ids_by_rarity(sets: &[Vec<String>]) -> Vec<Vec<u32>> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for word in sets.iter().flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let mut order: Vec<(u32, &str)> =
        counts.into_iter().map(|(word, count)| (count, word)).collect();
    order.sort_unstable();
    let ids: FxHashMap<&str, u32> = order.iter().map(|(_, word)| *word).zip(0..).collect();
    let sorted_ids = |set: &Vec<String>| {
        let mut sorted: Vec<u32> = set.iter().map(|word| ids[word.as_str()]).collect();
        sorted.sort_unstable();
        sorted
    };
    sets.iter().map(sorted_ids).collect()
}

/// Returns the distinct words of a text in lower case, in alphabetical order.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let runs = text.split(|c: char| !c.is_alphanumeric());
    let is_word = |run: &&str| run.chars().nth(MIN_WORD_CHARS - 1).is_some();
    let mut words: Vec<String> = runs.filter(is_word).map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Returns the Jaccard similarity of two sets of these sizes; 0 for empty ones.
fn jaccard(shared: usize, one: usize, other: usize) -> f64 {
    let either = one + other - shared.min(one).min(other);
    if either == 0 { 0.0 } else { shared as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_compares_word_sets() {
        assert_eq!(similarity("hello world", "hello world"), 1.0);
        assert!((similarity("hello world", "goodbye world") - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(similarity("hello world", "completely different"), 0.0);
        assert_eq!(similarity("", "hello"), 0.0);
        assert_eq!(similarity("", ""), 0.0);
        assert_eq!(similarity("Hello, WORLD! a is", "world hello"), 1.0, "short words are ignored");
    }

    /// A linear congruential generator.
    fn next(state: &mut u64) -> u64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// Every answer equals that of comparing all pairs.
    #[test]
    fn prefix_filtering_finds_the_same_pairs_as_brute_force() {
        let mut state = 7;
        for threshold in [0.1, 0.3, 0.5, 0.75, 0.8, 0.85, 1.0] {
            let texts: Vec<String> = (0..200)
                .map(|_| {
                    let words = next(&mut state) % 12;
                    let word = |_| format!("word{} ", next(&mut state) % 14);
                    (0..words).map(word).collect()
                })
                .collect();
            let indices: Vec<usize> = (0..texts.len()).collect();
            let cancel = Cancel::default();
            let text = |index: usize| Cow::from(texts[index].as_str());
            let mut near =
                NearDuplicates::new(&indices, text, threshold, &cancel).expect("not cancelled");
            let mut kept: Vec<usize> = Vec::new();
            for index in indices {
                let is_similar =
                    |&other: &usize| similarity(&texts[index], &texts[other]) >= threshold;
                let expected = kept.iter().copied().find(is_similar);
                assert_eq!(near.find(index, |_| true), expected, "{threshold}: {:?}", texts[index]);
                if expected.is_none() {
                    near.insert(index, index);
                    kept.push(index);
                }
            }
        }
    }
}
