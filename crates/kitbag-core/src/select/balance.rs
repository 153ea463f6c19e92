//! The order in which candidates are tried.

use crate::rank::Scored;
use kitbag_text::Kind;

/// The places in turns of the kinds of sources: the next chunk is always the best one of the kind
/// that has had the fewest tokens so far. Places come best first.
pub fn in_turns(scored: &[Scored], places: &[usize]) -> Vec<usize> {
    let mut had = [0u64; Kind::ALL.len()];
    let mut turns: Vec<(u64, usize)> = places
        .iter()
        .map(|&place| {
            let candidate = &scored[place].candidate;
            let before = had[candidate.kind.index()];
            had[candidate.kind.index()] += u64::from(candidate.chunk.tokens);
            (before, place)
        })
        .collect();
    turns.sort_unstable();
    turns.into_iter().map(|(_, place)| place).collect()
}
