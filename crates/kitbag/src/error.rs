//! Why there is no pack.

use crate::config::{ConfigError, ConfigProblem};
use crate::diagnostics::DiagnosticsError;
use crate::orchestrate::UnknownProvider;
use crate::record::RecordError;
use crate::request_json::RequestError;
use crate::rules::RulesError;
use crate::source_lines::SourceLineError;
use crate::trust::TrustError;
use kitbag_core::{BudgetError, PackError, SettingsError};
use kitbag_repo::{GitError, GlobError, PathError, RootError, WatchError};
use kitbag_tokens::{NeedsTokenizer, TokenizerFileError, UnknownModel};

/// Why there is no pack. What only concerns one source is in the report instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is neither a task nor anything else to pack.
    #[error("nothing to pack: there is no task and there are no sources")]
    NothingToPack,
    /// There is no task to search for.
    #[error("nothing to search for: there is no task")]
    NothingToFind,
    /// A search may find nothing.
    #[error("a search for no results: the limit is 0")]
    NoResultsWanted,
    /// A cursor or a selection without the document that it is in.
    #[error("a cursor or a selection, and no document that it is in")]
    NoDocument,
    /// Output of a tool cannot be read.
    #[error(transparent)]
    Diagnostics(#[from] DiagnosticsError),
    /// An id that no provider has.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// A provider that is switched on and off by the same request.
    #[error("the provider `{id}` is switched on and off at the same time")]
    ProviderBoth {
        /// Its id.
        id: String,
    },
    /// A provider's id is not one.
    #[error("not an id of a provider, which has small letters, digits and underscores: `{id}`")]
    ProviderId {
        /// What it says of itself.
        id: String,
    },
    /// Two providers have the same id.
    #[error("two providers are called `{id}`")]
    ProviderTwice {
        /// The id.
        id: String,
    },
    /// A request in JSON cannot be read.
    #[error(transparent)]
    Json(#[from] RequestError),
    /// A request that came over HTTP or MCP decides what is the user's to decide.
    #[error("`{field}` is for the user to decide, and not for a request")]
    NotForRequests {
        /// The field of the request.
        field: &'static str,
        /// The setting by which the user decides.
        setting: &'static str,
    },
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The repository's folder is not there, or is not a folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A path that the request names cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A reference's line range is not one.
    #[error("`{reference}` is not a path with a line range such as `src/a.rs:10-40`")]
    Reference {
        /// What was given.
        reference: String,
    },
    /// A source line cannot be read.
    #[error(transparent)]
    SourceLine(#[from] SourceLineError),
    /// A glob is not one.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// The model is not known.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// The model's tokenizer is not built in, and none was given.
    #[error(transparent)]
    NeedsTokenizer(#[from] NeedsTokenizer),
    /// The tokenizer that was given cannot be used.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerFileError),
    /// The reserves leave nothing of the window.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A time is not one.
    #[error("`{value}` is not a time such as `2026-11-15T12:00:00Z` or `1794744000`")]
    Time {
        /// What was given.
        value: String,
    },
    /// The decision failed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// Git could not be asked.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A repository cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The rules cannot be told.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// What is trusted cannot be recorded.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A question about a record has no answer.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The engine has no folder for indexes.
    #[error("there is no folder to keep indexes in")]
    NoCache,
    /// The index cannot be searched, or not be removed.
    #[error("the index: {message}")]
    Index {
        /// Why.
        message: String,
    },
    /// The threads that do the work could not be started.
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(std::io::Error),
    /// The work ended without an answer.
    #[error("the work ended without an answer; this is a defect of Kitbag")]
    Lost,
}

impl Error {
    /// Whether the request itself is at fault, and not the run.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Pack(error) => matches!(error, PackError::Settings(_) | PackError::Template(_)),
            Self::Git(error) => matches!(error, GitError::NotARepository { .. }),
            Self::Watch(_) | Self::NoCache | Self::Index { .. } => false,
            Self::Threads(_) | Self::Thread(_) | Self::Lost | Self::Trust(_) => false,
            Self::Record(error) => error.is_usage(),
            _ => true,
        }
    }

    /// What kind of error it is, as a code for programs and logs: it quotes nothing of the request.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingToPack => "nothing_to_pack",
            Self::NothingToFind => "nothing_to_find",
            Self::NoResultsWanted => "no_results_wanted",
            Self::NoDocument => "no_document",
            Self::Diagnostics(_) => "diagnostics",
            Self::Provider(_) => "unknown_provider",
            Self::ProviderBoth { .. } => "provider_on_and_off",
            Self::ProviderId { .. } => "provider_id",
            Self::ProviderTwice { .. } => "provider_twice",
            Self::Json(_) => "request",
            Self::NotForRequests { .. } => "not_for_requests",
            Self::Config(error) if error.is_refusal() => "not_for_requests",
            Self::Config(_) => "configuration",
            Self::Root(_) => "repository",
            Self::Path(error) => error.code(),
            Self::Reference { .. } => "reference",
            Self::SourceLine(_) => "source",
            Self::Glob(_) => "glob",
            Self::Model(_) => "unknown_model",
            Self::NeedsTokenizer(_) => "needs_tokenizer",
            Self::Tokenizer(_) => "tokenizer",
            Self::Budget(_) => "budget",
            Self::Time { .. } => "time",
            Self::Pack(PackError::Cancelled(_)) => "cancelled",
            Self::Pack(PackError::ContextOverflow { .. }) => "context_overflow",
            Self::Pack(PackError::Template(_)) => "template",
            Self::Pack(_) => "settings",
            Self::Git(_) => "git",
            Self::Watch(_) => "watch",
            Self::NoCache => "no_cache",
            Self::Index { .. } => "index",
            Self::Rules(_) => "rules",
            Self::Trust(_) => "trust",
            Self::Record(_) => "record",
            Self::Threads(_) | Self::Thread(_) => "threads",
            Self::Lost => "lost",
        }
    }

    /// Whether the caller has cancelled it.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Pack(PackError::Cancelled(_)) | Self::Rules(RulesError::Cancelled))
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NothingToPack => {
                Some("say what you are doing: kitbag pack \"why does login fail?\"".into())
            }
            Self::NothingToFind => {
                Some("say what you look for: kitbag search \"why does login fail?\"".into())
            }
            Self::NoCache => Some("set XDG_CACHE_HOME or HOME".into()),
            Self::Watch(WatchError::TooMany) if cfg!(target_os = "linux") => {
                Some("raise the limit: sysctl fs.inotify.max_user_watches=500000".into())
            }
            Self::NoDocument => Some("name the document: --document src/auth.rs".into()),
            Self::Diagnostics(error) => Some(error.hint()),
            Self::Provider(unknown) => {
                Some(format!("the nearest provider is `{}`", unknown.nearest))
            }
            Self::Json(error) => error.hint(),
            Self::Record(error) => error.hint(),
            Self::Model(unknown) => {
                Some(format!("the nearest known model is `{}`", unknown.nearest))
            }
            Self::NeedsTokenizer(needs) => Some(needs.hint().into()),
            Self::Tokenizer(error) => error.hint().map(str::to_owned),
            Self::Budget(_) => Some("give the pack's own limit with --budget".into()),
            Self::Path(PathError::NotFound { .. }) => {
                Some("paths are relative to the repository's root (--repo)".into())
            }
            Self::Pack(
                PackError::Template(_) | PackError::Settings(SettingsError::Template(_)),
            ) => Some("docs/formats.md lists what a template can use".into()),
            Self::SourceLine(error) => error.hint(),
            Self::Rules(error) => error.hint(),
            Self::Trust(TrustError::NoFolder) => Some("set XDG_STATE_HOME or HOME".into()),
            Self::NotForRequests { setting, .. } => {
                Some(format!("the user decides, by `{setting}` in the configuration"))
            }
            Self::Config(error) => error.problems.first().and_then(ConfigProblem::hint),
            _ => None,
        }
    }
}
