//! One client: its repositories, its packs, and the limits of its calls.

use crate::arguments::Arguments;
use crate::packs::ClientPacks;
use crate::repos::{ServedRepo, UnknownRepo, find_repo};
use crate::roots::ClientRoots;
use crate::state::{IndexProgress, McpState};
use crate::tool_error::ToolError;
use axum::http::request::Parts;
use kitbag::{ALL_REPOSITORIES, Fleet, NamedRepo, RepoAccess, Request, without_folder};
use rmcp::model::{ProgressNotificationParam, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{SemaphorePermit, TryAcquireError};

/// Profiles that do not set a budget.
const PROFILES_WITHOUT_BUDGET: [&str; 2] = ["agent", "chunks"];

/// The scope of sessions that are named by clients that cannot be distinguished.
const SESSIONLESS_SCOPE: &str = "sessionless";

/// The setting that puts the contents before the code.
const CONTENTS_KEY: &str = "context.formatting.contents";

/// Time for which a request to all repositories indexes those that have no summary yet.
const SUMMARIZE_TIME: Duration = Duration::from_secs(10);

/// Progress is reported once per this share of the files.
const PROGRESS_STEPS: f64 = 20.0;

/// One client. In the revision without sessions, each HTTP request has its own.
pub(crate) struct ClientSession {
    pub state: Arc<McpState>,
    own_packs: ClientPacks,
    /// Whether it is the only client of the server.
    is_exclusive: bool,
    pub roots: ClientRoots,
    /// The tenant of its token counts in the cache.
    tenant: String,
    /// Whether its requests cannot be distinguished from those of other clients.
    is_sessionless: AtomicBool,
    /// The repositories that its token is for, known from its first request.
    access: OnceLock<RepoAccess>,
}

impl ClientSession {
    /// Creates the session of the only client of a server.
    pub fn exclusive(state: Arc<McpState>) -> Self {
        Self::new(state, true, String::new())
    }

    /// Creates the session of one client of many.
    pub fn shared(state: Arc<McpState>) -> Self {
        Self::new(state, false, uuid::Uuid::new_v4().simple().to_string())
    }

    fn new(state: Arc<McpState>, is_exclusive: bool, tenant: String) -> Self {
        let own_packs = state.packs.add_client();
        let (roots, is_sessionless) = (ClientRoots::default(), AtomicBool::new(false));
        let access = OnceLock::new();
        Self { state, own_packs, is_exclusive, roots, tenant, is_sessionless, access }
    }

    /// Returns the repositories that the client can use, without those of the served folder.
    pub fn repos(&self) -> Arc<[ServedRepo]> {
        let all = self.roots.repos().unwrap_or_else(|| Arc::clone(&self.state.repos));
        let access = self.access();
        match access.is_full() {
            true => all,
            false => all.iter().filter(|repo| access.allows(&repo.name)).cloned().collect(),
        }
    }

    /// Returns the repositories that a request to all of them chooses from. Blocks.
    fn fleet(&self) -> Fleet {
        let named = self.repos();
        let named = named.iter().map(|it| (it.name.clone(), it.path.clone()));
        let folder = self.state.options.repos_folder.as_deref();
        let found = folder.map(kitbag::repositories_in).unwrap_or_default();
        let access = self.access();
        let found = found.into_iter().filter(|(name, _)| access.allows(name));
        let repositories = named.chain(found).map(|(name, folder)| NamedRepo { name, folder });
        Fleet { repositories: repositories.collect(), summarize_for: Some(SUMMARIZE_TIME) }
    }

    /// Returns the repositories to choose from if a request is to all of them.
    pub fn fleet_of(&self, repo: Option<&Path>) -> Option<Arc<Fleet>> {
        let is_all = repo == Some(Path::new(ALL_REPOSITORIES));
        is_all.then(|| Arc::new(blocking(|| self.fleet())))
    }

    /// Returns the repositories that the client may see: none before its first request.
    fn access(&self) -> RepoAccess {
        match self.access.get() {
            Some(access) => access.clone(),
            None if self.is_exclusive => RepoAccess::all(),
            None => RepoAccess::none(),
        }
    }

    /// Notes with which access a request comes. A session belongs to the token that has opened it.
    pub fn note_access(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let access = parts.and_then(|parts| parts.extensions.get::<RepoAccess>());
        let access = access.cloned().unwrap_or_default();
        if *self.access.get_or_init(|| access.clone()) == access {
            return Ok(());
        }
        Err(ErrorData::invalid_request("the session belongs to another token", None))
    }

    pub fn repo(&self, name: Option<&Path>) -> Result<ServedRepo, ToolError> {
        let repos = self.repos();
        let found = find_repo(&repos, name);
        if let (Err(_), Some(name)) = (&found, name)
            && let Some(path) = self.find_in_folder(name)
        {
            return Ok(ServedRepo { name: name.display().to_string(), path, folder: None });
        }
        let in_folder = self.state.options.repos_folder.is_some();
        let with_folder = |error: UnknownRepo| match in_folder {
            true => {
                let all = blocking(|| self.fleet()).repositories;
                error.among(all.into_iter().map(|repo| repo.name).collect())
            }
            false => error,
        };
        Ok(found.map_err(with_folder)?.clone())
    }

    fn find_in_folder(&self, name: &Path) -> Option<PathBuf> {
        let folder = self.state.options.repos_folder.as_deref()?;
        let name = name.to_str().filter(|name| !name.split('/').any(|it| it.starts_with('.')))?;
        // Before any file is read, so that the answer takes the same time whether it exists or not.
        let access = self.access();
        if !access.allows(name) {
            return None;
        }
        let found = kitbag::find_repository(folder, name)?;
        // A folder `app` is found as `owner/app` as well.
        let listed = kitbag::repository_name(folder, &found)?;
        access.allows(&listed).then_some(found)
    }

    /// Returns a message for the client: if it may not see all repositories, with their names in place of the
    /// folders that the server has them in.
    pub fn shown(&self, message: &str) -> String {
        let mut text = message.to_owned();
        if self.access().is_full() {
            return text;
        }
        for repo in self.repos().iter() {
            text = without_folder(&text, &repo.path, &repo.name);
        }
        match &self.state.options.repos_folder {
            Some(folder) => text.replace(&format!("{}/", folder.display()), ""),
            None => text,
        }
    }

    /// Applies [`ClientSession::shown`] to the warnings of a report.
    pub fn show_names(&self, warnings: &mut [String]) {
        for warning in warnings {
            *warning = self.shown(warning);
        }
    }

    /// Reads a pack request from arguments that have been checked.
    pub fn request(&self, mut arguments: Arguments) -> Result<Request, ToolError> {
        if let Some(files) = arguments.shift_remove("files") {
            arguments.insert("references".into(), files);
        }
        let mut request = Request::from_json(&Value::Object(arguments))?;
        request.access = self.access();
        request.fleet = self.fleet_of(request.repo.as_deref());
        if request.fleet.is_none() {
            let repo = self.repo(request.repo.as_deref())?;
            (request.repo, request.folder) = (Some(repo.path), repo.folder);
        }
        let profile = request.profile.as_deref();
        let is_review = profile.is_none() && request.diff.is_some();
        if !is_review && profile.is_none_or(|profile| PROFILES_WITHOUT_BUDGET.contains(&profile)) {
            request.budget = request.budget.or(Some(self.state.options.budget));
        }
        if !request.options.iter().any(|(key, _)| CONTENTS_KEY.ends_with(key.as_str())) {
            request.options.push((CONTENTS_KEY.into(), true.into()));
        }
        request.tenant = self.tenant.clone();
        // Each request of such a client has a tenant of its own, so the name of the session alone counts.
        if self.is_sessionless.load(Ordering::Relaxed) {
            request.session_scope = Some(match request.access.caller() {
                "" => SESSIONLESS_SCOPE.to_owned(),
                caller => format!("{SESSIONLESS_SCOPE} {caller}"),
            });
        }
        request.via = "mcp";
        Ok(request)
    }

    /// Returns the packs that a request can read.
    pub fn packs(&self, context: &RequestContext<RoleServer>) -> &ClientPacks {
        let version = context.protocol_version();
        let has_session = version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
        if self.is_exclusive || has_session {
            &self.own_packs
        } else {
            &self.state.sessionless_packs
        }
    }

    /// Notes how the client of a request is identified, before its arguments are read.
    pub fn note_client(&self, context: &RequestContext<RoleServer>) {
        self.is_sessionless.store(!self.has_own_packs(context), Ordering::Relaxed);
    }

    /// Whether the packs of a request are the client's own, so that they can be listed.
    pub fn has_own_packs(&self, context: &RequestContext<RoleServer>) -> bool {
        std::ptr::eq(self.packs(context), &self.own_packs)
    }

    /// Admits a call to run or wait. The only client of a server needs no permit.
    fn admit(&self) -> Result<Option<SemaphorePermit<'_>>, TryAcquireError> {
        (!self.is_exclusive).then(|| self.state.admitted.try_acquire()).transpose()
    }

    /// Runs a call within the limits of the server, and reports its progress.
    pub async fn run_limited<T>(
        &self,
        context: &RequestContext<RoleServer>,
        call: impl Future<Output = Result<T, ToolError>>,
    ) -> Result<T, ToolError> {
        let limit = self.state.options.limits.timeout;
        let _admitted = self.admit().map_err(|_| ToolError::Busy)?;
        let call = async {
            if self.state.options.roots && self.is_exclusive {
                self.roots.update(&self.state.engine, context).await;
            }
            // The semaphore is never closed.
            let _running = self.state.running.acquire().await;
            call.await
        };
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(ToolError::Cancelled),
            result = tokio::time::timeout(limit, self.with_progress(context, call)) => {
                result.unwrap_or(Err(ToolError::Timeout { limit }))
            }
        }
    }

    /// Runs a call and notifies the client of the progress of the index, if it has asked for that.
    /// The index may work for another call: calls wait for each other's indexing.
    async fn with_progress<T>(
        &self,
        context: &RequestContext<RoleServer>,
        call: impl Future<Output = T>,
    ) -> T {
        let Some(token) = context.meta.get_progress_token() else { return call.await };
        let mut progress = self.state.progress.clone();
        progress.mark_unchanged();
        let mut call = std::pin::pin!(call);
        let mut last = 0.0;
        let start = ProgressNotificationParam::new(token.clone(), last).with_message("searching");
        // Notifying fails only if the client is gone.
        let _ = context.peer.notify_progress(start).await;
        loop {
            let IndexProgress { read, total } = tokio::select! {
                biased;
                Ok(()) = progress.changed() => *progress.borrow_and_update(),
                result = &mut call => return result,
            };
            let (read, total) = (read as f64, total as f64);
            if read > last && (read >= total || read - last >= total / PROGRESS_STEPS) {
                last = read;
                let notification = ProgressNotificationParam::new(token.clone(), read)
                    .with_total(total)
                    .with_message("indexing");
                let _ = context.peer.notify_progress(notification).await;
            }
        }
    }
}

/// Runs work that waits for the disk, without holding up other tasks of the runtime where that is possible.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::options::{McpLimits, McpOptions};
    use kitbag::Engine;

    #[tokio::test]
    async fn calls_beyond_the_queue_are_rejected_unless_there_is_only_one_client() {
        let dir = tempfile::tempdir().unwrap();
        let limits = McpLimits { concurrency: 1, queue: 1, ..McpLimits::default() };
        let options = McpOptions { limits, ..McpOptions::default() };
        let engine = Engine::with_threads(1).unwrap();
        let state = McpState::new(engine, &[dir.path().to_owned()], options).unwrap();
        let one = ClientSession::shared(Arc::clone(&state));
        let other = ClientSession::shared(Arc::clone(&state));
        let first = one.admit().unwrap();
        let second = other.admit().unwrap();
        assert!(first.is_some() && second.is_some());
        assert!(one.admit().is_err() && other.admit().is_err());
        let exclusive = ClientSession::exclusive(Arc::clone(&state));
        assert!(exclusive.admit().is_ok_and(|permit| permit.is_none()));
        drop(first);
        assert!(other.admit().is_ok());
    }
}
