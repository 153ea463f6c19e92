//! The decision: each chunk that is included or excluded, and why.

use crate::rank::Factors;
use kitbag_text::{ChunkPart, Kind, Provenance, Span};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The included and excluded chunks of a pack, with the exact token count of its text.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// Included chunks, best first.
    pub included: Vec<Included>,
    /// Excluded chunks and sources, best first.
    pub excluded: Vec<Excluded>,
    /// Tokens of the finished text, by the model's counter.
    pub total_tokens: usize,
    /// Counts from each stage.
    pub stats: Stats,
    /// Number of characters that the format cannot represent and that were replaced.
    pub replaced_chars: usize,
}

/// Counts from the stages of a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sources in the request.
    pub sources: usize,
    /// Sources merged into an identical one.
    pub merged_sources: usize,
    /// Files that the sources belong to.
    pub files: usize,
    /// Chunks that the sources were split into.
    pub chunks: usize,
    /// Chunks with the same content as another.
    pub duplicates: usize,
    /// Chunks that overlap another.
    pub overlaps: usize,
    /// Chunks with nearly the same words as another.
    pub near_duplicates: usize,
}

/// A chunk in the pack.
#[derive(Debug, Clone, PartialEq)]
pub struct Included {
    /// Path of the file.
    pub path: String,
    /// Lines of the chunk.
    pub span: Span,
    /// Path of the symbol that contains the chunk.
    pub symbol: Option<String>,
    /// Paths of all symbols that it defines, in order.
    pub defines: Vec<String>,
    /// Kind of the source.
    pub kind: Kind,
    /// Position among the parts of a split item.
    pub part: Option<ChunkPart>,
    /// Tokens of the lines shown, without header and fences.
    pub tokens: usize,
    /// Score of the chunk, in \[0, 1\].
    pub score: f64,
    /// Factors of the score.
    pub factors: Factors,
    /// How much of the chunk is shown.
    pub form: ChunkForm,
    /// Lines that appear in the text.
    pub shown: Vec<Span>,
    /// Text of those lines.
    pub text: String,
    /// Sources and chunks that were merged into this one.
    pub merged_from: Vec<MergedOrigin>,
    /// Provider that gathered the source.
    pub from: Option<Arc<Provenance>>,
    /// Whether it was selected before everything that is not pinned.
    pub is_pinned: bool,
}

/// A source identical to the one a chunk comes from, or a chunk that was merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedOrigin {
    /// Path of the file.
    pub path: String,
    /// Lines that it contributed.
    pub span: Span,
    /// Kind of the source.
    pub kind: Kind,
    /// Provider that gathered the source.
    pub from: Option<Arc<Provenance>>,
}

/// How much of a chunk is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkForm {
    /// All lines.
    Full,
    /// Signatures and doc comments.
    Outline,
    /// The first lines.
    Truncated,
}

impl ChunkForm {
    /// Returns the name used in reports, which is also the serialized form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Outline => "outline",
            Self::Truncated => "truncated",
        }
    }
}

/// A chunk, or a whole source, that is not in the pack.
#[derive(Debug, Clone, PartialEq)]
pub struct Excluded {
    /// Path of the file.
    pub path: String,
    /// Lines of the chunk; `None` for a source without chunks.
    pub span: Option<Span>,
    /// Path of the symbol that contains the chunk.
    pub symbol: Option<String>,
    /// Kind of the source.
    pub kind: Kind,
    /// Tokens of the chunk.
    pub tokens: usize,
    /// Score of the chunk, if it was ranked.
    pub score: Option<f64>,
    /// Factors of the score, if it was ranked.
    pub factors: Option<Factors>,
    /// Why it was excluded.
    pub reason: Reason,
    /// The reason in words, with the better chunk where there is one.
    pub detail: String,
    /// Sources and chunks that were merged into this one.
    pub merged_from: Vec<MergedOrigin>,
    /// Provider that gathered the source.
    pub from: Option<Arc<Provenance>>,
    /// Whether it was tried before everything that is not pinned.
    pub is_pinned: bool,
}

impl Excluded {
    /// Creates an entry for a source, or a part of one, that was never ranked.
    pub fn unranked(path: &str, kind: Kind, reason: Reason, detail: impl ToString) -> Self {
        Self {
            path: path.to_owned(),
            span: None,
            symbol: None,
            kind,
            tokens: 0,
            score: None,
            factors: None,
            reason,
            detail: detail.to_string(),
            merged_from: Vec::new(),
            from: None,
            is_pinned: false,
        }
    }
}

/// Why a chunk or source was excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A better chunk has the same content.
    Duplicate,
    /// A better chunk overlaps its lines.
    Overlap,
    /// A better chunk has nearly the same words.
    NearDuplicate,
    /// It does not fit in the budget.
    Budget,
    /// The pack already has the maximum number of chunks.
    MaxChunks,
    /// It scores below the minimum.
    Score,
    /// It is a search result that is not relevant enough.
    BelowStop,
    /// It is a single line that exceeds the maximum chunk size.
    LineTooLong,
    /// It has no content.
    Empty,
    /// Its path is on the denylist.
    Denied,
    /// Its path leads outside the root.
    OutsideRoot,
    /// It is not text.
    Binary,
    /// It exceeds the size limit for files.
    TooLarge,
    /// It cannot be read.
    Unreadable,
    /// It cannot be parsed, and splitting by lines is disabled.
    Unparsed,
    /// The request has too many sources.
    TooManySources,
    /// Its provider exceeded a limit.
    ProviderLimit,
    /// An earlier pack of the session has the same lines.
    AlreadySent,
}

impl Reason {
    /// Returns the code used in reports, which is also the serialized form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Overlap => "overlap",
            Self::NearDuplicate => "near_duplicate",
            Self::Budget => "budget",
            Self::MaxChunks => "max_chunks",
            Self::Score => "score",
            Self::BelowStop => "below_stop",
            Self::LineTooLong => "line_too_long",
            Self::Empty => "empty",
            Self::Denied => "denied",
            Self::OutsideRoot => "outside_root",
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
            Self::Unparsed => "unparsed",
            Self::TooManySources => "too_many_sources",
            Self::ProviderLimit => "provider_limit",
            Self::AlreadySent => "already_sent",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialized_names_equal_those_in_reports() {
        for form in [ChunkForm::Full, ChunkForm::Outline, ChunkForm::Truncated] {
            assert_eq!(serde_json::to_value(form).expect("a string"), form.as_str());
        }
        for reason in [Reason::NearDuplicate, Reason::OutsideRoot, Reason::TooManySources] {
            assert_eq!(serde_json::to_value(reason).expect("a string"), reason.as_str());
        }
    }
}
