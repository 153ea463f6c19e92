//! `list_providers` and `set_provider_enabled`.

use super::CallOutput;
use crate::arguments::{ListProvidersArguments, SetProviderArguments};
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::Cancel;
use std::fmt::Write;

pub(super) async fn list(
    session: &ClientSession,
    arguments: ListProvidersArguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    let repo = session.repo(arguments.repo.as_deref())?;
    let profile = arguments.profile.as_deref();
    let listed = session.state.engine.providers_of(&repo.path, None, profile, cancel).await?;
    let mut text = String::new();
    for (provider, enabled) in listed {
        let state = if enabled { "on" } else { "off" };
        let switched = if provider.switched.is_some() { ", switched" } else { "" };
        let _ = writeln!(text, "{} ({state}{switched}): {}", provider.id, provider.description);
    }
    Ok(CallOutput::new(text))
}

pub(super) fn set_enabled(
    session: &ClientSession,
    arguments: &SetProviderArguments,
) -> Result<CallOutput, ToolError> {
    let SetProviderArguments { id, enabled } = arguments;
    session.state.engine.set_enabled(id, Some(*enabled)).map_err(ToolError::Provider)?;
    let state = if *enabled { "on" } else { "off" };
    let text = format!("`{id}` is {state} for all following packs.");
    Ok(CallOutput::new(text))
}
