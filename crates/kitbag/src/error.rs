//! Errors that prevent a pack.

use crate::request::{RequestError, SourceLineError};
use kitbag_config::{ConfigError, ConfigProblem, TimeError, TrustError};
use kitbag_core::{BudgetError, PackError, SettingsError};
use kitbag_diagnostics::DiagnosticsError;
use kitbag_record::RecordError;
use kitbag_repo::{GitError, GlobError, PathError, RootError, WatchError};
use kitbag_rules::RulesError;
use kitbag_text::plural;
use kitbag_tokens::{NeedsTokenizer, TokenizerFileError, UnknownModel};

/// An id that does not belong to any provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown provider `{id}`")]
pub struct UnknownProvider {
    /// The unknown id.
    pub id: String,
    /// Suggests a similar id, or lists the known ones.
    pub hint: Option<String>,
}

/// An error that prevents a pack. Problems with a single source are in the report instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request has neither a task nor anything else to pack.
    #[error("nothing to pack: the request is empty")]
    NothingToPack,
    /// The search has no task.
    #[error("nothing to search for: the task is empty")]
    EmptySearch,
    /// The limit of the search is 0.
    #[error("`limit` must be at least 1")]
    InvalidLimit,
    /// The name of the session is blank or too long.
    #[error("`session` must have from 1 to {max} characters")]
    SessionName {
        /// Maximum length, in bytes.
        max: usize,
    },
    /// The name to find has no letters.
    #[error("`name` must be an identifier, such as `login` or `UserService.get_user`")]
    SymbolName,
    /// The folder is too large to be indexed as a repository.
    #[error("`{}` is not a project: {why}", path.display())]
    NotAProject {
        /// The folder.
        path: std::path::PathBuf,
        /// Why it is not indexed.
        why: &'static str,
    },
    /// The request has `repeat` but no session.
    #[error("`repeat` requires `session`")]
    RepeatWithoutSession,
    /// There is no repository to choose from.
    #[error("there are no repositories to search")]
    NoRepositories,
    /// A request to many repositories has no task to choose by.
    #[error("a request to all repositories requires a task")]
    FleetWithoutTask,
    /// A request to many repositories has a field that belongs to one of them.
    #[error("`{field}` belongs to one repository and cannot be used with all of them")]
    NotForFleets {
        /// Field of the request.
        field: &'static str,
    },
    /// None of the repositories that were chosen can be read.
    #[error("none of the chosen repositories can be read: {reason}")]
    UnreadableRepositories {
        /// Why the first of them cannot be read.
        reason: String,
    },
    /// The request has a cursor or a selection but no document.
    #[error("`cursor` and `selection` require `document`")]
    NoDocument,
    /// The output of a tool cannot be parsed.
    #[error(transparent)]
    Diagnostics(#[from] DiagnosticsError),
    /// An id does not belong to any provider.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// The request switches a provider both on and off.
    #[error("provider `{id}` is both enabled and disabled")]
    ConflictingProvider {
        /// Id of the provider.
        id: String,
    },
    /// The id of a provider is empty or contains invalid characters.
    #[error("invalid provider id `{id}`: use lowercase letters, digits and underscores")]
    InvalidProviderId {
        /// The invalid id.
        id: String,
    },
    /// Two providers have the same id.
    #[error("two providers have the id `{id}`")]
    DuplicateProvider {
        /// The shared id.
        id: String,
    },
    /// A request in JSON cannot be parsed.
    #[error(transparent)]
    Json(#[from] RequestError),
    /// A request over HTTP or MCP sets a field that is reserved for the user.
    #[error("a request cannot set `{field}`")]
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
    /// A path in the request does not exist, but a similar one does.
    #[error("{error}; did you mean `{nearest}`?")]
    MisspelledPath {
        /// The error.
        error: PathError,
        /// The most similar path.
        nearest: String,
    },
    /// A reference has an invalid line range.
    #[error(
        "expected a path with an optional line range such as `src/a.rs:10-40`, not `{reference}`"
    )]
    Reference {
        /// The reference as given in the request.
        reference: String,
    },
    /// The line range of a reference ends before it begins.
    #[error("`{reference}`: the line range ends before it begins")]
    ReversedRange {
        /// The reference as given in the request.
        reference: String,
    },
    /// The lines of a reference are past the end of its file.
    #[error(
        "`{place}` is past the end of the file, which has {}",
        plural(*lines as usize, "line")
    )]
    PastEnd {
        /// The reference as given by the caller.
        place: String,
        /// Number of lines in the file.
        lines: u32,
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
    /// The base of a diff does not name a commit.
    #[error("no such revision: `{base}`")]
    UnknownBase {
        /// The revision as given in the request.
        base: String,
        /// Suggests a similar branch or tag, or how to name a base.
        hint: String,
    },
    /// The ref of a request does not name a commit.
    #[error("no such ref: `{revision}`")]
    UnknownRef {
        /// The ref as given in the request.
        revision: String,
        /// Suggests a similar branch or tag.
        hint: String,
    },
    /// `HEAD` names a branch that does not exist.
    #[error("`HEAD` names a branch without commits")]
    UnbornHead {
        /// Lists branches and tags.
        hint: String,
    },
    /// The ref of a request, or the base of a diff, names something else than one commit.
    #[error(transparent)]
    NotOneCommit(GitError),
    /// A commit was asked for in a folder without a repository.
    #[error("a ref needs a git repository: {0}")]
    RefWithoutGit(GitError),
    /// A diff was asked for in a folder without a repository.
    #[error("a diff needs a git repository: {0}")]
    DiffWithoutGit(GitError),
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
    #[error("there is no folder for indexes")]
    NoCache,
    /// An index cannot be read, updated or removed.
    #[error("index error: {message}")]
    Index {
        /// Description of the problem.
        message: String,
    },
    /// The settings of the object store cannot be used.
    #[error("{message}")]
    StoreSettings {
        /// Description of the problem.
        message: String,
        /// What the user can do.
        hint: String,
    },
    /// The object store failed.
    #[error("{message}")]
    Store {
        /// Description of the problem.
        message: String,
        /// What the user can do.
        hint: Option<String>,
    },
    /// The worker threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The work ended without a result, which is a bug in Kitbag.
    #[error("the work ended without a result; this is a bug in Kitbag")]
    Internal,
}

