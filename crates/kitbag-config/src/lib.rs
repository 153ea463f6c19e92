//! Configuration: every setting declared once, read from layers, each value with its origin.
//!
//! `table` declares the settings. `yaml` and `layer` read files, the environment, `--set` and requests;
//! `layers` merges them; `validate` checks settings against each other; `settings` converts the result
//! to what the engine works with. `loader` caches the configurations of a running engine, and `pages`
//! generates the documentation.

mod files;
mod keys;
mod layer;
mod layers;
mod loader;
mod origin;
mod pages;
mod problem;
mod profiles;
mod report;
mod resolved;
mod settings;
mod sources;
mod suggest;
mod table;
#[cfg(test)]
mod tests;
mod trust;
mod units;
mod validate;
mod value;
mod weights;
pub mod yaml;

pub use files::PROJECT_FILE;
pub use keys::{PROVIDER_ALIASES, default_of, is_remote_key, provider_id, unique_key};
pub use loader::{ConfigLoader, RequestConfig, default_profile_settings, settings_from_pairs};
pub use origin::ConfigOrigin;
pub use pages::{config_init, config_reference, config_schema};
pub use problem::{ConfigError, ConfigProblem, ConfigProblemKind};
pub use profiles::{OVERVIEW_PROFILE, REVIEW_PROFILE, built_in_profiles};
pub use report::{CONFIG_VERSION, ConfigItem, ConfigReport};
pub use settings::{
    BudgetLimit, EngineSettings, JudgeKind, JudgeSettings, LogFormat, LogLevel, LoggingSettings,
    ProviderSettings, RuleOrder, RulesSettings, ServerSettings, StoreEnvironment, StoreSettings,
    UndecidedPolicy,
};
pub use sources::{ConfigSources, RequestOptions, home_folder, user_folder};
pub use table::built_in_providers;
pub use trust::{
    TRUST_VERSION, TrustError, TrustFeature, TrustItem, TrustRecord, TrustState, TrustStore,
    TrustedItem,
};
pub use units::{TimeError, format_time, parse_budget, parse_time};
pub use value::to_flag_value;
pub use yaml::LineColumn;
