//! Who is asked for a request: what the configuration says, what was switched while the engine
//! runs, and what the request says, the last of them first.

use super::registry::{Registered, Registry};
use crate::config::Settled;
use crate::error::Error;
use crate::provider::{Needs, ProviderLimits};
use crate::request::Request;
use std::time::Duration;

/// The providers of a request, in the order of registration.
pub(crate) struct Plan {
    pub providers: Vec<Planned>,
    /// How many are asked at the same time.
    pub parallelism: usize,
}

/// A provider, and what becomes of it.
#[derive(Clone)]
pub(crate) struct Planned {
    pub registered: Registered,
    pub state: State,
    pub timeout: Duration,
    pub limits: ProviderLimits,
}

/// Whether a provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Asked,
    /// The request has nothing for it.
    Idle,
    /// It is switched off.
    Off,
}

impl Planned {
    pub fn id(&self) -> &str {
        self.registered.provider.id()
    }
}

impl Plan {
    pub fn new(registry: &Registry, request: &Request, settled: &Settled) -> Result<Self, Error> {
        let find = |names: &[String]| -> Result<Vec<String>, Error> {
            names.iter().map(|name| Ok(registry.find(name)?)).collect()
        };
        let (on, off) = (find(&request.providers)?, find(&request.no_providers)?);
        if let Some(id) = on.iter().find(|id| off.contains(id)) {
            return Err(Error::ProviderBoth { id: id.clone() });
        }
        let switched = registry.switches();
        let plan = |registered: &Registered| {
            let id = registered.provider.id();
            let configured = settled.provider(id);
            let said = on.iter().any(|it| it == id).then_some(true);
            let said = said.or_else(|| off.iter().any(|it| it == id).then_some(false));
            let wanted = configured.enabled || (id == "rules" && speaks_to_rules(request));
            let enabled = said.or(switched.get(id).copied()).unwrap_or(wanted);
            let state = match (enabled, registered.provider.applies(request)) {
                (true, true) => State::Asked,
                (true, false) => State::Idle,
                (false, _) => State::Off,
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

    /// What has to be known of the repository for those that are asked.
    pub fn needs(&self) -> Needs {
        let asked = self.providers.iter().filter(|it| it.state == State::Asked);
        asked.map(|it| it.registered.provider.needs()).max().unwrap_or(Needs::Nothing)
    }

    /// Providers that are off though the request brings something for them, by their ids.
    pub fn ignored<'a>(&'a self, request: &'a Request) -> impl Iterator<Item = &'a str> {
        let brings = |id: &str| match id {
            "open_files" => !request.open_files.is_empty(),
            "tool_results" => !request.tool_results.is_empty(),
            "references" => !request.references.is_empty(),
            "sources" => !request.sources.is_empty(),
            "diagnostics" => !request.diagnostics.is_empty(),
            "rules" => speaks_to_rules(request),
            _ => false,
        };
        let off = self.providers.iter().filter(|it| it.state == State::Off);
        off.map(Planned::id).filter(move |id| brings(id))
    }
}

/// Whether a request has what only rules read: then it wants them, whatever the profile is.
fn speaks_to_rules(request: &Request) -> bool {
    let texts = [&request.context, &request.intent, &request.situation];
    texts.into_iter().flatten().any(|text| !text.trim().is_empty())
}
