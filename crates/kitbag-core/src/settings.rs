//! What can be set about a decision.

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
    /// Chunks that score less are left out.
    pub min_score: Option<f64>,
    /// What counts as a repetition.
    pub dedup: Dedup,
    /// What becomes of chunks that do not fit.
    pub overflow: Overflow,
    /// How the text looks.
    pub formatting: Formatting,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chunking: ChunkLimits::default(),
            weights: Weights::default(),
            priorities: Kind::ALL.map(|(_, _, priority)| priority),
            min_score: None,
            dedup: Dedup::default(),
            overflow: Overflow::Outline,
            formatting: Formatting::default(),
        }
    }
}

impl Settings {
    /// Checks what cannot be right: the weights, the priorities, and the formatting.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.formatting.max_chunks == Some(0) {
            return Err(SettingsError::NoChunks);
        }
        if let Some(template) = &self.formatting.template {
            template.check()?;
        }
        let Weights { relevance, recency, source } = self.weights;
        let sum = relevance + recency + source;
        let each = [relevance, recency, source];
        if each.iter().any(|weight| !(0.0..=1.0).contains(weight)) || (sum - 1.0).abs() > 1e-6 {
            return Err(SettingsError::Weights(self.weights));
        }
        match self.priorities.iter().position(|&priority| priority > 100) {
            Some(at) => {
                Err(SettingsError::Priority { kind: Kind::ALL[at].1, value: self.priorities[at] })
            }
            None => Ok(()),
        }
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

/// What counts as a repetition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dedup {
    /// The same content, white space aside.
    pub exact: bool,
    /// Overlapping lines of the same file.
    pub overlap: bool,
    /// The share of the longer chunk's lines from which an overlap counts.
    pub overlap_threshold: f64,
}

impl Default for Dedup {
    fn default() -> Self {
        Self { exact: true, overlap: true, overlap_threshold: 0.3 }
    }
}

/// What becomes of chunks that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// They are left out, and the next is tried.
    Skip,
    /// The same; then the outlines of the best of them, as long as they fit.
    Outline,
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
    /// A pack of no chunks.
    #[error("`max_chunks` must be at least 1, not 0")]
    NoChunks,
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
}
