//! The pipeline: one readable function that calls its stages.

use crate::cancel::{Cancel, Cancelled};
use crate::dedup::{Repeat, deduplicate};
use crate::rank::{self, Candidate, Ranker, Ranking, Scored, WeightedRanker};
use crate::report::{Excluded, Form, Included, Reason};
use crate::select::{Selection, select};
use crate::settings::{Settings, SettingsError};
use crate::sheet::Sheet;
use kitbag_text::{Chunk, ChunkKind, Source, Span, Text, chunk_text};
use kitbag_tokens::Counting;
use rayon::prelude::*;

/// All that a decision depends on.
pub struct Job<'a> {
    /// What may go in, in the order of the request.
    pub sources: Vec<Source>,
    /// The task's text.
    pub task: &'a str,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
    /// How many tokens the finished text may have.
    pub budget: usize,
    /// Everything that can be set.
    pub settings: &'a Settings,
    /// The model's counter.
    pub counting: &'a Counting,
    /// The flag that stops it.
    pub cancel: &'a Cancel,
}

/// What was decided, to the line and the token.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What is in, best first.
    pub included: Vec<Included>,
    /// What is out and why, best first.
    pub excluded: Vec<Excluded>,
    /// The tokens of the finished text, by the model's counter.
    pub total_tokens: usize,
    /// What the stages counted.
    pub stats: Stats,
}

/// A decision and its text.
#[derive(Debug, Clone)]
pub struct Packed {
    /// What was decided.
    pub decision: Decision,
    /// The finished text.
    pub text: String,
}

/// What the stages counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sources that came in.
    pub sources: usize,
    /// Files that they belong to.
    pub files: usize,
    /// Chunks that they were cut into.
    pub chunks: usize,
    /// Chunks that repeated the content of another.
    pub duplicates: usize,
    /// Chunks that overlapped another.
    pub overlaps: usize,
}

/// The stages, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Cutting sources into chunks.
    Chunk,
    /// Scoring and ordering them.
    Rank,
    /// Dropping what repeats.
    Deduplicate,
    /// Filling the budget.
    Select,
    /// Writing the text.
    Format,
    /// Counting the text.
    Verify,
}

impl Stage {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chunk => "chunk",
            Self::Rank => "rank",
            Self::Deduplicate => "deduplicate",
            Self::Select => "select",
            Self::Format => "format",
            Self::Verify => "verify",
        }
    }
}

/// Is told when a stage begins; whoever has a clock can time the stages by it.
pub trait Observer {
    /// `stage` begins now.
    fn begins(&mut self, stage: Stage);
}

impl Observer for () {
    fn begins(&mut self, _stage: Stage) {}
}

/// Why there is no pack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackError {
    /// The caller has cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The settings cannot be right.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The finished text is over the budget. This is a defect of ours; no text leaves.
    #[error("the pack has {tokens} tokens, over the budget of {budget}")]
    ContextOverflow {
        /// The tokens that were counted.
        tokens: usize,
        /// The tokens that were allowed.
        budget: usize,
    },
}

/// Decides, without writing the text.
pub fn decide(job: Job<'_>, observer: &mut dyn Observer) -> Result<Decision, PackError> {
    run(job, &WeightedRanker, observer, false).map(|packed| packed.decision)
}

/// Decides, writes the text, and counts it.
pub fn pack(job: Job<'_>, observer: &mut dyn Observer) -> Result<Packed, PackError> {
    run(job, &WeightedRanker, observer, true)
}

/// The same with a ranker of the caller's own.
pub fn pack_with(
    job: Job<'_>,
    ranker: &dyn Ranker,
    observer: &mut dyn Observer,
) -> Result<Packed, PackError> {
    run(job, ranker, observer, true)
}

