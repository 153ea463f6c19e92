//! Engine methods for indexes and searches.

use super::Engine;
use crate::error::Error;
use crate::index::{Cancels, Cleared, IndexRefresh, IndexStatus, Preparation, check_project};
use crate::observe;
use crate::search::{SearchReport, SearchRequest};
use crate::symbols::{self, SymbolReport, SymbolRequest};
use kitbag_core::{Cancel, PackError};
use kitbag_repo::{Denylist, Globs, Root};
use kitbag_text::ChunkLimits;
use std::path::Path;
use std::time::Instant;

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
        let (repo, revision) = (repo.to_owned(), revision.map(str::to_owned));
        self.run(cancel, move |engine, cancel| {
            let started = Instant::now();
            let (root, config) = engine.open(&repo, revision.as_deref(), None)?;
            let (root, settings) = (root.with_denylist(Denylist::default()), config.settings);
            let job = Preparation {
                root: &root,
                globs: &Globs::default(),
                now: None,
                chunking: &settings.settings.chunking,
                home: settings.home.as_deref(),
                persist: settings.keeps_indexes,
                searches: true,
                pools: &engine.pools,
            };
            let prepared = engine.indexes.prepare(&job, &Cancels::new(cancel), &mut |_| {})?;
            cancel.check().map_err(PackError::from)?;
            let ms = started.elapsed().as_secs_f64() * 1_000.0;
            let mut refreshed = IndexRefresh::new(&root, prepared, ms);
            if revision.is_none() && root.commit().is_some() {
                engine.summarize_one(root.path(), cancel);
            }
            if settings.keeps_indexes && engine.indexes.cache.is_none() {
                refreshed.unkept = Some(Error::NoCache.to_string());
            }
            Ok(refreshed)
        })
        .await
    }

    /// Waits for indexing that goes on after a pack whose deadline has cut it off, which ends at that
    /// deadline. A program that exits earlier loses what was indexed since the pack.
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
