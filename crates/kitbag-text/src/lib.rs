//! What text is to Kitbag: sources and chunks, lines and encodings, grammars and symbols, and the
//! one chunker, and redaction.
//!
//! This crate reads no files and knows nothing of repositories, ranking or formats.

mod cancel;
mod chunk;
mod chunker;
mod comments;
mod decode;
mod language;
mod redact;
mod source;
mod span;
mod text;
mod words;

pub use cancel::{Cancel, Cancelled};
pub use chunk::{Chunk, ChunkKind, ChunkLimits, Chunked, Cut, Fallback, Part};
pub use chunker::{
    check_invariants, chunk, chunk_text, chunk_text_until, chunk_until, comment_ranges,
    comment_ranges_until,
};
pub use comments::Comments;
pub use decode::{Decoded, Encoding, NotText, decode};
pub use language::{Language, languages};
pub use redact::{Redaction, Secret, find_secrets, redact, redact_str, redaction_rules};
pub use source::{Kind, Piece, Provenance, Source};
pub use span::Span;
pub use text::Text;
pub use words::{for_each_word, identifiers, is_common, query_words};
