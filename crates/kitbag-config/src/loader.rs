//! Loading of configurations. Files are read for every request and parsed when they have changed.
//!
//! An invalid configuration is an error at first. If a valid one becomes invalid later, such as
//! while the user edits it, the last valid one is used with a warning.

use crate::files::{ConfigFile, configured_root, misspelled_files};
use crate::keys::KeyRegistry;
use crate::layer::{Authority, KeyWithoutEffect, Layer, LayerResult};
use crate::layers::{Layers, MergedConfig, RefusedSetting};
use crate::problem::ConfigError;
use crate::report::{CONFIG_VERSION, ConfigReport, config_items};
use crate::resolved::ResolvedConfig;
use crate::settings::{EngineSettings, StoreEnvironment};
use crate::sources::{ConfigSources, RequestOptions, read_environment, read_options, read_set};
use crate::trust::{TrustFeature, TrustItem, TrustState, TrustStore};
use crate::validate::validate;
use crate::value::to_yaml;
use crate::weights::share_weights;
use kitbag_repo::{ObjectId, Root, outside_git_data};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of keys that a warning names.
const MAX_LISTED_KEYS: usize = 40;

/// Number of configurations that are kept; more are parsed again.
const MAX_LOADED: usize = 1_000;

/// A root, and the commit that it is at.
type ConfigKey = (PathBuf, Option<ObjectId>);

/// Loads the configurations of an engine's repositories.
#[derive(Default)]
pub struct ConfigLoader {
    sources: ConfigSources,
    registry: KeyRegistry,
    /// The last valid configuration of each root, and of each of its commits.
    last: Mutex<FxHashMap<ConfigKey, Arc<LoadedConfig>>>,
}

/// The configuration of a request.
#[derive(Debug, Clone)]
pub struct RequestConfig {
    /// The effective settings.
    pub settings: EngineSettings,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The settings that can change a pack and differ from their defaults.
    pub changed: Vec<(String, Value)>,
}

/// A valid configuration and the inputs that it was loaded from.
#[derive(Debug)]
struct LoadedConfig {
    layers: Layers,
    /// The user-wide and the repository's file.
    files: [ConfigFile; 2],
    trust: Vec<FeatureTrust>,
}

/// Trust in a feature of the repository.
#[derive(Debug, PartialEq)]
struct FeatureTrust {
    item: TrustItem,
    state: TrustState,
}

impl ConfigLoader {
    /// Creates a loader without custom providers.
    pub fn new(sources: ConfigSources) -> Self {
        Self { sources, ..Self::default() }
    }

    /// Returns a loader with other sources and the same custom providers.
    #[must_use]
    pub fn with_sources(&self, sources: ConfigSources) -> Self {
        Self { sources, registry: self.registry.clone(), last: Mutex::default() }
    }

    /// Returns a loader that also accepts the settings of a custom provider.
    #[must_use]
    pub fn with_provider(&self, id: &str) -> Self {
        let mut registry = self.registry.clone();
        registry.custom_providers.push(id.to_owned());
        Self { sources: self.sources.clone(), registry, last: Mutex::default() }
    }

    /// Returns the path of the user-wide file, which need not exist.
    pub fn user_file(&self) -> Option<&Path> {
        self.sources.user_file.as_deref()
    }

    /// Returns the user's trust records, if there is a folder for them.
    pub fn trust_store(&self) -> Option<TrustStore> {
        self.sources.trust_folder.as_ref().map(TrustStore::new)
    }

    /// Returns an environment variable of the user.
    pub fn variable(&self, name: &str) -> Option<String> {
        let mut variables = self.sources.environment.iter();
        let (_, value) = variables.find(|(variable, _)| variable == name)?;
        value.to_str().map(str::to_owned)
    }

    /// Returns the configuration of a repository for a profile and the options of a request. `shown`
    /// is the repository's folder as the caller names it.
    pub fn load(
        &self,
        root: &Root,
        shown: &Path,
        profile: Option<&str>,
        options: &RequestOptions,
    ) -> Result<RequestConfig, ConfigError> {
        let (loaded, mut warnings) = self.load_layers(root, shown)?;
        let options = read_options(options, &self.registry)?;
        let MergedConfig { resolved, refused } = loaded.layers.resolve(profile, &options)?;
        warnings.extend(loaded.refusal_warnings(&refused));
        let changed = resolved.changed();
        let budget_limit = loaded.layers.budget_limit(profile, &options)?;
        let trusted_git = loaded.trusted_git();
        let settings = EngineSettings { budget_limit, trusted_git, ..self.settings(&resolved) };
        Ok(RequestConfig { settings, warnings, changed })
    }

    /// Returns the description of git data outside of a repository that the user trusts.
    pub fn trusted_git(&self, root: &Root) -> Option<String> {
        let (root, _) = configured_root(root, root.path());
        let item = TrustItem::new(TrustFeature::Git, outside_git_data(&root)?);
        let is_trusted = self.trust_store()?.state(&root, &item) == TrustState::Trusted;
        is_trusted.then_some(item.detail)
    }

