//! The context of a call: which calls get one, and what it is.

use super::{ProxyError, ProxyOptions};
use globset::{Glob, GlobSet, GlobSetBuilder};
use kitbag::{Cancel, Engine, Report, Request};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// The argument that a tool gets its context by, if its schema names it.
pub(super) const ARGUMENT: &str = "_context";

/// How much of a call's arguments is read, in characters.
const MOST_READ: usize = 20_000;

/// Makes the context of calls.
pub(super) struct Enricher {
    engine: Arc<Engine>,
    repo: PathBuf,
    budget: usize,
    profile: Option<String>,
    tools: Option<GlobSet>,
    no_tools: GlobSet,
    patience: Duration,
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
            repo: options.repo.clone(),
            budget: options.budget,
            profile: options.profile.clone(),
            tools,
            no_tools: globs(&options.no_tools)?,
            patience: options.patience,
        })
    }

    /// Whether calls of a tool are enriched.
    pub fn is_for(&self, tool: &str) -> bool {
        let is_in = self.tools.as_ref().is_none_or(|tools| tools.is_match(tool));
        self.budget > 0 && is_in && !self.no_tools.is_match(tool)
    }

    /// Begins to make the context of a call. What goes wrong costs the context, not the call.
    pub fn begin(&self, tool: &str, arguments: &Value) -> JoinHandle<Result<Context, String>> {
        let request = Request {
            task: task(tool, arguments),
            repo: Some(self.repo.clone()),
            budget: Some(self.budget),
            profile: self.profile.clone(),
            ..Request::default()
        };
        let (engine, patience) = (Arc::clone(&self.engine), self.patience);
        tokio::spawn(async move {
            let cancel = Cancel::default();
            match tokio::time::timeout(patience, engine.pack(request, &cancel)).await {
                Ok(Ok(report)) => Ok(report.into()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!("it took longer than {} ms", patience.as_millis())),
            }
        })
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

/// What a call is about: the tool, and every text in its arguments.
fn task(tool: &str, arguments: &Value) -> String {
    let mut task = tool.to_owned();
    // The arguments were read with a bound on their depth; a stack keeps the order.
    let mut open = vec![(None, arguments)];
    while let Some((name, value)) = open.pop() {
        if task.len() >= MOST_READ {
            break;
        }
        match value {
            Value::String(text) => {
                task.push('\n');
                if let Some(name) = name {
                    task.push_str(name);
                    task.push_str(": ");
                }
                task.extend(text.chars().take(MOST_READ));
            }
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (name, item))),
            Value::Object(fields) => {
                let fields = fields.iter().rev().filter(|(name, _)| *name != ARGUMENT);
                open.extend(fields.map(|(name, value)| (Some(name.as_str()), value)));
            }
            _ => {}
        }
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_about_its_tool_and_the_texts_of_its_arguments() {
        let arguments = json!({
            "path": "src/auth.rs",
            "edits": [{ "old": "a", "n": 5 }, { "old": "b" }],
            "_context": "no",
        });
        assert_eq!(task("edit_file", &arguments), "edit_file\npath: src/auth.rs\nold: a\nold: b");
        assert_eq!(task("ping", &Value::Null), "ping");
        assert!(task("t", &json!({ "a": "x".repeat(100_000), "b": "y" })).len() < MOST_READ + 20);
    }
}
