//! The stack of layers, merged key by key.

use crate::keys::{join_profile, split_profile};
use crate::layer::{ConfigEntries, ConfigEntry, Layer};
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigError, ConfigProblem, ConfigProblemKind};
use crate::profiles::{self, DEFAULT_PROFILE};
use crate::resolved::ResolvedConfig;
use crate::settings::{BudgetLimit, EngineSettings};
use crate::table::{self, Bound, RepositoryAccess};
use crate::trust::TrustFeature;
use crate::validate::validate;
use crate::weights::share_weights;
use std::collections::BTreeSet;

/// The layers below the options of a request, lowest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layers {
    /// The user-wide file.
    pub user: Layer,
    /// The repository's file.
    pub project: Layer,
    pub environment: Layer,
    /// `--set`.
    pub set: Layer,
    /// The features of the repository's file that the user trusts.
    pub trusted: Vec<TrustFeature>,
}

/// A setting of the repository's file that does not take effect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RefusedSetting {
    pub key: String,
    pub origin: ConfigOrigin,
    /// The bound that the value violates; `None` if every value requires trust.
    pub bound: Option<Bound>,
}

/// The merged layers, and what was not merged.
#[derive(Debug)]
pub(crate) struct MergedConfig {
    pub resolved: ResolvedConfig,
    pub refused: Vec<RefusedSetting>,
}

impl Layers {
    pub fn all(&self) -> [&Layer; 4] {
        [&self.user, &self.project, &self.environment, &self.set]
    }

    /// Merges defaults, files, the profile (as built in, then as in the files), environment, `--set`
    /// and the options of a request, and checks the result. Files override the default profile.
    pub fn resolve(
        &self,
        profile: Option<&str>,
        options: &Layer,
    ) -> Result<MergedConfig, ConfigError> {
        let mut merged = self.merge(profile, options, true)?;
        let mut problems = validate(&merged.resolved);
        if !problems.is_empty() && !merged.refused.is_empty() {
            // What was accepted within a bound may need what was refused: a small window needs small
            // reserves.
            merged = self.merge(profile, options, false)?;
            problems = validate(&merged.resolved);
        }
        ConfigError::unless_empty(problems)?;
        Ok(merged)
    }

    /// Merges the layers without checking the result. Settings of the repository's file that have a
    /// bound and are not trusted are accepted only if `accepts_bounded`.
    fn merge(
        &self,
        profile: Option<&str>,
        options: &Layer,
        accepts_bounded: bool,
    ) -> Result<MergedConfig, ConfigError> {
        let name = profile.unwrap_or(DEFAULT_PROFILE);
        let built_in = profiles::built_in(name);
        if built_in.is_none() && !self.profiles().contains(name) {
            return Err(self.unknown_profile(name).into());
        }
        let mut merged = MergedConfig { resolved: ResolvedConfig::defaults(), refused: Vec::new() };
        let is_default = name == DEFAULT_PROFILE;
        merged.resolved.apply(built_in.iter().filter(|_| is_default).flatten());
        merged.resolved.apply(&self.user.base);
        self.apply_project(&self.project.base, accepts_bounded, &mut merged);
        merged.resolved.apply(built_in.iter().filter(|_| !is_default).flatten());
        merged.resolved.apply(self.user.profiles.get(name).into_iter().flatten());
        if let Some(entries) = self.project.profiles.get(name) {
            self.apply_project(entries, accepts_bounded, &mut merged);
        }
        for layer in [&self.environment, &self.set, options] {
            merged.resolved.apply(&layer.base);
            merged.resolved.apply(layer.profiles.get(name).into_iter().flatten());
        }
        share_weights(&mut merged.resolved);
        Ok(merged)
    }

    /// Applies those entries of the repository's file that are free, within their bound, or trusted.
    /// Those of the budget are applied together, if it does not become larger.
    fn apply_project(
        &self,
        entries: &ConfigEntries,
        accepts_bounded: bool,
        MergedConfig { resolved, refused }: &mut MergedConfig,
    ) {
        let budget_before = budget_tokens(resolved);
        let mut with_budget = resolved.clone();
        with_budget.apply(entries.iter().filter(|(key, _)| is_budget_key(key)));
        let accepts_budget = accepts_bounded && budget_tokens(&with_budget) <= budget_before;
        for (key, entry) in entries {
            let access = repository_access(key);
            let is_trusted = self.trusted.contains(&TrustFeature::of_key(key));
            let bound = match access {
                RepositoryAccess::Bounded(bound) if accepts_bounded => Some(bound),
                _ => None,
            };
            let is_within = |bound: Bound| match (bound, resolved.entry(key)) {
                (Bound::Budget, _) => accepts_budget,
                (bound, Some(current)) => bound.allows(&current.value, &entry.value),
                (_, None) => false,
            };
            let is_allowed =
                access == RepositoryAccess::Free || is_trusted || bound.is_some_and(is_within);
            if is_allowed {
                resolved.apply([(key, entry)]);
            } else {
                refused.push(RefusedSetting {
                    key: key.clone(),
                    origin: entry.origin.clone(),
                    bound,
                });
            }
        }
    }

