//! From settings by key to what the engine works with: the one place where keys get their effect.

use super::names::provider_ids;
use super::resolve::Resolved;
use super::service::{LoggingSettings, ServerSettings};
use crate::rules::{self, JudgeKind, JudgeSettings, RulesSettings, Undecided};
use kitbag_core::{
    Budget, BudgetSettings, DeduplicationSettings, Format, Formatting, Order, Overflow,
    SelectionSettings, Settings, Share, Weights,
};
use kitbag_text::{ChunkLimits, Cut, Kind, languages};
use kitbag_tokens::{Choice, TokenizerSettings};
use std::collections::BTreeMap;

/// Parser steps that take about a millisecond.
const STEPS_A_MILLISECOND: u64 = 50;

/// What is kept free of the window.
pub(super) const RESERVES: [&str; 4] = [
    "context.budget.response_reserve",
    "context.budget.system_reserve",
    "context.budget.instruction_reserve",
    "context.budget.completion_reserve",
];

/// How many chunks there are at the least, and at the most.
pub(super) const MIN_CHUNKS: &str = "context.selection.min_chunks";
pub(super) const MAX_CHUNKS: &str = "context.formatting.max_chunks";

/// The keys of the shares of the budget, in the order of the kinds.
pub(super) fn category_keys() -> [String; Kind::ALL.len()] {
    Kind::ALL.map(|(_, name, _)| format!("context.budget.categories.{name}"))
}

/// What a configuration comes to.
#[derive(Debug, Clone)]
pub struct Settled {
    /// How the decision is made.
    pub settings: Settings,
    /// The tokens of the window, and what is kept free of it, where a request says nothing else.
    pub budget: Budget,
    /// How tokens are counted, where a request says nothing else.
    pub counter: Choice,
    /// What else can be set about counting.
    pub tokenizer: TokenizerSettings,
    /// How many sources go into a decision at most.
    pub max_sources: Option<usize>,
    /// Globs of paths that may not be read, beside the built-in list.
    pub deny: Vec<String>,
    /// Whether secrets are replaced.
    pub redact: bool,
    /// Whether indexes may be kept on disk.
    pub keeps_indexes: bool,
    /// Whether packs leave a record.
    pub records: bool,
    /// Whether packs leave a line in the audit log.
    pub audits: bool,
    /// The file of the repository that has the template, where one makes the text.
    pub template: Option<String>,
    /// What is set about rules.
    pub rules: RulesSettings,
    /// Which model judges the conditions of rules.
    pub judge: JudgeSettings,
    /// Where packs are switched off, if they are.
    pub switched_off: Option<String>,
    /// How many milliseconds a provider may take, where nothing else is said of it.
    pub strategy_timeout: u64,
    /// How many providers are asked at the same time.
    pub max_parallelism: usize,
    /// How many milliseconds a pack may take.
    pub deadline_ms: Option<u64>,
    /// Whether the tokens of the task and the selection are taken from the window.
    pub deducts_request: bool,
    /// Files that tell the conventions of the repository.
    pub guides: Vec<String>,
    /// What is set of each provider.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// What is logged.
    pub logging: LoggingSettings,
    /// How a server serves.
    pub server: ServerSettings,
    /// What the window may be at most, where somebody set that.
    pub(crate) total: Option<usize>,
}

impl Default for Settled {
    fn default() -> Self {
        settle(&Resolved::defaults())
    }
}

/// What is set of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// Whether it is asked.
    pub enabled: bool,
    /// How many items it gives at most.
    pub max_items: Option<usize>,
    /// How many tokens it gives at most.
    pub max_tokens: Option<usize>,
    /// How many milliseconds it may take.
    pub timeout_ms: Option<u64>,
}

impl Settled {
    /// What is set of a provider. One that is not built in is asked unless it is switched off.
    pub fn provider(&self, id: &str) -> ProviderSettings {
        let known = self.providers.get(id).cloned();
        known.unwrap_or(ProviderSettings {
            enabled: true,
            max_items: None,
            max_tokens: None,
            timeout_ms: None,
        })
    }

