//! The context of a call: which calls get one, and how it is packed.
//!
//! It has two parts, each a pack with a label: the rules that hold, and the code that the arguments are
//! likely about. Rules come first and are in every call. Code is left out if it was in the call before.

use super::call::ToolCall;
use super::{ProxyError, ProxyOptions};
use globset::{Glob, GlobSet, GlobSetBuilder};
use kitbag::{Cancel, Engine, IncludedItem, Report, Request, Root, RulesRequest};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::{JoinError, JoinHandle};

/// Bounds on the bytes of arguments that become the task. In between, it is one byte per token of
/// the budget, about a quarter of the context: the section of the rules repeats the call.
const MIN_TASK_BYTES: usize = 1_000;
const MAX_TASK_BYTES: usize = 20_000;

/// The labels of the two parts. Without one, a model takes the text for the tool's own.
const RULES_LABEL: &str =
    "Added by Kitbag, not by the tool: rules of this repository for this call.";
const CODE_LABEL: &str =
    "Added by Kitbag, not by the tool: code of this repository that is likely related.";

const RULES_PROVIDER: &str = "rules";
const SEARCH_PROVIDER: &str = "search";

/// Name of this interface in requests to the engine.
const PROXY_INTERFACE: &str = "proxy";

/// A context that is being packed.
pub(super) type ContextTask = JoinHandle<Result<CallContext, String>>;

/// The result of a [`ContextTask`].
pub(super) type ContextResult = Result<Result<CallContext, String>, JoinError>;

/// Packs the context of calls.
pub(super) struct Enricher {
    engine: Engine,
    pub options: ProxyOptions,
    tools: Option<GlobSet>,
    no_tools: GlobSet,
    /// The code that the last call was about, sent or not.
    last_code: Mutex<BTreeSet<ChunkKey>>,
}

/// The lines of a chunk and their content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ChunkKey {
    path: String,
    start_line: u32,
    sha256: [u8; 32],
}

impl ChunkKey {
    fn new(item: &IncludedItem) -> Self {
        let sha256 = Sha256::digest(&item.text).into();
        Self { path: item.path.clone(), start_line: item.start_line, sha256 }
    }
}

/// The files that a call names.
struct NamedFiles {
    /// The files that exist.
    files: Vec<String>,
    /// All paths, also of files that do not exist yet.
    paths: Vec<String>,
}

/// Where a call gets its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// In an argument, before the tool runs.
    Argument,
    /// In the result.
    Result,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallContext {
    /// The packed text; may be empty.
    pub text: String,
    /// The files and rules that it is from.
    names: Vec<String>,
    tokens: usize,
}

impl CallContext {
    /// Returns the `contextUsed` of a result.
    pub fn used(&self) -> Value {
        json!({ "names": self.names, "tokens": self.tokens })
    }

    /// Adds a pack. A pack without chunks adds nothing, not even its label.
    fn add(&mut self, report: Report) {
        if report.included.is_empty() {
            return;
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&report.content.unwrap_or_default());
        self.names.extend(report.stats.files_included);
        self.tokens += report.total_tokens;
    }
}

impl Enricher {
    pub fn new(engine: Engine, options: ProxyOptions) -> Result<Arc<Self>, ProxyError> {
        let tools = (!options.tools.is_empty()).then(|| globs(&options.tools)).transpose()?;
        let no_tools = globs(&options.no_tools)?;
        if !(0.0..=1.0).contains(&options.min_relevance) {
            return Err(ProxyError::Relevance { value: options.min_relevance });
        }
        if options.budget > 0 {
            match engine.watch(&options.repo) {
                Err(error) if error.is_usage() => return Err(error.into()),
                // A repository that cannot be watched is walked on every call.
                _ => {}
            }
        }
        Ok(Arc::new(Self { engine, options, tools, no_tools, last_code: Mutex::default() }))
    }

    /// Fails if the configured rules context does not exist.
    pub async fn check(&self) -> Result<(), ProxyError> {
        let ProxyOptions { repo, budget, context, .. } = &self.options;
        if context.is_some() && *budget > 0 {
            let (repo, context) = (Some(repo.clone()), context.clone());
            let request = RulesRequest { repo, context, ..RulesRequest::default() };
            self.engine.rules(request, &Cancel::default()).await?;
        }
        Ok(())
    }

    /// Whether calls of a tool get a context.
    pub fn applies_to(&self, tool: &str) -> bool {
        let is_included = self.tools.as_ref().is_none_or(|tools| tools.is_match(tool));
        self.options.budget > 0 && is_included && !self.no_tools.is_match(tool)
    }