impl Error {
    /// Whether the request itself is invalid, as opposed to a failure while processing it.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Pack(error) => matches!(error, PackError::Settings(_) | PackError::Template(_)),
            Self::Git(error) => {
                matches!(error, GitError::NotARepository { .. } | GitError::LeadsOutside { .. })
            }
            Self::Watch(_) | Self::NoCache | Self::Index { .. } | Self::Store { .. } => false,
            Self::Threads(_) | Self::Thread(_) | Self::Internal | Self::Trust(_) => false,
            Self::UnreadableRepositories { .. } => false,
            Self::Record(error) => error.is_usage(),
            _ => true,
        }
    }

    /// Returns a code for programs and logs, which never quotes the request.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingToPack => "nothing_to_pack",
            Self::EmptySearch => "empty_search",
            Self::InvalidLimit => "invalid_limit",
            Self::SessionName { .. } | Self::RepeatWithoutSession => "session",
            Self::SymbolName => "symbol_name",
            Self::NotAProject { .. } => "not_a_project",
            Self::NoRepositories => "no_repositories",
            Self::FleetWithoutTask | Self::NotForFleets { .. } => "all_repositories",
            Self::UnreadableRepositories { .. } => "repository",
            Self::NoDocument => "no_document",
            Self::Diagnostics(_) => "diagnostics",
            Self::Provider(_) => "unknown_provider",
            Self::ConflictingProvider { .. } => "conflicting_provider",
            Self::InvalidProviderId { .. } => "invalid_provider_id",
            Self::DuplicateProvider { .. } => "duplicate_provider",
            Self::Json(_) => "request",
            Self::NotForRequests { .. } => "not_for_requests",
            Self::Config(error) if error.is_forbidden() => "not_for_requests",
            Self::Config(_) => "configuration",
            Self::Root(_) => "repository",
            Self::Path(error) | Self::MisspelledPath { error, .. } => error.code().as_str(),
            Self::Reference { .. } | Self::ReversedRange { .. } | Self::PastEnd { .. } => {
                "reference"
            }
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
            Self::UnknownBase { .. } => "unknown_base",
            Self::UnknownRef { .. } | Self::NotOneCommit(_) => "unknown_ref",
            Self::UnbornHead { .. } => "unborn_head",
            Self::Git(_) | Self::DiffWithoutGit(_) | Self::RefWithoutGit(_) => "git",
            Self::Watch(_) => "watch",
            Self::NoCache => "no_cache",
            Self::Index { .. } => "index",
            Self::StoreSettings { .. } => "store_settings",
            Self::Store { .. } => "store",
            Self::Rules(_) => "rules",
            Self::Trust(_) => "trust",
            Self::Record(_) => "record",
            Self::Threads(_) | Self::Thread(_) => "threads",
            Self::Internal => "internal",
        }
    }

    /// Whether the caller cancelled the request.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Pack(PackError::Cancelled(_)) | Self::Rules(RulesError::Cancelled))
    }

    /// Suggests how to fix the error in terms of a request, for callers without a command line.
    #[doc(hidden)]
    pub fn request_hint(&self) -> Option<String> {
        let hint = match self {
            Self::NothingToPack => "describe the task in `task`",
            Self::EmptySearch => "describe in `task` what to search for",
            Self::NoDocument => "set `document` to the path of the open file",
            Self::NotAProject { .. } => {
                "name the folder of a project in `repo`; `git init` makes a large folder one"
            }
            Self::Budget(_) => "set a larger `window`, or the `budget` itself",
            Self::NeedsTokenizer(_) => "set `tokenizer` to a built-in one, such as `o200k_base`",
            Self::Path(PathError::NotFound { .. }) => {
                "paths are relative to the root of the repository"
            }
            Self::DiffWithoutGit(GitError::NotARepository { .. }) => "name a clone in `repo`",
            // Options of the command line are not advice.
            _ => return self.hint().filter(|hint| !hint.contains("--")),
        };
        Some(hint.to_owned())
    }

    /// Suggests how to fix the error, if there is a suggestion.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NothingToPack => "describe the task: kitbag pack \"why does login fail?\"",
            Self::EmptySearch => "describe the task: kitbag search \"why does login fail?\"",
            Self::StoreSettings { hint, .. } => return Some(hint.clone()),
            Self::Store { hint, .. } => return hint.clone(),
            Self::NoCache => "set XDG_CACHE_HOME or HOME",
            Self::NoRepositories => "name a folder of repositories: --repos DIR",
            Self::FleetWithoutTask => "describe the task, from which the repositories are chosen",
            Self::NotForFleets { .. } => "name the repository that it belongs to in `repo`",
            Self::Git(GitError::LeadsOutside { .. }) => "if you trust it, run `kitbag trust`",
            Self::Watch(WatchError::TooMany) if cfg!(target_os = "linux") => {
                "raise the limit: sysctl fs.inotify.max_user_watches=500000"
            }
            Self::NoDocument => "name the document: --document src/auth.rs",
            Self::NotAProject { .. } => {
                "name the folder of a project: --repo DIR; `git init` makes a large folder one"
            }
            Self::NeedsTokenizer(needs) => needs.hint(),
            Self::Tokenizer(error) => error.hint()?,
            Self::Budget(_) => "pass a larger --window, or set the budget directly with --budget",
            Self::Path(PathError::NotFound { .. }) => {
                "paths are relative to the root of the repository (--repo)"
            }
            Self::Pack(
                PackError::Template(_) | PackError::Settings(SettingsError::Template(_)),
            ) => "docs/formats.md lists what a template can use",
            Self::Trust(TrustError::NoFolder) => "set XDG_STATE_HOME or HOME",
            Self::Diagnostics(error) => return Some(error.hint()),
            Self::UnknownBase { hint, .. }
            | Self::UnknownRef { hint, .. }
            | Self::UnbornHead { hint } => return Some(hint.clone()),
            Self::NotOneCommit(GitError::AmbiguousRevision { .. }) => {
                "use more characters of the id"
            }
            Self::NotOneCommit(_) => "name a branch, a tag of a commit, or the id of a commit",
            Self::Git(GitError::MissingCommit { .. }) => {
                "`git fsck` lists what is damaged; clone or fetch it again"
            }
            Self::DiffWithoutGit(GitError::NotARepository { .. }) => {
                "run it in a clone, or pass files with --file"
            }
            Self::DiffWithoutGit(GitError::LeadsOutside { .. })
            | Self::RefWithoutGit(GitError::LeadsOutside { .. }) => {
                "if you trust it, run `kitbag trust`"
            }
            Self::Provider(unknown) => return unknown.hint.clone(),
            Self::Json(error) => return error.hint(),
            Self::Record(error) => return error.hint(),
            Self::Model(unknown) => return Some(unknown.hint()),
            Self::SourceLine(error) => return error.hint(),
            Self::Rules(error) => return error.hint(),
            Self::NotForRequests { setting, .. } => {
                return Some(format!("only the user can set it, with `{setting}`"));
            }
            Self::Config(error) => return error.problems.first().and_then(ConfigProblem::hint),
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
