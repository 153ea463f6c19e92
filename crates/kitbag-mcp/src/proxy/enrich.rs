//! The context of a call: which calls get one, and what it is.

use super::call::Call;
use super::{ProxyError, ProxyOptions};
use globset::{Glob, GlobSet, GlobSetBuilder};
use kitbag::rules::RulesRequest;
use kitbag::{Cancel, Engine, Report, Request, Root};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// The argument that a tool gets its context by, if its schema names it.
pub(super) const ARGUMENT: &str = "_context";

/// How much of a call's arguments is read, in characters: about a quarter of the tokens that the
/// context may have, since the rules' part of it says what the call is.
const LEAST_READ: usize = 1_000;
const MOST_READ: usize = 20_000;

/// A context that is being made, or why there will be none.
pub(super) type Making = JoinHandle<Result<Context, String>>;

/// Makes the context of calls.
pub(super) struct Enricher {
    engine: Arc<Engine>,
    asking: Asking,
    tools: Option<GlobSet>,
    no_tools: GlobSet,
    patience: Duration,
}

/// What every context is asked for with.
#[derive(Debug, Clone)]
struct Asking {
    repo: PathBuf,
    budget: usize,
    profile: Option<String>,
    context: Option<String>,
}

/// The context of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Context {
    /// The text, which may be empty.
    pub text: String,
    /// The files that it is from.
    pub names: Vec<String>,
    /// Its tokens.
    pub tokens: usize,
}

impl Context {
    /// What is told of it in a result.
    pub fn used(&self) -> Value {
        json!({ "names": self.names, "tokens": self.tokens })
    }

    /// It as a block of a result's content.
    pub fn block(&self) -> Option<Value> {
        (!self.text.is_empty()).then(|| json!({ "type": "text", "text": self.text }))
    }
}

impl From<Report> for Context {
    fn from(report: Report) -> Self {
        Self {
            text: report.content.unwrap_or_default(),
            names: report.stats.files_included,
            tokens: report.total_tokens,
        }
    }
}

impl Enricher {
    pub fn new(engine: Engine, options: &ProxyOptions) -> Result<Self, ProxyError> {
        let tools = (!options.tools.is_empty()).then(|| globs(&options.tools)).transpose()?;
        if options.budget > 0 {
            // Where a repository cannot be watched, every call walks it.
            match engine.watch(&options.repo) {
                Err(error) if error.is_usage() => return Err(error.into()),
                _ => {}
            }
        }
        Ok(Self {
            engine: Arc::new(engine),
            asking: Asking {
                repo: options.repo.clone(),
                budget: options.budget,
                profile: options.profile.clone(),
                context: options.context.clone(),
            },
            tools,
            no_tools: globs(&options.no_tools)?,
            patience: options.patience,
        })
    }

    /// Fails where the context of the rules that is asked for is none.
    pub async fn check(&self) -> Result<(), ProxyError> {
        if self.asking.context.is_some() && self.asking.budget > 0 {
            let (repo, context) = (Some(self.asking.repo.clone()), self.asking.context.clone());
            let request = RulesRequest { repo, context, ..RulesRequest::default() };
            self.engine.rules(request, &Cancel::default()).await?;
        }
        Ok(())
    }

    /// Whether calls of a tool are enriched.
    pub fn is_for(&self, tool: &str) -> bool {
        let is_in = self.tools.as_ref().is_none_or(|tools| tools.is_match(tool));
        self.asking.budget > 0 && is_in && !self.no_tools.is_match(tool)
    }

    /// Begins to make the context of a call. What goes wrong costs the context, not the call.
    pub fn begin(&self, tool: String, arguments: Value) -> Making {
        let (engine, asking, patience) =
            (Arc::clone(&self.engine), self.asking.clone(), self.patience);
        tokio::spawn(async move {
            let call = Call { tool: &tool, arguments: &arguments };
            match tokio::time::timeout(patience, asking.pack(&engine, &call)).await {
                Ok(Ok(report)) => Ok(report.into()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!("it took longer than {} ms", patience.as_millis())),
            }
        })
    }
}

impl Asking {
    async fn pack(&self, engine: &Engine, call: &Call<'_>) -> Result<Report, kitbag::Error> {
        let files = Root::open(&self.repo).map(|root| call.files(&root)).unwrap_or_default();
        let said = call.request(self.budget.clamp(LEAST_READ, MOST_READ));
        let named = said.context.clone();
        let request = Request {
            repo: Some(self.repo.clone()),
            budget: Some(self.budget),
            profile: self.profile.clone(),
            context: named.clone().or_else(|| self.context.clone()),
            references: files,
            ..said
        };
        let cancel = Cancel::default();
        let packed = engine.pack(request.clone(), &cancel).await;
        match (packed, named) {
            // The tool's own argument `context` may be something else than the name of one.
            (Err(error), Some(_)) if error.is_usage() => {
                let request = Request { context: self.context.clone(), ..request };
                engine.pack(request, &cancel).await
            }
            (packed, _) => packed,
        }
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, ProxyError> {
    let wrong = |glob: &str, error: globset::Error| ProxyError::Glob {
        glob: glob.to_owned(),
        message: error.kind().to_string(),
    };
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| wrong(pattern, error))?);
    }
    builder.build().map_err(|error| wrong("", error))
}
