//! What can be set about a decision.

use crate::budget::Share;
use crate::format::{Formatting, TemplateError};
use kitbag_text::{ChunkLimits, Kind};

/// The settings of one decision, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How sources are cut.
    pub chunking: ChunkLimits,
    /// How the three factors of a score are weighed.
    pub weights: Weights,
    /// The priority of each kind, from 0 to 100, in the order of [`Kind::ALL`].
    pub priorities: [u32; Kind::ALL.len()],
    /// What comes first.
    pub order: Order,
    /// Chunks that score less are left out.
    pub min_score: Option<f64>,
    /// What counts as a repetition.
    pub deduplication: DeduplicationSettings,
    /// How the budget is filled.
    pub selection: SelectionSettings,
    /// How the budget is divided.
    pub budget: BudgetSettings,
    /// How the text looks.
    pub formatting: Formatting,
}

/// What comes first in a ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// What scores best.
    #[default]
    Score,
    /// What has the highest priority; among those, what is most relevant.
    Priority,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chunking: ChunkLimits::default(),
            weights: Weights::default(),
            priorities: Kind::ALL.map(|(_, _, priority)| priority),
            order: Order::default(),
            min_score: None,
            deduplication: DeduplicationSettings::default(),
            selection: SelectionSettings::default(),
            budget: BudgetSettings::default(),
            formatting: Formatting::default(),
        }
    }
}

impl Settings {
    /// The priority of a source: its own, or that of its kind.
    pub fn priority(&self, kind: Kind, own: Option<u32>) -> u32 {
        own.unwrap_or(self.priorities[kind.index()]).min(100)
    }

    /// Checks what cannot be right: weights, priorities, scores, thresholds, shares, and formatting.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.check_formatting()?;
        let Weights { relevance, recency, source } = self.weights;
        let sum = relevance + recency + source;
        let each = [relevance, recency, source];
        if each.iter().any(|weight| !(0.0..=1.0).contains(weight)) || (sum - 1.0).abs() > 1e-6 {
            return Err(SettingsError::Weights(self.weights));
        }
        if let Some(at) = self.priorities.iter().position(|&priority| priority > 100) {
            let value = self.priorities[at];
            return Err(SettingsError::Priority { kind: Kind::ALL[at].1, value });
        }
        self.check_shares()
    }

    /// Checks the template, and how many chunks there may be.
    fn check_formatting(&self) -> Result<(), SettingsError> {
        let min_chunks = self.selection.min_chunks;
        match self.formatting.max_chunks {
            Some(0) => return Err(SettingsError::NoChunks),
            Some(max_chunks) if max_chunks < min_chunks => {
                return Err(SettingsError::TooFewChunks { min_chunks, max_chunks });
            }
            _ => {}
        }
        self.formatting.template.as_ref().map_or(Ok(()), |template| Ok(template.check()?))
    }

    /// Checks everything that must lie within 0 and 1.
    fn check_shares(&self) -> Result<(), SettingsError> {
        let DeduplicationSettings { overlap_threshold, near_threshold, .. } = self.deduplication;
        let outside = |name, value: f64| {
            let wrong = !(0.0..=1.0).contains(&value);
            if wrong { Err(SettingsError::Share { name, value }) } else { Ok(()) }
        };
        outside("min_score", self.min_score.unwrap_or(0.0))?;
        outside("overlap_threshold", overlap_threshold)?;
        outside("near_threshold", near_threshold)?;
        if near_threshold == 0.0 {
            return Err(SettingsError::NearThreshold);
        }
        for (category, (_, kind, _)) in self.budget.categories.iter().zip(Kind::ALL) {
            if let Some(Share::Part(value)) = *category
                && !(0.0..=1.0).contains(&value)
            {
                return Err(SettingsError::Category { kind, value });
            }
        }
        Ok(())
    }
}

/// How the factors of a score are weighed. They sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// How well a chunk answers the task.
    pub relevance: f64,
    /// How lately it changed.
    pub recency: f64,
    /// What kind of source it is from.
    pub source: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { relevance: 0.5, recency: 0.3, source: 0.2 }
    }
}

/// What counts as a repetition, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeduplicationSettings {
    /// Whether anything is looked for at all.
    pub enabled: bool,
    /// The same content is a repetition, wherever it stands; sources that are the same are merged
    /// before they are cut.
    pub content_hash_enabled: bool,
    /// Overlapping lines of the same file are a repetition.
    pub overlap_detection_enabled: bool,
    /// The share of the longer chunk's lines from which an overlap counts.
    pub overlap_threshold: f64,
    /// Content that has nearly the same words is a repetition.
    pub near_enabled: bool,
    /// The share of two chunks' words that they have in common, from which they are nearly the
    /// same: those of both over those of either.
    pub near_threshold: f64,
    /// White space makes no difference between contents.
    pub normalize_whitespace: bool,
    /// Comments make no difference between contents.
    pub ignore_comments: bool,
    /// Upper and lower case make a difference between contents.
    pub case_sensitive: bool,
    /// Two chunks that overlap become one, with the better rank, as long as it is not larger than
    /// a chunk may be; otherwise the better one stays.
    pub merge_overlaps: bool,
    /// How many contents that occur more than once are remembered. Those that were met least
    /// recently are forgotten first, and their copies then stay.
    pub cache_max_size: usize,
}

