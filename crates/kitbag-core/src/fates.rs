//! What becomes of each candidate, and how it is reported.

use crate::dedup::Repeats;
use crate::format::Press;
use crate::pipeline::Stats;
use crate::rank::{Scored, better};
use crate::report::{Excluded, Included, Origin, Reason};
use crate::select::{Candidates, Selection, View, WhyNot};
use crate::settings::Order;
use crate::sheet::Sheet;
use kitbag_text::{ChunkKind, Source};
use kitbag_tokens::{Counting, Measure};

/// What becomes of each candidate.
pub struct Fates {
    /// Why it is out; `None` while nothing speaks against it.
    reasons: Vec<Option<(Reason, String)>>,
    /// What else it stands for.
    also: Vec<Vec<Origin>>,
    /// Whether another candidate stands for it.
    merged: Vec<bool>,
}

impl Fates {
    /// Nothing is decided yet. `also` is what else each source stands for.
    pub fn new(scored: &[Scored], also: &[Vec<Origin>]) -> Self {
        let also = scored.iter().map(|scored| also[scored.candidate.source].clone()).collect();
        Self { reasons: vec![None; scored.len()], also, merged: vec![false; scored.len()] }
    }

    /// Drops what can never go in: lines that are too long, and what scores too low.
    pub fn drop_unfit(&mut self, scored: &[Scored], min_score: Option<f64>) {
        for (fate, scored) in self.reasons.iter_mut().zip(scored) {
            if scored.candidate.chunk.kind == ChunkKind::LongLine {
                let detail = "a single line larger than a chunk may be".to_owned();
                *fate = Some((Reason::LineTooLong, detail));
            } else if let Some(least) = min_score.filter(|least| scored.score < *least) {
                *fate = Some((Reason::Score, format!("below the least score of {least}")));
            }
        }
    }

    /// Drops the repeats, lets candidates that took in others grow, and counts both.
    pub fn drop_repeats(
        &mut self,
        repeats: Repeats,
        scored: &mut [Scored],
        sheets: &[Sheet],
    ) -> Stats {
        let mut stats = Stats::default();
        let origins: Vec<(usize, Origin)> = repeats
            .repeats
            .iter()
            .filter(|repeat| repeat.merged)
            .map(|repeat| (repeat.winner, origin(&scored[repeat.place], sheets)))
            .collect();
        for (place, chunk) in repeats.grown {
            scored[place].candidate.chunk = chunk;
        }
        for repeat in repeats.repeats {
            let winner = &scored[repeat.winner].candidate;
            let name = format!("{}:{}", sheets[winner.sheet].path, winner.chunk.span);
            let (count, words) = match repeat.reason {
                Reason::Duplicate => (&mut stats.duplicates, "the same content as"),
                Reason::NearDuplicate => (&mut stats.near_duplicates, "nearly the same words as"),
                _ => (&mut stats.overlaps, "overlaps"),
            };
            *count += 1;
            self.merged[repeat.place] = repeat.merged;
            self.reasons[repeat.place] = Some((repeat.reason, format!("{words} {name}")));
            if repeat.merged {
                let also = std::mem::take(&mut self.also[repeat.place]);
                self.also[repeat.winner].extend(also);
            }
        }
        for (winner, origin) in origins {
            self.also[winner].push(origin);
        }
        stats
    }

    /// The places that nothing speaks against.
    pub fn undecided(&self) -> Vec<usize> {
        (0..self.reasons.len()).filter(|&place| self.reasons[place].is_none()).collect()
    }

    /// What is in and what is out, each best first.
    pub fn report(
        self,
        candidates: Candidates<'_>,
        selection: &Selection<'_>,
        order: Order,
    ) -> (Vec<Included>, Vec<Excluded>) {
        let Candidates { scored, press, .. } = candidates;
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        let fates = self.reasons.into_iter().zip(self.also).zip(self.merged);
        for (place, ((reason, also), merged)) in fates.enumerate() {
            let item = &scored[place];
            let sheet = &press.sheets[item.candidate.sheet];
            let (reason, detail) = match (selection.views[place], reason) {
                (Some(view), _) => {
                    included.push(Included { also, ..include(item, sheet, press.counting, view) });
                    continue;
                }
                (None, Some(_)) if merged => continue,
                (None, Some(known)) => known,
                (None, None) => left_out(place, item, selection, press),
            };
            excluded.push(Excluded { also, ..exclude(item, sheet, reason, detail) });
        }
        // Chunks that grew may begin before others of the same score.
        included.sort_by(|a, b| {
            better((a.score, &a.factors), (b.score, &b.factors), order)
                .then_with(|| (&a.path, a.span).cmp(&(&b.path, b.span)))
        });
        excluded.sort_by(|a, b| {
            let score = b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0));
            score.then_with(|| (&a.path, a.span).cmp(&(&b.path, b.span)))
        });
        (included, excluded)
    }
}

