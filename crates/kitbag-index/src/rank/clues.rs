//! What speaks for a file beside the words that it has, in a few plain facts that can be told.

use super::{FILE_FEATURES, RankedChunk, Ranking};

/// From which share of the best candidate's value on a feature is worth telling.
const WORTH: f32 = 0.5;

/// What speaks for a file beside its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clues {
    /// Earlier commits whose messages are like the task changed it.
    pub past: bool,
    /// It changes together with files that have most of the task's words.
    pub together: bool,
    /// Files that have most of the task's words use it.
    pub used: bool,
    /// It uses what such files define.
    pub uses: bool,
}

impl Ranking<'_> {
    /// What speaks for the file of a chunk that was found.
    pub fn clues(&self, it: &RankedChunk) -> Clues {
        let features = &self.features.candidates[it.candidate].features;
        let has = |name: &str| {
            let place = FILE_FEATURES.iter().position(|feature| *feature == name);
            place.is_some_and(|place| features[place] >= WORTH)
        };
        Clues {
            past: has("history_best"),
            together: has("together"),
            used: has("used"),
            uses: has("uses"),
        }
    }

    /// How rare each of the task's terms is in the tree, in their order.
    pub fn rarity(&self) -> &[f32] {
        self.features.rarity()
    }
}
