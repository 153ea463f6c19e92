//! Typed settings: the only place where keys take effect.

mod packing;
mod rules;
mod service;

pub use rules::{JudgeKind, JudgeSettings, RuleOrder, RulesSettings, UndecidedPolicy};
pub use service::{LogFormat, LogLevel, LoggingSettings, ServerSettings};

use crate::keys::provider_ids;
use crate::resolved::ResolvedConfig;
use kitbag_core::{Budget, Settings};
use kitbag_text::Kind;
use kitbag_tokens::{TokenizerChoice, TokenizerSettings};
use std::collections::BTreeMap;

/// Keys of the tokens reserved in the window.
pub(crate) const RESERVES: [&str; 4] = [
    "context.budget.response_reserve",
    "context.budget.system_reserve",
    "context.budget.instruction_reserve",
    "context.budget.completion_reserve",
];

pub(crate) const TOTAL: &str = "context.budget.total";
pub(crate) const MIN_CHUNKS: &str = "context.selection.min_chunks";
pub(crate) const MAX_CHUNKS: &str = "context.formatting.max_chunks";

/// Returns the keys of the budget shares, in the order of the kinds.
pub(crate) fn category_keys() -> [String; Kind::ALL.len()] {
    Kind::ALL.map(|(_, name, _)| format!("context.budget.categories.{name}"))
}

/// The settings that the engine works with.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Settings of the packing pipeline.
    pub settings: Settings,
    /// Window and reserves, unless the request sets a budget.
    pub budget: Budget,
    /// Tokenizer, unless the request names one.
    pub counter: TokenizerChoice,
    /// Other settings of token counting.
    pub tokenizer: TokenizerSettings,
    /// Maximum number of sources in a pack.
    pub max_sources: Option<usize>,
    /// Globs of denied paths, in addition to the built-in list.
    pub deny: Vec<String>,
    /// Whether secrets are redacted.
    pub redact: bool,
    /// Whether indexes are stored on disk.
    pub keeps_indexes: bool,
    /// Whether packs are recorded.
    pub records: bool,
    /// Whether packs are written to the audit log.
    pub audits: bool,
    /// Template file of the repository that renders packs.
    pub template: Option<String>,
    /// Settings of rules.
    pub rules: RulesSettings,
    /// Settings of the model that judges conditions.
    pub judge: JudgeSettings,
    /// Origin of `context.enabled: false`, if packing is disabled.
    pub switched_off: Option<String>,
    /// Default timeout of a provider, in milliseconds.
    pub strategy_timeout: u64,
    /// Maximum number of providers that run concurrently.
    pub max_parallelism: usize,
    /// Deadline of a pack, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// Whether the tokens of the task and the selection are deducted from the window.
    pub deducts_request: bool,
    /// Files of the repository that document its conventions.
    pub guides: Vec<String>,
    /// Settings of each provider, by id.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Settings of logging.
    pub logging: LoggingSettings,
    /// Settings of the HTTP server.
    pub server: ServerSettings,
    /// Explicitly set `context.budget.total`.
    pub total: Option<usize>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self::from(&ResolvedConfig::defaults())
    }
}

/// Settings of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// Whether the provider runs.
    pub enabled: bool,
    /// Maximum number of items.
    pub max_items: Option<usize>,
    /// Maximum number of tokens.
    pub max_tokens: Option<usize>,
    /// Timeout in milliseconds.
    pub timeout_ms: Option<u64>,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self { enabled: true, max_items: None, max_tokens: None, timeout_ms: None }
    }
}

impl EngineSettings {
    /// Returns the settings of a provider; one without settings is enabled and unlimited.
    pub fn provider(&self, id: &str) -> ProviderSettings {
        self.providers.get(id).cloned().unwrap_or_default()
    }

    /// Returns the budget of a window of `total` tokens, with the configured reserves.
    pub fn within(&self, total: usize) -> Budget {
        match self.budget {
            Budget::Window { response_reserve, system_reserve, .. } => {
                Budget::Window { total, response_reserve, system_reserve }
            }
            given => given,
        }
    }
}

impl From<&ResolvedConfig> for EngineSettings {
    fn from(config: &ResolvedConfig) -> Self {
        let enabled = "context.enabled";
        let origin = config.entry(enabled).map(|entry| entry.origin.to_string());
        Self {
            settings: packing::settings(config),
            budget: budget(config, window(config).tokens),
            counter: counter(config),
            tokenizer: tokenizer(config),
            max_sources: config.integer("context.max_sources").map(|number| number as usize),
            deny: config.list("security.deny"),
            redact: config.bool("security.redact"),
            keeps_indexes: config.bool("context.cache.enabled"),
            records: config.bool("context.record.enabled"),
            audits: config.bool("context.record.audit"),
            template: config.text("context.formatting.template").map(str::to_owned),
            rules: config.into(),
            judge: config.into(),
            switched_off: origin.filter(|_| !config.bool(enabled)),
            strategy_timeout: config.integer("context.strategy_timeout").unwrap_or_default(),
            max_parallelism: config.integer("context.max_parallelism").unwrap_or(1) as usize,
            deadline_ms: config.integer("context.deadline_ms"),
            deducts_request: config.bool("context.budget.deduct_request"),
            guides: config.list("context.style.guides"),
            providers: providers(config),
            logging: config.into(),
            server: config.into(),
            total: explicit_total(config),
        }
    }
}

