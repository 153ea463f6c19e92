//! Layers laid over each other, key by key, and what must hold of them together.

use super::layer::{Entries, Entry, Layer, piece_of};
use super::place::Place;
use super::problem::{ConfigError, ConfigFault, ConfigProblem};
use super::profiles::{self, DEFAULT_PROFILE};
use super::table;
use super::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The layers of a request that do not come with it, the lowest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layers {
    /// The user-wide file.
    pub user: Arc<Layer>,
    /// The repository's file.
    pub project: Arc<Layer>,
    /// The environment.
    pub environment: Arc<Layer>,
    /// `--set`.
    pub set: Arc<Layer>,
    /// The pieces that hold of what the repository's file may set with trust only.
    pub trusted: Vec<&'static str>,
}

/// Every setting with its value and where that comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resolved(Entries);

impl Layers {
    /// What holds for a profile and the options of a request: defaults, the files' general settings,
    /// the profile as it is built in and as the files have it, the environment, `--set`, the options.
    pub fn resolve(
        &self,
        profile: Option<&str>,
        options: &Layer,
    ) -> Result<Resolved, Vec<ConfigProblem>> {
        let name = profile.unwrap_or(DEFAULT_PROFILE);
        let built_in = profiles::overlay(name);
        if built_in.is_none() && !self.profiles().contains(name) {
            return Err(vec![self.unknown_profile(name)]);
        }
        let mut resolved = Resolved::defaults();
        for layer in [&self.user, &self.project] {
            resolved.lay(&layer.base);
        }
        resolved.lay(&self.trusted_entries());
        resolved.lay(&built_in.unwrap_or_default());
        for layer in [&self.user, &self.project] {
            resolved.lay_profile(layer, name);
        }
        for layer in [&*self.environment, &*self.set, options] {
            resolved.lay(&layer.base);
            resolved.lay_profile(layer, name);
        }
        let problems = resolved.problems();
        if problems.is_empty() { Ok(resolved) } else { Err(problems) }
    }

    /// Whether all profiles that somebody set, and the default one, come to something that is possible.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut problems: Vec<ConfigProblem> = Vec::new();
        let names: BTreeSet<String> = self.set_profiles().collect();
        let each = names.iter().map(|name| Some(name.as_str()));
        for profile in std::iter::once(None).chain(each) {
            let found = self.resolve(profile, &Layer::default()).err().unwrap_or_default();
            for problem in found {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
        ConfigError::unless_empty(problems)
    }

    /// What the repository's file sets with the user's trust.
    fn trusted_entries(&self) -> Entries {
        let wanting = self.project.wanting.iter();
        let trusted = wanting.filter(|(key, _)| self.trusted.contains(&piece_of(key)));
        trusted.map(|(key, entry)| (key.clone(), entry.clone())).collect()
    }

    /// The names of all profiles.
    pub fn profiles(&self) -> BTreeSet<String> {
        self.set_profiles().chain(profiles::names().map(str::to_owned)).collect()
    }

    /// The names of the profiles that somebody set something of.
    fn set_profiles(&self) -> impl Iterator<Item = String> {
        let layers = [&self.user, &self.project, &self.environment, &self.set];
        layers.into_iter().flat_map(|layer| layer.profiles.keys().cloned())
    }

    fn unknown_profile(&self, name: &str) -> ConfigProblem {
        let names = self.profiles();
        let nearest = names.iter().min_by_key(|known| strsim::damerau_levenshtein(name, known));
        let nearest = nearest.cloned().unwrap_or_default();
        let fault = ConfigFault::UnknownProfile { name: name.to_owned(), nearest };
        ConfigProblem::new(Place::Request, fault)
    }
}

impl Resolved {
    /// What holds where nobody says anything.
    pub fn defaults() -> Self {
        let entry = |(key, setting): (String, &table::Setting)| {
            let value = setting.default_of(&key);
            (key, Entry { value, place: Place::Default })
        };
        Self(table::keys().map(entry).collect())
    }

    fn lay_profile(&mut self, layer: &Layer, name: &str) {
        if let Some(entries) = layer.profiles.get(name) {
            self.lay(entries);
        }
    }

    /// Lays entries over what there is. Lists are joined: what one layer forbids, no other allows.
    fn lay(&mut self, entries: &Entries) {
        for (key, entry) in entries {
            let mut entry = entry.clone();
            if let (Value::List(above), Some(Value::List(below))) =
                (&mut entry.value, self.0.get(key).map(|it| &it.value))
            {
                let new: Vec<String> =
                    above.iter().filter(|item| !below.contains(item)).cloned().collect();
                *above = below.iter().cloned().chain(new).collect();
            }
            self.0.insert(key.clone(), entry);
        }
    }

    /// A setting by its key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.0.get(key)
    }

    /// The keys of all settings, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether a setting is on.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.value(key), Value::Flag(true))
    }

    /// A whole number, where it is set.
    pub fn whole(&self, key: &str) -> Option<u64> {
        if let Value::Whole(number) = self.value(key) { Some(*number) } else { None }
    }

    /// A number, where it is set.
    pub fn number(&self, key: &str) -> Option<f64> {
        if let Value::Number(number) = self.value(key) { Some(*number) } else { None }
    }

    /// A text, where it is set.
    pub fn text(&self, key: &str) -> Option<&str> {
        if let Value::Text(text) = self.value(key) { Some(text) } else { None }
    }

    /// A list of texts.
    pub fn list(&self, key: &str) -> Vec<String> {
        if let Value::List(texts) = self.value(key) { texts.clone() } else { Vec::new() }
    }

    /// What a pack depends on and is not as by default, in the order of the keys. What servers, logs
    /// and judges are told is not among it.
    pub fn changed(&self) -> Vec<(String, Value)> {
        let decides =
            |key: &str| ["context.", "model.", "security."].iter().any(|it| key.starts_with(it));
        let is_other = |(key, entry): &(&String, &Entry)| {
            let default = table::find(key).map(|setting| setting.default_of(key));
            entry.place != Place::Default && default.as_ref() != Some(&entry.value) && decides(key)
        };
        let changed = self.0.iter().filter(is_other);
        changed.map(|(key, entry)| (key.clone(), entry.value.clone())).collect()
    }

    /// Whether somebody set it.
    pub fn is_set(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|entry| entry.place != Place::Default)
    }

    /// The same with another value, as `--set` would give it.
    #[cfg(test)]
    pub fn replace(&mut self, key: &str, value: Value) {
        self.0.insert(key.to_owned(), Entry { value, place: Place::Set });
    }

    fn value(&self, key: &str) -> &Value {
        debug_assert!(self.0.contains_key(key), "`{key}` is not in the table");
        self.0.get(key).map_or(&Value::Nothing, |entry| &entry.value)
    }
}
