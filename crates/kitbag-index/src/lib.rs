//! How Kitbag finds code: words, kinds of files, analyses, and retrieval over them.
//!
//! An analysis is all that retrieval needs of one file's content, and depends on nothing else: it
//! can be kept by the content's hash. This crate reads no files.
//!
//! ```
//! use kitbag_index::{FileWords, Query, rank_files};
//! let query = Query::new("why does login fail?");
//! let files = [
//!     ("src/login.rs", FileWords::of("fn login() {}")),
//!     ("src/other.rs", FileWords::of("fn other() {}")),
//! ];
//! let (found, _) = rank_files(&query, files.iter().map(|(path, words)| (*path, words)));
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].file, 0);
//! ```

mod analysis;
mod file_kind;
mod query;
mod retrieval;

pub use analysis::{ANALYSIS_VERSION, ChunkWords, FileChunks, FileWords};
pub use file_kind::{FileKind, Looks};
pub use query::{Query, Term};
pub use retrieval::{ChunkHit, FileHit, Found, Rarity, rank_chunks, rank_files, relevance};
