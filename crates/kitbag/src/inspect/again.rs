//! Replays the decision behind a recorded pack, with another budget or with additional lines.
//!
//! `explain` uses it to test its advice before giving it. The candidates and their scores are taken
//! from the record, so the task is not needed. A replay is used only if it reproduces the record
//! exactly: the same chunks and the same token count.

use super::candidates::{Item, Known, before, has_whole, items};
use super::cutting::Cutting;
use super::frame::{Given, formatting};
use kitbag_config::{EngineSettings, settings_from_pairs};
use kitbag_core::{Cancel, Decision, Factors, Job, Settings, pack_with};
use kitbag_record::{Record, RecordedSource};
use kitbag_repo::Root;
use kitbag_text::{Kind, Piece, Source, Span, Text};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::sync::Arc;

/// A budget that no pack can exceed, in tokens.
const ALL_THE_ROOM: usize = 1_000_000_000;

/// Tokens to add to the total of all higher-ranked candidates when searching for a budget. Token
/// counts are not exactly additive, and shares of a budget grow more slowly than the budget.
const BEYOND: [usize; 7] = [0, 1, 2, 4, 8, 16, 64];
const TIMES: [usize; 3] = [2, 4, 8];

/// Effect of naming lines explicitly in a request.
pub enum Naming {
    /// The lines are included within the recorded budget.
    Enough,
    /// The lines are included with this larger budget, in tokens.
    With(usize),
    /// The lines are not included with any of the budgets tried.
    InVain,
}

/// A recorded pack whose decision can be replayed.
pub struct Again<'a> {
    record: &'a Record,
    cutting: &'a Cutting<'a>,
    settings: Settings,
    items: Vec<Item>,
    cancel: &'a Cancel,
}

/// Restores the settings of a record. Returns `None` if the calling program supplied its own.
pub fn settings_of(record: &Record) -> Option<Settings> {
    let is_decision =
        |key: &str| key.starts_with("context.") && !key.starts_with("context.formatting.");
    let changed = record.settings.changed.iter().filter(|(key, _)| is_decision(key));
    let changed: Vec<(String, String)> =
        changed.map(|(key, value)| (key.clone(), value.clone())).collect();
    record
        .settings
        .handed_in
        .is_none()
        .then(|| settings_from_pairs(&changed).ok())?
        .map(|it| it.settings)
}

impl<'a> Again<'a> {
    /// Prepares a replay. Returns `None` if it does not reproduce the recorded decision.
    pub fn new(
        record: &'a Record,
        cutting: &'a Cutting<'a>,
        (settled, root): (&EngineSettings, &Root),
        mut settings: Settings,
        cancel: &'a Cancel,
    ) -> Option<Self> {
        let (formatting, missing) = formatting(record, Given::default(), settled, root)
            .ok()
            .filter(|it| it.1.is_empty())?;
        settings.formatting = formatting;
        settings.formatting.max_chunks = record.settings.max_chunks;
        settings.deduplication.enabled = false;
        settings.min_score = None;
        debug_assert!(missing.is_empty());
        let items = items(record);
        let again = Self { record, cutting, settings, items, cancel };
        (again.has_all_files() && again.comes_out()).then_some(again)
    }

    /// Returns whether all candidates are lines of files that have not changed.
    fn has_all_files(&self) -> bool {
        let is_same = |source: &RecordedSource| {
            let span = Span::new(source.start_line, source.end_line);
            let file = self.cutting.reading.file(&source.path);
            source.is_file
                && file
                    .zip(source.sha256.as_ref())
                    .is_some_and(|(file, sha256)| file.has(span, source.is_whole, sha256))
        };
        let sources = &self.record.sources;
        self.items.iter().all(|item| {
            let mut own = sources.iter().filter(|it| it.path == item.path).peekable();
            own.peek().is_some() && own.all(is_same)
        })
    }

    /// Returns whether a replay with the recorded budget gives the recorded decision.
    fn comes_out(&self) -> bool {
        let Some(decision) = self.decide(&self.items, None, self.record.budget) else {
            return false;
        };
        let is_same = |item: &Item| {
            let mut now = decision.included.iter();
            let now = now.find(|it| it.path == item.path && it.span == item.span);
            now.map(|it| it.form.as_str()) == item.form.as_deref()
        };
        decision.total_tokens == self.record.total_tokens && self.items.iter().all(is_same)
    }

    /// Finds a budget with which these lines are included in full under the recorded ranking.
    pub fn enough(&self, path: &str, span: Span) -> Option<usize> {
        let target = self.items.iter().find(|it| it.path == path && it.span == span)?;
        let order = self.settings.order;
        let above = self.items.iter().filter(|it| before(it, target, order) != Ordering::Greater);
        let above: Vec<Item> = above.cloned().collect();
        self.smallest(&above, None, |budget| {
            let decision = self.decide(&self.items, None, budget);
            decision.is_some_and(|it| has_whole(&it, path, span, None))
        })
    }

