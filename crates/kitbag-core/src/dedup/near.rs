//! What has nearly the same words.
//!
//! Two sets of words whose Jaccard similarity reaches a threshold must share one of their rarest
//! words: of a set of `n` words, leave out all but the rarest `n - ceil(threshold * n) + 1`, and
//! what is left of both still meets. So only sets that share such a word are compared, and nothing
//! is missed. Rare words are rare, and so are comparisons.

use kitbag_text::{Cancel, Cancelled};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// The shortest word that counts has one character more.
const TOO_SHORT: usize = 2;

/// Keeps rounding from making a threshold harder than it is.
const ROUNDING: f64 = 1e-9;

/// The Jaccard similarity of two texts' sets of words: the words of both over the words of either.
/// A word is a run of letters and digits of at least three, in lower case. A text without words is
/// like no other.
pub fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (Words::of(one), Words::of(other));
    let known: FxHashSet<&str> = one.iter().collect();
    let shared = other.iter().filter(|word| known.contains(word)).count();
    ratio(shared, one.places.len(), other.places.len())
}

/// The sets of words of the candidates that stay.
pub struct Near {
    threshold: f64,
    /// The words of each candidate by place: numbers, rarest first, in the same order everywhere.
    sets: Vec<Vec<u32>>,
    /// The candidates that stay, by their rarest words.
    index: FxHashMap<u32, Vec<Posting>>,
    /// The candidates that stay, and which stands for each in the end.
    kept: Vec<(usize, usize)>,
}

/// One of the rarest words of a candidate that stays.
struct Posting {
    /// Which of those that stay.
    kept: u32,
    /// Where in its set the word stands.
    at: u32,
    /// How many words the set has.
    words: u32,
}

impl Near {
    /// Finds the words of the candidates at `places`.
    pub fn new<'a>(
        places: &[usize],
        text: impl Fn(usize) -> Cow<'a, str> + Sync,
        threshold: f64,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let words = places
            .par_iter()
            .map(|&place| cancel.check().map(|()| Words::of(&text(place))))
            .collect::<Result<Vec<_>, Cancelled>>()?;
        let mut sets = vec![Vec::new(); places.iter().max().map_or(0, |last| last + 1)];
        for (&place, set) in places.iter().zip(numbered(&words)) {
            sets[place] = set;
        }
        Ok(Self { threshold, sets, index: FxHashMap::default(), kept: Vec::new() })
    }

    /// The best of those that stay which the candidate at `place` is nearly the same as.
    pub fn find(&self, place: usize) -> Option<usize> {
        let set = self.sets.get(place)?;
        let mut possible: Vec<u32> = Vec::new();
        for (at, word) in set[..self.prefix(set.len())].iter().enumerate() {
            for posting in self.index.get(word).into_iter().flatten() {
                let (other_at, words) = (posting.at as usize, posting.words as usize);
                // What can be shared at the most: as many as stand before this word, and after.
                let most = (set.len() - at).min(words - other_at) + at.min(other_at);
                if ratio(most, set.len(), words) + ROUNDING >= self.threshold {
                    possible.push(posting.kept);
                }
            }
        }
        possible.sort_unstable();
        possible.dedup();
        let alike = possible
            .into_iter()
            .find(|&kept| self.are_alike(set, &self.sets[self.kept[kept as usize].0]));
        alike.map(|kept| self.kept[kept as usize].1)
    }

    /// Notes that the candidate at `place` stays, or that `winner` stands for it.
    pub fn keep(&mut self, place: usize, winner: usize) {
        let Some(set) = self.sets.get(place) else { return };
        let (kept, words) = (self.kept.len() as u32, set.len() as u32);
        for (at, &word) in set[..self.prefix(set.len())].iter().enumerate() {
            self.index.entry(word).or_default().push(Posting { kept, at: at as u32, words });
        }
        self.kept.push((place, winner));
    }

    /// Whether two sorted sets share enough. The comparison ends as soon as they cannot.
    fn are_alike(&self, one: &[u32], other: &[u32]) -> bool {
        let (mut a, mut b, mut shared) = (0, 0, 0);
        while a < one.len() && b < other.len() {
            match one[a].cmp(&other[b]) {
                Ordering::Equal => (a, b, shared) = (a + 1, b + 1, shared + 1),
                order => {
                    let most = shared + (one.len() - a).min(other.len() - b);
                    if ratio(most, one.len(), other.len()) < self.threshold {
                        return false;
                    }
                    if order == Ordering::Less { a += 1 } else { b += 1 }
                }
            }
        }
        ratio(shared, one.len(), other.len()) >= self.threshold
    }

    /// How many of a set's rarest words it must share one of.
    fn prefix(&self, words: usize) -> usize {
        let least = (words as f64 * self.threshold - ROUNDING).ceil().max(1.0) as usize;
        (words + 1).saturating_sub(least).min(words)
    }
}

