//! Runs of words that a task and a text have in common: error messages, quoted lines, comments.

use super::evidence::word_bit;
use crate::terms::for_each_id;
use rustc_hash::FxHashMap;

/// The runs of two and three words of a task, and how much each is worth.
pub(crate) struct Phrases {
    runs: FxHashMap<u64, f32>,
    /// The marks of the telling words of each run.
    needed: Vec<u128>,
}

/// What a text has of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shared {
    pub two: f32,
    pub three: f32,
}

impl Phrases {
    /// The runs in some texts that have two words at least of which `rarity` knows how telling
    /// they are.
    pub fn of<'a>(
        texts: impl Iterator<Item = &'a str>,
        rarity: impl Fn(u32) -> Option<f32>,
    ) -> Self {
        let mut phrases = Self { runs: FxHashMap::default(), needed: Vec::new() };
        for text in texts {
            Window::over(text, |two, three| {
                two.iter().for_each(|run| phrases.add(run, &rarity));
                three.iter().for_each(|run| phrases.add(run, &rarity));
            });
        }
        phrases.needed.sort_unstable();
        phrases.needed.dedup();
        phrases
    }

    fn add(&mut self, run: &[u32], rarity: impl Fn(u32) -> Option<f32>) {
        let known = run.iter().filter_map(|&id| Some((id, rarity(id)?)));
        let (count, marks, weight) = known.fold((0, 0, 0.0), |(count, marks, sum), (id, it)| {
            (count + 1, marks | word_bit(id), sum + it)
        });
        if count >= 2 {
            self.runs.insert(hash(run), weight);
            self.needed.push(marks);
        }
    }

    /// Whether a chunk with these words may have any of them.
    pub fn may_be_in(&self, words: u128) -> bool {
        self.needed.iter().any(|marks| words & marks == *marks)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// What a text has of them, each run once.
    pub fn in_text(&self, text: &str, seen: &mut Vec<u64>) -> Shared {
        let mut shared = Shared::default();
        seen.clear();
        let mut meet = |run: u64, sum: &mut f32| {
            if let Some(weight) = self.runs.get(&run)
                && !seen.contains(&run)
            {
                seen.push(run);
                *sum += weight;
            }
        };
        Window::over(text, |two, three| {
            if let Some(two) = two {
                meet(hash(&two), &mut shared.two);
            }
            if let Some(three) = three {
                meet(hash(&three), &mut shared.three);
            }
        });
        shared
    }
}

/// The last words of a text that is being read.
struct Window;

impl Window {
    /// Calls `found` at each word with the last two and the last three words.
    fn over(text: &str, mut found: impl FnMut(Option<[u32; 2]>, Option<[u32; 3]>)) {
        let mut last: [u32; 2] = [0; 2];
        let mut count = 0usize;
        for_each_id(text, |id| {
            let two = (count > 0).then_some([last[1], id]);
            let three = (count > 1).then_some([last[0], last[1], id]);
            found(two, three);
            last = [last[1], id];
            count += 1;
        });
    }
}

fn hash(ids: &[u32]) -> u64 {
    ids.iter().fold(ids.len() as u64, |hash, &id| {
        (hash.rotate_left(23) ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_words_are_found_once() {
        let phrases = Phrases::of(["cannot open the socket"].into_iter(), |_| Some(1.0));
        let mut seen = Vec::new();
        let shared = phrases.in_text("raise(\"Cannot open: the socket\"); cannot open", &mut seen);
        assert_eq!((shared.two, shared.three), (6.0, 6.0));
        let other = phrases.in_text("open a socket", &mut seen);
        assert_eq!((other.two, other.three), (0.0, 0.0));
    }

    #[test]
    fn a_chunk_without_two_words_of_a_run_is_not_read() {
        let bit = |word: &str| word_bit(crate::terms::word_id(word));
        let common = crate::terms::word_id("the");
        let rarity = |id: u32| (id != common).then_some(1.0);
        let phrases = Phrases::of(["cannot open the socket"].into_iter(), rarity);
        assert!(phrases.may_be_in(bit("cannot") | bit("open")));
        assert!(phrases.may_be_in(bit("open") | bit("socket")), "any text may have the third");
        assert!(!phrases.may_be_in(bit("open")));
        assert!(!phrases.may_be_in(0));
    }
}
