//! Records of packs: what was included and excluded, and why, without any content.
//!
//! A record contains paths, line ranges, hashes, scores, reasons and timings. Texts are represented
//! by their SHA-256. [`Records`] stores the most recent records of each repository, [`verify`]
//! compares a record with the current files, and [`difference`] compares two records.

#![allow(missing_docs)]

pub mod audit;
mod causes;
mod difference;
mod error;
mod names;
mod reading;
mod shape;
mod store;
mod usage;
mod verify;

pub use difference::{Change, Moved, RecordDifference, difference};
pub use error::{FrameText, RecordError};
pub use reading::{File, Reading};
pub use shape::{
    FactorsItem, ProviderOutcome, RECORD_VERSION, Record, RecordedCandidate, RecordedChunk,
    RecordedExclusion, RecordedProvider, RecordedRequest, RecordedRun, RecordedSettings,
    RecordedSource, RecordedStats, RecordedText, Timing,
};
pub use store::{OthersRecords, RecordList, RecordSummary, Records, decode_record};
pub use usage::{USAGE_VERSION, UsageEntry, UsageReport, UsageRow, UsageTotals};
pub use verify::{Drift, DriftItem, SourceItem, SourceState, Verification, drift, sources, verify};

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of `bytes` in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    kitbag_text::hex(&Sha256::digest(bytes))
}
