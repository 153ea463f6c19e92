//! Errors for requests whose parameters cannot be deserialized. rmcp turns such a request into a
//! custom one, as if its method were unknown.

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, ErrorData,
    GetPromptRequestParams, InitializeRequestParams, PaginatedRequestParams,
    ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns the error in the parameters of a request; `None` if the server does not have its method.
pub(crate) fn params_error(request: &CustomRequest) -> Option<ErrorData> {
    let method = request.method.as_str();
    let error_of = match method {
        "initialize" => deserialize_error::<InitializeRequestParams>,
        "tools/call" => deserialize_error::<CallToolRequestParams>,
        "resources/read" => deserialize_error::<ReadResourceRequestParams>,
        "prompts/get" => deserialize_error::<GetPromptRequestParams>,
        "completion/complete" => deserialize_error::<CompleteRequestParams>,
        "ping"
        | "server/discover"
        | "tools/list"
        | "resources/list"
        | "resources/templates/list"
        | "prompts/list" => deserialize_error::<PaginatedRequestParams>,
        _ => return None,
    };
    let params = request.params.clone().unwrap_or_else(|| Value::Object(Default::default()));
    let error = if params.is_object() { error_of(params) } else { "not an object".to_owned() };
    Some(ErrorData::invalid_params(format!("invalid parameters for `{method}`: {error}"), None))
}

/// Returns the error for a request that has no handler. The revision without a handshake has no
/// `initialize`; in the others, it is handled before.
pub(crate) fn unhandled_error(request: &CustomRequest) -> ErrorData {
    let error = if request.method == "initialize" { None } else { params_error(request) };
    error.unwrap_or_else(|| {
        let message = format!("unknown method `{}`", request.method);
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
    })
}

fn deserialize_error<T: DeserializeOwned>(params: Value) -> String {
    match serde_json::from_value::<T>(params) {
        Err(error) => error.to_string(),
        // rmcp takes `_meta` out of the parameters before it deserializes them.
        Ok(_) => "`_meta` is not an object".to_owned(),
    }
}
