//! Opens the repository of a request.

use crate::error::Error;
use kitbag_repo::{Denylist, Root};
use std::path::Path;

/// Opens the repository at `repo` with the denylists of the configuration and the request.
pub(crate) fn open_root(
    repo: Option<&Path>,
    configured: &[String],
    requested: &[String],
) -> Result<Root, Error> {
    let deny: Vec<String> = configured.iter().chain(requested).cloned().collect();
    let root = Root::open(repo.unwrap_or(Path::new(".")))?;
    Ok(root.with_denylist(Denylist::default().with(&deny)?))
}
