//! `list_providers` and `set_provider_enabled`.

use super::{Outcome, ToolError};
use crate::client::Client;
use crate::request::{Arguments, text};
use kitbag::{Cancel, ConfigReport, ProviderInfo};
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) async fn list(
    client: &Client,
    arguments: &Arguments,
    cancel: &Cancel,
) -> Result<Outcome, ToolError> {
    let (engine, repo) = (&client.state.engine, client.repo(arguments)?);
    let config = engine.config(&repo.path, text(arguments, "profile"), cancel).await?;
    let (mut listing, mut providers) = (String::new(), Vec::new());
    for provider in engine.providers() {
        let is_on = provider.switched.unwrap_or_else(|| is_configured(&config, &provider.id));
        let state = if is_on { "on" } else { "off" };
        let _ = writeln!(listing, "{} ({state}): {}", provider.id, provider.description);
        providers.push(told(&provider, is_on));
    }
    Ok(Outcome { text: listing, data: json!({ "providers": providers }), pack: None })
}

pub(super) fn set(client: &Client, arguments: &Arguments) -> Result<Outcome, ToolError> {
    let engine = &client.state.engine;
    let id = text(arguments, "id").unwrap_or_default();
    let is_on = arguments.get("enabled").and_then(Value::as_bool).unwrap_or_default();
    engine.set_enabled(id, Some(is_on)).map_err(ToolError::Provider)?;
    let state = if is_on { "on" } else { "off" };
    let text = format!("`{id}` is {state} for the packs that follow.");
    Ok(Outcome { text, data: json!({ "id": id, "enabled": is_on }), pack: None })
}

/// Whether the configuration has a provider asked.
fn is_configured(config: &ConfigReport, id: &str) -> bool {
    let key = format!("context.providers.{id}.enabled");
    let item = config.settings.iter().find(|item| item.key == key);
    // What the configuration does not know is a provider of somebody's own, which is asked.
    item.is_none_or(|item| item.value == true)
}

fn told(provider: &ProviderInfo, is_on: bool) -> Value {
    let mut value = json!({
        "id": provider.id,
        "enabled": is_on,
        "title": provider.title,
        "description": provider.description,
        "switched": provider.switched.is_some(),
    });
    if let Some(priority) = provider.priority {
        value["priority"] = priority.into();
    }
    value
}
