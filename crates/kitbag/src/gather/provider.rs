//! Providers, which gather the sources of a pack.
//!
//! A provider has an id and a method that gathers sources. It runs on its own thread, in parallel
//! with the others and under a timeout. If it fails, panics or hangs, the pack only lacks its
//! content.

use crate::chunk_cache::{CachedChunker, ChunkCache};
use crate::error::Error;
use crate::exec::ComputePools;
use crate::gather::change_state::RequestedChange;
use crate::gather::editor_state::Editor;
use crate::gather::inputs::{Gatherer, Inputs};
use crate::gather::quotes::Quote;
use crate::index::Prepared;
use crate::request::Request;
use crate::search::why::Reasons;
use kitbag_core::{Cancel, Cancelled};
use kitbag_repo::{Globs, Root, WorkTree};
use kitbag_rules::{ConditionJudge, RuleDecision, RulesSettings};
use kitbag_text::{ChunkLimits, Source};
use kitbag_tokens::CachedCounter;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Gathers sources for a request.
///
/// ```
/// use kitbag::{Engine, Gathered, Gathering, Kind, Provider, ProviderError, Source, Text};
/// use std::sync::Arc;
///
/// /// Provides the notes of the engineer on call.
/// struct OnCall;
///
/// impl Provider for OnCall {
///     fn id(&self) -> &str {
///         "on_call"
///     }
///
///     fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
///         gathering.cancel().check()?;
///         let text = Arc::new(Text::new("The login service was deployed an hour ago.\n"));
///         Ok(vec![Source::new("notes/on-call.md", Kind::Other, text)].into())
///     }
/// }
///
/// let engine = Engine::new()?.with_provider(OnCall)?;
/// assert!(engine.providers().iter().any(|provider| provider.id == "on_call"));
/// # Ok::<(), kitbag::Error>(())
/// ```
pub trait Provider: Send + Sync {
    /// Returns the name used in requests, settings and reports: lowercase letters, digits and
    /// underscores.
    fn id(&self) -> &str;

    /// Returns the title of the section that contains its sources.
    fn title(&self) -> &str {
        self.id()
    }

    /// Returns a one-sentence description of the sources it gathers.
    fn description(&self) -> &str {
        ""
    }

    /// Returns the priority of its sources, from 0 to 100, which overrides the priority of their
    /// kinds.
    fn priority(&self) -> Option<u32> {
        None
    }

    /// Returns the timeout of a call, used if no setting specifies one.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// Whether the request has any input for this provider. If not, it is not called and is
    /// reported as empty.
    fn applies(&self, _request: &Request) -> bool {
        true
    }

    /// Whether the request has input that only this provider uses, so that the input is ignored if
    /// the provider is off.
    #[doc(hidden)]
    fn has_input(&self, _request: &Request) -> bool {
        false
    }

    /// Whether the request switches this provider on although the configuration does not.
    #[doc(hidden)]
    fn is_enabled_by(&self, _request: &Request) -> bool {
        false
    }

    /// Gathers sources. Paths are relative to the root; the engine rejects paths that are denied or
    /// lead outside it. Long-running work should check [`Gathering::cancel`] regularly and stop
    /// once it is cancelled.
    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError>;

    /// Returns the data about the repository that must be available before the call.
    #[doc(hidden)]
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    /// Whether the answer to this request is the same without that data, so that a call under a deadline
    /// does not wait for it.
    #[doc(hidden)]
    fn starts_early(&self, _gathering: &Gathering) -> bool {
        false
    }
}

/// Data about a repository, the fastest to obtain first.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// No data.
    Nothing,
    /// The list of files. If time is short, the provider is called without it.
    Files,
    /// The git history of the files. If time is short, the provider is called without it.
    RecentHistory,
    /// The git history of the files.
    History,
    /// The indexed contents of the files.
    Index,
}

