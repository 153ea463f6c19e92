//! Replays the decision behind a recorded pack, with another budget or with additional lines.
//!
//! `explain` uses it to test its advice before giving it. The candidates and their scores are taken
//! from the record, so the task is not needed. A replay is used only if it reproduces the record
//! exactly: the same chunks and the same token count. The head of a pack is not replayed, only the
//! tokens that were left for it.

use super::Inspection;
use super::candidates::{RecordedRanker, ReplayItem, compare_ranks, has_whole, items};
use super::rechunk::Rechunker;
use crate::inspect::export::ExportRequest;
use kitbag_core::{BudgetSettings, Decision, Factors, Job, Settings, head_reserve, pack_with};
use kitbag_record::RecordedSource;
use kitbag_text::{Kind, Piece, Source, Span, Text};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::sync::Arc;

/// A budget that no pack can exceed, in tokens.
pub(super) const UNLIMITED: usize = 1_000_000_000;

/// Tokens to add to the total of all higher-ranked candidates when searching for a budget, since
/// token counts are not exactly additive.
const MARGINS: [usize; 7] = [0, 1, 2, 4, 8, 16, 64];

/// Multiples of that total to try after the margins, since shares of a budget grow more slowly than
/// the budget.
const MULTIPLES: [usize; 3] = [2, 4, 8];

/// Effect of naming lines explicitly in a request.
pub enum Naming {
    /// The lines are included within the recorded budget.
    Fits,
    /// The lines are included with this larger budget, in tokens.
    NeedsBudget(usize),
    /// The lines are not included with any of the budgets tried.
    NoEffect,
}

/// A recorded pack whose decision can be replayed.
pub struct Replay<'a> {
    inspection: &'a Inspection<'a>,
    rechunker: &'a Rechunker<'a>,
    settings: Settings,
    items: Vec<ReplayItem>,
}

/// A source that a request names in addition to the recorded ones, and its candidate.
struct NamedSource {
    source: Source,
    item: ReplayItem,
}

impl<'a> Replay<'a> {
    /// Prepares a replay. Returns `None` if it does not reproduce the recorded decision.
    pub fn new(inspection: &'a Inspection<'a>, rechunker: &'a Rechunker<'a>) -> Option<Self> {
        let mut settings = inspection.recorded_settings()?;
        let restored = inspection.formatting(&ExportRequest::default()).ok()?;
        if !restored.missing.is_empty() {
            return None;
        }
        settings.formatting = restored.formatting;
        settings.formatting.max_chunks = inspection.record.settings.max_chunks;
        settings.deduplication.enabled = false;
        (settings.min_score, settings.selection.stop_below) = (None, None);
        let items = items(inspection.record);
        let replay = Self { inspection, rechunker, settings, items };
        (replay.has_all_files() && replay.reproduces_record()).then_some(replay)
    }

    /// Returns whether all candidates are lines of files that have not changed.
    fn has_all_files(&self) -> bool {
        let is_same = |source: &RecordedSource| {
            let file = self.inspection.reading.file(&source.path);
            let hashed = file.zip(source.sha256.as_ref());
            source.is_file
                && hashed.is_some_and(|(file, hash)| file.has(source.span(), source.is_whole, hash))
        };
        let sources = &self.inspection.record.sources;
        self.items.iter().all(|item| {
            let mut own = sources.iter().filter(|it| it.path == item.path).peekable();
            own.peek().is_some() && own.all(is_same)
        })
    }

    fn reproduces_record(&self) -> bool {
        let record = self.inspection.record;
        let reserve = record.text.head_reserve.unwrap_or(0);
        let decision = self.decide_beside(&self.items, None, record.budget, reserve);
        decision.is_some_and(|decision| {
            let is_same = |item: &ReplayItem| {
                let mut now = decision.included.iter();
                let now = now.find(|it| it.path == item.path && it.span == item.span);
                now.map(|it| it.form) == item.form
            };
            decision.total_tokens == record.text.body_tokens && self.items.iter().all(is_same)
        })
    }

    /// Finds a budget with which these lines are included in full under the recorded ranking.
    pub fn sufficient_budget(&self, path: &str, span: Span) -> Option<usize> {
        let above = self.ranked_up_to(path, span)?;
        self.smallest_budget(&above, &self.items, None, |it| has_whole(it, path, span, None))
    }

    /// Predicts the effect of naming these lines in the request; `None` if that depends on their
    /// relevance, because what the request names is not pinned.
    pub fn naming(&self, path: &str, span: Span, recency: f64) -> Option<Naming> {
        if !self.settings.selection.pin {
            return None;
        }
        let named = self.named_source(path, span, recency)?;
        let stays =
            |it: &&ReplayItem| it.path != path || it.span.shared_lines(span) == 0 || it.is_pinned;
        let others: Vec<ReplayItem> = self.items.iter().filter(stays).cloned().collect();
        let order = self.settings.order;
        let is_above = |it: &&ReplayItem| compare_ranks(it, &named.item, order) == Ordering::Less;
        let above: Vec<ReplayItem> = others.iter().filter(is_above).cloned().collect();
        let is_in = |it: &Decision| has_whole(it, path, span, Some(Kind::Reference));
        let budget = self.inspection.record.budget;
        if self.decide(&others, Some(&named), budget).is_some_and(|it| is_in(&it)) {
            return Some(Naming::Fits);
        }
        let budget = self.smallest_budget(&above, &others, Some(&named), is_in);
        Some(budget.map_or(Naming::NoEffect, Naming::NeedsBudget))
    }

