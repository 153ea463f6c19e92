//! The providers of an engine, and which of them were switched on or off at run time.

use super::abandoned::Abandoned;
use crate::error::{Error, UnknownProvider};
use crate::gather::provider::Provider;
use kitbag_config::{PROVIDER_ALIASES, provider_id};
use kitbag_tokens::{did_you_mean, one_of};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Description of a provider, for listings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderInfo {
    /// Id of the provider, as used in requests and settings.
    pub id: String,
    /// Title of the section that contains its sources.
    pub title: String,
    /// One-sentence description of the sources it gathers.
    pub description: String,
    /// Priority of its sources, if it overrides the priority of their kinds.
    pub priority: Option<u32>,
    /// Whether the provider was switched on or off at run time; null if the configuration decides.
    pub switched: Option<bool>,
}

/// A provider, and the number of its abandoned calls.
#[derive(Clone)]
pub(crate) struct Registered {
    pub provider: Arc<dyn Provider>,
    pub abandoned: Arc<Abandoned>,
}

/// The providers of an engine, in order of registration.
#[derive(Default)]
pub(crate) struct Registry {
    pub all: Vec<Registered>,
    switched: RwLock<BTreeMap<String, bool>>,
}

impl Registry {
    pub fn new(providers: Vec<Arc<dyn Provider>>) -> Self {
        let all = providers.into_iter().map(registered).collect();
        Self { all, switched: RwLock::default() }
    }

    /// Returns a copy of the registry with `provider` added. Fails if its id is invalid or taken.
    pub fn with(&self, provider: Arc<dyn Provider>) -> Result<Self, Error> {
        let id = provider.id();
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if id.is_empty() || !id.bytes().all(is_plain) {
            return Err(Error::InvalidProviderId { id: id.to_owned() });
        }
        if self.find(id).is_ok() {
            return Err(Error::DuplicateProvider { id: id.to_owned() });
        }
        let mut all = self.all.clone();
        all.push(registered(provider));
        Ok(Self { all, switched: RwLock::new(self.switches()) })
    }

    /// Resolves a provider's id or alias to its id.
    pub fn find(&self, name: &str) -> Result<String, UnknownProvider> {
        let id = provider_id(name);
        let known = self.all.iter().map(|it| it.provider.id());
        if known.clone().any(|known| known == id) {
            return Ok(id.to_owned());
        }
        let aliases = PROVIDER_ALIASES.iter().map(|(alias, _)| *alias);
        let hint = did_you_mean(name, known.clone().chain(aliases)).or_else(|| one_of(known));
        Err(UnknownProvider { id: name.to_owned(), hint })
    }

    /// Switches a provider on or off for later requests that do not specify it. `None` resets the
    /// switch.
    pub fn switch(&self, name: &str, on: Option<bool>) -> Result<(), UnknownProvider> {
        let id = self.find(name)?;
        let mut switched = self.switched.write().unwrap_or_else(PoisonError::into_inner);
        match on {
            Some(on) => switched.insert(id, on),
            None => switched.remove(&id),
        };
        Ok(())
    }

    /// Returns the providers that were switched on or off, by id.
    pub fn switches(&self) -> BTreeMap<String, bool> {
        self.switched.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Describes all providers, in order of registration.
    pub fn list(&self) -> Vec<ProviderInfo> {
        let switched = self.switches();
        let info = |it: &Registered| ProviderInfo {
            id: it.provider.id().to_owned(),
            title: it.provider.title().to_owned(),
            description: it.provider.description().to_owned(),
            priority: it.provider.priority(),
            switched: switched.get(it.provider.id()).copied(),
        };
        self.all.iter().map(info).collect()
    }
}

fn registered(provider: Arc<dyn Provider>) -> Registered {
    Registered { provider, abandoned: Arc::default() }
}