fn run(
    job: Job<'_>,
    ranker: &dyn Ranker,
    observer: &mut dyn Observer,
    write: bool,
) -> Result<Packed, PackError> {
    job.settings.check()?;
    observer.begins(Stage::Chunk);
    let (sheets, candidates) = gather(&job)?;

    observer.begins(Stage::Rank);
    let Job { task, now, budget, settings, counting, cancel, .. } = job;
    let ranking = Ranking { task, now, sheets: &sheets, settings, cancel };
    let mut scored = ranker.score(candidates, &ranking)?;
    rank::sort(&mut scored, &sheets);

    observer.begins(Stage::Deduplicate);
    let mut fates = Fates::new(&scored);
    fates.drop_unfit(&scored, settings.min_score);
    let repeats = deduplicate(&scored, &fates.undecided(), &sheets, &settings.dedup, cancel)?;
    let (duplicates, overlaps) = fates.drop_repeats(&repeats, &scored, &sheets);

    // Where a counter's sums are not exact, what was chosen is counted as a whole, also for a
    // decision without a text, and chosen again within less as long as that is over the budget.
    let sums_are_exact = counting.counter().sums_are_exact();
    let places = fates.undecided();
    let mut limit = budget;
    let (selection, text, total_tokens) = loop {
        observer.begins(Stage::Select);
        let selection =
            select(&scored, &places, &sheets, counting, limit, settings.overflow, cancel)?;

        observer.begins(Stage::Format);
        let counted = write || !sums_are_exact;
        let text = if counted { selection.render(&sheets) } else { String::new() };

        observer.begins(Stage::Verify);
        let tokens = if counted { counting.counter().count(&text) } else { selection.tokens };
        match tokens.checked_sub(budget) {
            None | Some(0) => break (selection, if write { text } else { String::new() }, tokens),
            Some(excess) if !sums_are_exact && limit > 0 => limit = limit.saturating_sub(excess),
            Some(_) => return Err(PackError::ContextOverflow { tokens, budget }),
        }
    };
    let stats = Stats {
        sources: job.sources.len(),
        files: sheets.len(),
        chunks: scored.len(),
        duplicates,
        overlaps,
    };
    let (included, mut excluded) = fates.report(&scored, &sheets, counting, &selection, budget);
    excluded.extend(sources_without_chunks(&job.sources, &scored));
    Ok(Packed { decision: Decision { included, excluded, total_tokens, stats }, text })
}

/// Cuts the sources into candidates, in the order of the request whatever the threads do.
pub fn gather(job: &Job<'_>) -> Result<(Vec<Sheet>, Vec<Candidate>), Cancelled> {
    let (sheets, places) = Sheet::gather(&job.sources);
    let cut = job
        .sources
        .par_iter()
        .map(|source| job.cancel.check().map(|()| pieces(source, job)))
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let mut candidates = Vec::new();
    for (place, (source, pieces)) in job.sources.iter().zip(cut).enumerate() {
        for (chunk, relevance) in pieces {
            candidates.push(Candidate {
                chunk,
                sheet: places[place],
                source: place,
                kind: source.kind,
                relevance: relevance.or(source.relevance),
                timestamp: source.timestamp,
            });
        }
    }
    Ok((sheets, candidates))
}

fn pieces(source: &Source, job: &Job<'_>) -> Vec<(Chunk, Option<f64>)> {
    let text: &Text = &source.text;
    if let Some(pieces) = &source.pieces {
        let inside = pieces.iter().filter_map(|piece| {
            let chunk = piece_within(text, &piece.chunk, job.counting)?;
            Some((chunk, piece.relevance))
        });
        return inside.collect();
    }
    let chunked = chunk_text(&source.path, text, &job.settings.chunking, job.counting);
    chunked.chunks.into_iter().map(|chunk| (chunk, None)).collect()
}

/// A chunk that came cut, as far as its lines are in `text`; `None` where those are all blank.
fn piece_within(text: &Text, chunk: &Chunk, counting: &Counting) -> Option<Chunk> {
    if text.slice(chunk.span).trim().is_empty() {
        return None;
    }
    let mut chunk = chunk.clone();
    let span = common(chunk.span, text.span()?)?;
    if span != chunk.span {
        chunk.span = span;
        chunk.tokens = u32::try_from(counting.count(text.slice(span))).unwrap_or(u32::MAX);
    }
    if chunk.outline.iter().any(|&outline| !span.contains(outline)) {
        chunk.outline = chunk.outline.iter().filter_map(|&outline| common(span, outline)).collect();
    }
    Some(chunk)
}

