//! [`Engine`], the entry point of the library.

mod fleet;
mod indexing;
pub(crate) mod records;
pub(crate) mod rules;
mod sessions;
mod settings;
pub(crate) mod shared_packs;
mod stores;

pub use settings::logging_settings;

use crate::chunk_cache::ChunkCache;
use crate::error::{Error, UnknownProvider};
use crate::events::{ContextAssembled, EventSender, Events, event_channel};
use crate::exec::{ComputePools, ElasticPool, Task, spawn_thread};
use crate::fleet::{FleetChoice, Summaries};
use crate::gather::orchestrate::{ProviderInfo, Registry};
use crate::gather::provider::Provider;
use crate::gather::providers::built_in;
use crate::index::Indexes;
use crate::observe::{self, RequestSpan, logs};
use crate::pack::{
    OtherRepo, PackJob, Services, assemble, check_remote, resolve_limits, run_until,
};
use crate::report::{Report, ReportStats};
use crate::request::{NamedRepo, PackMode, Request};
use crate::root::OpenCommits;
use crate::sessions::Sessions;
use kitbag_config::{ConfigLoader, ConfigSources};
use kitbag_core::Cancel;
use kitbag_record::Records;
use kitbag_tokens::{CachedCounter, CounterRegistry, TokenizerChoice, TokenizerSettings};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Number of packs that are made at the same time. More would only take memory, unless they wait for a
/// judge or a slow provider.
const BASE_PACKS: usize = 16;

/// Maximum number of concurrent packs.
const MAX_PACKS: usize = 64;

/// Name of the folder of summaries in the folder of indexes.
const SUMMARIES: &str = "summaries";

/// Packs, searches and explains. One engine serves any number of concurrent requests: they share its
/// caches and its threads, and none blocks the threads of the async runtime. Clones are cheap and share
/// everything but the callback of [`with_progress`](Self::with_progress).
#[derive(Clone)]
pub struct Engine {
    pools: Arc<ComputePools>,
    counters: Arc<CounterRegistry>,
    chunk_cache: Arc<ChunkCache>,
    indexes: Arc<Indexes>,
    config: Arc<ConfigLoader>,
    registry: Arc<Registry>,
    events: EventSender,
    pack_slots: Arc<ElasticPool<()>>,
    records: Option<Arc<Records>>,
    sessions: Arc<Sessions>,
    commits: Arc<OpenCommits>,
    summaries: Arc<Summaries>,
}

impl Engine {
    /// Creates an engine with one thread per processor.
    pub fn new() -> Result<Self, Error> {
        Self::with_threads(0)
    }

    /// Creates an engine with `threads` threads; 0 means one per processor.
    pub fn with_threads(threads: usize) -> Result<Self, Error> {
        Ok(Self {
            pools: ComputePools::new(threads)?,
            counters: Arc::default(),
            chunk_cache: Arc::default(),
            indexes: Arc::default(),
            config: Arc::default(),
            registry: Arc::new(Registry::new(built_in())),
            events: event_channel(),
            pack_slots: ElasticPool::new(Vec::new(), BASE_PACKS, MAX_PACKS),
            records: None,
            sessions: Arc::default(),
            commits: Arc::default(),
            summaries: Arc::new(Summaries::new(None)),
        })
    }

    /// Saves indexes in `folder`. Without a folder they live as long as the engine.
    pub fn with_cache(self, folder: impl Into<PathBuf>) -> Self {
        let (folder, progress) = (folder.into(), self.indexes.progress.clone());
        let summaries = Arc::new(Summaries::new(Some(folder.join(SUMMARIES))));
        Self { indexes: Arc::new(Indexes::new(Some(folder), progress)), summaries, ..self }
    }

    /// Records each pack in `folder`: paths, lines, hashes, scores and reasons, never content.
    pub fn with_records(self, folder: impl Into<PathBuf>) -> Self {
        Self { records: Some(Arc::new(Records::new(folder.into()))), ..self }
    }

    /// Calls `progress` while an index is brought up to date, with the number of files read and the
    /// number to read. It replaces the callback of this clone only, so that a clone can report the
    /// progress of a single request.
    pub fn with_progress(self, progress: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        Self { indexes: Arc::new(self.indexes.with_progress(Arc::new(progress))), ..self }
    }

    /// Adds sources of settings besides the repository's own file. Interactive programs use
    /// [`ConfigSources::of_user`].
    pub fn with_config(self, sources: ConfigSources) -> Self {
        Self { config: Arc::new(self.config.with_sources(sources)), ..self }
    }

    /// Registers a provider after the existing ones.
    pub fn with_provider(self, provider: impl Provider + 'static) -> Result<Self, Error> {
        let config = Arc::new(self.config.with_provider(provider.id()));
        let registry = Arc::new(self.registry.with(Arc::new(provider))?);
        Ok(Self { registry, config, ..self })
    }

