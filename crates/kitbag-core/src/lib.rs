//! The decision: which lines go into the pack.
//!
//! `chunk -> rank -> deduplicate -> select -> format -> verify`, as one pure function of the
//! sources, the task, the budget and the settings. There is no disk, network, clock, printing or
//! environment here, and no thread order shows in a result.
//!
//! ```
//! use kitbag_core::{Cancel, Job, Settings, pack};
//! use kitbag_text::{Kind, Source, Text};
//! use kitbag_tokens::Counting;
//! use std::sync::Arc;
//!
//! let source = Source {
//!     path: "src/lib.rs".into(),
//!     kind: Kind::OpenFile,
//!     text: Arc::new(Text::new("fn login() {}\n")),
//!     relevance: None,
//!     timestamp: None,
//!     expanded_context: None,
//!     pieces: None,
//!     tally: None,
//!     from: None,
//! };
//! let counting = Counting::named("o200k_base").unwrap();
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
mod dedup;
mod fates;
mod format;
mod pipeline;
mod rank;
mod report;
mod select;
mod settings;
mod sheet;

pub use budget::{Allocation, AllocationError, Allocations, Budget, BudgetError, Share};
pub use format::{
    Format, Formatting, Template, TemplateError, UnknownFormat, escape_path, unescape_path,
};
pub use kitbag_text::{Cancel, Cancelled};
pub use pipeline::{
    Decision, Job, Observer, PackError, Packed, Stage, Stats, decide, pack, pack_with,
};
pub use rank::{Candidate, Factors, Ranker, Ranking, Scored, WeightedRanker, coverage};
pub use report::{Excluded, Form, Included, Origin, Reason};
pub use settings::{
    BudgetSettings, DeduplicationSettings, Order, Overflow, SelectionSettings, Settings,
    SettingsError, Weights,
};

/// The stages on their own, for measurements and tests.
pub mod stages {
    pub use crate::dedup::{
        Merged, Ranked, Repeat, Repeats, deduplicate, merge_identical, similarity,
    };
    pub use crate::format::Press;
    pub use crate::pipeline::gather;
    pub use crate::select::{View, render_views};
    pub use crate::sheet::Sheet;
}
