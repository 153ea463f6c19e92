//! The record that a pack leaves, and what can be asked of it afterwards.
//!
//! A record has paths, line ranges, hashes, scores, reasons and timings, and never content: neither
//! that of files nor the task's. `make` writes one down, `store` keeps the last of each repository in
//! the user's cache folder, and a file each answers a question: `verify`, `explain`, `compare`,
//! `difference`, `export`. What is asked for as text is read from the files again.

mod again;
mod audit;
mod candidates;
mod causes;
mod compare;
mod cutting;
mod difference;
mod engine;
mod error;
mod explain;
mod export;
mod frame;
mod make;
mod parts;
mod reading;
mod remedy;
mod shape;
mod store;
mod verify;

pub use compare::{Compared, Comparison};
pub use difference::{Change, Moved, RecordDifference};
pub use error::RecordError;
pub use explain::{ExplainRequest, ExplainedChunk, Explanation, FactorShare};
pub use export::{ExportRequest, Exported};
pub(crate) use make::{Circumstances as RecordCircumstances, Notes, elsewhere};
pub use shape::{
    RECORD_VERSION, Record, RecordedChunk, RecordedOut, RecordedProvider, RecordedRequest,
    RecordedRun, RecordedSettings, RecordedSource, RecordedStats, RecordedText, RecordedTiming,
};
pub(crate) use store::Records;
pub use store::{OthersRecords, RecordList, RecordSummary};
pub use verify::{Drift, DriftItem, SourceItem, SourceState, Verification};

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in hexadecimal.
fn hash(bytes: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value & 15)]);
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
