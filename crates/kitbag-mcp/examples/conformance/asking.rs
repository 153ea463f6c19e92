//! What asks the client for something: since 2026-07-28 by a result that says what is missing, before
//! by a request of the server's own.

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// What rounds are signed with, so that a client cannot make one up.
static KEY: LazyLock<String> = LazyLock::new(|| uuid::Uuid::new_v4().to_string());

/// The tools that ask by their results.
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

/// The tools that ask by requests.
pub const BY_REQUEST: [&str; 4] = [
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

/// What a tool or a prompt asks for, in rounds, and whether a state goes along with it.
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
            let mut asked = json!({});
            if client.elicitation.is_some() {
                asked["user_name"] = user_name;
            }
            if client.sampling.is_some() {
                asked["greeting"] = sampling("Generate a greeting", 50);
            }
            (vec![asked], false)
        }
        "test_input_required_result_prompt" => {
            let what = form("What context should the prompt use?", "context", "string");
            (vec![json!({ "user_context": what })], false)
        }
        _ => (vec![json!({ "user_name": user_name })], false),
    }
}

/// What is missing yet; `None` when the client has told all.
pub fn missing(
    name: &str,
    told: Option<&InputResponses>,
    state: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<Option<InputRequiredResult>, ErrorData> {
    let (rounds, has_state) = rounds(name, context);
    let mut round = match state {
        Some(state) if has_state => opened(name, state)?,
        _ => 0,
    };
    let is_told = |asked: &Value| {
        let mut keys = asked.as_object().into_iter().flat_map(|asked| asked.keys());
        told.is_some_and(|told| keys.all(|key| told.get(key).is_some_and(Value::is_object)))
    };
    // A state is needed where there is one: without it nobody knows which round it is.
    if rounds.get(round).is_some_and(is_told) && (state.is_some() || !has_state) {
        round += 1;
    }
    let Some(asked) = rounds.get(round) else { return Ok(None) };
    let unusable = |error| ErrorData::internal_error(format!("cannot ask: {error}"), None);
    let asked: InputRequests = serde_json::from_value(asked.clone()).map_err(unusable)?;
    Ok(Some(InputRequiredResult::new(Some(asked), has_state.then(|| sealed(name, round)))))
}

/// Asks the client by requests, and gives what the tool says.
pub async fn request(
    name: &str,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match name {
        "test_sampling" => {
            let told = ask(sampling(argument("prompt"), 100), context).await?;
            let text = told["content"]["text"].as_str().or(told["content"][0]["text"].as_str());
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
            let told = ask(elicitation(argument("message"), schema), context).await?;
            Ok(format!("User response: action={}, content={}", told["action"], told["content"]))
        }
        _ => {
            let schema = if name.ends_with("defaults") { defaults() } else { enums() };
            let told = ask(elicitation("Please choose", schema), context).await?;
            let (action, content) = (&told["action"], &told["content"]);
            Ok(format!("Elicitation completed: action={action}, content={content}"))
        }
    }
}

async fn ask(what: Value, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let failed = |why: String| ErrorData::internal_error(format!("cannot ask: {why}"), None);
    let request: ServerRequest =
        serde_json::from_value(what).map_err(|error| failed(error.to_string()))?;
    let told = context.peer.send_request(request).await;
    let told = told.map_err(|error| failed(error.to_string()))?;
    serde_json::to_value(told).map_err(|error| failed(error.to_string()))
}

fn sampling(text: &str, most: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    let params = json!({ "messages": [message], "maxTokens": most });
    json!({ "method": "sampling/createMessage", "params": params })
}

fn elicitation(message: &str, schema: Value) -> Value {
    let params = json!({ "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

/// A form with one field.
fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { field: { "type": kind } },
        "required": [field],
    });
    elicitation(message, schema)
}

/// A form with a default of each kind.
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

/// A form with a choice of each kind.
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

/// A round as a state that the client gives back.
fn sealed(name: &str, round: usize) -> String {
    let key = KEY.as_str();
    let seal = Sha256::digest(format!("{key}:{name}:{round}:{key}"));
    let seal: String = seal.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{round}.{seal}")
}

/// The round of a state, if it is one of ours.
fn opened(name: &str, state: &str) -> Result<usize, ErrorData> {
    let round = state.split_once('.').and_then(|(round, _)| round.parse().ok());
    round
        .filter(|round| sealed(name, *round) == state)
        .ok_or_else(|| ErrorData::invalid_params("the state is not one of this server's", None))
}
