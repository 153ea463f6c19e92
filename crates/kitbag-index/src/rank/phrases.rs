//! Runs of words that a task and a text have in common: error messages, quoted lines, comments.

use crate::terms::for_each_id;
use rustc_hash::FxHashMap;

/// The runs of two and three words of a task, and how much each is worth.
pub(crate) struct Phrases {
    runs: FxHashMap<u64, f32>,
}

/// What a text has of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shared {
    pub two: f32,
    pub three: f32,
}

impl Phrases {
    /// The runs in some texts. `rarity` says how telling a word is.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>, rarity: impl Fn(u32) -> f32) -> Self {
        let mut runs = FxHashMap::default();
        for text in texts {
            Window::over(text, |two, three| {
                let weight = |ids: &[u32]| ids.iter().map(|&id| rarity(id)).sum::<f32>();
                if let Some(two) = two {
                    runs.insert(hash(&two), weight(&two));
                }
                if let Some(three) = three {
                    runs.insert(hash(&three), weight(&three));
                }
            });
        }
        Self { runs }
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
        let phrases = Phrases::of(["cannot open the socket"].into_iter(), |_| 1.0);
        let mut seen = Vec::new();
        let shared = phrases.in_text("raise(\"Cannot open: the socket\"); cannot open", &mut seen);
        assert_eq!((shared.two, shared.three), (6.0, 6.0));
        let other = phrases.in_text("open a socket", &mut seen);
        assert_eq!((other.two, other.three), (0.0, 0.0));
    }
}
