//! `list_providers` and `set_provider_enabled`.

use super::{Outcome, ToolError};
use crate::client::Client;
use crate::request::Arguments;
use kitbag::Cancel;

pub(super) async fn list(_: &Client, _: &Arguments, _: &Cancel) -> Result<Outcome, ToolError> {
    Ok(Outcome { text: String::new(), data: serde_json::json!({ "providers": [] }), pack: None })
}

pub(super) async fn set(_: &Client, _: &Arguments, _: &Cancel) -> Result<Outcome, ToolError> {
    Ok(Outcome { text: String::new(), data: serde_json::json!({}), pack: None })
}
