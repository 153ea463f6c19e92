//! Text as Kitbag sees it: sources and chunks, lines and encodings, grammars and symbols, the chunker
//! and redaction.
//!
//! This crate does not read files and is independent of repositories, ranking and formats.

mod cancel;
mod chunk;
mod chunker;
mod comments;
mod decode;
mod language;
mod parse_budget;
mod plural;
mod redact;
mod source;
mod span;
pub mod syntax;
mod text;
mod url;
mod words;

pub use cancel::{Cancel, Cancelled};
pub use chunk::{Chunk, ChunkKind, ChunkLimits, ChunkPart, ChunkStrategy, ChunkedText, Fallback};
pub use chunker::{check_invariants, chunk, chunk_text, chunk_text_until_cancelled};
pub use comments::CommentScanner;
pub use decode::{NotText, decode};
pub use kitbag_tokens::{hex, name_hint, similar};
pub use language::{Language, languages};
pub use parse_budget::{ParseAllowance, ParseBudget};
pub use plural::{plural, plural_noun};
pub use redact::{
    Redaction, Secret, find_secrets, redact, redact_key_fragment, redact_str, redaction_rules,
};
pub use source::{Kind, Piece, Provenance, Source};
pub use span::Span;
pub use syntax::comment_ranges;
pub use text::Text;
pub use url::{file_of_url, for_each_url, leading_line};
pub use words::{for_each_word, identifiers, is_stop_word, query_words};