    /// The budget of a window of `total` tokens, with the same reserves.
    pub(crate) fn within(&self, total: usize) -> Budget {
        match self.budget {
            Budget::Window { response_reserve, system_reserve, .. } => {
                Budget::Window { total, response_reserve, system_reserve }
            }
            given => given,
        }
    }
}

/// What a resolved configuration comes to.
pub(crate) fn settle(resolved: &Resolved) -> Settled {
    let enabled = "context.enabled";
    let place = resolved.entry(enabled).map(|entry| entry.place.to_string());
    Settled {
        settings: settings(resolved),
        budget: budget(resolved, window(resolved).0),
        counter: counter(resolved),
        tokenizer: tokenizer(resolved),
        max_sources: resolved.whole("context.max_sources").map(|number| number as usize),
        deny: resolved.list("security.deny"),
        redact: resolved.flag("security.redact"),
        keeps_indexes: resolved.flag("context.cache.enabled"),
        records: resolved.flag("context.record.enabled"),
        audits: resolved.flag("context.record.audit"),
        template: resolved.text("context.formatting.template").map(str::to_owned),
        rules: rule_settings(resolved),
        judge: judge(resolved),
        switched_off: if resolved.flag(enabled) { None } else { place },
        strategy_timeout: resolved.whole("context.strategy_timeout").unwrap_or_default(),
        max_parallelism: resolved.whole("context.max_parallelism").unwrap_or(1) as usize,
        deadline_ms: resolved.whole("context.deadline_ms"),
        deducts_request: resolved.flag("context.budget.deduct_request"),
        guides: resolved.list("context.style.guides"),
        providers: providers(resolved),
        logging: LoggingSettings::new(resolved),
        server: ServerSettings::new(resolved),
        total: set_total(resolved),
    }
}

fn providers(resolved: &Resolved) -> BTreeMap<String, ProviderSettings> {
    let of = |id: &str| {
        // What nobody set of a provider of the caller's own is not there.
        let set = |name: &str| {
            let key = format!("context.providers.{id}.{name}");
            resolved.entry(&key).is_some().then_some(key)
        };
        let whole = |name: &str| set(name).and_then(|key| resolved.whole(&key));
        let settings = ProviderSettings {
            enabled: set("enabled").is_none_or(|key| resolved.flag(&key)),
            max_items: whole("max_items").map(|number| number as usize),
            max_tokens: whole("max_tokens").map(|number| number as usize),
            timeout_ms: whole("timeout_ms"),
        };
        (id.to_owned(), settings)
    };
    provider_ids(resolved.keys()).map(of).collect()
}

/// The settings of the decision.
fn settings(resolved: &Resolved) -> Settings {
    let weight =
        |name: &str| resolved.number(&format!("context.ranking.{name}_weight")).unwrap_or_default();
    Settings {
        chunking: chunking(resolved),
        weights: Weights {
            relevance: weight("relevance"),
            recency: weight("recency"),
            source: weight("source"),
        },
        priorities: Kind::ALL.map(|(_, name, priority)| {
            let key = format!("context.source_priority.{}", super::table::plural(name));
            resolved.whole(&key).map_or(priority, |number| number as u32)
        }),
        order: match resolved.text("context.ranking.order") {
            Some("priority") => Order::Priority,
            _ => Order::Score,
        },
        min_score: resolved.number("context.ranking.min_score"),
        deduplication: deduplication(resolved),
        selection: selection(resolved),
        budget: categories(resolved),
        formatting: formatting(resolved),
    }
}

