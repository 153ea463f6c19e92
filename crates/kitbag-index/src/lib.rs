//! How Kitbag finds code: words, kinds of files, the index and its life on disk, history, and
//! ranking.
//!
//! A *record* is all that the index keeps of one file's content, and depends on nothing else: it is
//! kept by the content's hash. Records lie in *segments*; a [`View`] shows a tree's files over them;
//! [`rank()`] finds what a [`Task`] asks for.
//!
//! ```
//! use kitbag_index::{
//!     Context, Key, Models, Past, Place, Record, SegmentBuilder, Task, View, rank,
//! };
//! use kitbag_text::{ChunkLimits, Text};
//! use kitbag_tokens::Counting;
//! use std::sync::Arc;
//!
//! let counting = Counting::named("o200k_base").unwrap();
//! let mut builder = SegmentBuilder::default();
//! let text = Text::new("fn login() {}\n");
//! builder.add(Key([1; 32]), Record::of("a.rs", &text, &ChunkLimits::default(), &counting));
//! let segments = vec![Arc::new(builder.finish())];
//! let view = View::new(segments, [("a.rs".to_owned(), Place { segment: 0, doc: 0 })]);
//!
//! let task = Task::new("why does login fail?");
//! let context = Context { past: &Past::default(), now: 0, read: &|_| Some(text.clone()) };
//! let found = rank(&task, &view, &context, Models::learnt());
//! assert_eq!(found.chunks.len(), 1);
//! ```

mod backend;
mod file_kind;
mod history;
mod rank;
mod record;
mod segment;
mod store;
mod task;
mod terms;
mod view;

pub use backend::{BackendError, Contents, Hits, IndexBackend, Known, Place, Statistics};
pub use file_kind::{FileKind, Looks};
pub use history::{History, Past, PastCommit};
pub use rank::{
    CHUNK_FEATURES, Candidate, ChunkCandidate, Clues, Context, Contribution, FILE_FEATURES,
    Features, Model, Models, RankedChunk, RankedFile, Ranking, WORTH_FACTORS, commits_like, rank,
};
pub use record::{Counts, RECORD_VERSION, Record};
pub use segment::{Doc, Forward, Key, Lengths, Posting, Postings, Segment, SegmentBuilder};
pub use store::{
    Analysis, DEFAULT_MOST_BYTES, Damaged, Embedded, Loaded, MOST_BYTES, Published, Refresh,
    RefreshError, RefreshStats, Refreshed, Snapshot, Status, Store, StoreError, folder_for, prune,
};
pub use task::{About, Mention, Task, Term as TaskTerm, file_of_address, for_each_address};
pub use terms::{for_each_id, stem, word_id};
pub use view::{File, View};
