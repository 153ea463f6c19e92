//! Providers: who gathers the sources of a pack.
//!
//! A provider is one trait with an id and a way to gather. It runs on a thread of its own, beside the
//! others, under a timeout; it may fail, panic or hang, and costs the pack only its own content.

use crate::cut::Cuts;
use crate::editor::Editor;
use crate::error::Error;
use crate::indexes::Prepared;
use crate::inputs::Inputs;
use crate::pools::Pools;
use crate::request::Request;
use crate::rules::{ConditionJudge, RuleDecision, RulesSettings};
use crate::why::Reasons;
use kitbag_core::{Cancel, Cancelled};
use kitbag_repo::{Globs, Root, WorkTree};
use kitbag_text::{ChunkLimits, Source};
use kitbag_tokens::Counting;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Gathers sources for a request.
///
/// ```
/// use kitbag::{Engine, Gathered, Gathering, Kind, Provider, ProviderError, Source, Text};
/// use std::sync::Arc;
///
/// /// Brings the notes of whoever is on call.
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
    /// Its name in requests, settings and reports: small letters, digits and underscores.
    fn id(&self) -> &str;

    /// What a section with its sources is called.
    fn title(&self) -> &str {
        self.id()
    }

    /// What it gathers, in a sentence.
    fn description(&self) -> &str {
        ""
    }

    /// The priority of its sources, from 0 to 100, in place of that of their kinds.
    fn priority(&self) -> Option<u32> {
        None
    }

    /// How long a call may take, where no setting says so.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// Whether a request has anything for it. It is not asked otherwise, and counts as empty.
    fn applies(&self, _request: &Request) -> bool {
        true
    }

    /// Gathers. Paths are relative to the root; what leads out of it, or is denied, is rejected by the
    /// engine. Long work looks at [`Gathering::cancel`] now and then: once nobody waits any more, it
    /// should end.
    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError>;

    /// What has to be known of the repository before it is asked.
    #[doc(hidden)]
    fn needs(&self) -> Needs {
        Needs::Nothing
    }
}

/// What has to be known of a repository, the quickest first.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Its files; where the time is short, it is asked without.
    Files,
    /// What git says of them.
    Past,
    /// Their contents.
    Index,
}

/// What a provider may look at while it gathers.
#[derive(Clone)]
pub struct Gathering {
    pub(crate) request: Arc<Request>,
    pub(crate) root: Arc<Root>,
    pub(crate) globs: Arc<Globs>,
    pub(crate) chunking: Arc<ChunkLimits>,
    pub(crate) counting: Arc<Counting>,
    pub(crate) pools: Arc<Pools>,
    pub(crate) cuts: Arc<Cuts>,
    pub(crate) editor: Option<Arc<Editor>>,
    /// The files of the repository.
    pub(crate) tree: Option<Arc<WorkTree>>,
    pub(crate) prepared: Option<Arc<Prepared>>,
    /// Whether the pack has a deadline.
    pub(crate) is_in_haste: bool,
    pub(crate) guides: Arc<Vec<String>>,
    pub(crate) rules: Ruling,
    pub(crate) budget: usize,
    pub(crate) redact: bool,
    pub(crate) limits: ProviderLimits,
    pub(crate) until: Option<Instant>,
    pub(crate) cancel: Cancel,
}

impl Gathering {
    /// What the caller asks for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The repository's folder, and the way to its files.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The tokens that the pack may have.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// How much the provider may give: what is more is left out by the engine.
    pub fn limits(&self) -> ProviderLimits {
        self.limits
    }

    /// When the answer has to be there: later it is not waited for.
    pub fn until(&self) -> Option<Instant> {
        self.until
    }

    /// The flag that is up once nobody waits for the answer.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

/// How rules are decided.
#[derive(Clone, Default)]
pub(crate) struct Ruling {
    pub settings: RulesSettings,
    pub judge: Option<Arc<dyn ConditionJudge>>,
    /// Why nobody judges, where somebody should.
    pub trouble: Option<String>,
}

/// How much a provider may give.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProviderLimits {
    /// So many items at the most.
    pub max_items: Option<usize>,
    /// So many tokens at the most.
    pub max_tokens: Option<usize>,
}

/// What a provider gathered.
#[derive(Default)]
pub struct Gathered {
    pub(crate) inputs: Inputs,
    /// What the caller should know.
    pub(crate) warnings: Vec<String>,
    /// How many files were searched.
    pub(crate) files_searched: usize,
    /// Which rules apply.
    pub(crate) rules: Vec<RuleDecision>,
    /// Why what was found was found.
    pub(crate) reasons: Option<Box<Reasons>>,
    /// Whether `max_items` is kept to already, where items are not sources.
    pub(crate) is_limited: bool,
    /// Whether sources without a time get the one of their file's last change.
    pub(crate) is_undated: bool,
    /// Whether sources are called by labels, which lead to no file: they are escaped where they are
    /// shown, and not checked as paths.
    pub(crate) is_labelled: bool,
}

impl Gathered {
    /// What the caller should know of how it was gathered.
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

/// Why a provider gathered nothing.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// It failed. The pack is made without it, and says so.
    #[error("{0}")]
    Failed(String),
    /// The request itself is at fault: there is no pack.
    #[error(transparent)]
    Request(Box<Error>),
    /// Nobody waits any more.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl ProviderError {
    /// A failure, in words.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    pub(crate) fn request(error: impl Into<Error>) -> Self {
        Self::Request(Box::new(error.into()))
    }
}