fn origin(scored: &Scored, sheets: &[Sheet]) -> Origin {
    let candidate = &scored.candidate;
    let path = sheets[candidate.sheet].path.clone();
    let from = candidate.from.clone();
    Origin { path, span: candidate.chunk.span, kind: candidate.kind, from }
}

/// The reason for a candidate that could have gone in, in a code and in words.
fn left_out(
    place: usize,
    scored: &Scored,
    selection: &Selection<'_>,
    press: &Press<'_>,
) -> (Reason, String) {
    match selection.why_not(place) {
        WhyNot::Budget => (Reason::Budget, too_large(scored, selection, press.budget)),
        WhyNot::MaxChunks => {
            let most = press.formatting.max_chunks.unwrap_or(usize::MAX);
            (Reason::MaxChunks, format!("{most} chunks are in already"))
        }
        WhyNot::NotTried => {
            (Reason::Budget, "not tried: the template is too slow to try them all".to_owned())
        }
    }
}

/// Why a candidate does not fit: the budget, or what its kind may have of it.
fn too_large(scored: &Scored, selection: &Selection<'_>, budget: usize) -> String {
    let (kind, allocations) = (scored.candidate.kind, &selection.allocations);
    match allocations.limit_of(kind) {
        Some(limit) if allocations.remaining_for(kind) < allocations.remaining() => {
            format!("does not fit what is left of {limit} tokens for `{kind}`")
        }
        _ => format!("does not fit what is left of {budget} tokens"),
    }
}

fn include(scored: &Scored, sheet: &Sheet, counting: &Counting, view: View) -> Included {
    let chunk = &scored.candidate.chunk;
    let tokens = |measure: Measure| counting.counter().tokens(measure);
    let rows = view.rows(chunk, sheet).into_iter();
    Included {
        path: sheet.path.clone(),
        span: chunk.span,
        symbol: chunk.symbol.clone(),
        kind: scored.candidate.kind,
        part: chunk.part,
        tokens: rows.map(|rows| tokens(sheet.measure(counting, rows))).sum(),
        score: scored.score,
        factors: scored.factors,
        form: view.form(),
        shown: view.spans(chunk, sheet),
        text: view.rows(chunk, sheet).into_iter().map(|rows| sheet.slice(rows)).collect(),
        also: Vec::new(),
        from: scored.candidate.from.clone(),
    }
}

fn exclude(scored: &Scored, sheet: &Sheet, reason: Reason, detail: String) -> Excluded {
    let chunk = &scored.candidate.chunk;
    Excluded {
        path: sheet.path.clone(),
        span: Some(chunk.span),
        symbol: chunk.symbol.clone(),
        kind: scored.candidate.kind,
        tokens: chunk.tokens as usize,
        score: Some(scored.score),
        factors: Some(scored.factors),
        reason,
        detail,
        also: Vec::new(),
        from: scored.candidate.from.clone(),
    }
}

/// Sources that gave no chunk. `also` is what else each source stands for.
pub fn sources_without_chunks(
    sources: &[Source],
    also: &[Vec<Origin>],
    scored: &[Scored],
) -> Vec<Excluded> {
    let mut with = vec![false; sources.len()];
    for scored in scored {
        with[scored.candidate.source] = true;
    }
    let without = sources.iter().zip(also).zip(with).filter(|(_, with)| !with);
    let why = |source: &Source| {
        if source.pieces.is_some() || source.text.content().trim().is_empty() {
            return (Reason::Empty, "nothing in it");
        }
        (Reason::Unparsed, "it cannot be parsed, and cutting by lines is switched off")
    };
    without
        .map(|((source, also), _)| (source, also, why(source)))
        .map(|(source, also, (reason, detail))| Excluded {
            path: source.path.clone(),
            span: None,
            symbol: None,
            kind: source.kind,
            tokens: 0,
            score: None,
            factors: None,
            reason,
            detail: detail.to_owned(),
            also: also.clone(),
            from: source.from.clone(),
        })
        .collect()
}
