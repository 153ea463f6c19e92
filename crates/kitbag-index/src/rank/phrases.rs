//! Bigrams and trigrams that a task and a text share: error messages, quoted lines, comments.

use super::evidence::word_bit;
use crate::terms::for_each_id;
use rustc_hash::FxHashMap;

/// Bigrams and trigrams of a task.
pub(super) struct Phrases {
    /// Weights by hash of the n-gram.
    weights: FxHashMap<u64, f32>,
    /// Bits of the distinctive words of each n-gram.
    required_words: Vec<u128>,
}

/// Summed weights of the n-grams of a task that a text has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PhraseOverlap {
    pub bigrams: f32,
    pub trigrams: f32,
}

impl Phrases {
    /// Collects the n-grams with at least two words that have an IDF.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>, idf: impl Fn(u32) -> Option<f32>) -> Self {
        let mut phrases = Self { weights: FxHashMap::default(), required_words: Vec::new() };
        for text in texts {
            for_each_ngram(text, |bigram, trigram| {
                bigram.iter().for_each(|ngram| phrases.add(ngram, &idf));
                trigram.iter().for_each(|ngram| phrases.add(ngram, &idf));
            });
        }
        phrases.required_words.sort_unstable();
        phrases.required_words.dedup();
        phrases
    }

    fn add(&mut self, ngram: &[u32], idf: impl Fn(u32) -> Option<f32>) {
        let known = ngram.iter().filter_map(|&id| Some((id, idf(id)?)));
        let (count, bits, weight) = known.fold((0, 0, 0.0), |(count, bits, weight), (id, idf)| {
            (count + 1, bits | word_bit(id), weight + idf)
        });
        if count >= 2 {
            self.weights.insert(hash(ngram), weight);
            self.required_words.push(bits);
        }
    }

    /// Whether a text with these word bits may have any of the n-grams.
    pub fn may_occur_in(&self, words: u128) -> bool {
        self.required_words.iter().any(|bits| words & bits == *bits)
    }

    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns the overlap with a text; each n-gram counts once. `seen` is a reusable buffer.
    pub fn overlap(&self, text: &str, seen: &mut Vec<u64>) -> PhraseOverlap {
        let mut overlap = PhraseOverlap::default();
        seen.clear();
        let mut count = |ngram: u64, sum: &mut f32| {
            if let Some(weight) = self.weights.get(&ngram)
                && !seen.contains(&ngram)
            {
                seen.push(ngram);
                *sum += weight;
            }
        };
        for_each_ngram(text, |bigram, trigram| {
            if let Some(bigram) = bigram {
                count(hash(&bigram), &mut overlap.bigrams);
            }
            if let Some(trigram) = trigram {
                count(hash(&trigram), &mut overlap.trigrams);
            }
        });
        overlap
    }
}

/// Calls `visit` at each word with the bigram and the trigram that end there.
fn for_each_ngram(text: &str, mut visit: impl FnMut(Option<[u32; 2]>, Option<[u32; 3]>)) {
    let mut last: [u32; 2] = [0; 2];
    let mut count = 0usize;
    for_each_id(text, |id| {
        let bigram = (count > 0).then_some([last[1], id]);
        let trigram = (count > 1).then_some([last[0], last[1], id]);
        visit(bigram, trigram);
        last = [last[1], id];
        count += 1;
    });
}

fn hash(ids: &[u32]) -> u64 {
    ids.iter().fold(ids.len() as u64, |hash, &id| {
        (hash.rotate_left(23) ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::word_id;

    #[test]
    fn each_ngram_counts_once() {
        let phrases = Phrases::of(["cannot open the socket"].into_iter(), |_| Some(1.0));
        let mut seen = Vec::new();
        let overlap = phrases.overlap("raise(\"Cannot open: the socket\"); cannot open", &mut seen);
        assert_eq!((overlap.bigrams, overlap.trigrams), (6.0, 6.0));
        let other = phrases.overlap("open a socket", &mut seen);
        assert_eq!((other.bigrams, other.trigrams), (0.0, 0.0));
    }

    #[test]
    fn a_text_needs_two_distinctive_words_of_an_ngram() {
        let bit = |word: &str| word_bit(word_id(word));
        let idf = |id: u32| (id != word_id("the")).then_some(1.0);
        let phrases = Phrases::of(["cannot open the socket"].into_iter(), idf);
        assert!(phrases.may_occur_in(bit("cannot") | bit("open")));
        assert!(phrases.may_occur_in(bit("open") | bit("socket")), "`the` has no bit");
        assert!(!phrases.may_occur_in(bit("open")));
        assert!(!phrases.may_occur_in(0));
    }
}