    /// Returns the user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.sources.home()
    }

    /// Returns the settings of the user outside any repository.
    pub fn load_user(&self) -> Result<EngineSettings, ConfigError> {
        let user = ConfigFile::user(self.user_file());
        let mut settings = self.read_layers(&[user, ConfigFile::MISSING])?.settings()?;
        settings.store.environment = self.store_environment();
        Ok(settings)
    }

    /// Returns resolved settings with what only the user has: the home folder, and the variables for stores.
    fn settings(&self, resolved: &ResolvedConfig) -> EngineSettings {
        let mut settings = EngineSettings { home: self.home(), ..EngineSettings::from(resolved) };
        settings.store.environment = self.store_environment();
        settings
    }

    /// Returns the environment variables that are UTF-8.
    fn store_environment(&self) -> StoreEnvironment {
        let variables = self.sources.environment.iter();
        let text = |(name, value): &(OsString, OsString)| {
            Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()))
        };
        StoreEnvironment(Arc::new(variables.filter_map(text).collect()))
    }

    /// Returns the configuration for a profile and the options of a request that is about no repository in
    /// particular.
    pub fn load_without_repository(
        &self,
        profile: Option<&str>,
        options: &RequestOptions,
    ) -> Result<RequestConfig, ConfigError> {
        let user = ConfigFile::user(self.user_file());
        let layers = self.read_layers(&[user, ConfigFile::MISSING])?;
        let options = read_options(options, &self.registry)?;
        let MergedConfig { resolved, .. } = layers.resolve(profile, &options)?;
        let changed = resolved.changed();
        let settings = self.settings(&resolved);
        Ok(RequestConfig { settings, warnings: Vec::new(), changed })
    }

    /// Returns all settings of a repository with their values and origins.
    pub fn report(
        &self,
        root: &Root,
        shown: &Path,
        profile: Option<&str>,
    ) -> Result<ConfigReport, ConfigError> {
        let (loaded, mut warnings) = self.load_layers(root, shown)?;
        let MergedConfig { resolved, refused } =
            loaded.layers.resolve(profile, &Layer::default())?;
        warnings.extend(loaded.refusal_warnings(&refused));
        let existing = loaded.files.iter().filter(|file| !file.is_missing());
        Ok(ConfigReport {
            version: CONFIG_VERSION,
            files: existing.map(|file| file.name.to_string_lossy().into_owned()).collect(),
            settings: config_items(&resolved, &self.registry),
            profiles: loaded.layers.profiles().into_iter().collect(),
            warnings,
        })
    }

    /// Returns everything in a repository that requires trust, and whether the user trusts it. The
    /// settings need not be consistent: some may be so only with those that are not trusted yet.
    pub fn trust_states(
        &self,
        root: &Root,
        shown: &Path,
    ) -> Result<Vec<(TrustItem, TrustState)>, ConfigError> {
        let (root, shown) = &configured_root(root, shown);
        let files = [ConfigFile::user(self.user_file()), ConfigFile::project(root, shown)];
        let layers = self.read_layers(&files)?;
        let mut trust = self.feature_trust(root, &layers);
        trust.retain(|FeatureTrust { item, .. }| match item.feature {
            TrustFeature::Git => true,
            feature => layers.requires_trust(feature),
        });
        Ok(trust.into_iter().map(|trust| (trust.item, trust.state)).collect())
    }

    /// Loads the layers of a repository, with warnings.
    fn load_layers(
        &self,
        root: &Root,
        shown: &Path,
    ) -> Result<(Arc<LoadedConfig>, Vec<String>), ConfigError> {
        let (root, shown) = &configured_root(root, shown);
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (root.path().to_owned(), root.commit());
        let last = lock().get(&key).cloned();
        let files = [ConfigFile::user(self.user_file()), ConfigFile::project(root, shown)];
        let misspelled = misspelled_files(root, shown, &files);
        let is_current = |last: &LoadedConfig| {
            last.files == files && last.trust == self.feature_trust(root, &last.layers)
        };
        let (loaded, mut warnings) = match last {
            Some(last) if is_current(&last) => (last, Vec::new()),
            last => match (self.read(root, files), last) {
                (Ok(loaded), _) => {
                    let loaded = Arc::new(loaded);
                    let mut kept = lock();
                    if kept.len() >= MAX_LOADED {
                        kept.clear();
                    }
                    kept.insert(key, Arc::clone(&loaded));
                    drop(kept);
                    (loaded, Vec::new())
                }
                (Err(error), Some(last)) => {
                    let using =
                        "using the previous configuration because the current one is invalid";
                    let problems = error.problems.iter();
                    (last, problems.map(|problem| format!("{using}: {problem}")).collect())
                }
                (Err(error), None) => return Err(error),
            },
        };
        warnings.extend(misspelled);
        let unused = loaded.layers.all().into_iter().flat_map(|layer| &layer.without_effect);
        warnings.extend(unused.map(|KeyWithoutEffect { key, origin, reason }| {
            format!("{origin}: `{key}` has no effect: {reason}")
        }));
        Ok((loaded, warnings))
    }

    fn read(&self, root: &Root, files: [ConfigFile; 2]) -> Result<LoadedConfig, ConfigError> {
        let mut layers = self.read_layers(&files)?;
        let trust = self.feature_trust(root, &layers);
        let trusted = trust.iter().filter(|trust| trust.state == TrustState::Trusted);
        layers.trusted = trusted.map(|trust| trust.item.feature).collect();
        layers.check()?;
        Ok(LoadedConfig { layers, files, trust })
    }

    /// Reads all layers and reports the problems of all of them together.
    fn read_layers(&self, [user, project]: &[ConfigFile; 2]) -> Result<Layers, ConfigError> {
        let mut problems = Vec::new();
        let mut take = |result: LayerResult| {
            result.unwrap_or_else(|mut wrong| {
                problems.append(&mut wrong);
                Layer::default()
            })
        };
        let layers = Layers {
            user: take(user.layer(Authority::User, &self.registry)),
            project: take(project.layer(Authority::Repository, &self.registry)),
            environment: take(read_environment(&self.sources.environment, &self.registry)),
            set: take(read_set(&self.sources.set, &self.registry)),
            trusted: Vec::new(),
        };
        ConfigError::unless_empty(problems)?;
        Ok(layers)
    }

    /// Returns the features of the repository that require trust.
    fn feature_trust(&self, root: &Root, layers: &Layers) -> Vec<FeatureTrust> {
        let mut lines: BTreeMap<TrustFeature, Vec<String>> = BTreeMap::new();
        for (key, entry) in layers.restricted_entries() {
            let line = format!("{key}: {}", to_yaml(&entry.value));
            lines.entry(TrustFeature::of_key(&key)).or_default().push(line);
        }
        if let Some(outside) = outside_git_data(root) {
            lines.insert(TrustFeature::Git, vec![outside]);
        }
        let store = self.trust_store();
        let trust = |(feature, lines): (TrustFeature, Vec<String>)| {
            let item = TrustItem::new(feature, lines.join("\n"));
            let state = store.as_ref().map(|store| store.state(root, &item));
            FeatureTrust { item, state: state.unwrap_or(TrustState::NotTrusted) }
        };
        lines.into_iter().map(trust).collect()
    }
}

