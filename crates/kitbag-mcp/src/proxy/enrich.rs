//! The context of a call: which calls get one, and how it is packed.

use super::call::ToolCall;
use super::{ProxyError, ProxyOptions};
use globset::{Glob, GlobSet, GlobSetBuilder};
use kitbag::RulesRequest;
use kitbag::{Cancel, Engine, Report, Request, Root};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinHandle};

/// Bounds on the bytes of arguments that become the task. In between, it is one byte per token of
/// the budget, about a quarter of the context: the section of the rules repeats the call.
const MIN_TASK_BYTES: usize = 1_000;
const MAX_TASK_BYTES: usize = 20_000;

/// A context that is being packed.
pub(super) type ContextTask = JoinHandle<Result<CallContext, String>>;

/// The result of a [`ContextTask`].
pub(super) type ContextResult = Result<Result<CallContext, String>, JoinError>;

/// Packs the context of calls.
pub(super) struct Enricher {
    engine: Arc<Engine>,
    settings: ContextSettings,
    tools: Option<GlobSet>,
    no_tools: GlobSet,
    timeout: Duration,
}

/// The settings that all contexts share.
#[derive(Debug, Clone)]
struct ContextSettings {
    repo: PathBuf,
    budget: usize,
    profile: Option<String>,
    context: Option<String>,
}

/// The context of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallContext {
    /// The packed text; may be empty.
    pub text: String,
    /// The files that it is from.
    files: Vec<String>,
    tokens: usize,
}

impl CallContext {
    /// Returns the `contextUsed` of a result.
    pub fn used(&self) -> Value {
        json!({ "names": self.files, "tokens": self.tokens })
    }

    /// Returns the text as a content block, unless it is empty.
    pub fn block(&self) -> Option<Value> {
        (!self.text.is_empty()).then(|| json!({ "type": "text", "text": self.text }))
    }
}

impl From<Report> for CallContext {
    fn from(report: Report) -> Self {
        Self {
            text: report.content.unwrap_or_default(),
            files: report.stats.files_included,
            tokens: report.total_tokens,
        }
    }
}

impl Enricher {
    pub fn new(engine: Engine, options: &ProxyOptions) -> Result<Self, ProxyError> {
        let tools = (!options.tools.is_empty()).then(|| globs(&options.tools)).transpose()?;
        if options.budget > 0 {
            match engine.watch(&options.repo) {
                Err(error) if error.is_usage() => return Err(error.into()),
                // A repository that cannot be watched is walked on every call.
                _ => {}
            }
        }
        Ok(Self {
            engine: Arc::new(engine),
            settings: ContextSettings {
                repo: options.repo.clone(),
                budget: options.budget,
                profile: options.profile.clone(),
                context: options.context.clone(),
            },
            tools,
            no_tools: globs(&options.no_tools)?,
            timeout: options.context_timeout,
        })
    }

    /// Fails if the configured rules context does not exist.
    pub async fn check(&self) -> Result<(), ProxyError> {
        let ContextSettings { repo, budget, context, .. } = &self.settings;
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
        self.settings.budget > 0 && is_included && !self.no_tools.is_match(tool)
    }

    /// Starts packing the context of a call. If that fails, the call goes on without.
    pub fn start(&self, tool: String, arguments: Value) -> ContextTask {
        let (engine, settings, timeout) =
            (Arc::clone(&self.engine), self.settings.clone(), self.timeout);
        tokio::spawn(async move {
            let call = ToolCall { tool: &tool, arguments: &arguments };
            match tokio::time::timeout(timeout, settings.pack(&engine, &call)).await {
                Ok(Ok(report)) => Ok(report.into()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!("it took longer than {} ms", timeout.as_millis())),
            }
        })
    }
}

impl ContextSettings {
    async fn pack(&self, engine: &Engine, call: &ToolCall<'_>) -> Result<Report, kitbag::Error> {
        let files = Root::open(&self.repo).map(|root| call.files(&root)).unwrap_or_default();
        let request = call.request(self.budget.clamp(MIN_TASK_BYTES, MAX_TASK_BYTES));
        let named_context = request.context.clone();
        let request = Request {
            repo: Some(self.repo.clone()),
            budget: Some(self.budget),
            profile: self.profile.clone(),
            context: named_context.clone().or_else(|| self.context.clone()),
            references: files,
            ..request
        };
        let cancel = Cancel::default();
        match engine.pack(request.clone(), &cancel).await {
            // The tool's argument `context` may mean something other than a rules context.
            Err(error) if error.is_usage() && named_context.is_some() => {
                let request = Request { context: self.context.clone(), ..request };
                engine.pack(request, &cancel).await
            }
            packed => packed,
        }
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
