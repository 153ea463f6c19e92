//! Decides which lines go into a pack: `chunk -> rank -> deduplicate -> select -> format -> verify`.
//!
//! A decision is a pure function of the sources, the task, the budget and the settings. This crate
//! uses no disk, network, clock, environment or standard output, and thread scheduling never
//! affects a result.
//!
//! ```
//! use kitbag_core::{Cancel, Job, Settings, pack};
//! use kitbag_text::{Kind, Source, Text};
//! use kitbag_tokens::CachedCounter;
//! use std::sync::Arc;
//!
//! let text = Arc::new(Text::new("fn login() {}\n"));
//! let source = Source::new("src/lib.rs", Kind::OpenFile, text);
//! let counting = CachedCounter::named("o200k_base").unwrap();
//! let job = Job {
//!     sources: vec![source],
//!     task: "why does login fail?",
//!     now: None,
//!     budget: 1_000,
//!     settings: &Settings::default(),
//!     counting: &counting,
//!     cancel: &Cancel::default(),
//! };
//! let packed = pack(job, &mut ()).unwrap();
//! assert_eq!(packed.text, "### src/lib.rs (line 1)\n```rust\nfn login() {}\n```\n");
//! assert_eq!(counting.count(&packed.text), packed.decision.total_tokens);
//! ```

mod budget;
mod compose;
mod dedup;
mod format;
mod head;
mod outcomes;
mod pipeline;
mod places;
mod rank;
mod report;
mod select;
mod sent;
mod settings;
mod source_file;
mod stage;

pub use budget::{Budget, BudgetError, Share};
pub use compose::PackBody;
pub use format::{Format, Formatting, Template, TemplateError, UnknownFormat, escape_path};
pub use head::{HeadInput, HeadWriter, head_reserve};
pub use kitbag_text::{Cancel, Cancelled};
pub use pipeline::{Job, PackOptions, Packed, decide, pack, pack_with, pack_with_options};
pub use rank::{Candidate, Factors, RankContext, Ranker, Scored, WeightedRanker, coverage};
pub use report::{ChunkForm, Decision, Excluded, Included, MergedOrigin, Reason, Stats};
pub use sent::SentLines;
pub use settings::{
    BudgetSettings, DeduplicationSettings, Overflow, RankOrder, SelectionSettings, Settings,
    SettingsError, WEAK_RELEVANCE, Weights,
};
pub use stage::{Observer, PackError, Stage};

/// The individual stages, for measurements and tests.
pub mod stages {
    pub use crate::dedup::{
        DedupInput, Duplicate, Duplicates, MergedSources, deduplicate, merge_identical, similarity,
    };
    pub use crate::format::RenderContext;
    pub use crate::pipeline::gather;
    pub use crate::select::{ChunkView, MIN_OUTLINE_TOKENS, render_views};
    pub use crate::source_file::SourceFile;
}
