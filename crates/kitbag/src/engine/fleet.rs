//! Engine methods for many repositories: the choice of those that a task is about, and the requests to them.

use super::Engine;
use crate::access::without_folder;
use crate::error::Error;
use crate::fleet::{
    FailedRepository, FleetChoice, Known, StoreWarnings, SummaryKey, SummaryRefresh,
};
use crate::index::{
    Cancels, INDEX_VERSION, Preparation, SharedObjects, StoreMode, StoreUse, explained,
    index_analysis, run_until_deadline, store_error,
};
use crate::pack::{OtherRepo, PackJob, resolve_limits};
use crate::report::Report;
use crate::request::{Fleet, NamedRepo, PackMode, Request};
use crate::search::{FoundIn, SearchReport, SearchRequest, find, merge_searches};
use kitbag_config::{EngineSettings, RequestConfig, RequestOptions};
use kitbag_core::{Cancel, PackError};
use kitbag_index::{ParsedTask, RepositorySummary};
use kitbag_repo::{GitError, Globs, ObjectId, head_in_files, shared_name};
use kitbag_store::ObjectKind;
use rayon::prelude::*;
use std::iter::repeat;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What follows from a problem with the store, in warnings.
const SUMMARIZED_HERE: &str = "repositories are summarized here instead";
const NOT_SHARED: &str =
    "summaries that were made here are not shared, and `kitbag index push` tries again";

impl Engine {
    /// Indexes and summarizes the repositories that have no summary yet, so that requests to all of them need
    /// not wait.
    pub async fn summarize(
        &self,
        repos: Vec<NamedRepo>,
        cancel: &Cancel,
    ) -> Result<SummaryRefresh, Error> {
        self.summarize_with_progress(repos, |_| {}, cancel).await
    }

    /// Does the same as [`Engine::summarize`], and reports the number of repositories that are done.
    #[doc(hidden)]
    pub async fn summarize_with_progress(
        &self,
        repos: Vec<NamedRepo>,
        progress: impl Fn(usize) + Send + 'static,
        cancel: &Cancel,
    ) -> Result<SummaryRefresh, Error> {
        self.run(cancel, move |engine, cancel| {
            let (known, warnings) = engine.summaries_of(&repos, None, &progress, cancel)?;
            let mut refresh = SummaryRefresh {
                version: INDEX_VERSION,
                repositories: 0,
                failed: Vec::new(),
                unkept: warnings.unkept.clone(),
                warnings: warnings.into_vec(),
            };
            for (repo, known) in repos.iter().zip(known) {
                let failed = |reason| FailedRepository { name: repo.name.clone(), reason };
                match known {
                    Known::Summary(_) => refresh.repositories += 1,
                    Known::Missing => refresh.failed.push(failed("it was cut off".to_owned())),
                    Known::Failed(reason) => refresh.failed.push(failed(reason)),
                }
            }
            Ok(refresh)
        })
        .await
    }

    /// Summarizes a repository that has just been indexed. If that fails, the first request to many
    /// repositories tries again. Blocks.
    pub(super) fn summarize_one(&self, folder: &Path, cancel: &Cancel) {
        if let Ok(user) = self.config.load_user() {
            let mut warnings = StoreWarnings::default();
            let _ = self.summary(folder, &key_settings(&user), &mut warnings, cancel);
        }
    }

