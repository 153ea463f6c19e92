//! Engine methods for sessions: in memory, and in the store of the settings if requests write to it.

use super::Engine;
use crate::error::Error;
use crate::index::{SharedObjects, explained};
use crate::pack::PackJob;
use crate::report::Report;
use crate::request::{ALL_REPOSITORIES, Request};
use crate::sessions::{SessionKey, SharedSession};
use kitbag_core::{Cancel, SentLines};
use kitbag_repo::shared_name;
use std::path::Path;
use std::sync::Arc;

/// The session of a request, as it was before its pack.
pub(super) struct OpenSession {
    key: SessionKey,
    /// Whether lines are sent again.
    repeat: bool,
    /// The session in the store. `None` if it is only in memory.
    shared: Option<SharedSession>,
    warning: Option<String>,
}

impl Engine {
    /// Opens a session for a pack. With a store, other servers may have continued it since.
    pub(super) async fn open_session(
        &self,
        key: SessionKey,
        job: &PackJob,
        cancel: &Cancel,
    ) -> Result<OpenSession, Error> {
        let repeat = job.request.repeat;
        let mut session = OpenSession { key, repeat, shared: None, warning: None };
        let settings = &job.config.settings.store;
        let objects = match self.objects_for_request(settings, cancel) {
            Ok(objects) => objects.filter(SharedObjects::is_writable),
            Err(problem) => {
                session.warning = settings.write.then(|| warning(&problem));
                None
            }
        };
        let Some(objects) = objects else { return Ok(session) };
        let (key, folder) = (session.key.clone(), job.root.path().to_owned());
        let is_fleet = job.request.fleet.is_some();
        let read = self.run(cancel, move |_, _| {
            let repository =
                if is_fleet { ALL_REPOSITORIES.to_owned() } else { shared_name(&folder) };
            Ok(SharedSession::read(objects, &key, &repository))
        });
        match read.await? {
            Ok(shared) => {
                self.sessions.set(session.key.clone(), shared.sent.clone());
                session.shared = Some(shared);
            }
            Err(problem) => session.warning = Some(warning(&explained(&problem))),
        }
        Ok(session)
    }

    /// Returns the lines that a pack leaves out.
    pub(super) fn sent_in(&self, session: &OpenSession) -> Option<Arc<SentLines>> {
        (!session.repeat).then(|| self.sessions.sent(&session.key))
    }

    /// Adds a finished pack to a session.
    pub(super) async fn continue_session(
        &self,
        session: OpenSession,
        report: &mut Report,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let OpenSession { key, repeat, shared, mut warning } = session;
        if repeat {
            self.sessions.forget(&key);
        }
        let sent = self.sessions.add(key, report);
        if let Some(shared) = shared {
            let replaced = self.run(cancel, move |_, _| Ok(shared.replace(&sent))).await?;
            warning = replaced.err().map(|problem| self::warning(&explained(&problem)));
        }
        report.warnings.extend(warning);
        Ok(())
    }
}

fn warning(problem: &str) -> String {
    format!("only this server knows the session: {problem}")
}

/// Returns the session of a request, if it names one.
pub(super) fn session_key(request: &Request) -> Result<Option<SessionKey>, Error> {
    let Some(name) = &request.session else {
        return if request.repeat { Err(Error::RepeatWithoutSession) } else { Ok(None) };
    };
    let scope = request.session_scope.as_ref().unwrap_or(&request.tenant);
    let repo = request.repo.as_deref().unwrap_or(Path::new("."));
    SessionKey::new(scope, repo, name).map(Some)
}
