//! Opens the repository of a request.

use crate::error::Error;
use kitbag_config::EngineSettings;
use kitbag_repo::{Denylist, Root};
use std::path::Path;

/// Opens the repository at `repo` with the denylists of the configuration and the request, and with the
/// user's trust.
pub(crate) fn open_root(
    repo: Option<&Path>,
    settings: &EngineSettings,
    requested: &[String],
) -> Result<Root, Error> {
    let deny: Vec<String> = settings.deny.iter().chain(requested).cloned().collect();
    let root = Root::open(repo.unwrap_or(Path::new(".")))?;
    let root = root.with_trusted_git(settings.trusted_git.clone());
    Ok(root.with_denylist(Denylist::default().with(&deny)?))
}
