//! One client of the server: what it may see, and the protocol's requests.

use crate::catalogue::Name;
use crate::fields::Field;
use crate::misread::refused;
use crate::packs::{Packs, Part, REPORT_TEMPLATE, TEMPLATE, read_uri};
use crate::request::{ArgumentError, Arguments, nearest, request, text};
use crate::roots::Roots;
use crate::state::{Repo, State, repo};
use crate::tools::{self, Outcome, ToolError};
use crate::{complete, prompts};
use kitbag::{Cancel, Request};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;
use tokio::sync::{SemaphorePermit, TryAcquireError};

/// How many resources a page has.
const PAGE: usize = 20;

/// What a model reads about the server before it reads about the tools.
const INSTRUCTIONS: &str = "Kitbag finds the code that matters for a task and packs it to an exact \
    token budget. Start work on a repository with `pack_context`; look single things up with \
    `search_code`. Line numbers are exact, and secrets in the code are replaced by markers.";

/// One client. Over HTTP, clients of the revision without sessions get one for each request.
pub(crate) struct Client {
    pub state: Arc<State>,
    /// The packs that it asked for, and sees.
    own: Packs,
    /// Whether other clients are served too.
    among_others: bool,
    /// The folders that it has open.
    roots: Roots,
    /// Whom its token counts are remembered for.
    pub tenant: String,
}

impl Client {
    /// The only client of a server.
    pub fn alone(state: Arc<State>) -> Self {
        let (own, roots) = (state.packs.of_client(), Roots::default());
        Self { state, own, among_others: false, roots, tenant: String::new() }
    }

    /// One client of several.
    pub fn among_others(state: Arc<State>) -> Self {
        let tenant = uuid::Uuid::new_v4().simple().to_string();
        let (own, roots) = (state.packs.of_client(), Roots::default());
        Self { state, own, among_others: true, roots, tenant }
    }

    /// The repositories that it may ask about.
    fn repos(&self) -> Arc<[Repo]> {
        self.roots.repos().unwrap_or_else(|| Arc::clone(&self.state.repos))
    }

    /// The repository that arguments name.
    pub fn repo(&self, arguments: &Arguments) -> Result<Repo, ArgumentError> {
        let repos = self.repos();
        repo(&repos, text(arguments, "repo")).cloned().map_err(ArgumentError::Repo)
    }

    /// The request of a pack among arguments, which may have a tool's own beside it.
    pub fn request(&self, arguments: &Arguments, own: &[&Field]) -> Result<Request, ArgumentError> {
        let limits = (self.state.options.budget, self.tenant.as_str());
        request(&self.repo(arguments)?, arguments, own, limits)
    }

    /// Asks the client for its folders, where they are to be served and it tells them.
    async fn look_around(&self, context: &RequestContext<RoleServer>) {
        if self.state.options.roots && !self.among_others {
            self.roots.learn(&self.state.engine, context).await;
        }
    }

    /// Where the packs of a request are kept.
    fn packs(&self, context: &RequestContext<RoleServer>) -> &Packs {
        let version = context.protocol_version();
        let has_session = version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
        if self.among_others && !has_session { &self.state.shared } else { &self.own }
    }

    /// A place among those that work or wait, which the only client of a server always has.
    fn place(&self) -> Result<Option<SemaphorePermit<'_>>, TryAcquireError> {
        self.among_others.then(|| self.state.places.try_acquire()).transpose()
    }

    /// Does the work of a call within the server's bounds, and tells how far it is.
    pub(crate) async fn bounded<T>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = Result<T, ToolError>>,
    ) -> Result<Result<T, ToolError>, ErrorData> {
        let limits = &self.state.options.limits;
        let Ok(_place) = self.place() else { return Ok(Err(ToolError::Busy)) };
        let permitted = async {
            self.look_around(context).await;
            // The semaphore is never closed.
            let _permit = self.state.permits.acquire().await;
            work.await
        };
        let late = ToolError::Timeout { limit: limits.timeout };
        tokio::select! {
            biased;
            () = context.ct.cancelled() => {
                Err(ErrorData::internal_error("the client has cancelled the call", None))
            }
            done = tokio::time::timeout(limits.timeout, self.telling(context, permitted)) => {
                Ok(done.unwrap_or(Err(late)))
            }
        }
    }

    /// Does the work, and tells the client how far it is, if the client wants to know. What is told
    /// is how many files an index has read, of whichever call: calls wait for each other's.
    async fn telling<T>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = T>,
    ) -> T {
        let Some(token) = context.meta.get_progress_token() else { return work.await };
        let mut progress = self.state.progress.clone();
        progress.mark_unchanged();
        let mut work = std::pin::pin!(work);
        let mut last = 0.0;
        let start = ProgressNotificationParam::new(token.clone(), last).with_message("searching");
        // A client that cannot be told will not get the answer either.
        let _ = context.peer.notify_progress(start).await;
        loop {
            let (done, of) = tokio::select! {
                biased;
                Ok(()) = progress.changed() => *progress.borrow_and_update(),
                result = &mut work => return result,
            };
            let (done, of) = (done as f64, of as f64);
            if done > last && (done >= of || done - last >= of / 20.0) {
                last = done;
                let told = ProgressNotificationParam::new(token.clone(), done)
                    .with_total(of)
                    .with_message("indexing");
                let _ = context.peer.notify_progress(told).await;
            }
        }
    }

    /// The packs of a page, and where the next one begins.
    fn page(
        &self,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let packs =
            if std::ptr::eq(self.packs(context), &self.own) { self.own.all() } else { Vec::new() };
        let start = match request.and_then(|request| request.cursor) {
            None => 0,
            Some(cursor) => {
                let after = packs.iter().position(|pack| pack.id == cursor);
                after.map(|place| place + 1).ok_or_else(|| {
                    ErrorData::invalid_params("the cursor is not one of this list's", None)
                })?
            }
        };
        let page = packs.iter().skip(start).take(PAGE);
        let mut result =
            ListResourcesResult::with_all_items(page.map(|pack| tools::resource(pack)).collect());
        if packs.len() > start + PAGE {
            result.next_cursor = Some(packs[start + PAGE - 1].id.clone());
        }
        Ok(result)
    }
}

