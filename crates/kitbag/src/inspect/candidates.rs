//! The candidates of a record, with their recorded scores.

use kitbag_core::{
    Cancelled, Candidate, ChunkForm, Decision, Factors, RankContext, RankOrder, Ranker, Scored,
};
use kitbag_record::FactorsItem;
use kitbag_record::Record;
use kitbag_text::{Kind, Span};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// A scored chunk that was considered for selection.
#[derive(Clone)]
pub struct Item {
    pub path: String,
    pub span: Span,
    pub kind: Kind,
    pub provider: Option<String>,
    pub score: f64,
    pub factors: Factors,
    /// The form in which the chunk was included; `None` if it was excluded.
    pub form: Option<String>,
}

/// Returns the included chunks and those excluded only by the budget or the chunk limit.
pub fn items(record: &Record) -> Vec<Item> {
    let factors = |it: &FactorsItem| Factors {
        relevance: it.relevance,
        recency: it.recency,
        source: it.source,
    };
    let kind = |name: &str| name.parse().unwrap_or(Kind::Other);
    let included = record.included.iter().map(|it| Item {
        path: it.path.clone(),
        span: Span::new(it.start_line, it.end_line),
        kind: kind(&it.kind),
        provider: it.provider.clone(),
        score: it.score,
        factors: factors(&it.factors),
        form: Some(it.form.to_string()),
    });
    let fits_not =
        record.excluded.iter().filter(|it| matches!(&*it.reason, "budget" | "max_chunks"));
    let excluded = fits_not.filter_map(|it| {
        let (start, end) = it.lines()?;
        Some(Item {
            path: it.path.clone(),
            span: Span::new(start, end),
            kind: kind(&it.kind),
            provider: it.provider.clone(),
            score: it.score?,
            factors: factors(&it.factors?),
            form: None,
        })
    });
    included.chain(excluded).collect()
}

/// Compares two candidates by rank, best first. Ties are broken by path and span.
pub fn before(a: &Item, b: &Item, order: RankOrder) -> Ordering {
    let by_score = b.score.total_cmp(&a.score);
    let ranks = match order {
        RankOrder::Score => by_score,
        RankOrder::Priority => (b.factors.source.total_cmp(&a.factors.source))
            .then_with(|| b.factors.relevance.total_cmp(&a.factors.relevance))
            .then(by_score),
    };
    ranks.then_with(|| (&a.path, a.span).cmp(&(&b.path, b.span)))
}

/// Returns whether the lines are included in full. With a `kind`, all chunks of that kind that
/// overlap the span must be; otherwise only the chunk with exactly this span is checked.
pub fn has_whole(decision: &Decision, path: &str, span: Span, kind: Option<Kind>) -> bool {
    let is_one = |own: &str, at: Span, of: Kind| {
        own == path
            && match kind {
                None => at == span,
                Some(kind) => kind == of && at.shared_lines(span) > 0,
            }
    };
    let mut out = decision.excluded.iter();
    let is_out = out.any(|it| it.span.is_some_and(|at| is_one(&it.path, at, it.kind)));
    let own = decision.included.iter().filter(|it| is_one(&it.path, it.span, it.kind));
    let forms: Vec<ChunkForm> = own.map(|it| it.form).collect();
    !is_out && !forms.is_empty() && forms.iter().all(|form| *form == ChunkForm::Full)
}

/// A ranker that assigns candidates their recorded scores.
pub struct Known<'a> {
    items: FxHashMap<(&'a str, Span, Kind), &'a Item>,
    named: Option<&'a Item>,
}

impl<'a> Known<'a> {
    pub fn new(items: &'a [Item], named: Option<&'a Item>) -> Self {
        let key = |it: &'a Item| ((it.path.as_str(), it.span, it.kind), it);
        Self { items: items.iter().map(key).collect(), named }
    }
}

impl Ranker for Known<'_> {
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
