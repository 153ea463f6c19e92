//! Settings of a decision.

use crate::budget::Share;
use crate::format::{Formatting, TemplateError};
use kitbag_text::{ChunkLimits, Kind};
use serde::Deserialize;

/// The resolved settings of one decision.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Limits for splitting sources into chunks.
    pub chunking: ChunkLimits,
    /// Weights of the factors of a score.
    pub weights: Weights,
    /// Priority of each kind, from 0 to 100, in the order of [`Kind::ALL`].
    pub priorities: [u32; Kind::ALL.len()],
    /// Order of the ranking.
    pub order: RankOrder,
    /// Minimum score; chunks below it are excluded.
    pub min_score: Option<f64>,
    /// Detection of repeated content.
    pub deduplication: DeduplicationSettings,
    /// How the budget is filled.
    pub selection: SelectionSettings,
    /// How the budget is divided.
    pub budget: BudgetSettings,
    /// Layout of the text.
    pub formatting: Formatting,
}

/// Order of a ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankOrder {
    /// By score.
    #[default]
    Score,
    /// By priority, then relevance, then score.
    Priority,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chunking: ChunkLimits::default(),
            weights: Weights::default(),
            priorities: Kind::ALL.map(Kind::default_priority),
            order: RankOrder::default(),
            min_score: None,
            deduplication: DeduplicationSettings::default(),
            selection: SelectionSettings::default(),
            budget: BudgetSettings::default(),
            formatting: Formatting::default(),
        }
    }
}

impl Settings {
    /// Returns the priority of a source: its own, or that of its kind.
    pub fn priority(&self, kind: Kind, own: Option<u32>) -> u32 {
        own.unwrap_or(self.priorities[kind.index()]).min(100)
    }

    /// Checks ranges, the sum of the weights, and the template.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.check_formatting()?;
        let Weights { relevance, recency, source } = self.weights;
        let weights = [relevance, recency, source];
        let sum: f64 = weights.iter().sum();
        if !weights.iter().all(is_fraction) || (sum - 1.0).abs() > 1e-6 {
            return Err(SettingsError::Weights(self.weights));
        }
        for (&value, kind) in self.priorities.iter().zip(Kind::ALL) {
            if value > 100 {
                return Err(SettingsError::Priority { kind: kind.name(), value });
            }
        }
        self.check_fractions()
    }

    /// Checks the template and the limits on the number of chunks.
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

    /// Checks the values that must be between 0 and 1.
    fn check_fractions(&self) -> Result<(), SettingsError> {
        let DeduplicationSettings { overlap_threshold, near_threshold, .. } = self.deduplication;
        let shares = self.budget.categories.iter().zip(Kind::ALL);
        let shares = shares.filter_map(|(share, kind)| match *share {
            Some(Share::Fraction(value)) => Some((format!("categories.{kind}"), value)),
            _ => None,
        });
        let fractions = [
            ("min_score".to_owned(), self.min_score.unwrap_or(0.0)),
            ("stop_below".to_owned(), self.selection.stop_below.unwrap_or(0.0)),
            ("overlap_threshold".to_owned(), overlap_threshold),
            ("near_threshold".to_owned(), near_threshold),
        ];
        let mut all = fractions.into_iter().chain(shares);
        if let Some((name, value)) = all.find(|(_, value)| !is_fraction(value)) {
            return Err(SettingsError::Fraction { name, value });
        }
        if near_threshold == 0.0 {
            return Err(SettingsError::NearThreshold);
        }
        Ok(())
    }
}

fn is_fraction(value: &f64) -> bool {
    (0.0..=1.0).contains(value)
}

/// Weights of the factors of a score, which sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of the relevance to the task.
    pub relevance: f64,
    /// Weight of the last change.
    pub recency: f64,
    /// Weight of the priority of the source.
    pub source: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { relevance: 0.5, recency: 0.3, source: 0.2 }
    }
}

/// Detection of repeated content.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct DeduplicationSettings {
    /// Whether to deduplicate at all.
    pub enabled: bool,
    /// Whether to exclude chunks with the same content as a better one and to merge identical
    /// sources.
    pub content_hash_enabled: bool,
    /// Whether to exclude chunks that overlap a better one in the same file.
    pub overlap_detection_enabled: bool,
    /// Minimum fraction of the longer chunk's lines that makes an overlap.
    pub overlap_threshold: f64,
    /// Whether to exclude chunks with nearly the same words as a better one.
    pub near_enabled: bool,
    /// Minimum Jaccard similarity of the word sets of near-duplicates.
    pub near_threshold: f64,
    /// Whether to ignore whitespace when comparing contents.
    pub normalize_whitespace: bool,
    /// Whether to ignore comments when comparing contents.
    pub ignore_comments: bool,
    /// Whether to distinguish upper and lower case when comparing contents.
    pub case_sensitive: bool,
    /// Whether to merge overlapping chunks, with the better rank, unless the result exceeds the
    /// maximum chunk size. Otherwise the better chunk is kept.
    pub merge_overlaps: bool,
    /// Maximum number of repeated contents to remember. The least recently matched are forgotten
    /// first, and their copies are then kept.
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

