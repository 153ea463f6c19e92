//! The context of a call: which calls get one, and how it is packed.

use super::call::ToolCall;
use super::{ProxyError, ProxyOptions};
use globset::{Glob, GlobSet, GlobSetBuilder};
use kitbag::{Cancel, Engine, Report, Request, Root, RulesRequest};
use serde_json::{Value, json};
use std::sync::Arc;
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
    engine: Engine,
    pub options: ProxyOptions,
    tools: Option<GlobSet>,
    no_tools: GlobSet,
}

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
    pub fn new(engine: Engine, options: ProxyOptions) -> Result<Arc<Self>, ProxyError> {
        let tools = (!options.tools.is_empty()).then(|| globs(&options.tools)).transpose()?;
        let no_tools = globs(&options.no_tools)?;
        if options.budget > 0 {
            match engine.watch(&options.repo) {
                Err(error) if error.is_usage() => return Err(error.into()),
                // A repository that cannot be watched is walked on every call.
                _ => {}
            }
        }
        Ok(Arc::new(Self { engine, options, tools, no_tools }))
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
    pub fn start(self: &Arc<Self>, tool: String, arguments: Value) -> ContextTask {
        let enricher = Arc::clone(self);
        tokio::spawn(async move {
            let call = ToolCall { tool: &tool, arguments: &arguments };
            let timeout = enricher.options.context_timeout;
            match tokio::time::timeout(timeout, enricher.pack(&call)).await {
                Ok(Ok(report)) => Ok(report.into()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!("it took longer than {} ms", timeout.as_millis())),
            }
        })
    }

    async fn pack(&self, call: &ToolCall<'_>) -> Result<Report, kitbag::Error> {
        let ProxyOptions { repo, budget, profile, context, .. } = &self.options;
        let request = call.request((*budget).clamp(MIN_TASK_BYTES, MAX_TASK_BYTES));
        let named_context = request.context.clone();
        let request = Request {
            repo: Some(repo.clone()),
            budget: Some(*budget),
            profile: profile.clone(),
            context: named_context.clone().or_else(|| context.clone()),
            references: Root::open(repo).map(|root| call.files(&root)).unwrap_or_default(),
            ..request
        };
        let cancel = Cancel::default();
        match self.engine.pack(request.clone(), &cancel).await {
            // The tool's argument `context` may mean something other than a rules context.
            Err(error) if error.is_usage() && named_context.is_some() => {
                let request = Request { context: context.clone(), ..request };
                self.engine.pack(request, &cancel).await
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
