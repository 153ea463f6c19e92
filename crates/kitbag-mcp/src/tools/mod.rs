//! The tools. Each returns one text: clients that get structured data as well pass that to their model
//! instead, or both.

mod explain;
mod overview;
mod pack;
mod providers;
mod search;
mod symbol;

use crate::arguments::{self, Arguments};
use crate::packs::CachedPack;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use crate::tool_specs::{ToolName, ToolSpec};
use kitbag::{Cancel, parse_json};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) use pack::make_pack;

/// The member of a result's `_meta` with the facts of its pack. Programs read it; models do not see it.
const PACK_META_KEY: &str = "kitbag/pack";

/// The output of a tool.
pub(crate) struct CallOutput {
    text: String,
    /// The pack, to be added to the client's packs.
    pub pack: Option<Arc<CachedPack>>,
}

impl CallOutput {
    fn new(text: String) -> Self {
        Self { text, pack: None }
    }
}

/// Runs a tool.
pub(crate) async fn run(
    session: &ClientSession,
    tool: &ToolSpec,
    arguments: Arguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let arguments = arguments::normalize(arguments, tool.accepted());
    arguments::check(&arguments, tool.accepted())?;
    let json = || Value::Object(arguments.clone());
    match tool.tool {
        ToolName::Pack => pack::pack(session, tool.name, arguments, cancel).await,
        ToolName::Preview => pack::preview(session, arguments, cancel).await,
        ToolName::Search => search::search(session, tool.name, parse_json(&json())?, cancel).await,
        ToolName::FindSymbol => {
            symbol::find(session, tool.name, parse_json(&json())?, cancel).await
        }
        ToolName::Overview => overview::overview(session, tool.name, arguments, cancel).await,
        ToolName::Explain => explain::explain(session, arguments, cancel).await,
        ToolName::ListProviders => providers::list(session, parse_json(&json())?, cancel).await,
        ToolName::SetProvider => providers::set_enabled(session, &parse_json(&json())?),
    }
}

/// Converts the output of a tool for the client.
pub(crate) fn result(
    session: &ClientSession,
    output: Result<CallOutput, ToolError>,
) -> CallToolResult {
    let CallOutput { text, pack } = match output {
        Ok(output) => output,
        Err(error) => {
            let message = match &error {
                // What is not served is quoted as it was given.
                ToolError::Engine(_) => session.shown(&error.message()),
                _ => error.message(),
            };
            return CallToolResult::error(vec![ContentBlock::text(message)]);
        }
    };
    let result = CallToolResult::success(vec![ContentBlock::text(text)]);
    let Some(pack) = pack else { return result };
    let facts = json!({
        "uri": pack.uri(),
        "report": pack.report_uri(),
        "total_tokens": pack.tokens,
        "budget": pack.budget,
    });
    let mut meta = MetaObject::new();
    meta.insert(PACK_META_KEY.into(), facts);
    result.with_meta(Some(meta))
}

/// Describes a pack as a resource.
pub(crate) fn resource(pack: &CachedPack) -> Resource {
    Resource::new(pack.uri(), format!("pack-{}", &pack.id[..8.min(pack.id.len())]))
        .with_title(pack.title.clone())
        .with_description(format!("{} tokens of code for this task", pack.tokens))
        .with_mime_type(pack.mime_type)
        .with_size(pack.text.len() as u64)
}
