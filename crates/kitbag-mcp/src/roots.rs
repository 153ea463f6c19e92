//! The folders that a client has open, for a server that was not told what to serve.
//!
//! Only revisions with a handshake let a server ask; the later one has deprecated it. A client that
//! does not tell, or not in time, gets what the server was started with.

use crate::state::{Repo, named, watched};
use kitbag::Engine;
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a client may take to tell its folders.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most folders that are served.
const MOST: usize = 16;

/// What is known of a client's folders.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    known: Mutex<Known>,
}

#[derive(Debug, Clone, Default)]
enum Known {
    /// The client was not asked yet, or its folders have changed since.
    #[default]
    Nothing,
    /// The client tells none.
    None,
    /// These.
    Some(Arc<[Repo]>),
}

impl Roots {
    /// The client's folders, if it told any.
    pub fn repos(&self) -> Option<Arc<[Repo]>> {
        match &*self.lock() {
            Known::Some(repos) => Some(Arc::clone(repos)),
            Known::Nothing | Known::None => None,
        }
    }

    /// The client's folders have changed.
    pub fn forget(&self) {
        *self.lock() = Known::Nothing;
    }

    /// Asks the client, unless it was asked before.
    pub async fn learn(&self, engine: &Engine, context: &RequestContext<RoleServer>) {
        if !matches!(*self.lock(), Known::Nothing) {
            return;
        }
        let folders = told(context).await;
        let known = match named(&folders) {
            Ok(repos) => {
                for repo in &repos {
                    // A folder that cannot be watched is walked for every call.
                    let _ = watched(engine, &repo.path);
                }
                Known::Some(repos.into())
            }
            Err(_) => Known::None,
        };
        *self.lock() = known;
    }

    /// A thread that panicked cannot have left it half-changed: each change is one step.
    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The folders that a client tells, those that are there and each once.
#[expect(deprecated, reason = "clients of the earlier revisions tell their folders by roots")]
async fn told(context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
    let version = context.protocol_version();
    let may_ask = version.is_some_and(|version| version < ProtocolVersion::V_2026_07_28);
    let tells = context.client_capabilities().is_some_and(|client| client.roots.is_some());
    if !may_ask || !tells {
        return Vec::new();
    }
    let Ok(Ok(result)) = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    for root in result.roots.iter().take(MOST) {
        let folder = folder(&root.uri).and_then(|folder| folder.canonicalize().ok());
        if let Some(folder) = folder.filter(|it| it.is_dir() && !folders.contains(it)) {
            folders.push(folder);
        }
    }
    folders
}

/// The folder that an address of the form `file:///a%20b` means.
fn folder(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_folders_are_read() {
        let read = |uri: &str| folder(uri).map(|path| path.display().to_string());
        assert_eq!(read("file:///a/b"), Some("/a/b".into()));
        assert_eq!(read("file://localhost/a%20b/%C3%A9"), Some("/a b/é".into()));
        for wrong in ["https://example.org/a", "file://a/b", "file:///%zz", "file:///%ff", "/a"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
