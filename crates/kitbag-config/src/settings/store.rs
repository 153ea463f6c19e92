//! Settings of the object store that shares indexes.

use crate::resolved::ResolvedConfig;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

/// The keys of `store`, and the environment that has the credentials.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoreSettings {
    /// URL of the store; without it, indexes are not shared.
    pub url: Option<String>,
    /// Whether packs add to the store what they analyzed.
    pub write: bool,
    /// File with the key of an encrypted store.
    pub key_file: Option<String>,
    /// Environment variable with the key of an encrypted store.
    pub key_env: Option<String>,
    /// Time that a pack may spend on reading, and again on writing, in milliseconds.
    pub timeout_ms: u64,
    /// The user's environment variables.
    #[serde(skip)]
    pub environment: StoreEnvironment,
}

/// Environment variables, some of which are credentials: they are not shown by `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StoreEnvironment(pub Arc<Vec<(String, String)>>);

impl fmt::Debug for StoreEnvironment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StoreEnvironment")
    }
}

impl Default for StoreSettings {
    fn default() -> Self {
        ResolvedConfig::defaults().section("store")
    }
}
