//! Checks that involve several settings, regardless of their layers.

use crate::origin::ConfigOrigin;
use crate::problem::{ConfigProblem, ConfigProblemKind};
use crate::resolved::ResolvedConfig;
use crate::settings::{self, MAX_CHUNKS, MIN_CHUNKS, RESERVES, category_keys, window};
use crate::value::to_yaml;
use crate::weights::WEIGHTS;
use kitbag_tokens::TokenizerChoice;
use serde_json::Value;

const MIN_CHUNK_TOKENS: &str = "context.chunking.min_chunk_tokens";
const MAX_CHUNK_TOKENS: &str = "context.chunking.max_chunk_tokens";

/// Tolerance for sums of shares.
const EPSILON: f64 = 1e-6;

/// Returns the conflicts between settings.
pub(crate) fn validate(config: &ResolvedConfig) -> Vec<ConfigProblem> {
    let problems = [
        weights(config),
        minimum_above_maximum(config, MIN_CHUNK_TOKENS, MAX_CHUNK_TOKENS),
        minimum_above_maximum(config, MIN_CHUNKS, MAX_CHUNKS),
        model(config).or_else(|| tokenizer(config)),
        reserves(config),
        categories(config),
    ];
    problems.into_iter().flatten().collect()
}

fn weights(config: &ResolvedConfig) -> Option<ConfigProblem> {
    let sum: f64 = WEIGHTS.iter().map(|key| config.get::<f64>(key)).sum();
    if (sum - 1.0).abs() <= EPSILON {
        return None;
    }
    let message = format!("ranking weights must sum to 1, not {}", decimal(sum));
    Some(conflict(
        config,
        &WEIGHTS,
        &message,
        "change the weights so that they sum to 1, or set only some of them",
    ))
}

fn minimum_above_maximum(
    config: &ResolvedConfig,
    minimum: &'static str,
    maximum: &'static str,
) -> Option<ConfigProblem> {
    if config.get::<u64>(minimum) <= config.get::<Option<u64>>(maximum)? {
        return None;
    }
    let message = format!("`{minimum}` must not be greater than `{maximum}`");
    let hint = "lower the minimum or raise the maximum";
    Some(conflict(config, &[minimum, maximum], &message, hint))
}

fn categories(config: &ResolvedConfig) -> Option<ConfigProblem> {
    let keys = category_keys();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let sum: f64 = keys.iter().filter_map(|key| config.get::<Option<f64>>(key)).sum();
    if sum <= 1.0 + EPSILON {
        return None;
    }
    let message = format!("budget shares must sum to at most 1, not {}", decimal(sum));
    Some(conflict(config, &keys, &message, "lower them; a kind without a share has no limit"))
}

fn model(config: &ResolvedConfig) -> Option<ConfigProblem> {
    let unknown = kitbag_tokens::model(&config.get::<Option<String>>("model.name")?).err()?;
    let message = format!("unknown model `{}`", unknown.name);
    Some(problem(config, &["model.name"], message, unknown.hint()))
}

/// Checks that the tokenizer exists, and that it is set if the model has no built-in one.
fn tokenizer(config: &ResolvedConfig) -> Option<ConfigProblem> {
    if let Some(name) = config.get::<Option<String>>("model.tokenizer") {
        let unknown = TokenizerChoice::parse(&name).err()?;
        return Some(problem(config, &["model.tokenizer"], unknown.to_string(), unknown.hint()));
    }
    let missing = settings::model(config)?.choice().err()?;
    let hint = "set `model.tokenizer` to the path of its `tokenizer.json`".to_owned();
    Some(problem(config, &["model.name"], missing.to_string(), hint))
}

fn reserves(config: &ResolvedConfig) -> Option<ConfigProblem> {
    let window = window(config);
    let reserved: u64 = RESERVES.iter().map(|key| config.get::<u64>(key)).sum();
    if reserved < window.tokens as u64 {
        return None;
    }
    let used = RESERVES.into_iter().filter(|key| config.get::<u64>(key) > 0);
    let keys: Vec<&str> = std::iter::once(window.key).chain(used).collect();
    let message = format!(
        "the reserved {reserved} tokens do not fit in the window of {} tokens",
        window.tokens
    );
    Some(conflict(config, &keys, &message, "enlarge the window or lower the reserves"))
}

/// Creates a problem that lists the values of some settings and their origins.
fn conflict(config: &ResolvedConfig, keys: &[&str], message: &str, hint: &str) -> ConfigProblem {
    let values = keys.iter().filter_map(|key| {
        let entry = config.entry(key)?;
        let (value, origin) = (to_yaml(&entry.value), &entry.origin);
        (entry.value != Value::Null).then(|| format!("`{key}` is {value} ({origin})"))
    });
    let values: Vec<String> = values.collect();
    problem(config, keys, format!("{message}: {}", values.join(", ")), hint.to_owned())
}

/// Creates a problem at the first of some settings that is set explicitly.
fn problem(config: &ResolvedConfig, keys: &[&str], message: String, hint: String) -> ConfigProblem {
    let mut origins = keys.iter().filter_map(|key| config.entry(key)).map(|entry| &entry.origin);
    let origin = origins.find(|origin| origin.is_explicit());
    let origin = origin.cloned().unwrap_or(ConfigOrigin::Default);
    ConfigProblem { origin, kind: ConfigProblemKind::Conflict { message, hint } }
}

/// Formats a number with up to six decimals.
fn decimal(number: f64) -> String {
    let number = format!("{number:.6}");
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}
