//! Ranking weights: those that are not set share what the others leave of 1.

use crate::layer::ConfigEntry;
use crate::origin::ConfigOrigin;
use crate::resolved::ResolvedConfig;
use crate::table;

/// Keys of the weights, which sum to 1.
pub(crate) const WEIGHTS: [&str; 3] = [
    "context.ranking.relevance_weight",
    "context.ranking.recency_weight",
    "context.ranking.source_weight",
];

/// Number of decimals of a computed weight, so that `1 - 0.7 - 0.1` is 0.2.
const DECIMALS: f64 = 1e12;

/// Distributes what explicit weights leave of 1 among the others, in proportion to their defaults.
/// Without explicit weights, those of the profile apply, which are complete.
pub(crate) fn share_weights(config: &mut ResolvedConfig) {
    let is_explicit =
        |key: &&&str| config.entry(key).is_some_and(|entry| entry.origin.is_explicit());
    let (explicit, others): (Vec<&str>, Vec<&str>) =
        WEIGHTS.iter().partition(|key| is_explicit(&key));
    if explicit.is_empty() {
        return;
    }
    let default = |key: &str| {
        let value = table::find(key).map(|setting| setting.default_of(key));
        value.and_then(|value| value.as_f64()).unwrap_or_default()
    };
    let set: f64 = explicit.iter().map(|key| config.get::<f64>(key)).sum();
    let defaults: f64 = others.iter().map(|key| default(key)).sum();
    let rest = (1.0 - set).max(0.0);
    for key in others {
        let value = (rest * default(key) / defaults * DECIMALS).round() / DECIMALS;
        let entry = ConfigEntry { value: value.into(), origin: ConfigOrigin::Remainder };
        config.apply([(&key.to_owned(), &entry)]);
    }
}