/// How the text looks, the template aside.
fn formatting(resolved: &Resolved) -> Formatting {
    let on = |name: &str| resolved.flag(&format!("context.formatting.{name}"));
    let text = |name: &str| resolved.text(&format!("context.formatting.{name}")).map(str::to_owned);
    let most = resolved.whole(MAX_CHUNKS);
    Formatting {
        format: text("format").and_then(|name| name.parse().ok()).unwrap_or(Format::Markdown),
        template: None,
        header: text("header"),
        footer: text("footer"),
        group_by_file: on("group_by_file"),
        line_numbers: on("line_numbers"),
        scores: on("scores"),
        max_chunks: most.map(|number| number as usize),
        separator: text("separator"),
        detailed: on("detailed"),
        sections: on("sections"),
        ..Formatting::default()
    }
}

fn chunking(resolved: &Resolved) -> ChunkLimits {
    let whole = |name: &str| {
        let number = resolved.whole(&format!("context.chunking.{name}")).unwrap_or_default();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let steps = u64::from(whole("max_parse_time_ms")) * STEPS_A_MILLISECOND;
    let structural = resolved.flag("context.chunking.prefer_structural");
    ChunkLimits {
        max_chunk_tokens: whole("max_chunk_tokens"),
        max_class_tokens: whole("max_chunk_tokens"),
        min_chunk_tokens: whole("min_chunk_tokens"),
        lines_per_chunk: whole("lines_per_chunk"),
        max_file_bytes: whole("max_file_size_bytes") as usize,
        max_parse_steps: u32::try_from(steps).unwrap_or(u32::MAX),
        max_nesting_depth: whole("max_nesting_depth"),
        cut: if structural { Cut::Structure } else { Cut::Lines },
        languages: cuts(resolved),
        fallback_on_error: resolved.flag("context.chunking.fallback_on_error"),
    }
}

/// The languages that are cut in a way of their own.
fn cuts(resolved: &Resolved) -> BTreeMap<String, Cut> {
    let own = languages().iter().filter_map(|language| {
        let cut = match resolved.text(&format!("context.chunking.languages.{}", language.name()))? {
            "structure" => Cut::Structure,
            "tokens" => Cut::Tokens,
            _ => Cut::Lines,
        };
        Some((language.name().to_owned(), cut))
    });
    own.collect()
}

fn deduplication(resolved: &Resolved) -> DeduplicationSettings {
    let on = |name: &str| resolved.flag(&format!("context.deduplication.{name}"));
    let number = |name: &str| resolved.number(&format!("context.deduplication.{name}"));
    let most = resolved.whole("context.deduplication.cache_max_size");
    DeduplicationSettings {
        enabled: on("enabled"),
        content_hash_enabled: on("content_hash_enabled"),
        overlap_detection_enabled: on("overlap_detection_enabled"),
        overlap_threshold: number("overlap_threshold").unwrap_or_default(),
        near_enabled: on("near_enabled"),
        near_threshold: number("near_threshold").unwrap_or(1.0),
        normalize_whitespace: on("normalize_whitespace"),
        ignore_comments: on("ignore_comments"),
        case_sensitive: on("case_sensitive"),
        merge_overlaps: on("merge_overlaps"),
        cache_max_size: most.unwrap_or_default() as usize,
    }
}

fn selection(resolved: &Resolved) -> SelectionSettings {
    SelectionSettings {
        min_chunks: resolved.whole(MIN_CHUNKS).unwrap_or_default() as usize,
        balance: resolved.flag("context.selection.balance"),
        overflow: match resolved.text("context.selection.overflow") {
            Some("skip") => Overflow::Skip,
            Some("truncate") => Overflow::Truncate,
            Some("proportional") => Overflow::Proportional,
            _ => Overflow::Outline,
        },
    }
}

/// The shares of the kinds.
fn categories(resolved: &Resolved) -> BudgetSettings {
    let share = |key: String| resolved.number(&key).map(Share::Part);
    BudgetSettings { categories: category_keys().map(share) }
}

/// A window of so many tokens, with the reserves.
fn budget(resolved: &Resolved, total: usize) -> Budget {
    let [response, system, instruction, completion] =
        RESERVES.map(|key| resolved.whole(key).unwrap_or_default() as usize);
    Budget::Window {
        total,
        response_reserve: response.saturating_add(completion),
        system_reserve: system.saturating_add(instruction),
    }
}

/// The tokens of the window, and the key that decides it where it is not that of the total: a
/// model's window is not stretched by a larger total.
pub(super) fn window(resolved: &Resolved) -> (usize, Option<&'static str>) {
    let total = "context.budget.total";
    let named = || kitbag_tokens::model(resolved.text("model.name")?).ok();
    let given =
        resolved.whole("model.window").map(|tokens| (tokens as usize, Some("model.window")));
    let model = given.or_else(|| named().map(|model| (model.window, Some("model.name"))));
    let default = resolved.whole(total).unwrap_or_default() as usize;
    match (model, set_total(resolved)) {
        (Some((window, key)), Some(total)) if window < total => (window, key),
        (_, Some(total)) => (total, None),
        (Some(model), None) => model,
        (None, None) => (default, None),
    }
}

fn set_total(resolved: &Resolved) -> Option<usize> {
    let total = "context.budget.total";
    resolved.is_set(total).then(|| resolved.whole(total)).flatten().map(|tokens| tokens as usize)
}

/// How tokens are counted: as the configuration says, or as its model does.
fn counter(resolved: &Resolved) -> Choice {
    let named = resolved.text("model.tokenizer").and_then(|name| Choice::parse(name).ok());
    let model = || kitbag_tokens::model(resolved.text("model.name")?).ok()?.choice().ok();
    named.or_else(model).unwrap_or_default()
}

fn tokenizer(resolved: &Resolved) -> TokenizerSettings {
    let on = |name: &str| resolved.flag(&format!("context.tokenizer.{name}"));
    TokenizerSettings {
        use_exact: on("use_exact"),
        cache_enabled: on("cache_enabled"),
        cache_size: resolved.whole("context.tokenizer.cache_size").unwrap_or_default() as usize,
        timing_mitigation: on("timing_mitigation"),
    }
}

fn rule_settings(resolved: &Resolved) -> RulesSettings {
    RulesSettings {
        undecided: match resolved.text("context.rules.undecided") {
            Some("inject") => Undecided::Inject,
            _ => Undecided::List,
        },
        order: match resolved.text("context.rules.order") {
            Some("leaf_first") => rules::Order::LeafFirst,
            _ => rules::Order::RootFirst,
        },
    }
}

fn judge(resolved: &Resolved) -> JudgeSettings {
    let text = |name: &str| resolved.text(&format!("judge.{name}")).map(str::to_owned);
    JudgeSettings {
        endpoint: text("endpoint"),
        kind: match resolved.text("judge.kind") {
            Some("anthropic") => JudgeKind::Anthropic,
            _ => JudgeKind::OpenAi,
        },
        model: text("model"),
        key_env: text("key_env"),
        timeout_ms: resolved.whole("judge.timeout_ms").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::table;

    // Shows: FR-016-59, FR-016-60, FR-016-61
    #[test]
    fn the_defaults_of_the_table_are_those_of_the_code() {
        let settled = settle(&Resolved::defaults());
        assert_eq!(format!("{:?}", settled.settings), format!("{:?}", Settings::default()));
        assert_eq!(settled.budget, Budget::DEFAULT);
        assert_eq!(settled.counter, Choice::default());
        assert_eq!(settled.tokenizer, TokenizerSettings::default());
        assert_eq!(settled.rules, RulesSettings::default());
        assert_eq!(settled.judge, JudgeSettings::default());
        assert!(settled.switched_off.is_none() && settled.keeps_indexes);
    }

    #[test]
    fn every_setting_has_an_effect() {
        let defaults = format!("{:?}", settle(&Resolved::defaults()));
        for (key, setting) in table::keys() {
            let mut resolved = Resolved::defaults();
            resolved.replace(&key, setting.other_than_default(&key));
            let changes = format!("{:?}", settle(&resolved)) != defaults;
            assert!(changes, "{key}");
        }
    }
}