fn providers(config: &ResolvedConfig) -> BTreeMap<String, ProviderSettings> {
    let settings = |id: &str| {
        // Unset keys of custom providers have no entry.
        let key = |name: &str| {
            let key = format!("context.providers.{id}.{name}");
            config.entry(&key).is_some().then_some(key)
        };
        let integer = |name: &str| key(name).and_then(|key| config.integer(&key));
        let settings = ProviderSettings {
            enabled: key("enabled").is_none_or(|key| config.bool(&key)),
            max_items: integer("max_items").map(|number| number as usize),
            max_tokens: integer("max_tokens").map(|number| number as usize),
            timeout_ms: integer("timeout_ms"),
        };
        (id.to_owned(), settings)
    };
    provider_ids(config.keys()).map(settings).collect()
}

fn budget(config: &ResolvedConfig, total: usize) -> Budget {
    let [response, system, instruction, completion] =
        RESERVES.map(|key| config.integer(key).unwrap_or_default() as usize);
    Budget::Window {
        total,
        response_reserve: response.saturating_add(completion),
        system_reserve: system.saturating_add(instruction),
    }
}

/// The size of the window and the setting that determines it.
pub(crate) struct Window {
    pub tokens: usize,
    pub key: &'static str,
}

/// Returns the smaller of the model's window and an explicit total.
pub(crate) fn window(config: &ResolvedConfig) -> Window {
    let named = || kitbag_tokens::model(config.text("model.name")?).ok();
    let model = match config.integer("model.window") {
        Some(tokens) => Some(Window { tokens: tokens as usize, key: "model.window" }),
        None => named().map(|model| Window { tokens: model.window, key: "model.name" }),
    };
    match (model, explicit_total(config)) {
        (Some(model), Some(total)) if model.tokens < total => model,
        (Some(model), None) => model,
        (_, Some(tokens)) => Window { tokens, key: TOTAL },
        (None, None) => {
            Window { tokens: config.integer(TOTAL).unwrap_or_default() as usize, key: TOTAL }
        }
    }
}

fn explicit_total(config: &ResolvedConfig) -> Option<usize> {
    config.integer(TOTAL).filter(|_| config.is_set(TOTAL)).map(|tokens| tokens as usize)
}

/// Returns the tokenizer that is set, else that of the model.
fn counter(config: &ResolvedConfig) -> TokenizerChoice {
    let named = config.text("model.tokenizer").and_then(|name| TokenizerChoice::parse(name).ok());
    let model = || kitbag_tokens::model(config.text("model.name")?).ok()?.choice().ok();
    named.or_else(model).unwrap_or_default()
}

fn tokenizer(config: &ResolvedConfig) -> TokenizerSettings {
    let bool = |name: &str| config.bool(&format!("context.tokenizer.{name}"));
    TokenizerSettings {
        use_exact: bool("use_exact"),
        cache_enabled: bool("cache_enabled"),
        cache_size: config.integer("context.tokenizer.cache_size").unwrap_or_default() as usize,
        timing_mitigation: bool("timing_mitigation"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    // Shows: FR-016-59, FR-016-60, FR-016-61
    #[test]
    fn table_defaults_match_code_defaults() {
        let settings = EngineSettings::default();
        assert_eq!(format!("{:?}", settings.settings), format!("{:?}", Settings::default()));
        assert_eq!(settings.budget, Budget::DEFAULT);
        assert_eq!(settings.counter, TokenizerChoice::default());
        assert_eq!(settings.tokenizer, TokenizerSettings::default());
        assert_eq!(settings.rules, RulesSettings::default());
        assert_eq!(settings.judge.timeout_ms, 10_000);
        assert!(settings.switched_off.is_none() && settings.keeps_indexes);
    }

    #[test]
    fn every_setting_has_an_effect() {
        let defaults = format!("{:?}", EngineSettings::default());
        for (key, setting) in table::keys() {
            let mut config = ResolvedConfig::defaults();
            config.replace(&key, setting.other_than_default(&key));
            assert_ne!(format!("{:?}", EngineSettings::from(&config)), defaults, "{key}");
        }
    }
}
