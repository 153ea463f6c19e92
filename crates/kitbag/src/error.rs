//! Errors that prevent a pack.

use crate::request::{RequestError, SourceLineError};
use kitbag_config::{ConfigError, ConfigProblem, TimeError, TrustError};
use kitbag_core::{BudgetError, PackError, SettingsError};
use kitbag_diagnostics::DiagnosticsError;
use kitbag_record::RecordError;
use kitbag_repo::{GitError, GlobError, PathError, RootError, WatchError};
use kitbag_rules::RulesError;
use kitbag_tokens::{NeedsTokenizer, TokenizerFileError, UnknownModel};

/// An id that does not belong to any provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown provider `{id}`")]
pub struct UnknownProvider {
    /// The unknown id.
    pub id: String,
    /// Known id closest to the unknown one.
    pub nearest: String,
}

/// An error that prevents a pack. Problems with a single source are in the report instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request has neither a task nor anything else to pack.
    #[error("nothing to pack: there is no task and there are no sources")]
    NothingToPack,
    /// The search has no task.
    #[error("nothing to search for: there is no task")]
    NothingToFind,
    /// The limit of the search is 0.
    #[error("a search for no results: the limit is 0")]
    NoResultsWanted,
    /// The request has a cursor or a selection but no document.
    #[error("a cursor or a selection, and no document that it is in")]
    NoDocument,
    /// The output of a tool cannot be parsed.
    #[error(transparent)]
    Diagnostics(#[from] DiagnosticsError),
    /// An id does not belong to any provider.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// The request switches a provider both on and off.
    #[error("the provider `{id}` is switched on and off at the same time")]
    ProviderBoth {
        /// Id of the provider.
        id: String,
    },
    /// The id of a provider is empty or contains invalid characters.
    #[error("not an id of a provider, which has small letters, digits and underscores: `{id}`")]
    ProviderId {
        /// The invalid id.
        id: String,
    },
    /// Two providers have the same id.
    #[error("two providers are called `{id}`")]
    ProviderTwice {
        /// The shared id.
        id: String,
    },
    /// A request in JSON cannot be parsed.
    #[error(transparent)]
    Json(#[from] RequestError),
    /// A request over HTTP or MCP sets a field that is reserved for the user.
    #[error("`{field}` is for the user to decide, and not for a request")]
    NotForRequests {
        /// Field of the request.
        field: &'static str,
        /// Setting with which the user can decide.
        setting: &'static str,
    },
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The folder of the repository does not exist or is not a folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A path in the request cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A reference has an invalid line range.
    #[error("`{reference}` is not a path with a line range such as `src/a.rs:10-40`")]
    Reference {
        /// The reference as given in the request.
        reference: String,
    },
    /// A source line cannot be parsed.
    #[error(transparent)]
    SourceLine(#[from] SourceLineError),
    /// A glob is invalid.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// The model is unknown.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// The model's tokenizer is not built in, and no other was given.
    #[error(transparent)]
    NeedsTokenizer(#[from] NeedsTokenizer),
    /// The given tokenizer cannot be used.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerFileError),
    /// The reserves take up the whole context window.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A time cannot be parsed.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The packing decision failed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// Git could not be run.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A repository cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A trust decision could not be saved.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A query about a record failed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The engine has no folder for indexes.
    #[error("there is no folder to keep indexes in")]
    NoCache,
    /// An index cannot be read, updated or removed.
    #[error("the index: {message}")]
    Index {
        /// Description of the problem.
        message: String,
    },
    /// The worker threads could not be started.
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(std::io::Error),
    /// The work ended without a result, which is a bug in Kitbag.
    #[error("the work ended without an answer; this is a defect of Kitbag")]
    Lost,
}

impl Error {
    /// Whether the request itself is invalid, as opposed to a failure while processing it.
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

    /// Returns a code for programs and logs, which never quotes the request.
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
            Self::Config(error) if error.is_forbidden() => "not_for_requests",
            Self::Config(_) => "configuration",
            Self::Root(_) => "repository",
            Self::Path(error) => error.code().as_str(),
            Self::Reference { .. } => "reference",
            Self::SourceLine(_) => "source",
            Self::Glob(_) => "glob",
            Self::Model(_) => "unknown_model",
            Self::NeedsTokenizer(_) => "needs_tokenizer",
            Self::Tokenizer(_) => "tokenizer",
            Self::Budget(_) => "budget",
            Self::Time(_) => "time",
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

    /// Whether the caller cancelled the request.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Pack(PackError::Cancelled(_)) | Self::Rules(RulesError::Cancelled))
    }

    /// Suggests how to fix the error, if there is a suggestion.
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
