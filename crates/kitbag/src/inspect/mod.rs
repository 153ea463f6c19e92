//! Inspection of finished packs: explain, compare and export them, and create their records.
//!
//! `kitbag-record` stores and verifies records; operations that replay the decision live here. Text
//! is always read from the files, redacted in the same way as in a pack, and rejected if its hash
//! has changed.

pub(crate) mod absence;
mod candidates;
pub(crate) mod compare;
mod draft;
pub(crate) mod explain;
pub(crate) mod export;
mod frame;
mod parts;
mod rechunk;
mod remedy;
mod replay;

pub(crate) use draft::RecordDraft;
pub(crate) use frame::MAX_TEMPLATE_BYTES;
pub(crate) use parts::RecordInputs;

use crate::gather::orchestrate::ProviderInfo;
use kitbag_config::{EngineSettings, settings_from_pairs};
use kitbag_core::{Cancel, Settings};
use kitbag_record::{Reading, Record};
use kitbag_repo::Root;
use kitbag_tokens::CachedCounter;

/// A recorded pack, and what is needed to decide or render it again.
pub(crate) struct Inspection<'a> {
    pub record: &'a Record,
    pub root: &'a Root,
    pub reading: &'a Reading<'a>,
    /// The current settings of the profile of the pack.
    pub settings: &'a EngineSettings,
    pub counting: &'a CachedCounter,
    pub providers: &'a [ProviderInfo],
    pub cancel: &'a Cancel,
}

impl Inspection<'_> {
    /// Restores the settings of the decision. Returns `None` if the calling program supplied its own.
    fn recorded_settings(&self) -> Option<Settings> {
        let recorded = &self.record.settings;
        let is_decision =
            |key: &String| key.starts_with("context.") && !key.starts_with("context.formatting.");
        let changed = recorded.changed.iter().filter(|(key, _)| is_decision(key));
        let changed: Vec<(String, String)> =
            changed.map(|(key, value)| (key.clone(), value.clone())).collect();
        if recorded.supplied_settings_sha256.is_some() {
            return None;
        }
        settings_from_pairs(&changed).ok().map(|it| it.settings)
    }
}
