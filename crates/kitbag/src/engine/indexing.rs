//! Engine methods for indexes and searches.

use super::Engine;
use crate::error::Error;
use crate::index::{
    Cancels, Cleared, IndexGc, IndexPull, IndexPush, IndexRefresh, IndexStatus, Preparation,
    Prepared, SharedIndexStatus, StoreMode, StoreUse, check_project, index_analysis,
};
use crate::observe;
use crate::search::{SearchReport, SearchRequest};
use crate::symbols::{self, SymbolReport, SymbolRequest};
use kitbag_core::{Cancel, PackError};
use kitbag_repo::{Denylist, Globs, Root, head_in_files};
use kitbag_store::CollectOptions;
use kitbag_text::ChunkLimits;
use std::path::Path;
use std::time::{Duration, Instant};

/// An index that was brought up to date.
struct UpdatedIndex {
    root: Root,
    prepared: Prepared,
    /// Whether it should have been saved.
    persist: bool,
    ms: f64,
}

impl Engine {
    /// Searches the index for a task.
    pub async fn search(
        &self,
        request: SearchRequest,
        cancel: &Cancel,
    ) -> Result<SearchReport, Error> {
        let started = Instant::now();
        let work = move |engine: &Self, cancel: &Cancel| match &request.fleet {
            Some(fleet) => engine.search_fleet(&request, fleet, cancel),
            None => {
                let repo = request.repo.as_deref().unwrap_or(Path::new("."));
                engine.search_one(&request, repo, cancel)
            }
        };
        let report = self.run(cancel, work).await;
        let seconds = started.elapsed().as_secs_f64();
        observe::searched(report.as_ref().map(|report| report.results.len()), seconds);
        report
    }

    /// Finds the definitions, callers and references of a name.
    pub async fn find_symbol(
        &self,
        request: SymbolRequest,
        cancel: &Cancel,
    ) -> Result<SymbolReport, Error> {
        let work = move |engine: &Self, cancel: &Cancel| {
            let repo = request.repo.as_deref().unwrap_or(Path::new("."));
            let (root, config) = engine.open(repo, request.revision.as_deref(), None)?;
            symbols::find(&request, root, &config, &engine.indexes, &engine.pools, cancel)
        };
        self.run(cancel, work).await
    }

    /// Returns the state of the saved indexes of a repository.
    pub async fn index_status(&self, repo: &Path, cancel: &Cancel) -> Result<IndexStatus, Error> {
        let repo = repo.to_owned();
        self.run(cancel, move |engine, _| {
            engine.indexes.status(&Root::open(&repo)?, &engine.chunk_limits(&repo)?)
        })
        .await
    }

    /// Brings the index of a repository up to date with its work tree, or with the commit that `revision`
    /// names.
    pub async fn refresh_index(
        &self,
        repo: &Path,
        revision: Option<&str>,
        cancel: &Cancel,
    ) -> Result<IndexRefresh, Error> {
        self.update_index(repo, revision, StoreMode::Pack, cancel, |engine, prepared| {
            let mut refreshed = IndexRefresh::new(&prepared.root, prepared.prepared, prepared.ms);
            if prepared.persist && engine.indexes.cache.is_none() {
                refreshed.unkept = Some(Error::NoCache.to_string());
            }
            refreshed
        })
        .await
    }

    /// Brings the index of a repository up to date, and adds to the store of the settings what it lacks.
    pub async fn push_index(
        &self,
        repo: &Path,
        revision: Option<&str>,
        cancel: &Cancel,
    ) -> Result<IndexPush, Error> {
        self.require_store(repo, revision, StoreMode::Push, cancel).await?;
        let report = |_: &Self, it: UpdatedIndex| IndexPush::new(&it.root, it.prepared, it.ms);
        self.update_index(repo, revision, StoreMode::Push, cancel, report).await
    }

    /// Brings the index of a repository up to date with the contents that the store of the settings has,
    /// and analyzes the others.
    pub async fn pull_index(
        &self,
        repo: &Path,
        revision: Option<&str>,
        cancel: &Cancel,
    ) -> Result<IndexPull, Error> {
        self.require_store(repo, revision, StoreMode::Pull, cancel).await?;
        let report = |_: &Self, it: UpdatedIndex| IndexPull::new(&it.root, it.prepared, it.ms);
        self.update_index(repo, revision, StoreMode::Pull, cancel, report).await
    }

    /// Returns the state of a repository's index in the store of the settings.
    pub async fn shared_index_status(
        &self,
        repo: &Path,
        cancel: &Cancel,
    ) -> Result<SharedIndexStatus, Error> {
        let repo = repo.to_owned();
        self.run(cancel, move |engine, cancel| {
            let (root, config) = engine.open(&repo, None, None)?;
            let settings = config.settings;
            let analysis = index_analysis(&settings.settings.chunking);
            engine.indexes.stores.status(&settings.store, &root, &analysis, cancel)
        })
        .await
    }