    /// Starts packing the context of a call. If that fails, the call goes on without.
    pub fn start(
        self: &Arc<Self>,
        tool: String,
        arguments: Value,
        placement: Placement,
    ) -> ContextTask {
        let enricher = Arc::clone(self);
        tokio::spawn(async move {
            let call = ToolCall { tool: &tool, arguments: &arguments };
            let timeout = enricher.options.context_timeout;
            match tokio::time::timeout(timeout, enricher.pack(&call, placement)).await {
                Ok(Ok(context)) => Ok(context),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!("it took longer than {} ms", timeout.as_millis())),
            }
        })
    }

    async fn pack(
        &self,
        call: &ToolCall<'_>,
        placement: Placement,
    ) -> Result<CallContext, kitbag::Error> {
        let root = Root::open(&self.options.repo).ok();
        let files = root.as_ref().map(|root| call.files(root)).unwrap_or_default();
        let paths = root.as_ref().map(|root| call.named_paths(root)).unwrap_or_default();
        let mut context = CallContext::default();
        context.add(self.pack_rules(call, &files).await?);
        // A line break between the two parts may cost a token.
        let budget = self.options.budget.saturating_sub(context.tokens + 1);
        let task = call.search_text(self.max_task_bytes()).unwrap_or_default();
        let has_references = placement == Placement::Argument && !files.is_empty();
        if budget > 0 && (has_references || !task.is_empty()) {
            let named = NamedFiles { files, paths };
            let request = self.code_request(task, named, placement, budget);
            if let Some(report) = self.pack_code(request).await? {
                context.add(report);
            }
        }
        Ok(context)
    }

    fn max_task_bytes(&self) -> usize {
        self.options.budget.clamp(MIN_TASK_BYTES, MAX_TASK_BYTES)
    }

    /// Packs the rules that hold for a call.
    async fn pack_rules(
        &self,
        call: &ToolCall<'_>,
        files: &[String],
    ) -> Result<Report, kitbag::Error> {
        let others = self.engine.providers().into_iter().map(|provider| provider.id);
        let request = call.request(self.max_task_bytes());
        let named_context = request.context.clone();
        let configured = &self.options.context;
        let request = Request {
            context: named_context.clone().or_else(|| configured.clone()),
            references: files.to_vec(),
            no_providers: others.filter(|id| id != RULES_PROVIDER).collect(),
            no_record: true,
            ..self.base_request(request, self.options.budget, RULES_LABEL)
        };
        let cancel = Cancel::default();
        match self.engine.pack(request.clone(), &cancel).await {
            // The tool's argument `context` may mean something other than a rules context.
            Err(error) if error.is_usage() && named_context.is_some() => {
                let request = Request { context: configured.clone(), ..request };
                self.engine.pack(request, &cancel).await
            }
            packed => packed,
        }
    }

    /// Returns the request for the code of a call. A file that the call names is the caller's own if the
    /// tool gets the context; a result would only repeat it.
    fn code_request(
        &self,
        task: String,
        named: NamedFiles,
        placement: Placement,
        budget: usize,
    ) -> Request {
        let NamedFiles { files, paths } = named;
        let (references, exclude) = match placement {
            Placement::Argument => (files, Vec::new()),
            Placement::Result => {
                let named = files.iter().chain(&paths);
                (Vec::new(), named.map(|file| globset::escape(file)).collect())
            }
        };
        let floor = ("context.selection.stop_below".to_owned(), self.options.min_relevance.into());
        let request = Request {
            task,
            references,
            exclude,
            no_providers: vec![RULES_PROVIDER.to_owned()],
            ..Request::default()
        };
        let mut request = self.base_request(request, budget, CODE_LABEL);
        request.options.push(floor);
        request
    }

    fn base_request(&self, request: Request, budget: usize, label: &str) -> Request {
        let ProxyOptions { repo, profile, .. } = &self.options;
        let header = ("context.formatting.header".to_owned(), label.into());
        Request {
            repo: Some(repo.clone()),
            budget: Some(budget),
            profile: profile.clone(),
            options: vec![header],
            via: PROXY_INTERFACE,
            tool: "tools/call",
            ..request
        }
    }

    /// Packs the code of a call, without what the call before was about. `None` if nothing is left.
    async fn pack_code(&self, request: Request) -> Result<Option<Report>, kitbag::Error> {
        let cancel = Cancel::default();
        if self.last_code().is_empty() {
            let report = self.engine.pack(request, &cancel).await?;
            *self.last_code() = report.included.iter().map(ChunkKey::new).collect();
            return Ok(Some(report));
        }
        let preview = self.engine.preview(request.clone(), &cancel).await?;
        let keys: BTreeSet<ChunkKey> = preview.included.iter().map(ChunkKey::new).collect();
        let last = std::mem::replace(&mut *self.last_code(), keys);
        let is_new = |item: &&IncludedItem| !last.contains(&ChunkKey::new(item));
        let new: Vec<&IncludedItem> = preview.included.iter().filter(is_new).collect();
        if new.is_empty() {
            return Ok(None);
        }
        if new.len() == preview.included.len() {
            return Ok(Some(self.engine.pack(request, &cancel).await?));
        }
        let mut request = request;
        let shown = |item: &&IncludedItem| -> Vec<String> {
            let lines = item.shown.iter();
            lines.map(|span| format!("{}:{}-{}", item.path, span.start, span.end)).collect()
        };
        request.references = new.iter().filter(|item| item.is_file).flat_map(shown).collect();
        request.no_providers.push(SEARCH_PROVIDER.to_owned());
        Ok(Some(self.engine.pack(request, &cancel).await?))
    }

    fn last_code(&self) -> std::sync::MutexGuard<'_, BTreeSet<ChunkKey>> {
        self.last_code.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, ProxyError> {
    let glob_error = |glob: &str, error: globset::Error| ProxyError::Glob {
        glob: glob.to_owned(),
        message: error.kind().to_string(),
    };
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| glob_error(pattern, error))?);
    }
    builder.build().map_err(|error| glob_error("", error))
}
