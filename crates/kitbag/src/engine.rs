//! The engine that a library user holds.

use crate::assemble::{Late, Means, Want, assemble, in_time};
use crate::config::{
    ConfigReport, ConfigSources, Configurations, Configured, RequestOptions, ServerSettings,
    Settled,
};
use crate::cut::Cuts;
use crate::error::Error;
use crate::events::{ContextAssembled, Events, Teller};
use crate::file_lines::{FileLines, FileQuery, file_lines};
use crate::finding::{SearchReport, SearchRequest, find};
use crate::indexes::{Cleared, IndexRefresh, IndexStatus, Indexes, Preparation, Stops};
use crate::line::Line;
use crate::observe::{self, Watching, logs};
use crate::orchestrate::{ProviderInfo, Registry, UnknownProvider};
use crate::pools::Pools;
use crate::provider::{Provider, Ruling};
use crate::providers::built_in;
use crate::record::Records;
use crate::report::{Report, ReportStats};
use crate::request::Request;
use crate::rules::judge_of;
use crate::search::finer;
use kitbag_core::{Cancel, PackError};
use kitbag_index::Analysis;
use kitbag_repo::{Globs, Root};
use kitbag_text::ChunkLimits;
use kitbag_tokens::{Choice, Counting, Countings, TokenizerSettings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// So many packs are assembled at the same time: more of them than there are processors only take
/// memory, unless they wait for a judge or a slow provider; then there are so many at the most.
const USUAL_AT_ONCE: usize = 16;
const MOST_AT_ONCE: usize = 64;

/// Packs contexts. One engine serves any number of requests at a time: they share its counts and
/// its threads, none delays the others for long, and none blocks the threads of the async runtime.
pub struct Engine {
    pools: Arc<Pools>,
    countings: Arc<Countings>,
    cuts: Arc<Cuts>,
    indexes: Arc<Indexes>,
    pub(crate) configurations: Arc<Configurations>,
    registry: Arc<Registry>,
    teller: Arc<Teller>,
    /// Who may assemble a pack.
    turns: Arc<Line<()>>,
    pub(crate) records: Option<Arc<Records>>,
}

impl Engine {
    /// An engine with a thread for each processor.
    pub fn new() -> Result<Self, Error> {
        Self::with_threads(0)
    }

    /// An engine with so many threads; 0 means one for each processor.
    pub fn with_threads(threads: usize) -> Result<Self, Error> {
        Ok(Self {
            pools: Pools::new(threads)?,
            countings: Arc::default(),
            cuts: Arc::default(),
            indexes: Arc::new(Indexes::default()),
            configurations: Arc::default(),
            registry: Arc::new(Registry::new(built_in())),
            teller: Arc::default(),
            turns: Line::new(Vec::new(), USUAL_AT_ONCE, MOST_AT_ONCE),
            records: None,
        })
    }

    /// The same engine, with a folder in which it keeps indexes. Without one they live as long as
    /// the engine.
    pub fn with_cache(self, folder: impl Into<PathBuf>) -> Self {
        let progress = self.indexes.progress.clone();
        Self { indexes: Arc::new(Indexes::new(Some(folder.into()), progress)), ..self }
    }

    /// The same engine, with a folder in which each pack leaves a record: paths, lines, hashes, scores
    /// and reasons, never content. Without one nothing is recorded.
    pub fn with_records(self, folder: impl Into<PathBuf>) -> Self {
        Self { records: Some(Arc::new(Records::new(folder.into()))), ..self }
    }

    /// The same engine, which tells how many files it has read, of how many that have to be, while
    /// it brings an index up to date.
    pub fn with_progress(self, told: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        let cache = self.indexes.cache.clone();
        Self { indexes: Arc::new(Indexes::new(cache, Some(Arc::new(told)))), ..self }
    }

    /// The same engine, which takes settings from these places too, beside the repository's own
    /// file: [`ConfigSources::of_user`] is what a program for people wants.
    pub fn with_config(self, sources: ConfigSources) -> Self {
        let configurations = Arc::new(self.configurations.with_sources(sources));
        Self { configurations, ..self }
    }

    /// The same engine, which also asks a provider of the caller's own, after those that are there.
    pub fn with_provider(self, provider: impl Provider + 'static) -> Result<Self, Error> {
        let configurations = Arc::new(self.configurations.with_provider(provider.id()));
        let registry = Arc::new(self.registry.with(Arc::new(provider))?);
        Ok(Self { registry, configurations, ..self })
    }

    /// The same engine with these providers in place of those that are built in.
    #[cfg(test)]
    pub(crate) fn with_registry(self, providers: Vec<Arc<dyn Provider>>) -> Self {
        Self { registry: Arc::new(Registry::new(providers)), ..self }
    }

    /// The providers, in the order in which their answers are merged.
    pub fn providers(&self) -> Vec<ProviderInfo> {
        self.registry.list()
    }

    /// The id of the provider that a name means: its own, or another such as `rag` for `search`.
    pub fn provider_id(&self, name: &str) -> Result<String, UnknownProvider> {
        self.registry.find(name)
    }

    /// The providers, and whether each is asked for a pack of a repository with a profile that says
    /// nothing of it.
    pub async fn providers_of(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Vec<(ProviderInfo, bool)>, Error> {
        let Configured { settled, .. } = self.configured(repo, profile, Vec::new(), cancel).await?;
        let asked = |info: &ProviderInfo| {
            info.switched.unwrap_or_else(|| settled.provider(&info.id).enabled)
        };
        let all = self.registry.list().into_iter();
        Ok(all.map(|info| (asked(&info), info)).map(|(is_asked, info)| (info, is_asked)).collect())
    }

    /// Switches a provider on or off for all later packs, whatever the configuration says; `None`
    /// leaves it to the configuration again. What a request says goes before it.
    pub fn set_enabled(&self, id: &str, on: Option<bool>) -> Result<(), UnknownProvider> {
        self.registry.switch(id, on)?;
        tracing::debug!(provider = id, on, "provider switched");
        Ok(())
    }

    /// What happens from now on: each finished pack is an event. A subscriber that is slow misses
    /// the oldest, and never delays a pack.
    pub fn subscribe(&self) -> Events {
        self.teller.subscribe()
    }

    /// The configuration of a repository: every setting, its value, and where that comes from.
    pub async fn config(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<ConfigReport, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let show = move |_: &Cancel| Ok(configurations.show(&root, &repo, profile.as_deref())?);
        self.run(cancel, show).await
    }

    /// What the configuration of a repository comes to, and what a person should know of it.
    pub async fn settled(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<(Settled, Vec<String>), Error> {
        let configured = self.configured(repo, profile, Vec::new(), cancel).await?;
        Ok((configured.settled, configured.warnings))
    }

    /// How the user wants a server to serve, whatever any repository says.
    pub fn server_settings(&self) -> Result<ServerSettings, Error> {
        Ok(self.configurations.of_user()?.server)
    }

    /// Lines of a file of a repository, checked and redacted as for a pack.
    pub async fn file(&self, query: FileQuery, cancel: &Cancel) -> Result<FileLines, Error> {
        let Configured { settled, .. } =
            self.configured(&query.repo, None, Vec::new(), cancel).await?;
        self.run(cancel, move |_| file_lines(&query, &settled)).await
    }

    /// The user-wide configuration file of this engine, which need not exist.
    pub fn user_config(&self) -> Option<&Path> {
        self.configurations.user_file()
    }

    /// The pack: the decision, and its text.
    pub async fn pack(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        // On the heap: what waits for a pack stays small.
        Box::pin(self.decide(request, Want::Text, cancel)).await
    }

    /// The same decision, without the text.
    pub async fn preview(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        Box::pin(self.decide(request, Want::Decision, cancel)).await
    }

    /// What the stages count for a request.
    pub async fn stats(&self, request: Request, cancel: &Cancel) -> Result<ReportStats, Error> {
        self.preview(request, cancel).await.map(|report| report.stats)
    }

    /// What the index finds for a task, ranked, and why.
    pub async fn search(
        &self,
        request: SearchRequest,
        cancel: &Cancel,
    ) -> Result<SearchReport, Error> {
        let began = Instant::now();
        let found = self.find(request, cancel).await;
        let seconds = began.elapsed().as_secs_f64();
        observe::searched(found.as_ref().map(|report| report.results.len()), seconds);
        found
    }

    async fn find(&self, request: SearchRequest, cancel: &Cancel) -> Result<SearchReport, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let configured = self.configured(repo, None, Vec::new(), cancel).await?;
        let settled = &configured.settled;
        let counting = self.counting(settled.counter.clone(), settled.tokenizer, String::new());
        let (indexes, pools) = (Arc::clone(&self.indexes), Arc::clone(&self.pools));
        let work = move |cancel: &Cancel| {
            find(&request, &configured, &*counting()?, (&indexes, &pools, cancel))
        };
        self.run(cancel, work).await
    }

    /// How the indexes of a repository stand on disk.
    pub async fn index_status(&self, repo: &Path, cancel: &Cancel) -> Result<IndexStatus, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let limits = self.limits(repo, cancel).await?;
        self.run(cancel, move |_| indexes.status(&root, &limits)).await
    }

    /// Brings the index of a repository up to date.
    pub async fn refresh_index(&self, repo: &Path, cancel: &Cancel) -> Result<IndexRefresh, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let Configured { settled, .. } = self.configured(repo, None, Vec::new(), cancel).await?;
        let counting = self.counting(settled.counter.clone(), settled.tokenizer, String::new());
        let pools = Arc::clone(&self.pools);
        self.run(cancel, move |cancel| {
            let (began, counting) = (Instant::now(), counting()?);
            let limits = finer(&settled.settings.chunking);
            let asked = Preparation {
                root: &root,
                globs: &Globs::default(),
                now: None,
                analysis: &Analysis { limits, counting: &counting },
                keeps: settled.keeps_indexes,
                is_searched: true,
                pools: &pools,
            };
            let prepared = indexes.prepare(&asked, &Stops::together(cancel), &mut |_| {})?;
            cancel.check().map_err(PackError::from)?;
            let ms = began.elapsed().as_secs_f64() * 1_000.0;
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

    /// Watches a repository from now on: as long as nothing changes in it, requests use what was
    /// seen of it before, and neither walk it nor ask git. Requests with globs walk all the same.
    /// Where a repository cannot be watched, every request walks, as without this.
    pub fn watch(&self, repo: &Path) -> Result<(), Error> {
        self.indexes.watch(&Root::open(repo)?)
    }

    /// Waits until something in a repository has changed since it was last looked at, and has come
    /// to rest. The repository is watched from then on.
    pub async fn changed(&self, repo: &Path, cancel: &Cancel) -> Result<(), Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let (work, waiting) = answering(cancel, move |cancel| indexes.changed(&root, cancel));
        // It waits most of the time: the threads that work are not for that.
        on_a_thread(work)?;
        waiting.answer().await
    }

    /// The default counter, with the cache that all requests without a tenant share.
    pub(crate) fn default_counting(&self) -> Arc<Counting> {
        let counting =
            self.counting(Choice::default(), TokenizerSettings::default(), String::new());
        counting().expect("only files can fail to be read")
    }

    /// A tokenizer with a tenant's cache, to be asked for on the engine's threads: one that is a file
    /// takes seconds to make. A vocabulary, which takes a while to unpack, is unpacked from now on,
    /// since the walk comes first.
    pub(crate) fn counting(
        &self,
        choice: Choice,
        settings: TokenizerSettings,
        tenant: String,
    ) -> impl FnOnce() -> Result<Arc<Counting>, Error> + Send + 'static {
        let countings = Arc::clone(&self.countings);
        if let Choice::Named(_) = choice
            && let Ok(early) = countings.get(&choice, &settings, &tenant)
            && early.stats().entries == 0
        {
            std::thread::spawn(move || early.counter().count(" "));
        }
        move || Ok(countings.get(&choice, &settings, &tenant)?)
    }

    /// Runs `work` on threads of the engine, or on this one where there can be no more.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        // The threads of an async runtime, on one of which this may be, must not wait in line.
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
        want: Want,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        let began = Instant::now();
        request.correlation_id.get_or_insert_with(new_correlation_id);
        let watching = Watching::new(&request, want);
        let result = self.decided(request, (want, began), &watching, cancel).await;
        let seconds = began.elapsed().as_secs_f64();
        if let Err(error) = &result {
            watching.within(|| logs::failed(error, seconds * 1_000.0));
        }
        observe::settled(want, &result, seconds);
        result
    }

    async fn decided(
        &self,
        request: Request,
        (want, began): (Want, Instant),
        watching: &Watching,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        request.check_caller()?;
        let options =
            RequestOptions { pairs: request.options.clone(), is_remote: request.is_remote };
        let profile = request.profile.as_deref();
        let mut configured = self.configured_for(repo, profile, options, cancel).await?;
        let (choice, budget) = request.limits(&configured.settled)?;
        if let Some(settings) = &request.settings {
            configured.settled.settings = settings.clone();
        }
        let late = Late::new(&configured, &request, (want, budget, &choice));
        let counting = self.counting(choice, configured.settled.tokenizer, request.tenant.clone());
        let (registry, indexes) = (Arc::clone(&self.registry), Arc::clone(&self.indexes));
        let rules = self.ruling(&configured.settled);
        let (pools, cuts) = (Arc::clone(&self.pools), Arc::clone(&self.cuts));
        let request = Arc::new(request);
        let records = self.records.clone().filter(|_| !request.no_record);
        let asked = (Arc::clone(&request), began);
        let watching = watching.clone();
        let work = move |cancel: &Cancel| {
            let counting = counting()?;
            let means = Means { registry, indexes, pools, cuts, counting, rules, records };
            watching.within(|| assemble(asked, configured, (want, budget), &means, cancel))
        };
        let Some(turn) = self.turns.take(late.comes(began), cancel).await? else {
            return Ok(late.report());
        };
        let work = move |cancel: &Cancel| in_time(began, late, cancel, work);
        let (work, waiting) = answering(cancel, work);
        // It waits for providers: the threads that compute are not for that. Given up, it has its
        // turn until it has noticed.
        on_a_thread(move || {
            work();
            drop(turn);
        })?;
        let report = waiting.answer().await?;
        if want == Want::Text {
            self.tell(&request, &report, began);
        }
        Ok(report)
    }

    /// How rules are decided: the judge's key is taken from the user's environment.
    fn ruling(&self, settled: &Settled) -> Ruling {
        let judge = judge_of(&settled.judge, |name| self.configurations.variable(name));
        let (judge, trouble) = match judge {
            Ok(judge) => (judge, None),
            Err(error) => (None, Some(format!("nobody judges: {error}"))),
        };
        Ruling { settings: settled.rules, judge, trouble }
    }

    /// Tells subscribers of a finished pack.
    fn tell(&self, request: &Request, report: &Report, began: Instant) {
        if !self.teller.is_heard() {
            return;
        }
        self.teller.tell(ContextAssembled {
            agent_id: request.agent_id.clone(),
            correlation_id: request.correlation_id.clone(),
            via: request.via,
            repo: request.repo.clone().unwrap_or_else(|| ".".into()),
            profile: request.profile.clone().unwrap_or_else(|| "agent".to_owned()),
            task: request.task.clone(),
            report: Arc::new(report.clone()),
            duration_ms: began.elapsed().as_secs_f64() * 1_000.0,
        });
    }

    /// What the configuration of a repository comes to.
    pub(crate) async fn configured(
        &self,
        repo: &Path,
        profile: Option<&str>,
        pairs: Vec<(String, serde_json::Value)>,
        cancel: &Cancel,
    ) -> Result<Configured, Error> {
        let options = RequestOptions { pairs, is_remote: false };
        self.configured_for(repo, profile, options, cancel).await
    }

    /// The same with the settings that a request brings, whoever asks.
    async fn configured_for(
        &self,
        repo: &Path,
        profile: Option<&str>,
        options: RequestOptions,
        cancel: &Cancel,
    ) -> Result<Configured, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let configure = move |_: &Cancel| {
            Ok(configurations.configure(&root, &repo, (profile.as_deref(), &options))?)
        };
        self.run(cancel, configure).await
    }

    /// How the files of a repository are cut.
    async fn limits(&self, repo: &Path, cancel: &Cancel) -> Result<ChunkLimits, Error> {
        let configured = self.configured(repo, None, Vec::new(), cancel).await?;
        Ok(configured.settled.settings.chunking)
    }

    /// Runs `work` on a thread of its own, and waits for it without blocking: it may wait for files,
    /// and never waits for other requests' work.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (work, waiting) = answering(cancel, work);
        on_a_thread(work)?;
        waiting.answer().await
    }
}

