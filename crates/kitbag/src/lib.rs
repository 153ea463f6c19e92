//! Kitbag packs the context that a language model needs.
//!
//! Given a repository and a task, the [`Engine`] finds the code that matters, cuts it at functions
//! and classes, ranks it, drops what repeats, and fills an exact token budget with the best of it.
//!
//! ```no_run
//! use kitbag::{Cancel, Engine, Request};
//!
//! # async fn example() -> Result<(), kitbag::Error> {
//! let engine = Engine::new()?;
//! let request = Request {
//!     task: "why does login fail for OAuth users?".into(),
//!     repo: Some("path/to/repository".into()),
//!     budget: Some(8_000),
//!     ..Request::default()
//! };
//! let report = engine.pack(request, &Cancel::default()).await?;
//! assert!(report.total_tokens <= 8_000);
//! # Ok(())
//! # }
//! ```

mod absence;
mod assemble;
mod config;
mod cut;
pub mod diagnostics;
mod editor;
mod engine;
mod error;
pub mod eval;
mod events;
mod file_lines;
mod finding;
mod indexes;
mod inputs;
mod line;
mod observe;
mod orchestrate;
mod pools;
mod provider;
mod providers;
mod record;
mod redaction;
mod report;
mod request;
mod request_json;
#[cfg(feature = "schema")]
mod request_shape;
pub mod rules;
mod search;
mod source_lines;
mod trust;
mod variables;
mod why;

pub use absence::{Absence, Expected, Missing};
pub use config::{
    CONFIG_VERSION, ConfigError, ConfigFault, ConfigItem, ConfigProblem, ConfigReport,
    ConfigSources, LogFormat, LogLevel, LoggingSettings, PROJECT_FILE, Place, ProviderSettings,
    ServerSettings, Settled, config_init, config_reference, config_schema, settled_with,
};
pub use engine::Engine;
pub use error::Error;
pub use events::{ContextAssembled, Events, Received};
pub use file_lines::{FileLines, FileQuery};
pub use finding::{SEARCH_VERSION, SearchFactor, SearchReport, SearchRequest, SearchResult};
pub use indexes::{Cleared, INDEX_VERSION, IndexRefresh, IndexState, IndexStatus};
pub use kitbag_core::{
    BudgetSettings, Cancel, DeduplicationSettings, Format, Formatting, Order, Overflow,
    SelectionSettings, Settings, Share, Template, TemplateError, UnknownFormat, Weights,
};
pub use kitbag_index::WORTH_FACTORS;
pub use kitbag_repo::{Root, RootError, shortest_names};
pub use kitbag_text::{
    Chunk, ChunkLimits, Chunked, Cut, Fallback, Kind, Language, Piece, Provenance, Source, Span,
    Text, chunk, decode, languages, redact_str,
};
pub use kitbag_tokens::{
    Choice, Counting, Countings, Estimator, Family, Model, TokenCounter, TokenizerFileError,
    TokenizerSettings, UnknownTokenizer, Validation, Vocabulary, is_within_one_percent, model,
    models,
};
pub use observe::{METRICS, Measured, Metric, describe_metrics};
pub use orchestrate::{ProviderInfo, UnknownProvider};
#[doc(hidden)]
pub use provider::Needs;
pub use provider::{Gathered, Gathering, Provider, ProviderError, ProviderLimits};
pub use record::{
    Change, Compared, Comparison, Drift, DriftItem, ExplainRequest, ExplainedChunk, Explanation,
    ExportRequest, Exported, FactorShare, Moved, OthersRecords, RECORD_VERSION, Record,
    RecordDifference, RecordError, RecordList, RecordSummary, RecordedChunk, RecordedOut,
    RecordedProvider, RecordedRequest, RecordedRun, RecordedSettings, RecordedSource,
    RecordedStats, RecordedText, RecordedTiming, SourceItem, SourceState, Verification,
};
pub use redaction::RedactionItem;
pub use report::{
    ExcludedItem, FactorsItem, IncludedItem, OriginItem, ProviderItem, REPORT_VERSION, Report,
    ReportStats, Timing,
};
pub use request::{
    Cursor, Document, Request, Selection, SourceLine, ToolOutput, ToolResult, format_time,
    parse_budget, parse_time,
};
pub use request_json::{RequestError, parse_cursor, parse_selection};
#[cfg(feature = "schema")]
pub use request_shape::RequestShape;
pub use source_lines::{SourceLineError, parse_source_lines};
pub use trust::{
    TRUST_VERSION, Trust, TrustError, TrustPiece, TrustRecord, TrustStanding, TrustedPiece,
};
