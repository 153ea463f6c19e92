//! The tools. Each returns a text for people and models, and the same as structured data.

mod explain;
mod pack;
mod providers;
mod search;

use crate::arguments::{self, Arguments};
use crate::packs::CachedPack;
use crate::schema::OMITTED_MEMBERS;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use crate::tool_specs::{ToolName, ToolSpec};
use kitbag::{Cancel, parse_json};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

pub(crate) use pack::make_pack;

/// The output of a tool.
pub(crate) struct CallOutput {
    text: String,
    data: Value,
    /// The pack, to be added to the client's packs.
    pub pack: Option<Arc<CachedPack>>,
}

impl CallOutput {
    fn new(text: String, data: &impl Serialize) -> Self {
        // Structs of strings and numbers always serialize.
        Self { text, data: serde_json::to_value(data).unwrap_or_default(), pack: None }
    }
}

/// Runs a tool.
pub(crate) async fn run(
    session: &ClientSession,
    tool: &ToolSpec,
    arguments: Arguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    arguments::check(&arguments, &tool.arguments)?;
    let json = || Value::Object(arguments.clone());
    match tool.tool {
        ToolName::Pack => pack::pack(session, arguments, cancel).await,
        ToolName::Preview => pack::preview(session, arguments, cancel).await,
        ToolName::Search => search::search(session, parse_json(&json())?, cancel).await,
        ToolName::Explain => explain::explain(session, arguments, cancel).await,
        ToolName::ListProviders => providers::list(session, parse_json(&json())?, cancel).await,
        ToolName::SetProvider => providers::set_enabled(session, &parse_json(&json())?),
    }
}

/// Converts the output of a tool for the client.
pub(crate) fn result(output: Result<CallOutput, ToolError>) -> CallToolResult {
    let CallOutput { text, data, pack } = match output {
        Ok(output) => output,
        Err(error) => return CallToolResult::error(vec![ContentBlock::text(error.message())]),
    };
    let mut result = CallToolResult::structured(data);
    result.content = vec![ContentBlock::text(text)];
    if let Some(pack) = pack {
        result.content.push(ContentBlock::resource_link(resource(&pack)));
    }
    result
}

/// Describes a pack as a resource.
pub(crate) fn resource(pack: &CachedPack) -> Resource {
    Resource::new(pack.uri(), format!("pack-{}", &pack.id[..8.min(pack.id.len())]))
        .with_title(pack.title.clone())
        .with_description(format!("{} tokens of code for this task", pack.tokens))
        .with_mime_type(pack.mime_type)
        .with_size(pack.text.len() as u64)
}

/// Converts an item of a report, without `null` and what results omit.
fn chunk(item: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(item).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, value| !value.is_null() && !OMITTED_MEMBERS.contains(&name.as_str()));
    }
    value
}
