//! Requests whose parameters cannot be read. The protocol's library takes such a request for one of
//! a method that it does not know, which is not what the client should be told.

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, ErrorData,
    GetPromptRequestParams, InitializeRequestParams, PaginatedRequestParams,
    ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is wrong with the parameters of a request, if the server has its method.
pub(crate) fn misread(request: &CustomRequest) -> Option<ErrorData> {
    let method = request.method.as_str();
    let params = request.params.clone().unwrap_or_else(|| Value::Object(Default::default()));
    let why = match method {
        _ if !params.is_object() && is_known(method) => "they are no object".to_owned(),
        "initialize" => why::<InitializeRequestParams>(params),
        "tools/call" => why::<CallToolRequestParams>(params),
        "resources/read" => why::<ReadResourceRequestParams>(params),
        "prompts/get" => why::<GetPromptRequestParams>(params),
        "completion/complete" => why::<CompleteRequestParams>(params),
        method if is_known(method) => why::<PaginatedRequestParams>(params),
        _ => return None,
    };
    let told = format!("the parameters of `{method}` cannot be read: {why}");
    Some(ErrorData::invalid_params(told, None))
}

/// What to say of a request that nothing else answers.
pub(crate) fn refused(request: &CustomRequest) -> ErrorData {
    misread(request).unwrap_or_else(|| {
        let told = format!("no method is called `{}`", request.method);
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, told, None)
    })
}

/// The methods that the server has.
fn is_known(method: &str) -> bool {
    matches!(
        method,
        "initialize"
            | "ping"
            | "server/discover"
            | "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "prompts/list"
            | "prompts/get"
            | "completion/complete"
    )
}

fn why<T: DeserializeOwned>(params: Value) -> String {
    let read = serde_json::from_value::<T>(params);
    read.err().map_or_else(|| "their `_meta` is no object".to_owned(), |error| error.to_string())
}