    /// Replaces the built-in providers.
    #[cfg(test)]
    pub(crate) fn with_registry(self, providers: Vec<Arc<dyn Provider>>) -> Self {
        Self { registry: Arc::new(Registry::new(providers)), ..self }
    }

    /// Returns the providers, in the order in which their answers are merged.
    pub fn providers(&self) -> Vec<ProviderInfo> {
        self.registry.list()
    }

    /// Returns the id of a provider by its name or an alias, such as `rag` for `search`.
    pub fn provider_id(&self, name: &str) -> Result<String, UnknownProvider> {
        self.registry.find(name)
    }

    /// Switches a provider on or off for all later packs, overriding the configuration; `None` returns
    /// to the configuration. A request overrides both.
    pub fn set_enabled(&self, id: &str, on: Option<bool>) -> Result<(), UnknownProvider> {
        self.registry.switch(id, on)?;
        tracing::debug!(provider = id, on, "provider switched");
        Ok(())
    }

    /// Returns the user's home folder, if the configuration has the user's environment.
    #[doc(hidden)]
    pub fn home(&self) -> Option<PathBuf> {
        self.config.home()
    }

    /// Subscribes to finished packs. A slow subscriber misses the oldest events and never delays a pack.
    pub fn subscribe(&self) -> Events {
        Events(self.events.subscribe())
    }

    /// Makes a pack: the decision and its text.
    pub async fn pack(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        // Boxed to keep the caller's future small.
        Box::pin(self.decide(request, PackMode::Pack, cancel)).await
    }

    /// Makes the same decision as [`Engine::pack`], without the text.
    pub async fn preview(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        Box::pin(self.decide(request, PackMode::Preview, cancel)).await
    }

    /// Returns the statistics of a pack without making its text.
    pub async fn stats(&self, request: Request, cancel: &Cancel) -> Result<ReportStats, Error> {
        self.preview(request, cancel).await.map(|report| report.stats)
    }

    /// Returns the default counter, with the cache that requests without a tenant share.
    #[doc(hidden)]
    pub fn default_counting(&self) -> Arc<CachedCounter> {
        let counter = self.counter(&TokenizerChoice::default(), &TokenizerSettings::default(), "");
        counter.expect("only files can fail to be read")
    }