impl Default for DeduplicationSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            content_hash_enabled: true,
            overlap_detection_enabled: true,
            overlap_threshold: 0.3,
            near_enabled: false,
            near_threshold: 0.85,
            normalize_whitespace: true,
            ignore_comments: false,
            case_sensitive: true,
            merge_overlaps: false,
            cache_max_size: 5_000,
        }
    }
}

/// How the budget is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionSettings {
    /// How many chunks go in at the least, if there are as many: large ones are then passed over
    /// for smaller ones. The budget wins: if not even one fits, the best one is cut.
    pub min_chunks: usize,
    /// Whether the kinds of sources take turns, the one that has had the fewest tokens first.
    pub balance: bool,
    /// What becomes of chunks that do not fit.
    pub overflow: Overflow,
}

impl Default for SelectionSettings {
    fn default() -> Self {
        Self { min_chunks: 0, balance: false, overflow: Overflow::Outline }
    }
}

/// How the budget is divided.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BudgetSettings {
    /// The most that the chunks of each kind may cost, their frame included, in the order of
    /// [`Kind::ALL`]. Kinds without a limit share what is there.
    pub categories: [Option<Share>; Kind::ALL.len()],
}

/// What becomes of chunks that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// They are left out, and the next is tried.
    Skip,
    /// The same; then the outlines of the best of them, as long as they fit.
    Outline,
    /// The first of them is cut at a line boundary, with a marker, to what remains, if that is more
    /// than 100 tokens. The others are left out.
    Truncate,
    /// The first of them keeps what stands before its first `##` section and as many of its
    /// sections as its share of what remains. What has no sections, such as code, and what would
    /// not fit with a single one, is cut at a line boundary.
    Proportional,
}

/// Settings that cannot be right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The weights do not sum to 1, or one is not within \[0, 1\].
    #[error(
        "the ranking weights must lie within 0 and 1 and sum to 1, not {} + {} + {}",
        .0.relevance, .0.recency, .0.source
    )]
    Weights(Weights),
    /// A priority above 100.
    #[error("the priority of `{kind}` must be at most 100, not {value}")]
    Priority {
        /// The kind.
        kind: &'static str,
        /// Its priority.
        value: u32,
    },
    /// A score or threshold that is not within \[0, 1\].
    #[error("`{name}` must lie within 0 and 1, not {value}")]
    Share {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A threshold that everything would reach.
    #[error("`near_threshold` must be more than 0: everything would be a repetition")]
    NearThreshold,
    /// A category's share that is not within \[0, 1\].
    #[error("the share of `{kind}` in the budget must lie within 0 and 1, not {value}")]
    Category {
        /// The kind.
        kind: &'static str,
        /// Its share.
        value: f64,
    },
    /// A pack of no chunks.
    #[error("`max_chunks` must be at least 1, not 0")]
    NoChunks,
    /// More chunks at the least than at the most.
    #[error("`min_chunks` is {min_chunks}, but `max_chunks` allows no more than {max_chunks}")]
    TooFewChunks {
        /// The least.
        min_chunks: usize,
        /// The most.
        max_chunks: usize,
    },
    /// The template is not one.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: AC-092
    #[test]
    fn weights_must_sum_to_one() {
        let with = |relevance, recency, source| {
            let weights = Weights { relevance, recency, source };
            Settings { weights, ..Settings::default() }.check()
        };
        assert_eq!(with(0.5, 0.3, 0.2), Ok(()));
        assert_eq!(with(0.1, 0.2, 0.7), Ok(()));
        assert!(with(0.5, 0.3, 0.3).is_err());
        assert!(with(1.5, -0.3, -0.2).is_err());
        assert!(with(f64::NAN, 0.3, 0.2).is_err());
    }

    #[test]
    fn thresholds_scores_and_shares_lie_within_zero_and_one() {
        let near = |near_threshold| {
            let deduplication =
                DeduplicationSettings { near_threshold, ..DeduplicationSettings::default() };
            Settings { deduplication, ..Settings::default() }.check()
        };
        assert_eq!((near(0.85), near(1.0)), (Ok(()), Ok(())));
        assert_eq!(near(0.0), Err(SettingsError::NearThreshold));
        assert!(near(1.01).is_err() && near(f64::NAN).is_err());
        let least = |least| Settings { min_score: Some(least), ..Settings::default() }.check();
        assert!(least(0.0).is_ok() && least(-0.1).is_err() && least(f64::NAN).is_err());
        let mut settings = Settings::default();
        settings.budget.categories[Kind::OpenFile.index()] = Some(Share::Part(1.5));
        let expected = SettingsError::Category { kind: "open_file", value: 1.5 };
        assert_eq!(settings.check(), Err(expected));
        settings.budget.categories[Kind::OpenFile.index()] = Some(Share::Part(0.5));
        assert_eq!(settings.check(), Ok(()));
    }
}