    /// Collects what the store of the user's settings no longer needs, for all repositories: lists and
    /// segments that were replaced for longer than `grace`, and segments that were not pushed for longer
    /// than `max_age`.
    pub async fn collect_store(
        &self,
        grace: Duration,
        max_age: Duration,
        cancel: &Cancel,
    ) -> Result<IndexGc, Error> {
        self.run(cancel, move |engine, cancel| {
            let settings = engine.config.load_user()?;
            let options = CollectOptions { grace, max_age };
            engine.indexes.stores.collect(&settings.store, options, cancel)
        })
        .await
    }

    /// Fails before anything is indexed if no store is configured.
    async fn require_store(
        &self,
        repo: &Path,
        revision: Option<&str>,
        mode: StoreMode,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let (repo, revision) = (repo.to_owned(), revision.map(str::to_owned));
        self.run(cancel, move |engine, _| {
            let (_, config) = engine.open(&repo, revision.as_deref(), None)?;
            engine.indexes.stores.required(&config.settings.store, mode).map(|_| ())
        })
        .await
    }

    async fn update_index<T: Send + 'static>(
        &self,
        repo: &Path,
        revision: Option<&str>,
        mode: StoreMode,
        cancel: &Cancel,
        report: impl FnOnce(&Self, UpdatedIndex) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (repo, revision) = (repo.to_owned(), revision.map(str::to_owned));
        self.run(cancel, move |engine, cancel| {
            let started = Instant::now();
            let (root, config) = engine.open(&repo, revision.as_deref(), None)?;
            let (root, settings) = (root.with_denylist(Denylist::default()), config.settings);
            let persist = settings.keeps_indexes;
            let job = Preparation {
                root: &root,
                globs: &Globs::default(),
                now: None,
                chunking: &settings.settings.chunking,
                home: settings.home.as_deref(),
                persist,
                searches: true,
                pools: &engine.pools,
                store: StoreUse { settings: Some(&settings.store), mode },
            };
            let prepared = engine.indexes.prepare(&job, &Cancels::new(cancel), &mut |_| {})?;
            cancel.check().map_err(PackError::from)?;
            let ms = started.elapsed().as_secs_f64() * 1_000.0;
            let is_head = revision.is_none() || root.commit() == head_in_files(root.path());
            match mode {
                StoreMode::Push if is_head => engine.push_summary(root.path(), cancel)?,
                StoreMode::Pack if is_head && root.commit().is_some() => {
                    engine.summarize_one(root.path(), cancel);
                }
                _ => {}
            }
            Ok(report(engine, UpdatedIndex { root, prepared, persist, ms }))
        })
        .await
    }

    /// Waits for indexing that goes on after a pack whose deadline has cut it off, which ends at that
    /// deadline. A program that exits earlier loses what was indexed since the pack.
    #[doc(hidden)]
    pub fn wait_for_indexing(&self, cancel: &Cancel) {
        self.indexes.background.wait(cancel);
    }

    /// Removes the indexes of a repository, from memory and from disk.
    pub async fn clear_index(&self, repo: &Path, cancel: &Cancel) -> Result<Cleared, Error> {
        let repo = repo.to_owned();
        self.run(cancel, move |engine, _| {
            engine.indexes.clear(&Root::open(&repo)?, &engine.chunk_limits(&repo)?)
        })
        .await
    }

    /// Removes the indexes of all repositories, from memory and from disk.
    #[doc(hidden)]
    pub async fn clear_all_indexes(&self, cancel: &Cancel) -> Result<Cleared, Error> {
        self.run(cancel, |engine, _| {
            engine.summaries.clear();
            engine.indexes.clear_all()
        })
        .await
    }

    /// Watches a repository from now on: while nothing changes, requests reuse the last scan and neither
    /// walk the tree nor ask git. Requests with globs still walk it, as does every request if the
    /// repository cannot be watched.
    pub fn watch(&self, repo: &Path) -> Result<(), Error> {
        let root = self.open_undenied(repo)?;
        if root.commit().is_some() {
            // Commits do not change, and a ref is resolved for every request.
            return Ok(());
        }
        check_project(root.path(), self.config.home().as_deref())?;
        self.indexes.watch(&root)
    }

    /// Waits until a repository has changed since its last scan and has settled. Watches it from then
    /// on.
    pub async fn changed(&self, repo: &Path, cancel: &Cancel) -> Result<(), Error> {
        let repo = repo.to_owned();
        let wait = move |engine: &Self, cancel: &Cancel| {
            let root = engine.open_undenied(&repo)?;
            if root.commit().is_some() {
                let why = "it has no work tree that could change";
                return Err(Error::NotAProject { path: root.path().to_owned(), why });
            }
            engine.indexes.changed(&root, cancel)
        };
        self.run(cancel, wait).await
    }

    fn chunk_limits(&self, repo: &Path) -> Result<ChunkLimits, Error> {
        Ok(self.load_config(repo, None)?.settings.settings.chunking)
    }
}