impl LoadedConfig {
    /// Returns the trusted description of git data outside of the work tree.
    fn trusted_git(&self) -> Option<String> {
        let is_trusted = |it: &&FeatureTrust| {
            it.item.feature == TrustFeature::Git && it.state == TrustState::Trusted
        };
        self.trust.iter().find(is_trusted).map(|it| it.item.detail.clone())
    }

    /// Warns about the settings that are not trusted: once per feature and reason, at the first key.
    fn refusal_warnings(&self, refused: &[RefusedSetting]) -> impl Iterator<Item = String> {
        let mut groups: Vec<(TrustFeature, String, Vec<&RefusedSetting>)> = Vec::new();
        for setting in refused {
            let (feature, reason) = (TrustFeature::of_key(&setting.key), self.reason(setting));
            match groups.iter_mut().find(|group| group.0 == feature && group.1 == reason) {
                Some((.., settings)) => settings.push(setting),
                None => groups.push((feature, reason, vec![setting])),
            }
        }
        groups.into_iter().filter_map(|(_, reason, settings)| {
            let (origin, keys) = (&settings.first()?.origin, key_list(&settings));
            let verb = if settings.len() == 1 { "is" } else { "are" };
            Some(format!("{origin}: {keys} {verb} ignored because {reason}; run `kitbag trust`"))
        })
    }

    fn reason(&self, setting: &RefusedSetting) -> String {
        if let Some(bound) = setting.bound {
            return format!("{} without trust", bound.describe());
        }
        let feature = TrustFeature::of_key(&setting.key);
        let trust = self.trust.iter().find(|trust| trust.item.feature == feature);
        match trust.map(|trust| trust.state) {
            Some(TrustState::Changed) => "the configuration has changed since you trusted it",
            _ => "you have not trusted the configuration",
        }
        .to_owned()
    }
}

/// Returns the defaults with some keys set, as with `--set`, without a profile.
pub fn settings_from_pairs(set: &[(String, String)]) -> Result<EngineSettings, ConfigError> {
    let set = read_set(set, &KeyRegistry::default())?;
    let mut resolved = ResolvedConfig::defaults();
    resolved.apply(&set.base);
    share_weights(&mut resolved);
    ConfigError::unless_empty(validate(&resolved))?;
    Ok(EngineSettings::from(&resolved))
}

/// Returns the settings of the default profile with some keys set, as with `--set`.
pub fn default_profile_settings(set: &[(String, String)]) -> Result<EngineSettings, ConfigError> {
    let set = read_set(set, &KeyRegistry::default())?;
    Layers { set, ..Layers::default() }.settings()
}

/// Lists the keys of settings, the first ones only if there are many.
fn key_list(settings: &[&RefusedSetting]) -> String {
    let (shown, rest) = settings.split_at(settings.len().min(MAX_LISTED_KEYS));
    let keys: Vec<String> = shown.iter().map(|setting| format!("`{}`", setting.key)).collect();
    match rest.len() {
        0 => keys.join(", "),
        more => format!("{} and {more} more", keys.join(", ")),
    }
}
