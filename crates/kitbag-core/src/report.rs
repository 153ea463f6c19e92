//! What a decision says of each chunk.

use crate::rank::Factors;
use kitbag_text::{Kind, Part, Provenance, Span};
use std::sync::Arc;

/// A chunk that is in the pack.
#[derive(Debug, Clone, PartialEq)]
pub struct Included {
    /// The file.
    pub path: String,
    /// The chunk's lines.
    pub span: Span,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: Kind,
    /// Which part of a split item it is.
    pub part: Option<Part>,
    /// The tokens of the lines that are shown, without header and fences.
    pub tokens: usize,
    /// Its score.
    pub score: f64,
    /// What the score is made of.
    pub factors: Factors,
    /// How much of it is shown.
    pub form: Form,
    /// The lines that really stand in the text.
    pub shown: Vec<Span>,
    /// Those lines.
    pub text: String,
    /// What else it stands for.
    pub also: Vec<Origin>,
    /// Who gathered it.
    pub from: Option<Arc<Provenance>>,
}

/// Something else that a chunk stands for: a source that was the same as its own, or a chunk that
/// was merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub path: String,
    /// The lines that it brought.
    pub span: Span,
    /// The kind of source it is from.
    pub kind: Kind,
    /// Who gathered it.
    pub from: Option<Arc<Provenance>>,
}

/// How much of a chunk is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All of it.
    Full,
    /// Its signatures and doc comments.
    Outline,
    /// Its first lines.
    Truncated,
}

impl Form {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
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
    /// The file.
    pub path: String,
    /// The chunk's lines; `None` where there is no chunk.
    pub span: Option<Span>,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: Kind,
    /// The chunk's tokens.
    pub tokens: usize,
    /// Its score, where it came to be scored.
    pub score: Option<f64>,
    /// What the score is made of.
    pub factors: Option<Factors>,
    /// Why it is out.
    pub reason: Reason,
    /// The reason in words, with the winner's name where there is one.
    pub detail: String,
    /// What else it stands for.
    pub also: Vec<Origin>,
    /// Who gathered it.
    pub from: Option<Arc<Provenance>>,
}

/// Why something is not in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The same content is in already, white space aside.
    Duplicate,
    /// Lines of it are in already.
    Overlap,
    /// Something that has nearly the same words is in already.
    NearDuplicate,
    /// It did not fit.
    Budget,
    /// As many chunks are in as may be.
    MaxChunks,
    /// It scored too low.
    Score,
    /// A single line, larger than a chunk may be.
    LineTooLong,
    /// There is nothing in it.
    Empty,
    /// Its path is on the denylist.
    Denied,
    /// Its path leads out of the root.
    OutsideRoot,
    /// It is not text.
    Binary,
    /// It is larger than Kitbag reads.
    TooLarge,
    /// It could not be read.
    Unreadable,
    /// It could not be parsed, and cutting by lines is switched off.
    Unparsed,
    /// There were more sources than may be.
    TooManySources,
    /// Its provider gave more than it may.
    ProviderLimit,
}

impl Reason {
    /// Its code in reports.
    pub fn code(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Overlap => "overlap",
            Self::NearDuplicate => "near_duplicate",
            Self::Budget => "budget",
            Self::MaxChunks => "max_chunks",
            Self::Score => "score",
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
        }
    }
}
