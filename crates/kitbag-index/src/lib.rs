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
mod backend;
mod comments;
mod file_kind;
mod history;
mod query;
mod rank;
mod record;
mod retrieval;
mod segment;
mod store;
mod task;
mod terms;
mod view;

pub use analysis::{ANALYSIS_VERSION, ChunkWords, FileChunks, FileWords};
pub use backend::{
    BackendError, Contents, Hits, IndexBackend, Known, Place, Statistics,
};
pub use file_kind::{FileKind, Looks};
pub use history::{History, Past, PastCommit};
pub use query::{Query, Term};
pub use rank::{
    CHUNK_FEATURES, Candidate, ChunkCandidate, Context, Contribution, FILE_FEATURES, Features, Model,
    Models, RankedChunk, RankedFile, Ranking, rank,
};
pub use record::{Counts, RECORD_VERSION, Record};
pub use retrieval::{ChunkHit, FileHit, Found, Rarity, rank_chunks, rank_files, relevance};
pub use segment::{Doc, Forward, Key, Lengths, Posting, Postings, Segment, SegmentBuilder};
pub use store::{
    Analysis, DEFAULT_MOST_BYTES, Damaged, Embedded, Loaded, MOST_BYTES, Published, Refresh, RefreshError, RefreshStats, Refreshed,
    Snapshot, Status, Store, StoreError, folder_for, prune,
};
pub use terms::{for_each_id, stem, word_id};
pub use view::{File, View};
pub use task::{About, Mention, Task, Term as TaskTerm};
