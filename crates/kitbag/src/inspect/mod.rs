//! Inspection of finished packs: explain, compare and export them, and create their records.
//!
//! `kitbag-record` stores and verifies records; operations that replay the decision live here. Text
//! is always read from the files, redacted in the same way as in a pack, and rejected if its hash
//! has changed.

mod again;
mod candidates;
pub(crate) mod compare;
mod cutting;
pub(crate) mod explain;
pub(crate) mod export;
mod frame;
mod make;
mod parts;
mod remedy;

pub(crate) use again::{Again, settings_of};
pub(crate) use cutting::Cutting;
pub(crate) use make::{RecordDraft, RecordInputs, paths_outside_files};
