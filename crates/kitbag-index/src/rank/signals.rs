//! Signals for a file besides its words, as a few facts that can be shown to users.

use super::{FILE_FEATURES, RankedChunk, SearchRanking};

/// Share of the best candidate's value from which a feature counts as a signal. Chosen by hand.
const MIN_SHARE_OF_BEST: f32 = 0.5;

/// Signals for a file besides its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileSignals {
    /// Commits with messages like the task changed it.
    pub in_similar_commits: bool,
    /// It changes together with the best-matching files.
    pub co_changed: bool,
    /// The best-matching files use it.
    pub used: bool,
    /// It uses what the best-matching files define.
    pub uses: bool,
    /// It is in the folder that is preferred.
    pub in_folder: bool,
}

impl SearchRanking<'_> {
    /// Returns the signals for the file of a ranked chunk, except for its folder.
    pub fn signals(&self, it: &RankedChunk) -> FileSignals {
        let features = &self.features.candidates[it.candidate].features;
        let has = |name: &str| {
            let at = FILE_FEATURES.iter().position(|feature| *feature == name);
            at.is_some_and(|at| features[at] >= MIN_SHARE_OF_BEST)
        };
        FileSignals {
            in_similar_commits: has("history_best_commit"),
            co_changed: has("co_changed"),
            used: has("used"),
            uses: has("uses"),
            in_folder: false,
        }
    }

    /// Returns the identifiers and files that the title names and the repository does not have.
    pub fn missing_names(&self) -> Vec<&str> {
        self.features.missing_names()
    }

    /// Returns the inverse document frequency of each term of the task, in their order.
    pub fn term_idf(&self) -> &[f32] {
        self.features.term_idf()
    }
}