/// The lines that two spans share.
fn common(a: Span, b: Span) -> Option<Span> {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    (start <= end).then(|| Span::new(start, end))
}

/// What becomes of each candidate.
struct Fates(Vec<Option<(Reason, String)>>);

impl Fates {
    fn new(scored: &[Scored]) -> Self {
        Self(vec![None; scored.len()])
    }

    fn drop_unfit(&mut self, scored: &[Scored], min_score: Option<f64>) {
        for (fate, scored) in self.0.iter_mut().zip(scored) {
            if scored.candidate.chunk.kind == ChunkKind::LongLine {
                let detail = "a single line larger than a chunk may be".to_owned();
                *fate = Some((Reason::LineTooLong, detail));
            } else if let Some(least) = min_score.filter(|least| scored.score < *least) {
                *fate = Some((Reason::Score, format!("below the least score of {least}")));
            }
        }
    }

    /// Marks the repeats, and counts duplicates and overlaps.
    fn drop_repeats(
        &mut self,
        repeats: &[Repeat],
        scored: &[Scored],
        sheets: &[Sheet],
    ) -> (usize, usize) {
        let (mut duplicates, mut overlaps) = (0, 0);
        for repeat in repeats {
            let winner = &scored[repeat.winner].candidate;
            let name = format!("{}:{}", sheets[winner.sheet].path, winner.chunk.span);
            let detail = match repeat.reason {
                Reason::Duplicate => {
                    duplicates += 1;
                    format!("the same content as {name}")
                }
                _ => {
                    overlaps += 1;
                    format!("overlaps {name}")
                }
            };
            self.0[repeat.place] = Some((repeat.reason, detail));
        }
        (duplicates, overlaps)
    }

    fn undecided(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|&place| self.0[place].is_none()).collect()
    }

    fn report(
        self,
        scored: &[Scored],
        sheets: &[Sheet],
        counting: &Counting,
        selection: &Selection<'_>,
        budget: usize,
    ) -> (Vec<Included>, Vec<Excluded>) {
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        for (place, (fate, scored)) in self.0.into_iter().zip(scored).enumerate() {
            let sheet = &sheets[scored.candidate.sheet];
            match (selection.forms[place], fate) {
                (Some(form), _) => included.push(include(scored, sheet, counting, form)),
                (None, Some((reason, detail))) => {
                    excluded.push(exclude(scored, sheet, reason, detail));
                }
                (None, None) => {
                    let detail = format!("does not fit what is left of {budget} tokens");
                    excluded.push(exclude(scored, sheet, Reason::Budget, detail));
                }
            }
        }
        (included, excluded)
    }
}

fn include(scored: &Scored, sheet: &Sheet, counting: &Counting, form: Form) -> Included {
    let chunk = &scored.candidate.chunk;
    let shown = match form {
        Form::Full => vec![chunk.span],
        Form::Outline => chunk.outline.clone(),
    };
    let tokens = |span: &Span| {
        let rows = sheet.rows(*span);
        counting.counter().tokens(sheet.measure(counting, rows))
    };
    Included {
        path: sheet.path.clone(),
        span: chunk.span,
        symbol: chunk.symbol.clone(),
        kind: scored.candidate.kind,
        part: chunk.part,
        tokens: shown.iter().map(tokens).sum(),
        score: scored.score,
        factors: scored.factors,
        form,
        shown,
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
    }
}

/// Sources that gave no chunk: nothing in them but white space.
fn sources_without_chunks(sources: &[Source], scored: &[Scored]) -> Vec<Excluded> {
    let mut with = vec![false; sources.len()];
    for scored in scored {
        with[scored.candidate.source] = true;
    }
    let without = sources.iter().zip(with).filter(|(_, with)| !with);
    without
        .map(|(source, _)| Excluded {
            path: source.path.clone(),
            span: None,
            symbol: None,
            kind: source.kind,
            tokens: 0,
            score: None,
            factors: None,
            reason: Reason::Empty,
            detail: "nothing in it".to_owned(),
        })
        .collect()
}
