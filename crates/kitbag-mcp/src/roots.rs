//! The roots of a client (the folders that it has open), for a server without `--repo`.
//!
//! A client of the later revision cannot be asked. One that does not answer in time, or has no roots,
//! gets the repositories that the server was started with.

use crate::repos::{ServedRepo, open_found, watch_repo};
use kitbag::Engine;
use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time that a client has to list its roots.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of roots that are served.
const MAX_ROOTS: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct ClientRoots {
    /// The answer of the client; `None` until it is asked, and after its roots have changed.
    answer: Mutex<Option<RootsAnswer>>,
}

/// The roots as repositories; `None` if the client has none.
type RootsAnswer = Option<Arc<[ServedRepo]>>;

impl ClientRoots {
    /// Returns the roots as repositories, if the client has any.
    pub fn repos(&self) -> RootsAnswer {
        self.lock().clone().flatten()
    }

    /// Forgets the roots after they have changed.
    pub fn invalidate(&self) {
        *self.lock() = None;
    }

    /// Asks the client for its roots, unless they are known.
    pub async fn update(&self, engine: &Engine, context: &RequestContext<RoleServer>) {
        if self.lock().is_some() {
            return;
        }
        let repos = open_found(&list_roots(context).await, engine).ok();
        for repo in repos.iter().flatten() {
            // A root that cannot be watched is walked on every call.
            let _ = watch_repo(engine, &repo.path);
        }
        *self.lock() = Some(repos.map(Arc::from));
    }

    fn lock(&self) -> MutexGuard<'_, Option<RootsAnswer>> {
        // Each change is one step, so a panic cannot leave it inconsistent.
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the roots that exist, without duplicates.
#[expect(deprecated, reason = "clients of the earlier revisions have roots")]
async fn list_roots(context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
    let version = context.protocol_version();
    let can_ask = version.is_some_and(|version| version < ProtocolVersion::V_2026_07_28);
    let has_roots = context.client_capabilities().is_some_and(|client| client.roots.is_some());
    if !can_ask || !has_roots {
        return Vec::new();
    }
    let Ok(Ok(result)) = tokio::time::timeout(LIST_TIMEOUT, context.peer.list_roots()).await else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    for root in result.roots.iter().take(MAX_ROOTS) {
        let folder = file_path(&root.uri).and_then(|folder| folder.canonicalize().ok());
        if let Some(folder) = folder.filter(|it| it.is_dir() && !folders.contains(it)) {
            folders.push(folder);
        }
    }
    folders
}

/// Returns the path of a URI such as `file:///a%20b`.
fn file_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let encoded = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(percent_decode_str(encoded).decode_utf8().ok()?.into_owned());
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_uris_are_decoded() {
        let read = |uri: &str| file_path(uri).map(|path| path.display().to_string());
        assert_eq!(read("file:///a/b"), Some("/a/b".into()));
        assert_eq!(read("file://localhost/a%20b/%C3%A9"), Some("/a b/é".into()));
        for wrong in ["https://example.org/a", "file://a/b", "file:///%ff", "/a"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
