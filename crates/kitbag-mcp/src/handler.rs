//! The protocol's requests.

use crate::arguments::name_hint;
use crate::packs::{PACK_TEMPLATE, PackPart, REPORT_TEMPLATE, parse_uri};
use crate::params::unhandled_error;
use crate::session::ClientSession;
use crate::state::McpState;
use crate::tool_specs::ToolSpec;
use crate::tools::CallOutput;
use crate::{completion, prompts, tools};
use kitbag::Cancel;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ResourceTemplate, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;

/// Number of resources per page.
const PAGE_SIZE: usize = 20;

/// The server's description for the model.
const INSTRUCTIONS: &str = "Kitbag finds the code that matters for a task and packs it to an exact \
    token budget. Start work on a repository with `pack_context`; look names up with `find_symbol` and \
    other things with `search_code`. Line numbers are exact, and secrets in the code are replaced by \
    markers.";

impl ServerHandler for ClientSession {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let info = Implementation::new("kitbag", env!("CARGO_PKG_VERSION"))
            .with_title("Kitbag")
            .with_description("Packs the context a language model needs, to an exact token budget");
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.note_access(&context)?;
        let repos = self.repos();
        let tools = ToolSpec::served(&self.state).map(|tool| tool.definition(&self.state, &repos));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let repos = self.repos();
        ToolSpec::find(name, &self.state).map(|tool| tool.definition(&self.state, &repos))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = ToolSpec::find(&request.name, &self.state);
        let tool = tool.ok_or_else(|| unknown_tool(&request.name, &self.state))?;
        self.note_access(&context)?;
        self.note_client(&context);
        let cancel = Cancel::default();
        let arguments = request.arguments.unwrap_or_default();
        let call = tools::run(self, tool, arguments, &cancel);
        let output = self.run_limited(&context, call).await;
        if let Ok(CallOutput { pack: Some(pack), .. }) = &output {
            self.packs(&context).add(Arc::clone(pack));
        }
        Ok(tools::result(self, output).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.invalidate();
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.note_access(&context)?;
        list_packs(self, request, &context)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let pack = ResourceTemplate::new(PACK_TEMPLATE, "pack")
            .with_title("Pack")
            .with_description("The text of a pack from this session");
        let report = ResourceTemplate::new(REPORT_TEMPLATE, "report")
            .with_title("Report of a pack")
            .with_description("Every included and excluded chunk, with the reasons")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![pack, report]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.note_access(&context)?;
        let uri = request.uri;
        let found =
            parse_uri(&uri).and_then(|(id, part)| Some((self.packs(&context).find(id)?, part)));
        let Some((pack, part)) = found else {
            let data = serde_json::json!({ "uri": uri });
            return Err(ErrorData::resource_not_found("unknown pack", Some(data)));
        };
        let (text, mime_type) = match part {
            PackPart::Text => (&pack.text, pack.mime_type),
            PackPart::Report => (&pack.report, "application/json"),
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(mime_type);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.note_access(&context)?;
        prompts::get(self, request, &context).await.map(GetPromptResponse::from)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unhandled_error(&request))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.note_access(&context)?;
        let packs = list_packs(self, None, &context)?.resources;
        Ok(completion::complete(&self.repos(), &packs, &request))
    }
}

fn unknown_tool(name: &str, state: &McpState) -> ErrorData {
    let names: Vec<&str> = ToolSpec::served(state).map(|tool| tool.name).collect();
    let hint = name_hint(name, names.into_iter());
    ErrorData::invalid_params(format!("unknown tool `{name}`{hint}"), None)
}

/// Returns a page of the client's packs.
fn list_packs(
    session: &ClientSession,
    request: Option<PaginatedRequestParams>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let packs = match session.has_own_packs(context) {
        true => session.packs(context).list(),
        false => Vec::new(),
    };
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => {
            let last = packs.iter().position(|pack| pack.id == cursor);
            let unknown = || ErrorData::invalid_params(format!("unknown cursor `{cursor}`"), None);
            last.ok_or_else(unknown)? + 1
        }
    };
    let page = packs.iter().skip(start).take(PAGE_SIZE).map(|pack| tools::resource(pack));
    let mut result = ListResourcesResult::with_all_items(page.collect());
    if packs.len() > start + PAGE_SIZE {
        result.next_cursor = Some(packs[start + PAGE_SIZE - 1].id.clone());
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::options::{McpLimits, McpOptions};
    use crate::transport::LineTransport;
    use kitbag::Engine;
    use rmcp::ServiceExt;
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    fn frame(id: u32, method: &str, params: Value) -> String {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    #[tokio::test]
    async fn a_cancelled_call_is_not_answered() {
        let dir = tempfile::tempdir().unwrap();
        let limits = McpLimits { concurrency: 1, ..McpLimits::default() };
        let options = McpOptions { limits, ..McpOptions::default() };
        let engine = Engine::with_threads(1).unwrap();
        let state = McpState::new(engine, &[dir.path().to_owned()], options).unwrap();
        // Calls wait while the test holds the only permit.
        let permit = state.running.acquire().await.unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let transport = LineTransport::new(read, write, &limits);
        let _server = tokio::spawn(ClientSession::exclusive(Arc::clone(&state)).serve(transport));
        let (read, mut write) = tokio::io::split(ours);
        let mut lines = BufReader::new(read).lines();
        let client = json!({ "name": "test", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let call = json!({ "name": "search_code", "arguments": { "task": "login" } });
        let cancelled = json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": { "requestId": 2 },
        });
        let frames = [
            frame(1, "initialize", hello),
            frame(2, "tools/call", call.clone()),
            format!("{cancelled}\n"),
            frame(3, "tools/call", call),
            frame(4, "ping", json!({})),
        ];
        write.write_all(frames.concat().as_bytes()).await.unwrap();
        let mut answered = Vec::new();
        let mut permit = Some(permit);
        while answered.last() != Some(&3) {
            let line = lines.next_line().await.unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            answered.push(answer["id"].as_u64().unwrap());
            if answer["id"] == 4 {
                permit = None;
            }
        }
        assert_eq!(answered, [1, 4, 3]);
        assert!(permit.is_none());
    }
}
