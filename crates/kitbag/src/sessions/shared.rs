//! Sessions in a store, so that any of several servers can continue them.
//!
//! Each pack of a session writes one object with all lines that were sent so far, and deletes those that it
//! has read. Readers take the union, so packs that are made at the same time lose nothing.

use super::{EXPIRES_AFTER, SessionKey};
use crate::index::SharedObjects;
use kitbag_core::SentLines;
use kitbag_store::{ObjectKind, StoreError};
use std::time::SystemTime;

/// How often a session is listed again after another pack replaced what was listed.
const MAX_ATTEMPTS: usize = 3;

/// A session that was read from a store.
pub(crate) struct SharedSession {
    objects: SharedObjects,
    folder: String,
    /// Names of the objects that were read.
    read: Vec<String>,
    /// The lines in them.
    pub sent: SentLines,
}

impl SharedSession {
    /// Reads a session of a repository, a name that all servers have for it. A session that does not exist,
    /// has expired or is damaged is empty.
    pub fn read(
        objects: SharedObjects,
        key: &SessionKey,
        repository: &str,
    ) -> Result<Self, StoreError> {
        let folder =
            objects.name_of(ObjectKind::Session, &[key.scope.as_str(), repository, &key.name]);
        let mut session = Self { objects, folder, read: Vec::new(), sent: SentLines::default() };
        for _ in 0..MAX_ATTEMPTS {
            if session.read_once()? {
                break;
            }
        }
        Ok(session)
    }

    /// Reads the session. Returns whether nothing was replaced meanwhile.
    fn read_once(&mut self) -> Result<bool, StoreError> {
        (self.read, self.sent) = (Vec::new(), SentLines::default());
        let (expired, current): (Vec<_>, Vec<_>) =
            self.objects.list(&self.folder)?.into_iter().partition(|it| is_expired(it.modified_ms));
        let names: Vec<String> = current.into_iter().map(|entry| entry.name).collect();
        let (objects, problem) = self.objects.get_all(&names);
        if let Some(problem) = problem.filter(|problem| !problem.is_of_object()) {
            return Err(problem);
        }
        let is_complete = objects.iter().all(Option::is_some);
        for sent in objects.iter().flatten().filter_map(|bytes| SentLines::from_bytes(bytes)) {
            self.sent.add_all(&sent);
        }
        self.read = names.into_iter().chain(expired.into_iter().map(|entry| entry.name)).collect();
        Ok(is_complete)
    }

    /// Replaces what was read by `sent`.
    pub fn replace(self, sent: &SentLines) -> Result<(), StoreError> {
        self.objects.put(&self.objects.fresh_name(&self.folder)?, &sent.to_bytes())?;
        self.read.iter().try_for_each(|name| self.objects.delete(name))
    }
}

/// Whether an object was written so long ago that its session has expired. A wrong clock lets sessions expire
/// early or late, and lines be sent again.
fn is_expired(modified_ms: i64) -> bool {
    let now_ms = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as i64);
    now_ms - modified_ms > EXPIRES_AFTER.as_millis() as i64
}
