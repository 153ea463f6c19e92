//! Typed settings: the only place where keys take effect.

mod packing;
mod rules;
mod service;
mod store;

pub use rules::{JudgeKind, JudgeSettings, RuleOrder, RulesSettings, UndecidedPolicy};
pub use service::{LogFormat, LogLevel, LoggingSettings, ServerSettings};
pub use store::{StoreEnvironment, StoreSettings};

use crate::keys::provider_ids;
use crate::resolved::ResolvedConfig;
use kitbag_core::{Budget, Settings};
use kitbag_text::Kind;
use kitbag_tokens::{Model, TokenizerChoice, TokenizerSettings};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

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
    Kind::ALL.map(|kind| format!("context.budget.categories.{kind}"))
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
    /// The user's home folder, which is not a project.
    pub home: Option<PathBuf>,
    /// Git data outside of the work tree that the user trusts.
    pub trusted_git: Option<String>,
    /// Whether secrets are redacted.
    pub redact: bool,
    /// Whether indexes are stored on disk.
    pub keeps_indexes: bool,
    /// Whether packs are recorded.
    pub records: bool,
    /// Whether packs are written to the audit log.
    pub audits: bool,
    /// Whether records keep the task.
    pub keeps_tasks: bool,
    /// Template file of the repository that renders packs.
    pub template: Option<String>,
    /// Whether packs begin with their contents.
    pub contents: bool,
    /// Settings of rules.
    pub rules: RulesSettings,
    /// Settings of the model that judges conditions.
    pub judge: JudgeSettings,
    /// Settings of the object store that shares indexes.
    pub store: StoreSettings,
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
    /// Budget that the settings of a repository without trust must not exceed, if they set one.
    pub budget_limit: Option<BudgetLimit>,
}

/// The budget that the user's own settings determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetLimit {
    /// Window and reserves.
    pub budget: Budget,
    /// Explicitly set `context.budget.total`.
    pub total: Option<usize>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self::from(&ResolvedConfig::defaults())
    }
}

/// Settings of a provider. Keys that a custom provider does not set have no entry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
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

    /// Returns the configured budget.
    pub fn own_budget(&self) -> BudgetLimit {
        BudgetLimit { budget: self.budget, total: self.total }
    }
}

impl BudgetLimit {
    /// Returns the budget of a window of `total` tokens, with the same reserves.
    pub fn within(&self, total: usize) -> Budget {
        match self.budget {
            Budget::Window { response_reserve, system_reserve, .. } => {
                Budget::Window { total, response_reserve, system_reserve }
            }
            given => given,
        }
    }
}

impl From<&ResolvedConfig> for BudgetLimit {
    fn from(config: &ResolvedConfig) -> Self {
        Self { budget: budget(config, window(config).tokens), total: explicit_total(config) }
    }
}

impl From<&ResolvedConfig> for EngineSettings {
    fn from(config: &ResolvedConfig) -> Self {
        let enabled = "context.enabled";
        let origin = config.entry(enabled).map(|entry| entry.origin.to_string());
        let provider =
            |id: &str| (id.to_owned(), config.section(&format!("context.providers.{id}")));
        let budgets = BudgetLimit::from(config);
        Self {
            settings: packing::settings(config),
            budget: budgets.budget,
            counter: counter(config),
            tokenizer: config.section("context.tokenizer"),
            max_sources: config.get("context.max_sources"),
            home: None,
            trusted_git: None,
            deny: config.get("security.deny"),
            redact: config.get("security.redact"),
            keeps_indexes: config.get("context.cache.enabled"),
            records: config.get("context.record.enabled"),
            audits: config.get("context.record.audit"),
            keeps_tasks: config.get("context.record.tasks"),
            template: config.get("context.formatting.template"),
            contents: config.get("context.formatting.contents"),
            rules: config.section("context.rules"),
            judge: config.section("judge"),
            store: config.section("store"),
            switched_off: origin.filter(|_| !config.get::<bool>(enabled)),
            strategy_timeout: config.get("context.strategy_timeout"),
            max_parallelism: config.get("context.max_parallelism"),
            deadline_ms: config.get("context.deadline_ms"),
            deducts_request: config.get("context.budget.deduct_request"),
            guides: config.get("context.style.guides"),
            providers: provider_ids(config.keys()).map(provider).collect(),
            logging: config.into(),
            server: config.into(),
            total: budgets.total,
            budget_limit: None,
        }
    }
}

fn budget(config: &ResolvedConfig, total: usize) -> Budget {
    let [response, system, instruction, completion] = RESERVES.map(|key| config.get::<usize>(key));
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
    let named = || model(config).map(|model| Window { tokens: model.window, key: "model.name" });
    let set = config.get::<Option<usize>>("model.window");
    let model = set.map(|tokens| Window { tokens, key: "model.window" }).or_else(named);
    let total = Window { tokens: config.get(TOTAL), key: TOTAL };
    let is_total_set = explicit_total(config).is_some();
    model.filter(|model| !is_total_set || model.tokens < total.tokens).unwrap_or(total)
}

/// Returns the model that is set, if it is known.
pub(crate) fn model(config: &ResolvedConfig) -> Option<Model> {
    kitbag_tokens::model(&config.get::<Option<String>>("model.name")?).ok()
}

fn explicit_total(config: &ResolvedConfig) -> Option<usize> {
    config.is_set(TOTAL).then(|| config.get(TOTAL))
}

/// Returns the tokenizer that is set, else that of the model.
fn counter(config: &ResolvedConfig) -> TokenizerChoice {
    let named = config.get::<Option<String>>("model.tokenizer");
    let named = named.and_then(|name| TokenizerChoice::parse(&name).ok());
    named.or_else(|| model(config)?.choice().ok()).unwrap_or_default()
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
