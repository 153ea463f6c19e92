//! `list_providers` and `set_provider_enabled`.

use super::CallOutput;
use crate::arguments::{ListProvidersArguments, SetProviderArguments};
use crate::results::{ListedProvider, ProviderSwitch, ProvidersResult};
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{Cancel, ConfigReport};
use std::fmt::Write;

pub(super) async fn list(
    session: &ClientSession,
    arguments: ListProvidersArguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let engine = &session.state.engine;
    let repo = session.repo(arguments.repo.as_deref())?;
    let config = engine.config(&repo.path, arguments.profile.as_deref(), cancel).await?;
    let (mut text, mut providers) = (String::new(), Vec::new());
    for provider in engine.providers() {
        let enabled = provider.switched.unwrap_or_else(|| is_configured(&config, &provider.id));
        let state = if enabled { "on" } else { "off" };
        let _ = writeln!(text, "{} ({state}): {}", provider.id, provider.description);
        providers.push(ListedProvider {
            id: provider.id,
            enabled,
            title: provider.title,
            description: provider.description,
            switched: provider.switched.is_some(),
            priority: provider.priority,
        });
    }
    Ok(CallOutput::new(text, &ProvidersResult { providers }))
}

pub(super) fn set_enabled(
    session: &ClientSession,
    arguments: &SetProviderArguments,
) -> Result<CallOutput, ToolError> {
    let SetProviderArguments { id, enabled } = arguments;
    session.state.engine.set_enabled(id, Some(*enabled)).map_err(ToolError::Provider)?;
    let state = if *enabled { "on" } else { "off" };
    let text = format!("`{id}` is {state} for all following packs.");
    Ok(CallOutput::new(text, &ProviderSwitch { id, enabled: *enabled }))
}

/// Whether the configuration enables a provider. It does not know custom providers, which are enabled.
fn is_configured(config: &ConfigReport, id: &str) -> bool {
    let key = format!("context.providers.{id}.enabled");
    let item = config.settings.iter().find(|item| item.key == key);
    item.is_none_or(|item| item.value == true)
}
