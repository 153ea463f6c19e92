//! What must hold of several settings together, whichever layers they come from.

use super::place::Place;
use super::problem::{ConfigFault, ConfigProblem};
use super::resolve::Resolved;
use super::settle::{MAX_CHUNKS, MIN_CHUNKS, RESERVES, category_keys, window};
use super::value::Value;
use kitbag_tokens::Choice;

const WEIGHTS: [&str; 3] = [
    "context.ranking.relevance_weight",
    "context.ranking.recency_weight",
    "context.ranking.source_weight",
];

const MIN_CHUNK: &str = "context.chunking.min_chunk_tokens";
const MAX_CHUNK: &str = "context.chunking.max_chunk_tokens";
const TOTAL: &str = "context.budget.total";

impl Resolved {
    /// What is wrong with the settings together.
    pub(super) fn problems(&self) -> Vec<ConfigProblem> {
        let model = self.model().or_else(|| self.tokenizer());
        let all = [
            self.weights(),
            self.chunk_sizes(),
            self.chunk_counts(),
            model,
            self.reserves(),
            self.categories(),
        ];
        all.into_iter().flatten().collect()
    }

    fn weights(&self) -> Option<ConfigProblem> {
        let sum: f64 = WEIGHTS.iter().filter_map(|key| self.number(key)).sum();
        if (sum - 1.0).abs() <= 1e-6 {
            return None;
        }
        let (sum, told) = (decimal(sum), self.told(&WEIGHTS));
        let message = format!("the ranking weights sum to {sum}, not to 1: {told}");
        Some(self.wrong(&WEIGHTS, message, "set all three so that they sum to 1"))
    }

    fn chunk_sizes(&self) -> Option<ConfigProblem> {
        let (min, max) = (self.whole(MIN_CHUNK)?, self.whole(MAX_CHUNK)?);
        if min <= max {
            return None;
        }
        let keys = [MIN_CHUNK, MAX_CHUNK];
        let message = format!("chunks would be larger than they may be: {}", self.told(&keys));
        Some(self.wrong(&keys, message, "the least is at most as much as the most"))
    }

    fn chunk_counts(&self) -> Option<ConfigProblem> {
        let (min, max) = (self.whole(MIN_CHUNKS)?, self.whole(MAX_CHUNKS)?);
        if min <= max {
            return None;
        }
        let keys = [MIN_CHUNKS, MAX_CHUNKS];
        let message = format!("a pack would have more chunks than it may: {}", self.told(&keys));
        Some(self.wrong(&keys, message, "the least is at most as much as the most"))
    }

    fn categories(&self) -> Option<ConfigProblem> {
        let keys = category_keys();
        let keys: Vec<&str> =
            keys.iter().map(String::as_str).filter(|key| self.number(key).is_some()).collect();
        let sum: f64 = keys.iter().filter_map(|key| self.number(key)).sum();
        if sum <= 1.0 + 1e-6 {
            return None;
        }
        let (sum, told) = (decimal(sum), self.told(&keys));
        let message = format!("the shares of the budget sum to {sum}, more than all of it: {told}");
        Some(self.wrong(&keys, message, "make them smaller; a kind without a share has no limit"))
    }

    fn model(&self) -> Option<ConfigProblem> {
        let unknown = kitbag_tokens::model(self.text("model.name")?).err()?;
        let message = format!("unknown model `{}`", unknown.name);
        let hint = format!("the nearest known model is `{}`", unknown.nearest);
        Some(self.wrong(&["model.name"], message, &hint))
    }

    /// The tokenizer must be known, and a model without a built-in one needs it.
    fn tokenizer(&self) -> Option<ConfigProblem> {
        if let Some(name) = self.text("model.tokenizer") {
            let unknown = Choice::parse(name).err()?;
            return Some(self.wrong(&["model.tokenizer"], unknown.to_string(), &unknown.hint()));
        }
        let model = kitbag_tokens::model(self.text("model.name")?).ok()?;
        let missing = model.choice().err()?;
        let hint = "set `model.tokenizer` to the path of its `tokenizer.json`";
        Some(self.wrong(&["model.name"], missing.to_string(), hint))
    }

    fn reserves(&self) -> Option<ConfigProblem> {
        let (window, decides) = window(self);
        let reserves: u64 = RESERVES.iter().filter_map(|key| self.whole(key)).sum();
        if reserves < window as u64 {
            return None;
        }
        let spent: Vec<&str> =
            RESERVES.into_iter().filter(|key| self.whole(key) != Some(0)).collect();
        let keys: Vec<&str> = std::iter::once(decides.unwrap_or(TOTAL)).chain(spent).collect();
        let message = format!(
            "the reserves of {reserves} tokens leave nothing of the window of {window}: {}",
            self.told(&keys)
        );
        Some(self.wrong(&keys, message, "make the window larger or the reserves smaller"))
    }

    /// The settings with their values and places.
    fn told(&self, keys: &[&str]) -> String {
        let each = keys.iter().filter_map(|key| {
            let entry = self.entry(key)?;
            let (value, place) = (&entry.value, &entry.place);
            (*value != Value::Nothing).then(|| format!("`{key}` is {value} ({place})"))
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// A problem of some settings. It is where the first stands that somebody set.
    fn wrong(&self, keys: &[&str], message: String, hint: &str) -> ConfigProblem {
        let places = keys.iter().filter_map(|key| self.entry(key)).map(|entry| &entry.place);
        let place = places.into_iter().find(|place| **place != Place::Default);
        let place = place.cloned().unwrap_or(Place::Default);
        ConfigProblem::new(place, ConfigFault::Together { message, hint: hint.to_owned() })
    }
}

/// A number with as few decimals as tell it.
fn decimal(number: f64) -> String {
    let number = format!("{number:.6}");
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}
