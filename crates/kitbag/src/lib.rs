//! Kitbag packs the context that a language model needs.
//!
//! Given a repository and a task, the [`Engine`] finds the code that matters, splits it at functions
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

mod access;
mod chunk_cache;
mod engine;
mod error;
mod events;
mod exec;
mod file_lines;
mod fleet;
mod gather;
mod index;
mod inspect;
mod observe;
mod pack;
mod parser_failures;
mod redaction;
mod report;
mod request;
mod root;
mod search;
mod sessions;
mod symbols;

pub use access::{RepoAccess, RepoPatternError};
pub use engine::Engine;
pub use error::{Error, UnknownProvider};
pub use events::{ContextAssembled, Events, Received};
pub use fleet::{ChosenRepository, FailedRepository, MAX_CHOSEN_REPOSITORIES, SummaryRefresh};
pub use gather::orchestrate::ProviderInfo;
pub use gather::provider::{Gathered, Gathering, Provider, ProviderError, ProviderLimits};
pub use index::{
    Cleared, IndexGc, IndexPull, IndexPush, IndexRefresh, IndexState, IndexStatus,
    SharedIndexStatus, StoreTraffic,
};
pub use inspect::explain::{
    ExplainRequest, ExplainedChunk, Explanation, FactorShare, LineVerdict, ScoreFactor,
};
pub use kitbag_config::{
    ConfigError, ConfigItem, ConfigOrigin, ConfigProblem, ConfigProblemKind, ConfigReport,
    ConfigSources, LineColumn, TimeError, TrustError, TrustFeature, TrustState,
};
pub use kitbag_core::{
    BudgetError, BudgetSettings, Cancel, ChunkForm, DeduplicationSettings, Format, Formatting,
    Overflow, PackError, RankOrder, Reason, SelectionSettings, Settings, SettingsError, Share,
    Template, TemplateError, UnknownFormat, Weights,
};
pub use kitbag_diagnostics::DiagnosticsError;
pub use kitbag_record::{
    Change, Drift, DriftItem, FactorsItem, FrameText, Moved, ProviderOutcome, Record, RecordError,
    RecordList, RecordSummary, RecordedCandidate, RecordedChunk, RecordedExclusion,
    RecordedProvider, RecordedRequest, RecordedRun, RecordedSettings, RecordedSource,
    RecordedStats, RecordedText, SourceState, Timing, Verification,
};
pub use kitbag_repo::{
    GitError, GlobError, ObjectId, PathError, RemoteCopy, RemoteError, RemoteUrl, Root, RootError,
    SkipCode, WatchError,
};
pub use kitbag_rules::{ConditionOutcome, Convention, DecidedBy, RuleDecision, RulesError};
pub use kitbag_store::StoreUrl;
pub use kitbag_text::{
    Cancelled, Chunk, ChunkKind, ChunkLimits, ChunkPart, ChunkStrategy, Kind, Language, Piece,
    Provenance, Source, Span, Text,
};
pub use kitbag_tokens::{
    Model, NeedsTokenizer, TokenizerChoice, TokenizerFileError, UnknownModel, UnknownTokenizer,
    model, models,
};
pub use kitbag_worker::{WorkerCommand, run_worker};
pub use redaction::RedactionItem;
pub use report::{
    ExcludedItem, IncludedItem, MatchedLine, OriginItem, ProviderItem, Report, ReportStats,
    Tokenizer,
};
pub use request::{
    ALL_REPOSITORIES, Cursor, Document, Fleet, NamedRepo, Request, RequestError, Selection,
    SourceLine, SourceLineError, ToolOutput, ToolResult,
};
pub use search::{SearchFactor, SearchReport, SearchRequest, SearchResult};
pub use symbols::{SymbolPlace, SymbolReport, SymbolRequest};

#[doc(hidden)]
pub use own::*;

/// What only the crates of this workspace use: the program, the servers, the measurements. No promise of
/// stability.
mod own {
    pub use crate::access::without_folder;
    pub use crate::engine::logging_settings;
    pub use crate::engine::records::ToolAnswer;
    pub use crate::engine::rules::{
        ContextItem, RULES_VERSION, RulesReport, RulesRequest, TrustReport, WantedPiece,
    };
    pub use crate::engine::shared_packs::SharedPack;
    pub use crate::file_lines::{FileLines, FileQuery};
    pub use crate::gather::provider::Needs;
    pub use crate::index::{INDEX_STORE_VERSION, INDEX_VERSION};
    pub use crate::inspect::absence::{Absence, Expected, Missing};
    pub use crate::inspect::compare::{Compared, Comparison, DedupDecision};
    pub use crate::inspect::export::{ExportRequest, Exported};
    pub use crate::observe::{METRICS, Measured, Metric, describe_metrics};
    pub use crate::report::REPORT_VERSION;
    pub use crate::request::{parse_cursor, parse_json, parse_selection, parse_source_lines};
    pub use crate::search::SEARCH_VERSION;
    pub use crate::symbols::SYMBOL_VERSION;
    pub use kitbag_config::{
        CONFIG_VERSION, EngineSettings, LogFormat, LogLevel, LoggingSettings, PROJECT_FILE,
        ProviderSettings, ServerSettings, TRUST_VERSION, TrustItem, TrustRecord, TrustStore,
        TrustedItem, built_in_profiles, built_in_providers, config_init, config_reference,
        config_schema, default_profile_settings, format_time, home_folder, parse_budget,
        parse_time, settings_from_pairs, user_folder,
    };
    pub use kitbag_diagnostics as diagnostics;
    pub use kitbag_index::CHUNK_SCORE_FACTORS;
    pub use kitbag_record::{
        OthersRecords, RECORD_VERSION, RecordDifference, SourceItem, USAGE_VERSION, UsageReport,
        UsageRow, UsageTotals,
    };
    pub use kitbag_repo::{
        WorkingFolder, find_repository, head_id, named_repositories_in, repositories_in,
        repository_name, shortest_names,
    };
    pub use kitbag_rules as rules;
    pub use kitbag_text::{
        ChunkedText, Fallback, chunk_text, decode, hex, languages, name_hint, plural, plural_noun,
        redact_str, similar,
    };
    pub use kitbag_tokens::{
        CachedCounter, CounterRegistry, Estimator, TokenCounter, TokenizerSettings, Vocabulary,
        contains_panics, is_within_one_percent,
    };
}

/// Parses all texts of this process in child processes that `command` starts, from now on. Without it, a
/// hostile file can end the process: grammars are C code. Returns whether this was the first call;
/// later ones have no effect.
pub fn parse_in_workers(command: WorkerCommand) -> bool {
    kitbag_text::syntax::set_parser(Box::new(kitbag_worker::WorkerPool::new(command)))
}

/// Ends the child processes of [`parse_in_workers`] that wait for the next text. They would also end with
/// this process, but a little later.
pub fn stop_workers() {
    kitbag_text::syntax::stop_parser();
}

/// The parts that `kitbag-eval` runs on its own trees. No promise of stability.
#[doc(hidden)]
#[allow(missing_docs)]
pub mod internal {
    pub use crate::chunk_cache::{CachedChunker, ChunkCache};
    pub use crate::gather::providers::{Reading, around_frames};
    pub use crate::index::{HISTORY_COMMITS, search_chunk_limits};
    pub use crate::search::tree::{Search, SearchHistory, SourceLimits, read};
}
