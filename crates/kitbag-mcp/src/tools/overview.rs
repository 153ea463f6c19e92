//! `repo_overview`: a pack of the profile `overview`.

use super::{CallOutput, make_pack};
use crate::arguments::Arguments;
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use kitbag::{ALL_REPOSITORIES, Cancel};
use std::path::Path;

/// The token budget of an overview, if the call does not set one.
const DEFAULT_BUDGET: usize = 4_000;

pub(super) async fn overview(
    session: &ClientSession,
    tool: &'static str,
    mut arguments: Arguments,
    cancel: &Cancel,
) -> Result<CallOutput, ToolError> {
    arguments.entry("budget").or_insert(DEFAULT_BUDGET.into());
    arguments.insert("profile".into(), "overview".into());
    let mut request = session.request(arguments)?;
    if request.fleet.is_some() {
        // Fails, because an overview is of one repository.
        session.repo(Some(Path::new(ALL_REPOSITORIES)))?;
    }
    request.options.retain(|(key, _)| !key.ends_with("formatting.contents"));
    request.tool = tool;
    let (pack, _) = make_pack(session, request, cancel).await?;
    Ok(CallOutput { text: pack.text.clone(), pack: Some(pack) })
}