/// Each set as numbers, rarest word first. Words that are equally rare come in the order in which
/// they were met first, and those of one text in that of the alphabet.
fn numbered(sets: &[Words]) -> Vec<Vec<u32>> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let mut counts: Vec<u32> = Vec::new();
    let mut all: Vec<Vec<u32>> = Vec::with_capacity(sets.len());
    for set in sets {
        let number = |word| {
            let number = *numbers.entry(word).or_insert(counts.len() as u32);
            if number as usize == counts.len() {
                counts.push(0);
            }
            counts[number as usize] += 1;
            number
        };
        all.push(set.iter().map(number).collect());
    }
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    order.sort_by_key(|&number| (counts[number as usize], number));
    let mut ranks = vec![0; counts.len()];
    for (rank, &number) in order.iter().enumerate() {
        ranks[number as usize] = rank as u32;
    }
    for set in &mut all {
        set.iter_mut().for_each(|number| *number = ranks[*number as usize]);
        set.sort_unstable();
    }
    all
}

/// The words of a text, each once, in the order of the alphabet.
struct Words {
    /// The text in lower case.
    text: String,
    /// Where each word stands in it.
    places: Vec<Range<u32>>,
}

impl Words {
    fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let runs = text.split(|c: char| !c.is_alphanumeric());
        let mut words: Vec<&str> =
            runs.filter(|run| run.chars().nth(TOO_SHORT).is_some()).collect();
        words.sort_unstable();
        words.dedup();
        let start = |word: &str| (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let places = words.iter().map(|word| start(word)..start(word) + word.len() as u32);
        let places = places.collect();
        Self { text, places }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| &self.text[place.start as usize..place.end as usize])
    }
}

/// The Jaccard similarity of two sets of these sizes; 0 for empty ones.
fn ratio(shared: usize, one: usize, other: usize) -> f64 {
    let either = one + other - shared.min(one).min(other);
    if either == 0 { 0.0 } else { shared as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_that_of_the_word_sets() {
        assert_eq!(similarity("hello world", "hello world"), 1.0);
        assert!((similarity("hello world", "goodbye world") - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(similarity("hello world", "completely different"), 0.0);
        assert_eq!(similarity("", "hello"), 0.0);
        assert_eq!(similarity("", ""), 0.0);
        assert_eq!(similarity("Hello, WORLD! a is", "world hello"), 1.0, "short words are none");
    }

    /// A number that looks random, from a state that it changes.
    fn next(state: &mut u64) -> u64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// Every answer is that of comparing all with all.
    #[test]
    fn nothing_is_missed_and_nothing_is_made_up() {
        let mut state = 7;
        for threshold in [0.1, 0.3, 0.5, 0.75, 0.8, 0.85, 1.0] {
            let texts: Vec<String> = (0..200)
                .map(|_| {
                    let words = next(&mut state) % 12;
                    let word = |_| format!("word{} ", next(&mut state) % 14);
                    (0..words).map(word).collect()
                })
                .collect();
            let places: Vec<usize> = (0..texts.len()).collect();
            let cancel = Cancel::default();
            let text = |place: usize| Cow::from(texts[place].as_str());
            let mut near = Near::new(&places, text, threshold, &cancel).expect("nobody cancels");
            let mut kept: Vec<usize> = Vec::new();
            for place in places {
                let alike = |&other: &usize| similarity(&texts[place], &texts[other]) >= threshold;
                let expected = kept.iter().copied().find(alike);
                assert_eq!(near.find(place), expected, "{threshold}: {:?}", texts[place]);
                if expected.is_none() {
                    near.keep(place, place);
                    kept.push(place);
                }
            }
        }
    }
}
