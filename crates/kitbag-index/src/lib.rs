//! Finds code: words, kinds of files, the index in memory and on disk, commit history, and ranking.
//!
//! A *record* holds everything that the index stores about one content, and is stored by the content's
//! key. Records are grouped in *segments*; an [`IndexView`] shows the files of a tree over them, and
//! [`rank()`] ranks their chunks for a [`ParsedTask`].
//!
//! ```
//! use kitbag_index::*;
//! use kitbag_text::{Cancel, ChunkLimits, Text};
//! use kitbag_tokens::CachedCounter;
//!
//! let counting = CachedCounter::named("o200k_base").unwrap();
//! let settings = AnalysisSettings { limits: ChunkLimits::default(), counting: &counting };
//! let text = Text::new("fn login() {}\n");
//! let record = ContentRecord::analyze("a.rs", &text, &settings, &Cancel::default()).unwrap();
//! let mut index = ContentIndex::default();
//! index.add([(ContentKey([1; 32]), Some(record))].into());
//! let address = DocAddress { segment: 0, doc: 0 };
//! let view = IndexView::new(index, [("a.rs".to_owned(), address)]);
//!
//! let task = ParsedTask::new("why does login fail?");
//! let history = CommitHistory::default();
//! let context = SearchContext { history: &history, now: 0, folder: None, read: &|_| Some(text.clone()) };
//! let ranking = rank(&task, &view, &context, RankModels::learned());
//! assert_eq!(ranking.chunks.len(), 1);
//! ```

mod common_words;
mod content_index;
mod content_key;
mod envelope;
mod file_kind;
mod history;
mod imports;
mod rank;
mod record;
mod references;
mod segment;
mod store;
mod summary;
mod task;
mod terms;
mod varint;
mod view;

pub use content_index::{ContentIndex, DocAddress};
pub use content_key::ContentKey;
pub use envelope::FormatError;
pub use file_kind::{ContentFlags, FileKind};
pub use history::{CommitHistory, CommitLog, HistoryCommit};
pub use rank::{
    CHUNK_FEATURES, CHUNK_SCORE_FACTORS, ChunkCandidate, Contribution, FILE_FEATURES, Features,
    FileCandidate, FileSignals, RankModels, RankedChunk, RankedFile, SearchContext, SearchRanking,
    TASK_FEATURES, is_within, rank, similar_commits,
};
pub use record::{AnalysisSettings, ChunkWords, ContentRecord, FieldCounts};
pub use references::{CentralSymbol, Centrality, ChunkPlace, NameMention, last_name};
pub use segment::{Doc, FieldLengths, Posting, Segment, StoredDoc};
pub use store::{
    DEFAULT_MAX_INDEX_BYTES, LoadedIndex, MAX_FILE_BYTES, PublishOutcome, Refresh, RefreshStats,
    RefreshedIndex, Snapshot, Store, StoreError, StoreStatus, prune,
};
pub use summary::{
    MAX_SUMMARY_WORDS, NamedSummary, RankedRepository, RepositorySummary, choose_repositories,
    rank_repositories,
};
pub use task::{KIND_FEATURES, Mention, ParsedTask, TaskName, TaskTerm, TaskTopics};
pub use terms::{for_each_id, stem, word_id};
pub use view::{IndexView, IndexedFile};
