//! The providers of an engine, and which were switched on or off while it runs.

use super::life::Abandoned;
use crate::config::{PROVIDER_ALIASES, provider_id};
use crate::error::Error;
use crate::provider::Provider;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// An id that no provider has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no provider is called `{id}`")]
pub struct UnknownProvider {
    /// The id.
    pub id: String,
    /// The nearest that there is.
    pub nearest: String,
}

/// A provider, to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderInfo {
    /// Its id.
    pub id: String,
    /// What a section with its sources is called.
    pub title: String,
    /// What it gathers.
    pub description: String,
    /// The priority of its sources, where they do not have that of their kinds.
    pub priority: Option<u32>,
    /// Whether it was switched on or off while the engine runs; `None` where that was left to the
    /// configuration.
    pub switched: Option<bool>,
}

/// A provider, and how many of its calls were given up but have not ended.
#[derive(Clone)]
pub(crate) struct Registered {
    pub provider: Arc<dyn Provider>,
    pub abandoned: Arc<Abandoned>,
}

/// The providers of an engine, in the order of registration.
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

    /// The same with one more.
    pub fn with(&self, provider: Arc<dyn Provider>) -> Result<Self, Error> {
        let id = provider.id();
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if id.is_empty() || !id.bytes().all(is_plain) {
            return Err(Error::ProviderId { id: id.to_owned() });
        }
        if self.find(id).is_ok() {
            return Err(Error::ProviderTwice { id: id.to_owned() });
        }
        let mut all = self.all.clone();
        all.push(registered(provider));
        Ok(Self { all, switched: RwLock::new(self.switches()) })
    }

    /// The id that a name means.
    pub fn find(&self, name: &str) -> Result<String, UnknownProvider> {
        let id = provider_id(name);
        let known = self.all.iter().map(|it| it.provider.id());
        if known.clone().any(|known| known == id) {
            return Ok(id.to_owned());
        }
        let names = known.chain(PROVIDER_ALIASES.iter().map(|(alias, _)| *alias));
        let nearest = names.min_by_key(|known| strsim::damerau_levenshtein(name, known));
        let nearest = nearest.unwrap_or_default().to_owned();
        Err(UnknownProvider { id: name.to_owned(), nearest })
    }

    /// Switches a provider on or off for all later requests that do not say otherwise.
    pub fn switch(&self, name: &str, on: Option<bool>) -> Result<(), UnknownProvider> {
        let id = self.find(name)?;
        let mut switched = self.switched.write().unwrap_or_else(PoisonError::into_inner);
        match on {
            Some(on) => switched.insert(id, on),
            None => switched.remove(&id),
        };
        Ok(())
    }

    /// What was switched.
    pub fn switches(&self) -> BTreeMap<String, bool> {
        self.switched.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All of them, to be shown.
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