/// The request and everything else that a provider can use while it gathers.
#[derive(Clone)]
pub struct Gathering {
    pub(crate) request: Arc<Request>,
    pub(crate) root: Arc<Root>,
    pub(crate) globs: Arc<Globs>,
    pub(crate) chunking: Arc<ChunkLimits>,
    pub(crate) counting: Arc<CachedCounter>,
    pub(crate) pools: Arc<ComputePools>,
    pub(crate) chunk_cache: Arc<ChunkCache>,
    pub(crate) change: Option<Arc<RequestedChange>>,
    pub(crate) editor: Option<Arc<Editor>>,
    pub(crate) tree: Option<Arc<WorkTree>>,
    pub(crate) prepared: Option<Arc<Prepared>>,
    pub(crate) has_deadline: bool,
    pub(crate) guides: Arc<Vec<String>>,
    pub(crate) rules: RuleServices,
    pub(crate) budget: usize,
    pub(crate) redact: bool,
    pub(crate) limits: ProviderLimits,
    pub(crate) until: Option<Instant>,
    pub(crate) cancel: Cancel,
}

impl Gathering {
    /// Returns the request that the sources are for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the root of the repository, which gives access to its files.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the maximum number of tokens in the pack.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Returns the limits on the provider's answer. The engine drops whatever exceeds them.
    pub fn limits(&self) -> ProviderLimits {
        self.limits
    }

    /// Returns the time by which the provider must answer. A later answer is ignored.
    pub fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Returns the cancellation flag, which is set once the answer is no longer needed.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Gathering {
    /// Returns a gatherer for inputs of the request.
    pub(crate) fn gatherer(&self) -> Gatherer<'_> {
        Gatherer {
            root: &self.root,
            limits: &self.chunking,
            counting: &self.counting,
            redact: self.redact,
        }
    }

    /// Returns a chunker that reuses the chunks of earlier requests.
    pub(crate) fn chunker(&self) -> CachedChunker<'_> {
        CachedChunker { cache: &self.chunk_cache, counting: &self.counting, cancel: &self.cancel }
    }
}

/// Settings and services used to evaluate rules.
#[derive(Clone, Default)]
pub(crate) struct RuleServices {
    pub settings: RulesSettings,
    pub judge: Option<Arc<dyn ConditionJudge>>,
    /// Reason why the configured judge is unavailable.
    pub judge_problem: Option<String>,
}

/// Limits on the answer of a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProviderLimits {
    /// Maximum number of items.
    pub max_items: Option<usize>,
    /// Maximum number of tokens.
    pub max_tokens: Option<usize>,
}

/// The answer of a provider.
#[derive(Default)]
pub struct Gathered {
    pub(crate) inputs: Inputs,
    pub(crate) warnings: Vec<String>,
    /// Number of files searched.
    pub(crate) files_searched: usize,
    pub(crate) rules: Vec<RuleDecision>,
    /// Files whose lines are part of the sources.
    pub(crate) quotes: Vec<Quote>,
    /// Data that explains why the search selected its results.
    pub(crate) reasons: Option<Box<Reasons>>,
    /// Whether `max_items` has been applied already, for items that are not sources.
    pub(crate) is_limited: bool,
    /// Whether sources without a timestamp get the time of their file's last change.
    pub(crate) is_undated: bool,
    /// Whether sources have labels, which do not refer to files, instead of paths. Labels are
    /// escaped where they are shown and are not checked as paths.
    pub(crate) is_labeled: bool,
}

impl Gathered {
    /// Adds a warning for the caller.
    #[must_use]
    pub fn with_warning(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }
}

impl From<Vec<Source>> for Gathered {
    fn from(sources: Vec<Source>) -> Self {
        Self { inputs: Inputs { sources, ..Inputs::default() }, ..Self::default() }
    }
}

/// The reason why a provider returned no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// The provider failed. The pack is made without it, and the report includes the message.
    #[error("{0}")]
    Failed(String),
    /// The request itself is invalid, so no pack is made.
    #[error(transparent)]
    Request(Box<Error>),
    /// The call was cancelled because the answer is no longer needed.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl ProviderError {
    /// Creates a failure with a message for the report.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    pub(crate) fn request(error: impl Into<Error>) -> Self {
        Self::Request(Box::new(error.into()))
    }
}