    /// Predicts the effect of naming these lines in the request.
    pub fn naming(&self, path: &str, span: Span, recency: f64) -> Option<Naming> {
        let shown = self.cutting.reading.shown(path)?;
        let lines = Arc::new(Text::with_first_line(shown.slice(span), span.start));
        let from = self.cutting.from(Some("references"));
        let source = Source { from, ..Source::new(path, Kind::Reference, lines) };
        let named = self.named(recency);
        let stays = |it: &&Item| {
            it.path != path || it.span.shared_lines(span) == 0 || it.score > named.score
        };
        let others: Vec<Item> = self.items.iter().filter(stays).cloned().collect();
        let order = self.settings.order;
        let above = others.iter().filter(|it| before(it, &named, order) == Ordering::Less);
        let above: Vec<Item> = above.cloned().collect();
        let extra = Some((&source, &named));
        let is_in = |budget: usize| {
            let decision = self.decide(&others, extra, budget);
            decision.is_some_and(|it| has_whole(&it, path, span, Some(Kind::Reference)))
        };
        if is_in(self.record.budget) {
            return Some(Naming::Enough);
        }
        Some(self.smallest(&above, extra, is_in).map_or(Naming::InVain, Naming::With))
    }

    /// Returns whether a chunk would be included in full if it had this score.
    pub fn would_do(&self, path: &str, span: Span, score: f64) -> bool {
        let mut items = self.items.clone();
        for item in items.iter_mut().filter(|it| it.path == path && it.span == span) {
            item.score = score;
        }
        let decision = self.decide(&items, None, self.record.budget);
        decision.is_some_and(|it| has_whole(&it, path, span, None))
    }

    /// Counts the candidates that rank at least as high as a chunk, including the chunk itself.
    pub fn place(&self, path: &str, span: Span) -> Option<usize> {
        let target = self.items.iter().find(|it| it.path == path && it.span == span)?;
        let order = self.settings.order;
        let above = self.items.iter().filter(|it| before(it, target, order) != Ordering::Greater);
        Some(above.count())
    }

    /// Returns the first budget accepted by `will_do`, starting from the total size of `above`.
    fn smallest(
        &self,
        above: &[Item],
        extra: Option<(&Source, &Item)>,
        will_do: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let room = self.decide(above, extra, ALL_THE_ROOM)?.total_tokens;
        let tried = BEYOND.iter().map(|beyond| room + beyond);
        let mut tried = tried.chain(TIMES.iter().map(|times| room * times));
        tried.find(|budget| *budget > self.record.budget && will_do(*budget))
    }

    /// Builds the candidate for a named source. `recency` is a lower bound for its file.
    fn named(&self, recency: f64) -> Item {
        let priority = self.settings.priority(Kind::Reference, None);
        let source = f64::from(priority) / 100.0;
        let factors = Factors { relevance: 1.0, recency, source };
        let weights = self.settings.weights;
        let score = weights.relevance + recency * weights.recency + source * weights.source;
        Item {
            path: String::new(),
            span: Span::new(1, 1),
            kind: Kind::Reference,
            provider: None,
            score: score.min(1.0),
            factors,
            form: None,
        }
    }

    fn decide(
        &self,
        items: &[Item],
        extra: Option<(&Source, &Item)>,
        budget: usize,
    ) -> Option<Decision> {
        let mut sources = self.sources(items);
        sources.extend(extra.map(|(source, _)| source.clone()));
        let mut settings = self.settings.clone();
        if budget == ALL_THE_ROOM {
            (settings.formatting.max_chunks, settings.selection.min_chunks) = (None, 0);
            settings.budget = kitbag_core::BudgetSettings::default();
        }
        let job = Job {
            sources,
            task: "",
            now: None,
            budget,
            settings: &settings,
            counting: self.cutting.counting,
            cancel: self.cancel,
        };
        let known = Known::new(items, extra.map(|it| it.1));
        pack_with(job, &known, &mut ()).ok().map(|packed| packed.decision)
    }

    /// Groups chunks into sources, one for each file, kind and provider.
    fn sources(&self, items: &[Item]) -> Vec<Source> {
        let mut sources: Vec<Source> = Vec::new();
        let mut places: FxHashMap<(&str, Kind, Option<&str>), usize> = FxHashMap::default();
        for item in items {
            let Some(text) = self.cutting.reading.shown(&item.path) else { continue };
            let key = (item.path.as_str(), item.kind, item.provider.as_deref());
            let place = *places.entry(key).or_insert_with(|| {
                let from = self.cutting.from(item.provider.as_deref());
                let pieces = Some(Vec::new());
                sources.push(Source { from, pieces, ..Source::new(&item.path, item.kind, text) });
                sources.len() - 1
            });
            let by_search = item.kind == Kind::SearchResult;
            let chunk = self.cutting.chunk(&item.path, item.span, by_search);
            let pieces = sources[place].pieces.get_or_insert_default();
            pieces.push(Piece { chunk, relevance: Some(item.factors.relevance) });
        }
        sources
    }
}