    /// Runs `work` in a compute pool, or on this thread if there is none.
    #[doc(hidden)]
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        // This may be a thread of an async runtime, which must not block on the queue itself.
        let take = || self.pools.take(&Cancel::default());
        let pool = std::thread::scope(|scope| scope.spawn(take).join());
        match pool {
            Ok(Ok(pool)) => pool.install(work),
            _ => work(),
        }
    }

    /// Returns a tokenizer with a tenant's cache. Blocks: loading a `tokenizer.json` takes seconds. A
    /// built-in vocabulary starts to unpack at once, in parallel with the walk.
    fn counter(
        &self,
        choice: &TokenizerChoice,
        settings: &TokenizerSettings,
        tenant: &str,
    ) -> Result<Arc<CachedCounter>, Error> {
        let counter = self.counters.get(choice, settings, tenant)?;
        if matches!(choice, TokenizerChoice::Named(_)) && counter.stats().entries == 0 {
            let early = Arc::clone(&counter);
            // If no thread can be started, the vocabulary is unpacked on first use.
            let _ = spawn_thread("kitbag-vocabulary", move || {
                early.counter().count(" ");
            });
        }
        Ok(counter)
    }

    async fn decide(
        &self,
        mut request: Request,
        mode: PackMode,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        let started = Instant::now();
        let new_id = || uuid::Uuid::new_v4().simple().to_string();
        request.correlation_id.get_or_insert_with(new_id);
        request.complete();
        let request = Arc::new(request);
        let span = RequestSpan::new(&request, mode);
        let result = self.decide_in(&span, &request, mode, started, cancel).await;
        let seconds = started.elapsed().as_secs_f64();
        match &result {
            Ok(report) if mode == PackMode::Pack => self.publish(&request, report, seconds),
            Ok(_) => {}
            Err(error) => span.within(|| logs::failed(error, seconds * 1_000.0)),
        }
        observe::packed(mode, &result, seconds);
        result
    }

    async fn decide_in(
        &self,
        span: &RequestSpan,
        request: &Arc<Request>,
        mode: PackMode,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        check_remote(request)?;
        let session = sessions::session_key(request)?;
        let (request, span) = (Arc::clone(request), span.clone());
        let resolve =
            move |engine: &Self, cancel: &Cancel| engine.resolve(&request, mode, started, cancel);
        let (job, choice) = self.run(cancel, resolve).await?;
        let session = match session {
            Some(key) => Some(self.open_session(key, &job, cancel).await?),
            None => None,
        };
        let sent = session.as_ref().and_then(|session| self.sent_in(session));
        let job = Arc::new(PackJob { sent, ..job });
        let Some(slot) = self.pack_slots.take(job.gives_up_at(), cancel).await? else {
            return Ok(job.timeout_report());
        };
        let has_choice = choice.as_ref().is_none_or(|choice| !choice.repos.is_empty());
        let work = move |engine: &Self, cancel: &Cancel| {
            // Held until the work has ended, even if no one waits for it any more.
            let _slot = slot;
            let (engine, own_job) = (engine.clone(), Arc::clone(&job));
            run_until(&job, cancel, move |cancel| {
                let services = engine.services(&own_job)?;
                if !has_choice {
                    return Ok(own_job.unchosen_report(&services.counting));
                }
                span.within(|| assemble(&own_job, &services, cancel))
            })
        };
        let mut report = self.run(cancel, work).await?;
        if let Some(choice) = choice {
            fleet::add_choice(&mut report, choice);
        }
        // Only now: a caller that has gone away by now has not received the pack.
        if let Some(session) = session.filter(|_| mode == PackMode::Pack) {
            self.continue_session(session, &mut report, cancel).await?;
        }
        Ok(report)
    }

    /// Resolves a request, and chooses the repositories of one to many of them.
    fn resolve(
        &self,
        request: &Arc<Request>,
        mode: PackMode,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<(PackJob, Option<FleetChoice>), Error> {
        match &request.fleet {
            None => Ok((self.job(Arc::clone(request), mode, started)?, None)),
            Some(fleet) => {
                let (job, choice) = self.fleet_job(request, fleet, mode, started, cancel)?;
                Ok((job, Some(choice)))
            }
        }
    }

    /// Resolves the configuration and the limits of a request.
    fn job(
        &self,
        request: Arc<Request>,
        mode: PackMode,
        started: Instant,
    ) -> Result<PackJob, Error> {
        let (root, mut config) = self.open_request(&request)?;
        if let Some(settings) = &request.settings {
            config.settings.settings = settings.clone();
        }
        let (tokenizer, budget) = resolve_limits(&request, &config.settings)?;
        let others = self.other_repos(&request, mode, started)?;
        let (sent, likelihood) = (None, 1.0);
        Ok(PackJob {
            request,
            root,
            config,
            tokenizer,
            mode,
            budget,
            started,
            sent,
            likelihood,
            others,
        })
    }

    /// Resolves the configuration of the repositories after the first. What the caller brings belongs to
    /// none of them, and is packed once.
    fn other_repos(
        &self,
        request: &Request,
        mode: PackMode,
        started: Instant,
    ) -> Result<Vec<OtherRepo>, Error> {
        let other = |repo: &NamedRepo| {
            let request = Request {
                repo: Some(repo.folder.clone()),
                repos: Vec::new(),
                tool_results: Vec::new(),
                sources: Vec::new(),
                diagnostics: Vec::new(),
                ..request.clone()
            };
            let job = self.job(Arc::new(request), mode, started)?;
            Ok(OtherRepo { name: repo.name.clone(), job })
        };
        request.repos.iter().skip(1).map(other).collect()
    }

    fn services(&self, job: &PackJob) -> Result<Services, Error> {
        let settings = &job.config.settings;
        Ok(Services {
            registry: Arc::clone(&self.registry),
            indexes: Arc::clone(&self.indexes),
            pools: Arc::clone(&self.pools),
            chunk_cache: Arc::clone(&self.chunk_cache),
            counting: self.counter(&job.tokenizer, &settings.tokenizer, &job.request.tenant)?,
            rules: self.rule_services(settings),
            records: self.records.clone().filter(|_| !job.request.no_record),
        })
    }

    /// Sends a finished pack to the subscribers.
    fn publish(&self, request: &Request, report: &Report, seconds: f64) {
        if self.events.receiver_count() == 0 {
            return;
        }
        let event = ContextAssembled {
            agent_id: request.agent_id.clone(),
            correlation_id: request.correlation_id.clone(),
            via: request.via,
            repo: request.repo.clone().unwrap_or_else(|| ".".into()),
            access: request.access.clone(),
            profile: request.profile.clone().unwrap_or_else(|| "agent".to_owned()),
            task: request.task.clone(),
            report: Arc::new(report.clone()),
            duration_ms: seconds * 1_000.0,
        };
        // The last subscriber may be gone by now.
        let _ = self.events.send(Arc::new(event));
    }

    /// Runs `work`, which may wait for files, on a thread of its own. Dropping the future cancels it.
    async fn run<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&Self, &Cancel) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let engine = self.clone();
        Task::spawn(cancel, move |cancel| work(&engine, cancel))?.result().await
    }
}
