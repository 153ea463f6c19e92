//! The stack of layers, merged key by key.

use crate::layer::Layer;
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigError, ConfigProblem, ConfigProblemKind};
use crate::profiles::{self, DEFAULT_PROFILE};
use crate::resolved::ResolvedConfig;
use crate::settings::EngineSettings;
use crate::trust::TrustFeature;
use crate::validate::validate;
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

impl Layers {
    pub fn all(&self) -> [&Layer; 4] {
        [&self.user, &self.project, &self.environment, &self.set]
    }

    /// Merges defaults, files, the profile (as built in, then as in the files), environment, `--set`
    /// and the options of a request.
    pub fn resolve(
        &self,
        profile: Option<&str>,
        options: &Layer,
    ) -> Result<ResolvedConfig, ConfigError> {
        let name = profile.unwrap_or(DEFAULT_PROFILE);
        let built_in = profiles::built_in(name);
        if built_in.is_none() && !self.profiles().contains(name) {
            return Err(self.unknown_profile(name).into());
        }
        let mut resolved = ResolvedConfig::defaults();
        resolved.apply(&self.user.base);
        resolved.apply(&self.project.base);
        let trusted = self.project.needs_trust.iter();
        resolved
            .apply(trusted.filter(|(key, _)| self.trusted.contains(&TrustFeature::of_key(key))));
        resolved.apply(built_in.iter().flatten());
        for layer in [&self.user, &self.project] {
            resolved.apply(layer.profiles.get(name).into_iter().flatten());
        }
        for layer in [&self.environment, &self.set, options] {
            resolved.apply(&layer.base);
            resolved.apply(layer.profiles.get(name).into_iter().flatten());
        }
        ConfigError::unless_empty(validate(&resolved))?;
        Ok(resolved)
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
        Ok(EngineSettings::from(&self.resolve(None, &Layer::default())?))
    }

    /// Returns the names of all profiles.
    pub fn profiles(&self) -> BTreeSet<String> {
        let built_in = profiles::names().map(str::to_owned);
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
