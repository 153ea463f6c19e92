//! The candidates of a record, with their recorded scores.

use kitbag_core::{
    Cancelled, Candidate, ChunkForm, Decision, Factors, RankContext, RankOrder, Ranker, Reason,
    Scored,
};
use kitbag_record::Record;
use kitbag_text::{Kind, Span};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// A scored chunk that was considered for selection.
#[derive(Clone)]
pub struct ReplayItem {
    pub path: String,
    pub span: Span,
    pub kind: Kind,
    pub provider: Option<String>,
    pub score: f64,
    pub factors: Factors,
    /// The form in which the chunk was included; `None` if it was excluded.
    pub form: Option<ChunkForm>,
    pub is_pinned: bool,
}

/// Returns the included chunks and those excluded only by the budget or the chunk limit.
pub fn items(record: &Record) -> Vec<ReplayItem> {
    let is_selectable = |reason: Reason| matches!(reason, Reason::Budget | Reason::MaxChunks);
    let candidates = record.candidates().filter(|it| it.reason.is_none_or(is_selectable));
    let item = candidates.filter_map(|it| {
        Some(ReplayItem {
            path: it.path.to_owned(),
            span: it.span?,
            kind: it.kind,
            provider: it.provider.map(str::to_owned),
            score: it.score?,
            factors: it.factors?.into(),
            form: it.form,
            is_pinned: it.pinned,
        })
    });
    item.collect()
}

/// Compares two candidates by rank, best first, pinned ones before all others. Ties are broken by path
/// and span.
pub fn compare_ranks(a: &ReplayItem, b: &ReplayItem, order: RankOrder) -> Ordering {
    let by_score = b.score.total_cmp(&a.score);
    let ranks = match order {
        RankOrder::Score => by_score,
        RankOrder::Priority => (b.factors.source.total_cmp(&a.factors.source))
            .then_with(|| b.factors.relevance.total_cmp(&a.factors.relevance))
            .then(by_score),
    };
    let ranks = b.is_pinned.cmp(&a.is_pinned).then(ranks);
    ranks.then_with(|| (&a.path, a.span).cmp(&(&b.path, b.span)))
}

/// Returns whether the lines are included in full. With a `kind`, all chunks of that kind that
/// overlap the span must be; otherwise only the chunk with exactly this span is checked.
pub fn has_whole(decision: &Decision, path: &str, span: Span, kind: Option<Kind>) -> bool {
    let is_one = |own: &str, at: Span, of: Kind| {
        let is_here = kind.map_or(at == span, |kind| kind == of && at.shared_lines(span) > 0);
        own == path && is_here
    };
    let mut excluded = decision.excluded.iter();
    let is_out = excluded.any(|it| it.span.is_some_and(|at| is_one(&it.path, at, it.kind)));
    let mut own = decision.included.iter().filter(|it| is_one(&it.path, it.span, it.kind));
    let is_full = |form: ChunkForm| form == ChunkForm::Full;
    !is_out && own.next().is_some_and(|it| is_full(it.form)) && own.all(|it| is_full(it.form))
}

/// A ranker that assigns candidates their recorded scores.
pub struct RecordedRanker<'a> {
    items: FxHashMap<(&'a str, Span, Kind), &'a ReplayItem>,
    /// The candidate whose score all unknown chunks get.
    named: Option<&'a ReplayItem>,
}

impl<'a> RecordedRanker<'a> {
    pub fn new(items: &'a [ReplayItem], named: Option<&'a ReplayItem>) -> Self {
        let key = |it: &'a ReplayItem| ((it.path.as_str(), it.span, it.kind), it);
        Self { items: items.iter().map(key).collect(), named }
    }
}

impl Ranker for RecordedRanker<'_> {
    fn score(
        &self,
        candidates: Vec<Candidate>,
        ranking: &RankContext<'_>,
    ) -> Result<Vec<Scored>, Cancelled> {
        let scored = candidates.into_iter().map(|candidate| {
            let path = ranking.files[candidate.file].path.as_str();
            let known = self.items.get(&(path, candidate.chunk.span, candidate.kind)).copied();
            let (score, factors) =
                known.or(self.named).map_or_else(Default::default, |it| (it.score, it.factors));
            Scored { candidate, score, factors }
        });
        Ok(scored.collect())
    }
}