    /// Chooses the repositories of a fleet for a task, and makes missing summaries until `deadline`. Blocks.
    fn choose(
        &self,
        task: &str,
        fleet: &Fleet,
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<FleetChoice, Error> {
        if fleet.repositories.is_empty() {
            return Err(Error::NoRepositories);
        }
        let limit = fleet.summarize_for.map(|time| Instant::now() + time);
        let until = limit.into_iter().chain(deadline).min();
        let (known, warnings) = self.summaries_of(&fleet.repositories, until, &|_| {}, cancel)?;
        Ok(FleetChoice::new(&ParsedTask::new(task), &fleet.repositories, &known, warnings))
    }

    /// Finds or makes the summaries of repositories until a time, and collects the problems of the store.
    fn summaries_of(
        &self,
        repos: &[NamedRepo],
        until: Option<Instant>,
        progress: &dyn Fn(usize),
        cancel: &Cancel,
    ) -> Result<(Vec<Known>, StoreWarnings), Error> {
        self.check_store_settings()?;
        let user = self.config.load_user()?;
        let settings = key_settings(&user);
        let find = |repo: &NamedRepo| {
            // Without a commit, only git can tell.
            let head = head_in_files(&repo.folder);
            let key = head.map(|head| SummaryKey::new(&repo.folder, head, &settings));
            key.and_then(|key| self.summaries.find(key)).map_or(Known::Missing, Known::Summary)
        };
        let pool = self.pools.take(cancel)?;
        let mut known: Vec<Known> = pool.install(|| repos.par_iter().map(find).collect());
        drop(pool);
        let mut warnings = StoreWarnings::default();
        let is_in_time = until.is_none_or(|until| Instant::now() < until);
        if is_in_time && known.iter().any(|it| matches!(it, Known::Missing)) {
            self.pull_summaries(repos, &mut known, &user, &mut warnings, cancel);
        }
        let mut done = known.iter().filter(|it| !matches!(it, Known::Missing)).count();
        for (known, repo) in known.iter_mut().zip(repos) {
            progress(done);
            cancel.check().map_err(PackError::from)?;
            if !matches!(known, Known::Missing) || until.is_some_and(|it| Instant::now() >= it) {
                continue;
            }
            let mut summarize =
                |cancel: &Cancel| self.summary(&repo.folder, &settings, &mut warnings, cancel);
            let made = match until {
                Some(until) => run_until_deadline(until, summarize),
                None => summarize(cancel),
            };
            *known = match made {
                Ok(Some(summary)) => Known::Summary(summary),
                Ok(None) => Known::Missing,
                Err(error) if error.is_cancelled() => Known::Missing,
                Err(error) => Known::Failed(reason(&error, repo)),
            };
            done += 1;
        }
        progress(done);
        Ok((known, warnings))
    }

    /// Takes missing summaries from the store of the settings. Those that it lacks, or that cannot be read, are
    /// made here.
    fn pull_summaries(
        &self,
        repos: &[NamedRepo],
        known: &mut [Known],
        user: &EngineSettings,
        warnings: &mut StoreWarnings,
        cancel: &Cancel,
    ) {
        let objects = match self.objects_for_request(&user.store, cancel) {
            Ok(Some(objects)) => objects,
            Ok(None) => return,
            Err(problem) => return warnings.add(format!("{problem}; {SUMMARIZED_HERE}")),
        };
        let settings = key_settings(user);
        let missing = repos.iter().zip(known).filter(|(_, known)| matches!(known, Known::Missing));
        let (mut places, mut names) = (Vec::new(), Vec::new());
        for (repo, known) in missing {
            let Some(head) = head_in_files(&repo.folder) else { continue };
            names.push(summary_name(&objects, &repo.folder, head, &settings));
            places.push((SummaryKey::new(&repo.folder, head, &settings), known));
        }
        let (read, problem) = objects.get_all(&names);
        if let Some(problem) = problem {
            warnings.add(format!("{}; {SUMMARIZED_HERE}", explained(&problem)));
        }
        for ((key, known), bytes) in places.into_iter().zip(read) {
            if let Some(Ok(summary)) = bytes.map(|bytes| RepositorySummary::from_bytes(&bytes)) {
                let summary = Arc::new(summary);
                self.summaries.add(key, Arc::clone(&summary), user.keeps_indexes);
                *known = Known::Summary(summary);
            }
        }
    }

    /// Adds the summary of the commit of `HEAD` to the store of the settings. Blocks.
    pub(super) fn push_summary(&self, folder: &Path, cancel: &Cancel) -> Result<(), Error> {
        let user = self.config.load_user()?;
        let settings = key_settings(&user);
        let Some(head) = head_in_files(folder) else { return Ok(()) };
        let objects = self.indexes.stores.objects_to_push(&user.store, cancel)?;
        // The push itself has reported what is wrong with the store.
        let mut warnings = StoreWarnings::default();
        let summary = self.summary(folder, &settings, &mut warnings, cancel)?;
        let Some(summary) = summary else { return Ok(()) };
        let (name, bytes) = (summary_name(&objects, folder, head, &settings), summary.to_bytes());
        let pushed = match objects.get(&name) {
            Ok(Some(known)) if known == bytes => Ok(()),
            Ok(_) => objects.put(&name, &bytes),
            // A damaged one is replaced.
            Err(error) if error.is_of_object() => objects.put(&name, &bytes),
            Err(error) => Err(error),
        };
        pushed.map_err(|error| store_error(&error))
    }

    /// Returns the summary of the commit of `HEAD`, which is indexed for it if necessary; `None` if that was
    /// cut off.
    fn summary(
        &self,
        folder: &Path,
        settings: &str,
        warnings: &mut StoreWarnings,
        cancel: &Cancel,
    ) -> Result<Option<Arc<RepositorySummary>>, Error> {
        let (root, config) = match self.open(folder, Some("HEAD"), None) {
            // A folder without git, or without a commit, is summarized as it is now, and again the next time.
            Err(
                Error::RefWithoutGit(_)
                | Error::UnknownRef { .. }
                | Error::UnbornHead { .. }
                | Error::Git(GitError::MissingCommit { .. }),
            ) => self.open(folder, None, None)?,
            opened => opened?,
        };
        let key = root.commit().map(|commit| SummaryKey::new(folder, commit, settings));
        if let Some(known) = key.and_then(|key| self.summaries.find(key)) {
            return Ok(Some(known));
        }
        let (globs, persist) = (Globs::default(), config.settings.keeps_indexes);
        let job = Preparation {
            root: &root,
            globs: &globs,
            now: None,
            chunking: &config.settings.settings.chunking,
            home: config.settings.home.as_deref(),
            persist,
            searches: true,
            pools: &self.pools,
            store: StoreUse { settings: Some(&config.settings.store), mode: StoreMode::Pack },
        };
        let prepared = self.indexes.prepare(&job, &Cancels::new(cancel), &mut |_| {})?;
        prepared.store_warnings().iter().for_each(|warning| warnings.add(warning.clone()));
        let no_cache =
            || (persist && self.indexes.cache.is_none()).then(|| Error::NoCache.to_string());
        let unkept = prepared.unsaved_warning.clone().or_else(no_cache);
        warnings.unkept = warnings.unkept.take().or(unkept);
        cancel.check().map_err(PackError::from)?;
        let view = prepared.view.as_deref().filter(|_| prepared.unsearched().is_none());
        let Some(view) = view else { return Ok(None) };
        let summary = Arc::new(RepositorySummary::new(view));
        if let Some((key, commit)) = key.zip(root.commit()) {
            self.summaries.add(key, Arc::clone(&summary), persist);
            let objects = self.indexes.stores.objects(&config.settings.store, cancel);
            if let Some(objects) = objects.filter(SharedObjects::is_writable) {
                let name = summary_name(&objects, folder, commit, settings);
                if let Err(problem) = objects.put(&name, &summary.to_bytes()) {
                    warnings.add(format!("{}; {NOT_SHARED}", explained(&problem)));
                }
            }
        }
        Ok(Some(summary))
    }

    /// Resolves a request for a pack of many repositories. Of those that were chosen, the ones that cannot be
    /// opened are left out. Blocks.
    pub(super) fn fleet_job(
        &self,
        request: &Arc<Request>,
        fleet: &Fleet,
        mode: PackMode,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<(PackJob, FleetChoice), Error> {
        check_pack(request)?;
        let config = self.user_config_of(request)?;
        let limit = request.deadline_ms.or(config.settings.deadline_ms);
        let deadline = limit.map(|limit| started + Duration::from_millis(limit / 2));
        let mut choice = self.choose(&request.task, fleet, deadline, cancel)?;
        let mut warnings = Vec::new();
        let mut jobs: Vec<OtherRepo> = Vec::new();
        // Without a choice, the report still says with which settings nothing was packed.
        let fallback = fleet.repositories.iter().filter(|_| choice.repos.is_empty());
        let likelihoods = choice.chosen.iter().map(|it| it.likelihood).chain(repeat(1.0));
        for (repo, likelihood) in choice.repos.iter().chain(fallback).zip(likelihoods) {
            let own = Request {
                repo: Some(repo.folder.clone()),
                repos: vec![repo.clone()],
                ..Request::clone(request)
            };
            match self.job(Arc::new(own), mode, started) {
                Ok(job) => {
                    let job = PackJob { likelihood, ..job };
                    jobs.push(OtherRepo { name: repo.name.clone(), job });
                }
                Err(error) => {
                    let reason = reason(&error, repo);
                    warnings.push(format!("`{}` was not searched: {reason}", repo.name));
                }
            }
            if choice.repos.is_empty() && !jobs.is_empty() {
                break;
            }
        }
        if choice.repos.is_empty() && !jobs.is_empty() {
            // Those that only lend their settings were not to be searched.
            warnings.clear();
        }
        choice.warnings.append(&mut warnings);
        if jobs.is_empty() {
            let reason = choice.warnings.pop().unwrap_or_default();
            return Err(Error::UnreadableRepositories { reason });
        }
        let redact = jobs.iter().any(|it| it.job.config.settings.redact);
        let mut job = jobs.remove(0).job;
        job.others = jobs;
        // The decision about all of them is the user's, not that of one repository.
        (job.tokenizer, job.budget) = resolve_limits(request, &config.settings)?;
        let trusted_git = job.config.settings.trusted_git.take();
        let redact = redact || config.settings.redact;
        let settings = EngineSettings { trusted_git, redact, ..config.settings };
        job.config = RequestConfig { settings, ..config };
        Ok((job, choice))
    }

    /// Returns the settings of the user and of a request, without those of a repository.
    fn user_config_of(&self, request: &Request) -> Result<RequestConfig, Error> {
        let options = RequestOptions { pairs: request.all_options(), is_remote: request.is_remote };
        Ok(self.config.load_without_repository(request.profile.as_deref(), &options)?)
    }

    /// Searches the chosen repositories of a fleet one after the other. Blocks.
    pub(super) fn search_fleet(
        &self,
        request: &SearchRequest,
        fleet: &Fleet,
        cancel: &Cancel,
    ) -> Result<SearchReport, Error> {
        if request.revision.is_some() {
            return Err(Error::NotForFleets { field: "ref" });
        }
        if request.task.trim().is_empty() {
            return Err(Error::EmptySearch);
        }
        let choice = self.choose(&request.task, fleet, None, cancel)?;
        let mut found: Vec<FoundIn> = Vec::new();
        let mut warnings = choice.warnings;
        for (repo, chosen) in choice.repos.iter().zip(&choice.chosen) {
            cancel.check().map_err(PackError::from)?;
            match self.search_one(request, &repo.folder, cancel) {
                Ok(report) => {
                    let (name, likelihood) = (repo.name.clone(), chosen.likelihood);
                    found.push(FoundIn { name, likelihood, report });
                }
                Err(error @ Error::Glob(_)) => return Err(error),
                Err(error) => {
                    let reason = reason(&error, repo);
                    warnings.push(format!("`{}` was not searched: {reason}", repo.name));
                }
            }
        }
        if found.is_empty() && !choice.repos.is_empty() {
            let reason = warnings.pop().unwrap_or_default();
            return Err(Error::UnreadableRepositories { reason });
        }
        if choice.repos.is_empty() {
            warnings.push(format!("nothing was found: {}", FleetChoice::why_nothing()));
        }
        Ok(merge_searches(found, choice.chosen, warnings, request.limit))
    }

    pub(super) fn search_one(
        &self,
        request: &SearchRequest,
        folder: &Path,
        cancel: &Cancel,
    ) -> Result<SearchReport, Error> {
        let (root, config) = self.open(folder, request.revision.as_deref(), None)?;
        let counter = self.counter(&config.settings.counter, &config.settings.tokenizer, "")?;
        find(request, root, &config, &counter, &self.indexes, &self.pools, cancel)
    }
}

/// Returns why a repository cannot be read, with its name in place of its folder.
fn reason(error: &Error, repo: &NamedRepo) -> String {
    let real = repo.folder.canonicalize().unwrap_or_else(|_| repo.folder.clone());
    let reason = without_folder(&error.to_string(), &real, &repo.name);
    without_folder(&reason, &repo.folder, &repo.name)
}

/// Adds to the report of a pack how its repositories were chosen.
pub(super) fn add_choice(report: &mut Report, choice: FleetChoice) {
    report.repositories = choice.chosen;
    report.partial |= choice.is_partial;
    // Each repository has its own.
    report.commit = None;
    report.warnings.splice(0..0, choice.warnings);
}

/// Returns the settings of the user that decide which words are in a summary.
fn key_settings(user: &EngineSettings) -> String {
    let analysis = index_analysis(&user.settings.chunking);
    format!("{}\0{}", analysis.fingerprint(), user.deny.join("\0"))
}

/// Returns the name of a summary in the store: of a commit of a repository, and of what decides which words
/// count and how they are encoded.
fn summary_name(
    objects: &SharedObjects,
    folder: &Path,
    commit: ObjectId,
    settings: &str,
) -> String {
    let (repository, commit) = (shared_name(folder), commit.to_string());
    let format = RepositorySummary::format().to_string();
    objects.name_of(ObjectKind::Summary, &[&repository, &commit, settings, &format])
}

/// Fails if a request to many repositories has no task, or a field that belongs to one of them.
fn check_pack(request: &Request) -> Result<(), Error> {
    let named = [
        ("ref", request.revision.is_some()),
        ("diff", request.diff.is_some()),
        ("document", request.has_editor_state()),
        ("open_files", !request.open_files.is_empty()),
        ("references", !request.references.is_empty()),
        ("sources", !request.sources.is_empty()),
        ("diagnostics", !request.diagnostics.is_empty()),
        ("context", request.context.is_some()),
    ];
    if let Some((field, _)) = named.iter().find(|(_, is_given)| *is_given) {
        return Err(Error::NotForFleets { field });
    }
    if request.task.trim().is_empty() { Err(Error::FleetWithoutTask) } else { Ok(()) }
}