impl ServerHandler for Client {
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
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = Name::ALL.into_iter().map(|tool| tool.about().definition(&self.state));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Name::find(name).map(|tool| tool.about().definition(&self.state))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = Name::find(&request.name).ok_or_else(|| unknown_tool(&request.name))?;
        let cancel = Cancel::default();
        let arguments = request.arguments.unwrap_or_default();
        let work = tools::run(self, tool, arguments, &cancel);
        let outcome = self.bounded(&context, work).await?;
        if let Ok(Outcome { pack: Some(pack), .. }) = &outcome {
            self.packs(&context).keep(Arc::clone(pack));
        }
        Ok(tools::result(outcome).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget();
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.page(request, &context)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let pack = ResourceTemplate::new(TEMPLATE, "pack")
            .with_title("A pack")
            .with_description("The text of a pack that `pack_context` made in this session");
        let report = ResourceTemplate::new(REPORT_TEMPLATE, "report")
            .with_title("The report of a pack")
            .with_description("Every chunk that is in the pack or out of it, and why")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![pack, report]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let named = read_uri(&uri);
        let found = named.and_then(|(id, part)| Some((self.packs(&context).find(id)?, part)));
        let Some((pack, part)) = found else {
            let told = serde_json::json!({ "uri": uri });
            return Err(ErrorData::resource_not_found("there is no such pack", Some(told)));
        };
        let contents = match part {
            Part::Text => ResourceContents::text(&*pack.text, uri).with_mime_type(pack.mime),
            Part::Report => {
                ResourceContents::text(&*pack.report, uri).with_mime_type("application/json")
            }
        };
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
        prompts::get(self, request, &context).await.map(GetPromptResponse::from)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(refused(&request))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let packs = self.page(None, &context)?.resources;
        Ok(complete::complete(&self.repos(), &packs, &request))
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    let names = Name::ALL.into_iter().map(|tool| tool.about().name);
    let hint = nearest(name, names).map(|it| format!("; did you mean `{it}`?"));
    ErrorData::invalid_params(format!("unknown tool `{name}`{}", hint.unwrap_or_default()), None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::{Limits, Options, serve_on};
    use kitbag::Engine;
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    fn frame(id: u32, method: &str, params: Value) -> String {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    #[tokio::test]
    async fn more_calls_than_may_wait_are_refused_where_there_are_other_clients() {
        let dir = tempfile::tempdir().unwrap();
        let limits = Limits { concurrency: 1, queue: 1, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let engine = Engine::with_threads(1).unwrap();
        let state = State::new(engine, &[dir.path().to_owned()], options).unwrap();
        let (one, other) =
            (Client::among_others(Arc::clone(&state)), Client::among_others(Arc::clone(&state)));
        let alone = Client::alone(Arc::clone(&state));
        let first = one.place().unwrap();
        let second = other.place().unwrap();
        assert!(first.is_some() && second.is_some());
        assert!(one.place().is_err() && other.place().is_err());
        assert!(alone.place().is_ok_and(|place| place.is_none()));
        drop(first);
        assert!(other.place().is_ok());
    }

    #[tokio::test]
    async fn a_cancelled_call_is_given_up_and_not_answered() {
        let dir = tempfile::tempdir().unwrap();
        let limits = Limits { concurrency: 1, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let engine = Engine::with_threads(1).unwrap();
        let state = State::new(engine, &[dir.path().to_owned()], options).unwrap();
        // While the only permit is held, calls wait.
        let permit = state.permits.acquire().await.unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let _server = tokio::spawn(serve_on(Arc::clone(&state), read, write));
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
