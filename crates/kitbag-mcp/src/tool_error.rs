//! Errors of tool calls.

use crate::repos::UnknownRepo;
use kitbag::{RequestError, UnknownProvider};
use serde_json::Value;
use std::time::Duration;

/// Why a call failed. The model reads it and may call again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("unknown argument `{name}`{hint}")]
    UnknownArgument { name: String, hint: String },
    #[error("`{name}` must be from {min} to {max}, not {value}")]
    OutOfRange { name: String, min: u64, max: u64, value: Value },
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Repo(#[from] UnknownRepo),
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    #[error("unknown provider `{}`", .0.id)]
    Provider(UnknownProvider),
    #[error("too many calls are waiting")]
    Busy,
    #[error("the call took longer than {} ms", limit.as_millis())]
    Timeout { limit: Duration },
    #[error("the client has cancelled the call")]
    Cancelled,
}

impl ToolError {
    /// Returns the message with its hint.
    pub fn message(&self) -> String {
        let hint = match self {
            Self::Engine(error) => engine_hint(error),
            Self::Request(error) => error.hint(),
            Self::Provider(unknown) => unknown.hint.clone(),
            Self::Busy => Some("call again in a moment".into()),
            Self::Timeout { .. } => {
                Some("the first call on a large repository reads all of it; call again".into())
            }
            Self::UnknownArgument { .. }
            | Self::OutOfRange { .. }
            | Self::Repo(_)
            | Self::Cancelled => None,
        };
        match hint {
            Some(hint) => format!("{self}\nHint: {hint}"),
            None => self.to_string(),
        }
    }
}

/// Returns the hint of an engine error in terms of arguments: a model has no command line.
fn engine_hint(error: &kitbag::Error) -> Option<String> {
    use kitbag::Error;
    let hint = match error {
        Error::NothingToPack => "describe in `task` what you are doing",
        Error::SymbolName => "for a question in words, use `search_code`",
        Error::RepeatWithoutSession => "pass the `session` whose code you want again",
        Error::Root(_) => "the repository may have been moved or deleted; ask the user",
        Error::NotAProject { .. } => {
            "the user has to open the folder of a project, or start the server with \
             `kitbag mcp --repo DIR`"
        }
        Error::EmptySearch => "describe in `task` what you are looking for",
        Error::NoDocument => "name the file in `document`: {\"path\": \"src/auth.rs\"}",
        Error::Budget(_) => "set `budget`",
        Error::Path(_) if error.hint().is_some() => {
            "paths are relative to the root of the repository"
        }
        Error::NeedsTokenizer(_) => {
            "omit `model` or name another one; the user can set `model.tokenizer` for this one"
        }
        error => return error.hint(),
    };
    Some(hint.to_owned())
}