/// Relevance below which even the best search result is probably unrelated to the task. The best results of one issue
/// in fifty and of one commit in sixteen of the development sets are below it, and those of 96 and 73 % of the same
/// tasks on other repositories.
pub const WEAK_RELEVANCE: f64 = 0.1;

/// Maximum tokens of the search results if none of them reaches [`WEAK_RELEVANCE`] and `stop_below` is set.
pub(crate) const WEAK_TOKENS: u32 = 400;

/// How the budget is filled.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct SelectionSettings {
    /// Minimum number of chunks, if there are as many; large chunks give way to smaller ones. The
    /// budget takes precedence: if no chunk fits, the best one is truncated.
    pub min_chunks: usize,
    /// Whether the kinds of sources take turns, the one with the fewest tokens so far first.
    pub balance: bool,
    /// Handling of chunks that do not fit.
    pub overflow: Overflow,
    /// Minimum relevance of a search result. Those below it are excluded, except to reach
    /// `min_chunks`; what the caller named or supplied is not affected. If no result reaches [`WEAK_RELEVANCE`], all but
    /// the first few hundred tokens are excluded as well.
    pub stop_below: Option<f64>,
    /// Whether sources that the caller named or supplied are selected before all others.
    pub pin: bool,
}

impl Default for SelectionSettings {
    fn default() -> Self {
        Self {
            min_chunks: 0,
            balance: false,
            overflow: Overflow::Outline,
            stop_below: None,
            pin: false,
        }
    }
}

/// How the budget is divided.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BudgetSettings {
    /// Maximum share of each kind, headers and fences included, in the order of [`Kind::ALL`].
    /// Kinds without a limit share the rest.
    pub categories: [Option<Share>; Kind::ALL.len()],
}

/// Handling of chunks that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// Exclude them and try the next.
    Skip,
    /// Exclude them, then include the outlines of the best ones that fit. If the best chunk of all does not
    /// fit, and no chunk that does has half of its relevance, it is truncated as with
    /// [`Overflow::Truncate`].
    Outline,
    /// Truncate the first one to the lines that fit, with a marker, if more than 100 tokens remain.
    /// Exclude the others.
    Truncate,
    /// Keep the header of the first one and a share of its `##` sections that corresponds to the
    /// remaining budget. Chunks without sections, such as code, and chunks of which not even one
    /// section fits are truncated instead.
    Proportional,
}

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A weight is not in \[0, 1\], or the weights do not sum to 1.
    #[error(
        "ranking weights must be between 0 and 1 and sum to 1, not {} + {} + {}",
        .0.relevance, .0.recency, .0.source
    )]
    Weights(Weights),
    /// A priority exceeds 100.
    #[error("the priority of `{kind}` must be at most 100, not {value}")]
    Priority {
        /// Name of the kind.
        kind: &'static str,
        /// Priority that was set.
        value: u32,
    },
    /// A score, threshold or share is not in \[0, 1\].
    #[error("`{name}` must be between 0 and 1, not {value}")]
    Fraction {
        /// Name of the setting.
        name: String,
        /// Value that was set.
        value: f64,
    },
    /// A threshold of 0 would make every chunk a near-duplicate.
    #[error("`near_threshold` must be greater than 0; every chunk would be a near-duplicate")]
    NearThreshold,
    /// The maximum number of chunks is 0.
    #[error("`max_chunks` must be at least 1, not 0")]
    NoChunks,
    /// The minimum number of chunks exceeds the maximum.
    #[error("`min_chunks` is {min_chunks}, but `max_chunks` is {max_chunks}")]
    TooFewChunks {
        /// Minimum number of chunks.
        min_chunks: usize,
        /// Maximum number of chunks.
        max_chunks: usize,
    },
    /// The template is invalid.
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
    fn thresholds_scores_and_shares_are_between_zero_and_one() {
        let near = |near_threshold| {
            let deduplication =
                DeduplicationSettings { near_threshold, ..DeduplicationSettings::default() };
            Settings { deduplication, ..Settings::default() }.check()
        };
        assert_eq!((near(0.85), near(1.0)), (Ok(()), Ok(())));
        assert_eq!(near(0.0), Err(SettingsError::NearThreshold));
        assert!(near(1.01).is_err() && near(f64::NAN).is_err());
        let min_score = |value| Settings { min_score: Some(value), ..Settings::default() }.check();
        assert_eq!(min_score(0.0), Ok(()));
        assert!(min_score(-0.1).is_err() && min_score(f64::NAN).is_err());
        let mut settings = Settings::default();
        settings.budget.categories[Kind::OpenFile.index()] = Some(Share::Fraction(1.5));
        let expected = SettingsError::Fraction { name: "categories.open_file".into(), value: 1.5 };
        assert_eq!(settings.check(), Err(expected));
        settings.budget.categories[Kind::OpenFile.index()] = Some(Share::Fraction(0.5));
        assert_eq!(settings.check(), Ok(()));
    }
}
