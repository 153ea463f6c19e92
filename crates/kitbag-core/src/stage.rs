//! The stages of the pipeline, for observers, and the errors that end it.

use crate::format::TemplateError;
use crate::settings::SettingsError;
use kitbag_text::Cancelled;

/// A stage of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Split sources into chunks.
    Chunk,
    /// Score and order the chunks.
    Rank,
    /// Drop chunks that repeat others.
    Deduplicate,
    /// Fill the budget.
    Select,
    /// Write the text.
    Format,
    /// Count the text.
    Verify,
}

impl Stage {
    /// Returns the name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chunk => "chunk",
            Self::Rank => "rank",
            Self::Deduplicate => "deduplicate",
            Self::Select => "select",
            Self::Format => "format",
            Self::Verify => "verify",
        }
    }
}

/// Receives a call at the start of each stage, so that callers with a clock can time the stages.
pub trait Observer {
    /// Called when `stage` starts.
    fn stage_started(&mut self, stage: Stage);
}

impl Observer for () {
    fn stage_started(&mut self, _stage: Stage) {}
}

/// An error that prevents a pack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The caller cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A setting is invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The template cannot be rendered.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The finished text exceeds the budget. This is a bug in Kitbag, so no text is returned.
    #[error("the pack has {tokens} tokens, over the budget of {budget}")]
    ContextOverflow {
        /// Tokens counted.
        tokens: usize,
        /// Tokens allowed.
        budget: usize,
    },
}
