//! The engine that a library user holds.

pub(crate) mod absence;
mod records;
pub(crate) mod rules;

use crate::chunk_cache::ChunkCache;
use crate::error::{Error, UnknownProvider};
use crate::events::{ContextAssembled, EventSender, Events};
use crate::exec::{ComputePools, ElasticPool, Task, spawn_thread};
use crate::file_lines::{FileLines, FileQuery, file_lines};
use crate::gather::orchestrate::{ProviderInfo, Registry};
use crate::gather::provider::{Provider, RuleServices};
use crate::gather::providers::built_in;
use crate::index::{
    Cancels, Cleared, IndexRefresh, IndexStatus, Indexes, Preparation, search_chunk_limits,
};
use crate::observe::{self, RequestSpan, logs};
use crate::pack::{
    PackJob, Services, TimeoutReport, assemble, check_remote, resolve_limits, run_until,
};
use crate::report::{Report, ReportStats};
use crate::request::{PackMode, Request};
use crate::search::{SearchReport, SearchRequest, find};
use kitbag_config::{
    ConfigLoader, ConfigReport, ConfigSources, EngineSettings, LoggingSettings, RequestConfig,
    RequestOptions, ServerSettings,
};
use kitbag_core::{Cancel, PackError};
use kitbag_index::AnalysisSettings;
use kitbag_record::Records;
use kitbag_repo::{Globs, Root};
use kitbag_rules::judge_from_settings;
use kitbag_text::ChunkLimits;
use kitbag_tokens::{CachedCounter, CounterRegistry, TokenizerChoice, TokenizerSettings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Number of packs that are made at the same time. More would only take memory, unless they wait for a
/// judge or a slow provider.
const USUAL_PACKS: usize = 16;

/// Most packs that are made at the same time.
const MAX_PACKS: usize = 64;

/// Packs contexts. One engine serves any number of concurrent requests: they share its caches and its
/// threads, and none blocks the threads of the async runtime.
pub struct Engine {
    pools: Arc<ComputePools>,
    countings: Arc<CounterRegistry>,
    chunk_cache: Arc<ChunkCache>,
    indexes: Arc<Indexes>,
    pub(crate) configurations: Arc<ConfigLoader>,
    registry: Arc<Registry>,
    events: Arc<EventSender>,
    pack_slots: Arc<ElasticPool<()>>,
    pub(crate) records: Option<Arc<Records>>,
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
            countings: Arc::default(),
            chunk_cache: Arc::default(),
            indexes: Arc::new(Indexes::default()),
            configurations: Arc::default(),
            registry: Arc::new(Registry::new(built_in())),
            events: Arc::default(),
            pack_slots: ElasticPool::new(Vec::new(), USUAL_PACKS, MAX_PACKS),
            records: None,
        })
    }

    /// Saves indexes in `folder`. Without a folder they live as long as the engine.
    pub fn with_cache(self, folder: impl Into<PathBuf>) -> Self {
        let progress = self.indexes.progress.clone();
        Self { indexes: Arc::new(Indexes::new(Some(folder.into()), progress)), ..self }
    }

    /// Records each pack in `folder`: paths, lines, hashes, scores and reasons, never content.
    pub fn with_records(self, folder: impl Into<PathBuf>) -> Self {
        Self { records: Some(Arc::new(Records::new(folder.into()))), ..self }
    }

    /// Calls `progress` while an index is brought up to date, with the number of files read and the
    /// number to read.
    pub fn with_progress(self, progress: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        let cache = self.indexes.cache.clone();
        Self { indexes: Arc::new(Indexes::new(cache, Some(Arc::new(progress)))), ..self }
    }

    /// Adds sources of settings besides the repository's own file. Programs for people use
    /// [`ConfigSources::of_user`].
    pub fn with_config(self, sources: ConfigSources) -> Self {
        let configurations = Arc::new(self.configurations.with_sources(sources));
        Self { configurations, ..self }
    }

    /// Registers a provider after the existing ones.
    pub fn with_provider(self, provider: impl Provider + 'static) -> Result<Self, Error> {
        let configurations = Arc::new(self.configurations.with_provider(provider.id()));
        let registry = Arc::new(self.registry.with(Arc::new(provider))?);
        Ok(Self { registry, configurations, ..self })
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

    /// Returns the providers and whether each is on by default for `profile` in a repository.
    pub async fn providers_of(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Vec<(ProviderInfo, bool)>, Error> {
        let RequestConfig { settings: settled, .. } =
            self.configured(repo, profile, Vec::new(), cancel).await?;
        let with_state = |info: ProviderInfo| {
            let is_on = info.switched.unwrap_or_else(|| settled.provider(&info.id).enabled);
            (info, is_on)
        };
        Ok(self.registry.list().into_iter().map(with_state).collect())
    }

    /// Switches a provider on or off for all later packs, overriding the configuration; `None` returns
    /// to the configuration. A request overrides both.
    pub fn set_enabled(&self, id: &str, on: Option<bool>) -> Result<(), UnknownProvider> {
        self.registry.switch(id, on)?;
        tracing::debug!(provider = id, on, "provider switched");
        Ok(())
    }

    /// Subscribes to finished packs. A slow subscriber misses the oldest events and never delays a pack.
    pub fn subscribe(&self) -> Events {
        self.events.subscribe()
    }

    /// Returns every setting of a repository with its value and origin.
    pub async fn config(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<ConfigReport, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let show = move |_: &Cancel| Ok(configurations.report(&root, &repo, profile.as_deref())?);
        self.run(cancel, show).await
    }

    /// Returns the resolved settings of a repository, and warnings.
    pub async fn settled(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<(EngineSettings, Vec<String>), Error> {
        let configured = self.configured(repo, profile, Vec::new(), cancel).await?;
        Ok((configured.settings, configured.warnings))
    }

    /// Returns the user's server settings, which no repository can change.
    pub fn server_settings(&self) -> Result<ServerSettings, Error> {
        Ok(self.configurations.load_user()?.server)
    }

    /// Returns lines of a file, checked and redacted as for a pack.
    pub async fn file(&self, query: FileQuery, cancel: &Cancel) -> Result<FileLines, Error> {
        let RequestConfig { settings: settled, .. } =
            self.configured(&query.repo, None, Vec::new(), cancel).await?;
        self.run(cancel, move |_| file_lines(&query, &settled)).await
    }

    /// Returns the path of the user's configuration file, which need not exist.
    pub fn user_config(&self) -> Option<&Path> {
        self.configurations.user_file()
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

    /// Searches the index for a task.
    pub async fn search(
        &self,
        request: SearchRequest,
        cancel: &Cancel,
    ) -> Result<SearchReport, Error> {
        let started = Instant::now();
        let report = self.find(request, cancel).await;
        let seconds = started.elapsed().as_secs_f64();
        observe::searched(report.as_ref().map(|report| report.results.len()), seconds);
        report
    }

    async fn find(&self, request: SearchRequest, cancel: &Cancel) -> Result<SearchReport, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let configured = self.configured(repo, None, Vec::new(), cancel).await?;
        let settled = &configured.settings;
        let counting = self.counting(settled.counter.clone(), settled.tokenizer, String::new());
        let (indexes, pools) = (Arc::clone(&self.indexes), Arc::clone(&self.pools));
        let work = move |cancel: &Cancel| {
            find(&request, &configured, &*counting()?, &indexes, &pools, cancel)
        };
        self.run(cancel, work).await
    }

    /// Returns the state of the saved indexes of a repository.
    pub async fn index_status(&self, repo: &Path, cancel: &Cancel) -> Result<IndexStatus, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let limits = self.limits(repo, cancel).await?;
        self.run(cancel, move |_| indexes.status(&root, &limits)).await
    }

    /// Brings the index of a repository up to date.
    pub async fn refresh_index(&self, repo: &Path, cancel: &Cancel) -> Result<IndexRefresh, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let RequestConfig { settings: settled, .. } =
            self.configured(repo, None, Vec::new(), cancel).await?;
        let counting = self.counting(settled.counter.clone(), settled.tokenizer, String::new());
        let pools = Arc::clone(&self.pools);
        self.run(cancel, move |cancel| {
            let (started, counting) = (Instant::now(), counting()?);
            let limits = search_chunk_limits(&settled.settings.chunking);
            let job = Preparation {
                root: &root,
                globs: &Globs::default(),
                now: None,
                analysis: &AnalysisSettings { limits, counting: &counting },
                persist: settled.keeps_indexes,
                searches: true,
                pools: &pools,
            };
            let prepared = indexes.prepare(&job, &Cancels::new(cancel), &mut |_| {})?;
            cancel.check().map_err(PackError::from)?;
            let ms = started.elapsed().as_secs_f64() * 1_000.0;
            let mut refreshed = IndexRefresh::new(&root, prepared, ms);
            if settled.keeps_indexes && indexes.cache.is_none() {
                refreshed.unkept = Some(Error::NoCache.to_string());
            }
            Ok(refreshed)
        })
        .await
    }

    /// Removes the indexes of a repository, from memory and from disk.
    pub async fn clear_index(&self, repo: &Path, cancel: &Cancel) -> Result<Cleared, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let limits = self.limits(repo, cancel).await?;
        self.run(cancel, move |_| indexes.clear(&root, &limits)).await
    }

    /// Removes the indexes of all repositories, from memory and from disk.
    pub async fn clear_all_indexes(&self, cancel: &Cancel) -> Result<Cleared, Error> {
        let indexes = Arc::clone(&self.indexes);
        self.run(cancel, move |_| indexes.clear_all()).await
    }

    /// Watches a repository from now on: while nothing changes, requests reuse the last scan and neither
    /// walk the tree nor ask git. Requests with globs still walk it, as does every request if the
    /// repository cannot be watched.
    pub fn watch(&self, repo: &Path) -> Result<(), Error> {
        self.indexes.watch(&Root::open(repo)?)
    }

    /// Waits until a repository has changed since its last scan and has settled. Watches it from then
    /// on.
    pub async fn changed(&self, repo: &Path, cancel: &Cancel) -> Result<(), Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        self.run(cancel, move |cancel| indexes.changed(&root, cancel)).await
    }

    /// Returns the default counter, with the cache that requests without a tenant share.
    #[doc(hidden)]
    pub fn default_counting(&self) -> Arc<CachedCounter> {
        let counting =
            self.counting(TokenizerChoice::default(), TokenizerSettings::default(), String::new());
        counting().expect("only files can fail to be read")
    }

    /// Returns a loader of a tokenizer with a tenant's cache, to be called on another thread: loading a
    /// `tokenizer.json` takes seconds. A built-in vocabulary starts to unpack at once, in parallel with
    /// the walk.
    pub(crate) fn counting(
        &self,
        choice: TokenizerChoice,
        settings: TokenizerSettings,
        tenant: String,
    ) -> impl FnOnce() -> Result<Arc<CachedCounter>, Error> + Send + 'static {
        let countings = Arc::clone(&self.countings);
        if let TokenizerChoice::Named(_) = choice
            && let Ok(early) = countings.get(&choice, &settings, &tenant)
            && early.stats().entries == 0
        {
            // If no thread can be started, the vocabulary is unpacked on first use.
            let _ = spawn_thread("kitbag-vocabulary", move || {
                early.counter().count(" ");
            });
        }
        move || Ok(countings.get(&choice, &settings, &tenant)?)
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

    async fn decide(
        &self,
        mut request: Request,
        mode: PackMode,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        let started = Instant::now();
        request.correlation_id.get_or_insert_with(new_correlation_id);
        let span = RequestSpan::new(&request, mode);
        let result = self.decide_in(&span, request, mode, started, cancel).await;
        let seconds = started.elapsed().as_secs_f64();
        if let Err(error) = &result {
            span.within(|| logs::failed(error, seconds * 1_000.0));
        }
        observe::packed(mode, &result, seconds);
        result
    }

    async fn decide_in(
        &self,
        span: &RequestSpan,
        request: Request,
        mode: PackMode,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        check_remote(&request)?;
        let configured = self.configured_for_request(&request, cancel).await?;
        let (tokenizer, budget) = resolve_limits(&request, &configured.settings)?;
        let timeout = TimeoutReport::new(&configured, &request, mode, budget, &tokenizer);
        let due = timeout.due(started);
        let load_services = self.services(&request, &configured, tokenizer);
        let request = Arc::new(request);
        let job = PackJob { request: Arc::clone(&request), configured, mode, budget, started };
        let span = span.clone();
        let work = move |cancel: &Cancel| {
            let services = load_services()?;
            span.within(|| assemble(&job, &services, cancel))
        };
        let Some(slot) = self.pack_slots.take(due, cancel).await? else {
            return Ok(timeout.report());
        };
        let report = self
            .run(cancel, move |cancel| {
                // Held until the work has ended, even if no one waits for it any more.
                let _slot = slot;
                run_until(started, timeout, cancel, work)
            })
            .await?;
        if mode == PackMode::Pack {
            self.publish(&request, &report, started);
        }
        Ok(report)
    }

    async fn configured_for_request(
        &self,
        request: &Request,
        cancel: &Cancel,
    ) -> Result<RequestConfig, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let options = RequestOptions { pairs: request.all_options(), is_remote: request.is_remote };
        let profile = request.profile.as_deref();
        let mut configured = self.configured_with(repo, profile, options, cancel).await?;
        if let Some(settings) = &request.settings {
            configured.settings.settings = settings.clone();
        }
        Ok(configured)
    }

    /// Returns a loader of the services of a request; loading the tokenizer may take a while.
    fn services(
        &self,
        request: &Request,
        configured: &RequestConfig,
        tokenizer: TokenizerChoice,
    ) -> impl FnOnce() -> Result<Services, Error> + Send + 'static {
        let settled = &configured.settings;
        let counting = self.counting(tokenizer, settled.tokenizer, request.tenant.clone());
        let rules = self.rule_services(settled);
        let (registry, indexes) = (Arc::clone(&self.registry), Arc::clone(&self.indexes));
        let (pools, chunk_cache) = (Arc::clone(&self.pools), Arc::clone(&self.chunk_cache));
        let records = self.records.clone().filter(|_| !request.no_record);
        move || {
            let counting = counting()?;
            Ok(Services { registry, indexes, pools, chunk_cache, counting, rules, records })
        }
    }

    /// Returns the settings and the judge of rules. The judge's key comes from the user's environment.
    fn rule_services(&self, settled: &EngineSettings) -> RuleServices {
        let judge = judge_from_settings(&settled.judge, |name| self.configurations.variable(name));
        let (judge, trouble) = match judge {
            Ok(judge) => (judge, None),
            Err(error) => (None, Some(format!("conditions are not judged: {error}"))),
        };
        RuleServices { settings: settled.rules, judge, trouble }
    }

    /// Sends a finished pack to the subscribers.
    fn publish(&self, request: &Request, report: &Report, started: Instant) {
        if !self.events.has_subscribers() {
            return;
        }
        self.events.send(ContextAssembled {
            agent_id: request.agent_id.clone(),
            correlation_id: request.correlation_id.clone(),
            via: request.via,
            repo: request.repo.clone().unwrap_or_else(|| ".".into()),
            profile: request.profile.clone().unwrap_or_else(|| "agent".to_owned()),
            task: request.task.clone(),
            report: Arc::new(report.clone()),
            duration_ms: started.elapsed().as_secs_f64() * 1_000.0,
        });
    }

    pub(crate) async fn configured(
        &self,
        repo: &Path,
        profile: Option<&str>,
        pairs: Vec<(String, serde_json::Value)>,
        cancel: &Cancel,
    ) -> Result<RequestConfig, Error> {
        let options = RequestOptions { pairs, is_remote: false };
        self.configured_with(repo, profile, options, cancel).await
    }

    async fn configured_with(
        &self,
        repo: &Path,
        profile: Option<&str>,
        options: RequestOptions,
        cancel: &Cancel,
    ) -> Result<RequestConfig, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let configure = move |_: &Cancel| {
            Ok(configurations.load(&root, &repo, profile.as_deref(), &options)?)
        };
        self.run(cancel, configure).await
    }

    /// Returns the chunk sizes of a repository.
    async fn limits(&self, repo: &Path, cancel: &Cancel) -> Result<ChunkLimits, Error> {
        let configured = self.configured(repo, None, Vec::new(), cancel).await?;
        Ok(configured.settings.settings.chunking)
    }

    /// Runs `work`, which may wait for files, on a thread of its own. Dropping the future cancels it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        Task::spawn(cancel, work)?.result().await
    }
}

/// Returns the logging settings of a repository, or the user's own without one. Works before there
/// is an engine.
pub fn logging_settings(
    sources: ConfigSources,
    repo: Option<&Path>,
) -> Result<LoggingSettings, Error> {
    let configurations = ConfigLoader::new(sources);
    let Some(repo) = repo else { return Ok(configurations.load_user()?.logging) };
    let options = RequestOptions::default();
    let configured = configurations.load(&Root::open(repo)?, repo, None, &options)?;
    Ok(configured.settings.logging)
}

/// Generates a correlation id for a request without one.
fn new_correlation_id() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}
