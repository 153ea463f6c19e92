//! A server with the tools, resources and prompts that the official conformance suite expects, on the
//! stack of `kitbag mcp --http`, which the suite tests this way. Kitbag's own server has no
//! elicitation, logging or subscriptions.
//!
//!     cargo run --package kitbag-mcp --example conformance

#![allow(clippy::print_stdout, reason = "the parent process reads the address")]

mod elicit;

use kitbag_mcp::{HttpAccess, PATH, app_with_handler};
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

/// A PNG image of one pixel.
const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

/// An empty WAV file.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// The tools without arguments.
const TOOLS: [(&str, &str); 10] = [
    ("test_simple_text", "Returns a text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns audio"),
    ("test_embedded_resource", "Returns a resource"),
    ("test_multiple_content_types", "Returns a text, an image and a resource"),
    ("test_tool_with_progress", "Reports progress"),
    ("test_error_handling", "Fails"),
    ("test_logging_tool", "Logs nothing by default"),
    ("test_tool_with_logging", "Logs its steps"),
    ("test_missing_capability", "Requires a client that supports sampling"),
];

struct ConformanceServer;

impl ServerHandler for ConformanceServer {
    #[expect(deprecated, reason = "the earlier revisions have logging")]
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("fixture", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool =
            |(name, description)| Tool::new(name, description, object(json!({ "type": "object" })));
        let eliciting = elicit::BY_RESULT.into_iter().chain(elicit::BY_REQUEST);
        let eliciting = eliciting.map(|name| (name, "Asks the client for input"));
        let mut tools: Vec<Tool> = TOOLS.into_iter().chain(eliciting).map(tool).collect();
        let schema = object(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            } },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        }));
        tools.push(Tool::new(
            "json_schema_2020_12_tool",
            "Has a schema with many keywords",
            schema,
        ));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = ContentBlock::text;
        let content = match &*request.name {
            "test_simple_text" => vec![text("This is a simple text response for testing.")],
            "test_image_content" => vec![ContentBlock::image(IMAGE, "image/png")],
            "test_audio_content" => vec![ContentBlock::audio(SOUND, "audio/wav")],
            "test_embedded_resource" => {
                vec![ContentBlock::resource(resource("test://embedded-resource", "text/plain"))]
            }
            "test_multiple_content_types" => vec![
                text("Multiple content types test:"),
                ContentBlock::image(IMAGE, "image/png"),
                ContentBlock::resource(resource(
                    "test://mixed-content-resource",
                    "application/json",
                )),
            ],
            "test_tool_with_progress" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for progress in [0.0, 50.0, 100.0] {
                        let notification = ProgressNotificationParam::new(token.clone(), progress);
                        let _ = context.peer.notify_progress(notification.with_total(100.0)).await;
                    }
                }
                vec![text("done")]
            }
            "test_logging_tool" => vec![text("done")],
            "test_tool_with_logging" => {
                for step in ["started", "processing data", "completed"] {
                    log(&format!("Tool execution {step}"), &context).await;
                }
                vec![text("done")]
            }
            name if elicit::BY_RESULT.contains(&name) => {
                let (inputs, state) = (request.input_responses.as_ref(), &request.request_state);
                match elicit::missing_input(name, inputs, state.as_deref(), &context)? {
                    Some(missing) => return Ok(missing.into()),
                    None => vec![ContentBlock::text(format!("state-ok: {}", json!(inputs)))],
                }
            }
            name if elicit::BY_REQUEST.contains(&name) => {
                let arguments = request.arguments.unwrap_or_default();
                let text = elicit::request(&request.name, &arguments, &context).await?;
                vec![ContentBlock::text(text)]
            }
            "test_missing_capability" => {
                let required = object(json!({ "sampling": {} }));
                let can_sample =
                    context.client_capabilities().is_some_and(|it| it.sampling.is_some());
                if !can_sample {
                    let required =
                        serde_json::from_value(Value::Object(required)).unwrap_or_default();
                    return Err(ErrorData::missing_required_client_capability(required));
                }
                vec![text("done")]
            }
            "test_error_handling" => {
                let message = "This tool intentionally returns an error for testing";
                return Ok(CallToolResult::error(vec![text(message)]).into());
            }
            other => {
                return Err(ErrorData::invalid_params(format!("unknown tool `{other}`"), None));
            }
        };
        Ok(CallToolResult::success(content).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let text = Resource::new("test://static-text", "text").with_mime_type("text/plain");
        let binary = Resource::new("test://static-binary", "binary").with_mime_type("image/png");
        let described = [text, binary].map(|it| it.with_description("For the suite"));
        Ok(ListResourcesResult::with_all_items(described.to_vec()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("test://template/{id}/data", "template")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|it| it.strip_suffix("/data"));
        let contents = match (uri, id) {
            ("test://static-text", _) => resource(uri, "text/plain"),
            ("test://static-binary", _) => {
                ResourceContents::blob(IMAGE, uri).with_mime_type("image/png")
            }
            (_, Some(id)) => {
                let data =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
            }
            _ => {
                let data = json!({ "uri": uri });
                return Err(ErrorData::resource_not_found("unknown resource", Some(data)));
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| {
            PromptArgument::new(name).with_description("For the suite").with_required(true)
        };
        let prompt = |name: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|name| argument(name)).collect();
            Prompt::new(name, Some("For the suite"), Some(arguments))
        };
        Ok(ListPromptsResult::with_all_items(vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_input_required_result_prompt", &[]),
        ]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let argument = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
        let user = |content| PromptMessage::new(Role::User, content);
        let messages = match request.name.as_str() {
            "test_simple_prompt" => {
                vec![user(ContentBlock::text("This is a simple prompt for testing."))]
            }
            "test_prompt_with_arguments" => {
                let (one, two) = (argument("arg1"), argument("arg2"));
                let text = format!("Prompt with arguments: arg1='{one}', arg2='{two}'");
                vec![user(ContentBlock::text(text))]
            }
            "test_prompt_with_embedded_resource" => vec![
                user(ContentBlock::resource(resource(argument("resourceUri"), "text/plain"))),
                user(ContentBlock::text("Please process the embedded resource above.")),
            ],
            "test_prompt_with_image" => vec![
                user(ContentBlock::image(IMAGE, "image/png")),
                user(ContentBlock::text("Please analyze the image above.")),
            ],
            name @ "test_input_required_result_prompt" => {
                let (inputs, state) = (request.input_responses.as_ref(), &request.request_state);
                match elicit::missing_input(name, inputs, state.as_deref(), &context)? {
                    Some(missing) => return Ok(missing.into()),
                    None => vec![user(ContentBlock::text(format!("Use {}", json!(inputs))))],
                }
            }
            other => {
                return Err(ErrorData::invalid_params(format!("unknown prompt `{other}`"), None));
            }
        };
        Ok(GetPromptResult::new(messages).into())
    }

    #[expect(deprecated, reason = "the earlier revisions have log levels")]
    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    /// Accepts any subscription; nothing ever changes here.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = request.argument.value;
        let all = ["paris", "park", "party"].map(str::to_owned);
        let values = all.into_iter().filter(|it| it.starts_with(&typed)).collect();
        Ok(CompleteResult::new(CompletionInfo::with_all_values(values).unwrap_or_default()))
    }
}

#[expect(deprecated, reason = "the earlier revisions have logging")]
async fn log(text: &str, context: &RequestContext<RoleServer>) {
    let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into());
    // Fails only if the client is gone.
    let _ = context.peer.notify_logging_message(message).await;
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn resource(uri: &str, mime: &str) -> ResourceContents {
    let text =
        if mime == "application/json" { "{\"test\":\"data\",\"value\":123}" } else { "A text." };
    ResourceContents::text(text, uri).with_mime_type(mime)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}{PATH}", listener.local_addr()?);
    let app =
        app_with_handler(|| ConformanceServer, &HttpAccess::default(), 1 << 20, Default::default());
    axum::serve(listener, app).await
}