/// What a request is called whose caller does not name it.
fn new_correlation_id() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// Does work on a thread of its own.
pub(crate) fn on_a_thread(work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name("kitbag-request".to_owned());
    thread.spawn(work).map(drop).map_err(Error::Thread)
}

/// Work that can be done on any thread, and what waits for its answer.
fn answering<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
) -> (impl FnOnce() + Send + 'static, Waiting<T>) {
    let (answer, receiver) = oneshot::channel();
    let cancel = cancel.child();
    let waiting = Waiting { receiver, _guard: CancelOnDrop(cancel.clone()) };
    let work = move || {
        // A panic must not end the caller's program: the pool would abort it. The answer then is
        // that there is none, and nothing half-done is seen again: caches hold whole counts.
        if let Ok(result) = catch_unwind(AssertUnwindSafe(|| work(&cancel))) {
            // The receiver is gone when the caller gave up waiting: nobody misses the answer.
            let _ = answer.send(result);
        }
    };
    (work, waiting)
}

/// Waits for an answer.
struct Waiting<T> {
    receiver: oneshot::Receiver<Result<T, Error>>,
    _guard: CancelOnDrop,
}

impl<T> Waiting<T> {
    async fn answer(self) -> Result<T, Error> {
        let Self { receiver, _guard } = self;
        receiver.await.map_err(|_| Error::Lost)?
    }
}

/// Stops the work when the caller drops the future that waits for it.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