    /// Returns the budget without the repository's file if that sets it without trust; a request may
    /// combine its settings with a window of its own.
    pub fn budget_limit(
        &self,
        profile: Option<&str>,
        options: &Layer,
    ) -> Result<Option<BudgetLimit>, ConfigError> {
        let sets_budget = self.restricted_entries().any(|(key, _)| is_budget_key(&key));
        if !sets_budget || self.trusted.contains(&TrustFeature::Settings) {
            return Ok(None);
        }
        let merged = self.merge(profile, options, false)?;
        Ok(Some(BudgetLimit::from(&merged.resolved)))
    }

    /// Returns the settings of the repository's file that involve trust, with their full keys.
    pub fn restricted_entries(&self) -> impl Iterator<Item = (String, &ConfigEntry)> {
        let profiles = self.project.profiles.iter();
        let profiles = profiles.map(|(name, entries)| (Some(name.as_str()), entries));
        std::iter::once((None, &self.project.base)).chain(profiles).flat_map(
            |(profile, entries)| {
                let restricted = entries
                    .iter()
                    .filter(|(key, entry)| repository_access(key).involves_trust(&entry.value));
                restricted.map(move |(key, entry)| (join_profile(profile, key.clone()), entry))
            },
        )
    }

    /// Whether a setting of a feature is refused in any profile unless the user trusts the feature.
    pub fn requires_trust(&self, feature: TrustFeature) -> bool {
        let untrusted = Self { trusted: Vec::new(), ..self.clone() };
        let names: BTreeSet<&str> = self.set_profiles().collect();
        std::iter::once(None).chain(names.into_iter().map(Some)).any(|profile| {
            let merged = untrusted.merge(profile, &Layer::default(), true);
            let refused = merged.map(|merged| merged.refused).unwrap_or_default();
            refused.iter().any(|refused| TrustFeature::of_key(&refused.key) == feature)
        })
    }

    /// Resolves the default profile and all profiles that are set, and reports each problem once.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut problems: Vec<ConfigProblem> = Vec::new();
        let names: BTreeSet<&str> = self.set_profiles().collect();
        for profile in std::iter::once(None).chain(names.into_iter().map(Some)) {
            let Err(error) = self.resolve(profile, &Layer::default()) else { continue };
            for problem in error.problems {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
        ConfigError::unless_empty(problems)
    }

    /// Checks the layers and returns the settings of the default profile.
    pub fn settings(&self) -> Result<EngineSettings, ConfigError> {
        self.check()?;
        Ok(EngineSettings::from(&self.resolve(None, &Layer::default())?.resolved))
    }

    /// Returns the names of all profiles.
    pub fn profiles(&self) -> BTreeSet<String> {
        let built_in = profiles::built_in_profiles().map(str::to_owned);
        self.set_profiles().map(str::to_owned).chain(built_in).collect()
    }

    /// Returns the profiles that a layer sets values for.
    fn set_profiles(&self) -> impl Iterator<Item = &str> {
        self.all().into_iter().flat_map(|layer| layer.profiles.keys().map(String::as_str))
    }

    fn unknown_profile(&self, name: &str) -> ConfigProblem {
        let names = self.profiles();
        let hint = kitbag_tokens::name_hint(name, names.iter().map(String::as_str));
        let kind = ConfigProblemKind::UnknownProfile { name: name.to_owned(), hint };
        ConfigProblem { origin: ConfigOrigin::Request, kind }
    }
}

/// Returns what a repository may do with a key. The keys of custom providers are not in the table.
fn repository_access(key: &str) -> RepositoryAccess {
    table::find(key).map(table::Setting::repository_access).unwrap_or_default()
}

fn is_budget_key(key: &str) -> bool {
    let (_, key) = split_profile(key);
    repository_access(&key) == RepositoryAccess::Bounded(Bound::Budget)
}

/// Returns the size of the budget; none if the reserves do not fit in the window.
fn budget_tokens(resolved: &ResolvedConfig) -> usize {
    BudgetLimit::from(resolved).budget.available().unwrap_or(0)
}