    /// Returns whether a chunk would be included in full if it had this score.
    pub fn fits_with_score(&self, path: &str, span: Span, score: f64) -> bool {
        let mut items = self.items.clone();
        for item in items.iter_mut().filter(|it| it.path == path && it.span == span) {
            item.score = score;
        }
        let decision = self.decide(&items, None, self.inspection.record.budget);
        decision.is_some_and(|it| has_whole(&it, path, span, None))
    }

    /// Returns the candidates that rank at least as high as a chunk, including the chunk itself.
    pub fn ranked_up_to(&self, path: &str, span: Span) -> Option<Vec<ReplayItem>> {
        let target = self.items.iter().find(|it| it.path == path && it.span == span)?;
        let order = self.settings.order;
        let is_above = |it: &&ReplayItem| compare_ranks(it, target, order) != Ordering::Greater;
        Some(self.items.iter().filter(is_above).cloned().collect())
    }

    /// Returns the first budget whose decision `is_accepted`, starting from the total size of
    /// `above`.
    fn smallest_budget(
        &self,
        above: &[ReplayItem],
        items: &[ReplayItem],
        named: Option<&NamedSource>,
        is_accepted: impl Fn(&Decision) -> bool,
    ) -> Option<usize> {
        let total = self.decide(above, named, UNLIMITED)?.total_tokens;
        // The reserve grows with the budget.
        let total = total + self.head_tokens(total + self.head_tokens(total));
        let budgets = MARGINS.iter().map(|margin| total + margin);
        let budgets = budgets.chain(MULTIPLES.iter().map(|multiple| total * multiple));
        let mut larger = budgets.filter(|budget| *budget > self.inspection.record.budget);
        larger.find(|budget| self.decide(items, named, *budget).is_some_and(|it| is_accepted(&it)))
    }

    /// Builds the source for named lines. `recency` is a lower bound for its file.
    fn named_source(&self, path: &str, span: Span, recency: f64) -> Option<NamedSource> {
        let shown = self.inspection.reading.shown(path)?;
        let lines = Arc::new(Text::with_first_line(shown.slice(span), span.start));
        let from = self.rechunker.provenance(Some("references"));
        let source = f64::from(self.settings.priority(Kind::Reference, None)) / 100.0;
        let weights = self.settings.weights;
        // The relevance is not known. It only decides the order among pinned chunks, so 0 is safe.
        let score = recency * weights.recency + source * weights.source;
        let item = ReplayItem {
            path: String::new(),
            span: Span::new(1, 1),
            kind: Kind::Reference,
            provider: None,
            score: score.min(1.0),
            factors: Factors { relevance: 0.0, recency, source },
            form: None,
            is_pinned: true,
        };
        let source = Source { from, is_given: true, ..Source::new(path, Kind::Reference, lines) };
        Some(NamedSource { source, item })
    }

    fn decide(
        &self,
        items: &[ReplayItem],
        named: Option<&NamedSource>,
        budget: usize,
    ) -> Option<Decision> {
        self.decide_beside(items, named, budget, self.head_tokens(budget))
    }

    /// Decides with `reserve` tokens of the budget left for a head.
    fn decide_beside(
        &self,
        items: &[ReplayItem],
        named: Option<&NamedSource>,
        budget: usize,
        reserve: usize,
    ) -> Option<Decision> {
        let mut sources = self.sources(items);
        sources.extend(named.map(|it| it.source.clone()));
        let mut settings = self.settings.clone();
        if budget == UNLIMITED {
            (settings.formatting.max_chunks, settings.selection.min_chunks) = (None, 0);
            settings.budget = BudgetSettings::default();
        }
        let budget = budget.saturating_sub(reserve);
        let job = Job {
            sources,
            task: "",
            now: None,
            budget,
            settings: &settings,
            counting: self.inspection.counting,
            cancel: self.inspection.cancel,
        };
        let ranker = RecordedRanker::new(items, named.map(|it| &it.item));
        pack_with(job, &ranker, &mut ()).ok().map(|packed| packed.decision)
    }

    /// Returns the most tokens of a budget that can be left for the head of another pack.
    fn head_tokens(&self, budget: usize) -> usize {
        let recorded = self.inspection.record.text.head_reserve;
        recorded.map_or(0, |reserve| reserve.max(head_reserve(budget)))
    }

    /// Groups chunks into sources, one for each file, kind and provider, pinned or not.
    fn sources(&self, items: &[ReplayItem]) -> Vec<Source> {
        let mut sources: Vec<Source> = Vec::new();
        let mut places: FxHashMap<(&str, Kind, Option<&str>, bool), usize> = FxHashMap::default();
        for item in items {
            let Some(text) = self.inspection.reading.shown(&item.path) else { continue };
            let provider = item.provider.as_deref();
            let is_given = item.is_pinned;
            let key = (item.path.as_str(), item.kind, provider, is_given);
            let place = *places.entry(key).or_insert_with(|| {
                let from = self.rechunker.provenance(provider);
                let source = Source::new(&item.path, item.kind, text);
                sources.push(Source { from, is_given, ..source });
                sources.len() - 1
            });
            let chunk = self.rechunker.chunk(&item.path, item.span, item.kind);
            let piece = Piece { chunk, relevance: Some(item.factors.relevance) };
            sources[place].pieces.get_or_insert_default().push(piece);
        }
        sources
    }
}
