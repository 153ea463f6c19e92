//! What the tools do. Each gives a text for people and models, and the same as data.

mod explain;
mod pack;
mod providers;
mod search;

use crate::catalogue::Name;
use crate::client::Client;
use crate::packs::Pack;
use crate::request::{ArgumentError, Arguments, check};
use kitbag::{Cancel, UnknownProvider};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use pack::packed;

/// What a tool gives.
pub(crate) struct Outcome {
    /// What people and models read.
    pub text: String,
    /// The same as data.
    pub data: Value,
    /// The pack that was made, to be kept.
    pub pack: Option<Arc<Pack>>,
}

/// Why a tool gives nothing. It is for the model to read, which can call again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    /// The arguments are wrong.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// The engine refuses, or failed.
    #[error(transparent)]
    Engine(#[from] kitbag::Error),
    /// There is no such provider.
    #[error("no provider is called `{}`", .0.id)]
    Provider(UnknownProvider),
    /// Too many others wait.
    #[error("too many calls are waiting")]
    Busy,
    /// It took too long.
    #[error("the call took longer than {} ms", limit.as_millis())]
    Timeout {
        /// The time that it had.
        limit: Duration,
    },
}

impl ToolError {
    /// What the model reads.
    pub fn told(&self) -> String {
        let hint = match self {
            Self::Engine(error) => hint(error),
            Self::Arguments(ArgumentError::Request(error)) => error.hint(),
            Self::Provider(unknown) => Some(format!("did you mean `{}`?", unknown.nearest)),
            Self::Arguments(_) => None,
            Self::Busy => Some("call again in a moment".into()),
            Self::Timeout { .. } => {
                Some("the first call on a large repository reads all of it; call again".into())
            }
        };
        match hint {
            Some(hint) => format!("{self}\nHint: {hint}"),
            None => self.to_string(),
        }
    }
}

/// What to do about an error of the engine, in words of the tools: a model has no command line.
fn hint(error: &kitbag::Error) -> Option<String> {
    use kitbag::Error;
    let hint = match error {
        Error::NothingToPack => "say in `task` what you are doing",
        Error::NothingToFind => "say in `task` what you look for",
        Error::NoDocument => "name the file in `document`: {\"path\": \"src/auth.rs\"}",
        Error::Budget(_) => "give the pack's own limit in `budget`",
        Error::Path(_) if error.hint().is_some() => "paths are relative to the repository's root",
        Error::NeedsTokenizer(_) => {
            "name another `model`, or none; the user can set `model.tokenizer` for this one"
        }
        error => return error.hint(),
    };
    Some(hint.to_owned())
}

/// Runs a tool.
pub(crate) async fn run(
    client: &Client,
    tool: Name,
    mut arguments: Arguments,
    cancel: &Cancel,
) -> Result<Outcome, ToolError> {
    let about = tool.about();
    check(&mut arguments, (&about.own(), &about.fields()), about.required)?;
    match tool {
        Name::Pack => pack::pack(client, &arguments, cancel).await,
        Name::Preview => pack::preview(client, &arguments, cancel).await,
        Name::Search => search::search(client, &arguments, cancel).await,
        Name::Explain => explain::explain(client, &arguments, cancel).await,
        Name::ListProviders => providers::list(client, &arguments, cancel).await,
        Name::SetProvider => providers::set(client, &arguments),
    }
}

/// What the client gets.
pub(crate) fn result(outcome: Result<Outcome, ToolError>) -> CallToolResult {
    let Outcome { text, data, pack } = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return CallToolResult::error(vec![ContentBlock::text(error.told())]),
    };
    let mut result = CallToolResult::structured(data);
    result.content = vec![ContentBlock::text(text)];
    if let Some(pack) = pack {
        result.content.push(ContentBlock::resource_link(resource(&pack)));
    }
    result
}

/// A pack as a resource.
pub(crate) fn resource(pack: &Pack) -> Resource {
    Resource::new(pack.uri(), format!("pack-{}", &pack.id[..8.min(pack.id.len())]))
        .with_title(pack.title.clone())
        .with_description(format!("{} tokens of code for this task", pack.tokens))
        .with_mime_type(pack.mime)
        .with_size(pack.text.len() as u64)
}

/// An item of a report without the fields that say nothing, so that it follows its schema.
pub(crate) fn item(item: &impl serde::Serialize, without: &[&str]) -> Value {
    let mut value = serde_json::to_value(item).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, value| !value.is_null() && !without.contains(&name.as_str()));
    }
    value
}
