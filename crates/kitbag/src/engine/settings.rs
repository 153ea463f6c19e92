//! Engine methods for the configuration.

use super::Engine;
use crate::error::Error;
use crate::file_lines::{FileLines, FileQuery, file_lines};
use crate::gather::orchestrate::ProviderInfo;
use crate::gather::provider::RuleServices;
use crate::pack::with_nearest_path;
use crate::request::Request;
use crate::root::guard_root;
use kitbag_config::{
    ConfigLoader, ConfigReport, ConfigSources, EngineSettings, LoggingSettings, RequestConfig,
    RequestOptions, ServerSettings,
};
use kitbag_core::Cancel;
use kitbag_repo::Root;
use kitbag_rules::judge_from_settings;
use std::path::Path;

impl Engine {
    /// Returns every setting of a repository with its value and origin.
    pub async fn config(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<ConfigReport, Error> {
        self.config_at(repo, None, profile, cancel).await
    }

    /// Returns every setting of a repository with its value and origin, as of the commit that `revision` names.
    #[doc(hidden)]
    pub async fn config_at(
        &self,
        repo: &Path,
        revision: Option<&str>,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<ConfigReport, Error> {
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let revision = revision.map(str::to_owned);
        self.run(cancel, move |engine, _| {
            let root = engine.root(&repo, revision.as_deref())?;
            Ok(engine.config.report(&root, &repo, profile.as_deref())?)
        })
        .await
    }

    /// Returns the resolved settings of a repository, as of the commit that `revision` names if it is given, and
    /// warnings.
    #[doc(hidden)]
    pub async fn settings(
        &self,
        repo: &Path,
        revision: Option<&str>,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<(EngineSettings, Vec<String>), Error> {
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let revision = revision.map(str::to_owned);
        let load = move |engine: &Self, _: &Cancel| {
            Ok(engine.open(&repo, revision.as_deref(), profile.as_deref())?.1)
        };
        let config = self.run(cancel, load).await?;
        Ok((config.settings, config.warnings))
    }

    /// Returns the user's server settings, which no repository can change.
    #[doc(hidden)]
    pub fn server_settings(&self) -> Result<ServerSettings, Error> {
        Ok(self.config.load_user()?.server)
    }

    /// Returns the path of the user's configuration file, which need not exist.
    #[doc(hidden)]
    pub fn user_config(&self) -> Option<&Path> {
        self.config.user_file()
    }

    /// Returns the providers and whether each is on by default for `profile` in a repository.
    #[doc(hidden)]
    pub async fn providers_of(
        &self,
        repo: &Path,
        revision: Option<&str>,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Vec<(ProviderInfo, bool)>, Error> {
        let (settings, _) = self.settings(repo, revision, profile, cancel).await?;
        let with_state = |info: ProviderInfo| {
            let is_on = info.switched.unwrap_or_else(|| settings.provider(&info.id).enabled);
            (info, is_on)
        };
        Ok(self.registry.list().into_iter().map(with_state).collect())
    }

    /// Returns lines of a file, checked and redacted as for a pack.
    #[doc(hidden)]
    pub async fn file(&self, query: FileQuery, cancel: &Cancel) -> Result<FileLines, Error> {
        let read = move |engine: &Self, _: &Cancel| {
            let (root, config) = engine.open(&query.repo, query.revision.as_deref(), None)?;
            file_lines(&query, &root, config.settings.redact)
        };
        self.run(cancel, read).await
    }

    /// Reads a file of at most `limit` bytes, as it is, from the work tree or from the commit that
    /// `revision` names.
    #[doc(hidden)]
    pub async fn read_file(
        &self,
        repo: &Path,
        revision: Option<&str>,
        path: &str,
        limit: u64,
    ) -> Result<Vec<u8>, Error> {
        let (repo, path) = (repo.to_owned(), path.to_owned());
        let revision = revision.map(str::to_owned);
        let read = move |engine: &Self, _: &Cancel| {
            let (root, _) = engine.open(&repo, revision.as_deref(), None)?;
            let failed = |error| with_nearest_path(Error::from(error), &root);
            root.read(&path, limit).map_err(failed)
        };
        self.run(&Cancel::default(), read).await
    }

    /// Opens a repository: its work tree, or the commit that a revision names, which is `HEAD` by default
    /// if there is no work tree. Blocks.
    pub(super) fn root(&self, repo: &Path, revision: Option<&str>) -> Result<Root, Error> {
        let root = Root::open(repo)?;
        let Some(revision) = revision.or_else(|| root.is_bare().then_some("HEAD")) else {
            return Ok(root);
        };
        let trusted = self.config.trusted_git(&root);
        self.commits.open(root.with_trusted_git(trusted), revision)
    }

    /// Loads the configuration of a repository. Blocks.
    pub(super) fn load_config(
        &self,
        repo: &Path,
        profile: Option<&str>,
    ) -> Result<RequestConfig, Error> {
        Ok(self.open(repo, None, profile)?.1)
    }

    /// Opens the repository of a request with its configured denylist, and returns its configuration.
    /// Blocks.
    pub(super) fn open_request(&self, request: &Request) -> Result<(Root, RequestConfig), Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let options = RequestOptions { pairs: request.all_options(), is_remote: request.is_remote };
        let root = self.root(repo, request.revision.as_deref())?;
        let config = self.config.load(&root, repo, request.profile.as_deref(), &options)?;
        Ok((guard_root(root, &config.settings, &request.deny)?, config))
    }

    /// Opens a repository with its configured denylist, and returns its configuration. Blocks.
    pub(super) fn open(
        &self,
        repo: &Path,
        revision: Option<&str>,
        profile: Option<&str>,
    ) -> Result<(Root, RequestConfig), Error> {
        let root = self.root(repo, revision)?;
        let config = self.config.load(&root, repo, profile, &RequestOptions::default())?;
        Ok((guard_root(root, &config.settings, &[])?, config))
    }

    /// Opens a repository to watch or index it as a whole, with the user's trust. Blocks.
    pub(super) fn open_undenied(&self, repo: &Path) -> Result<Root, Error> {
        let root = self.root(repo, None)?;
        // Packing it later reports an invalid configuration.
        let config = self.load_config(repo, None).ok();
        Ok(root.with_trusted_git(config.and_then(|config| config.settings.trusted_git)))
    }

    /// Returns the settings and the judge of rules. The judge's key comes from the user's environment.
    pub(super) fn rule_services(&self, settings: &EngineSettings) -> RuleServices {
        let judge = judge_from_settings(&settings.judge, |name| self.config.variable(name));
        let (judge, judge_problem) = match judge {
            Ok(judge) => (judge, None),
            Err(error) => (None, Some(format!("conditions are not judged: {error}"))),
        };
        RuleServices { settings: settings.rules, judge, judge_problem }
    }
}

/// Returns the logging settings of a repository, or the user's own without one. Works before there
/// is an engine.
pub fn logging_settings(
    sources: ConfigSources,
    repo: Option<&Path>,
) -> Result<LoggingSettings, Error> {
    let config = ConfigLoader::new(sources);
    let Some(repo) = repo else { return Ok(config.load_user()?.logging) };
    let options = RequestOptions::default();
    Ok(config.load(&Root::open(repo)?, repo, None, &options)?.settings.logging)
}
