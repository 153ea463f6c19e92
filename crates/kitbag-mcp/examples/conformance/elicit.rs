//! Tools that ask the client for input: since 2026-07-28 by a result that lists the missing input,
//! before that by a request from the server.

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Signs the state, so that a client cannot forge one.
static KEY: LazyLock<String> = LazyLock::new(|| uuid::Uuid::new_v4().to_string());

/// The tools that ask by their result.
pub const BY_RESULT: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// The tools that ask by a request.
pub const BY_REQUEST: [&str; 4] = [
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

/// Returns the inputs that a tool or prompt asks for, round by round, and whether it keeps a state.
fn rounds(name: &str, context: &RequestContext<RoleServer>) -> (Vec<Value>, bool) {
    let user_name = form("What is your name?", "name", "string");
    let confirm = json!({ "confirm": form("Please confirm", "ok", "boolean") });
    let roots = json!({ "method": "roots/list", "params": {} });
    match name {
        "test_input_required_result_sampling" => {
            let question = sampling("What is the capital of France?", 100);
            (vec![json!({ "capital_question": question })], false)
        }
        "test_input_required_result_list_roots" => (vec![json!({ "client_roots": roots })], false),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => (vec![confirm], true),
        "test_input_required_result_multiple_inputs" => {
            let greeting = sampling("Generate a greeting", 50);
            let all =
                json!({ "user_name": user_name, "greeting": greeting, "client_roots": roots });
            (vec![all], true)
        }
        "test_input_required_result_multi_round" => {
            let first = form("Step 1: What is your name?", "name", "string");
            let second = form("Step 2: What is your favorite color?", "color", "string");
            (vec![json!({ "step1": first }), json!({ "step2": second })], true)
        }
        "test_input_required_result_capabilities" => {
            let client = context.client_capabilities().unwrap_or_default();
            let mut requested = json!({});
            if client.elicitation.is_some() {
                requested["user_name"] = user_name;
            }
            if client.sampling.is_some() {
                requested["greeting"] = sampling("Generate a greeting", 50);
            }
            (vec![requested], false)
        }
        "test_input_required_result_prompt" => {
            let context = form("What context should the prompt use?", "context", "string");
            (vec![json!({ "user_context": context })], false)
        }
        _ => (vec![json!({ "user_name": user_name })], false),
    }
}

/// Returns the next missing input; `None` if the client has provided all.
pub fn missing_input(
    name: &str,
    inputs: Option<&InputResponses>,
    state: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<Option<InputRequiredResult>, ErrorData> {
    let (rounds, has_state) = rounds(name, context);
    let mut round = match state {
        Some(state) if has_state => verified_round(name, state)?,
        _ => 0,
    };
    let is_provided = |requested: &Value| {
        let mut keys = requested.as_object().into_iter().flat_map(|requested| requested.keys());
        inputs.is_some_and(|inputs| keys.all(|key| inputs.get(key).is_some_and(Value::is_object)))
    };
    // Without its state, the round is unknown.
    if rounds.get(round).is_some_and(is_provided) && (state.is_some() || !has_state) {
        round += 1;
    }
    let Some(requested) = rounds.get(round) else { return Ok(None) };
    let requested: InputRequests = serde_json::from_value(requested.clone()).map_err(internal)?;
    Ok(Some(InputRequiredResult::new(Some(requested), has_state.then(|| signed(name, round)))))
}

/// Asks the client by a request and returns the text of the tool.
pub async fn request(
    name: &str,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match name {
        "test_sampling" => {
            let response = ask(sampling(argument("prompt"), 100), context).await?;
            let text =
                response["content"]["text"].as_str().or(response["content"][0]["text"].as_str());
            Ok(format!("LLM response: {}", text.unwrap_or_default()))
        }
        "test_elicitation" => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" },
                },
                "required": ["username", "email"],
            });
            let response = ask(elicitation(argument("message"), schema), context).await?;
            let (action, content) = (&response["action"], &response["content"]);
            Ok(format!("User response: action={action}, content={content}"))
        }
        _ => {
            let schema = if name.ends_with("defaults") { defaults() } else { enums() };
            let response = ask(elicitation("Please choose", schema), context).await?;
            let (action, content) = (&response["action"], &response["content"]);
            Ok(format!("Elicitation completed: action={action}, content={content}"))
        }
    }
}

async fn ask(request: Value, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let request: ServerRequest = serde_json::from_value(request).map_err(internal)?;
    let response = context.peer.send_request(request).await.map_err(internal)?;
    serde_json::to_value(response).map_err(internal)
}

fn internal(error: impl std::error::Error) -> ErrorData {
    ErrorData::internal_error(format!("cannot ask the client: {error}"), None)
}

fn sampling(text: &str, max_tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    let params = json!({ "messages": [message], "maxTokens": max_tokens });
    json!({ "method": "sampling/createMessage", "params": params })
}

fn elicitation(message: &str, schema: Value) -> Value {
    let params = json!({ "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

/// Returns a form with one field.
fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { field: { "type": kind } },
        "required": [field],
    });
    elicitation(message, schema)
}

/// Returns a form with a default of each type.
fn defaults() -> Value {
    let states = ["active", "inactive", "pending"];
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": states, "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
        "required": [],
    })
}

/// Returns a form with each kind of choice.
fn enums() -> Value {
    let plain = ["option1", "option2", "option3"];
    let titled = |noun: &str| -> Vec<Value> {
        let one = |(value, title): (&str, &str)| json!({ "const": value, "title": format!("{title} {noun}") });
        [("value1", "First"), ("value2", "Second"), ("value3", "Third")].map(one).to_vec()
    };
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        },
        "required": [],
    })
}

/// Returns the state of a round, with a signature.
fn signed(name: &str, round: usize) -> String {
    let key = KEY.as_str();
    let signature = Sha256::digest(format!("{key}:{name}:{round}:{key}"));
    let signature: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{round}.{signature}")
}

/// Returns the round of a state with a valid signature.
fn verified_round(name: &str, state: &str) -> Result<usize, ErrorData> {
    let round = state.split_once('.').and_then(|(round, _)| round.parse().ok());
    round
        .filter(|round| signed(name, *round) == state)
        .ok_or_else(|| ErrorData::invalid_params("invalid state", None))
}
