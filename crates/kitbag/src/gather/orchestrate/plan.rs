//! Selects the providers to call. The request takes precedence over the engine's run-time switches,
//! and those over the configuration.

use super::registry::{Registered, Registry};
use crate::error::Error;
use crate::gather::provider::{Needs, ProviderLimits};
use crate::request::Request;
use kitbag_config::EngineSettings;
use std::time::Duration;

/// The providers of a request, in order of registration.
pub(crate) struct Plan {
    pub providers: Vec<Planned>,
    /// Maximum number of providers that run at the same time.
    pub parallelism: usize,
}

/// A provider with the settings of its call.
#[derive(Clone)]
pub(crate) struct Planned {
    pub registered: Registered,
    pub state: PlannedState,
    pub timeout: Duration,
    pub limits: ProviderLimits,
}

/// Whether a provider is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlannedState {
    Called,
    /// The request has no input for it.
    Idle,
    Off,
}

impl Planned {
    pub fn id(&self) -> &str {
        self.registered.provider.id()
    }
}

impl Plan {
    pub fn new(
        registry: &Registry,
        request: &Request,
        settled: &EngineSettings,
    ) -> Result<Self, Error> {
        let find = |names: &[String]| -> Result<Vec<String>, Error> {
            names.iter().map(|name| Ok(registry.find(name)?)).collect()
        };
        let (on, off) = (find(&request.providers)?, find(&request.no_providers)?);
        if let Some(id) = on.iter().find(|id| off.contains(id)) {
            return Err(Error::ConflictingProvider { id: id.clone() });
        }
        let switched = registry.switches();
        let plan = |registered: &Registered| {
            let id = registered.provider.id();
            let configured = settled.provider(id);
            let requested = on.iter().any(|it| it == id).then_some(true);
            let requested = requested.or_else(|| off.iter().any(|it| it == id).then_some(false));
            let default = configured.enabled || registered.provider.is_enabled_by(request);
            let enabled = requested.or(switched.get(id).copied()).unwrap_or(default);
            let state = match (enabled, registered.provider.applies(request)) {
                (true, true) => PlannedState::Called,
                (true, false) => PlannedState::Idle,
                (false, _) => PlannedState::Off,
            };
            let general = Duration::from_millis(settled.strategy_timeout);
            let set = configured.timeout_ms.map(Duration::from_millis);
            let timeout = set.or(registered.provider.timeout()).unwrap_or(general);
            Planned {
                registered: registered.clone(),
                state,
                timeout,
                limits: ProviderLimits {
                    max_items: configured.max_items,
                    max_tokens: configured.max_tokens,
                },
            }
        };
        let providers = registry.all.iter().map(plan).collect();
        Ok(Self { providers, parallelism: settled.max_parallelism })
    }

    /// Returns the highest requirement of the providers that are called.
    pub fn needs(&self) -> Needs {
        let called = self.providers.iter().filter(|it| it.state == PlannedState::Called);
        called.map(|it| it.registered.provider.needs()).max().unwrap_or(Needs::Nothing)
    }

    /// Whether a provider is called that describes the repository without any input.
    pub fn needs_no_input(&self) -> bool {
        let mut called = self.providers.iter().filter(|it| it.state == PlannedState::Called);
        called.any(|it| ["tree", "overview"].contains(&it.id()))
    }

    /// Returns the ids of providers that are off although the request has input for them.
    pub fn ignored<'a>(&'a self, request: &'a Request) -> impl Iterator<Item = &'a str> {
        let off = self.providers.iter().filter(|it| it.state == PlannedState::Off);
        off.filter(|it| it.registered.provider.has_input(request)).map(Planned::id)
    }
}
