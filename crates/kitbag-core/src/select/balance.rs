//! Balanced order of candidates.

use crate::rank::Scored;
use kitbag_text::Kind;

/// Orders candidates so that the kinds of sources take turns: the next is always the best one of the
/// kind with the fewest tokens so far. `indices` are best first. Pinned candidates keep their order,
/// before all others.
pub fn balanced_order(scored: &[Scored], indices: &[usize]) -> Vec<usize> {
    let mut tokens = [0u64; Kind::ALL.len()];
    let pinned = indices.partition_point(|&index| scored[index].candidate.is_pinned);
    let (pinned, others) = indices.split_at(pinned);
    let mut turns: Vec<(u64, usize)> = others
        .iter()
        .map(|&index| {
            let candidate = &scored[index].candidate;
            let before = tokens[candidate.kind.index()];
            tokens[candidate.kind.index()] += u64::from(candidate.chunk.tokens);
            (before, index)
        })
        .collect();
    turns.sort_unstable();
    pinned.iter().copied().chain(turns.into_iter().map(|(_, index)| index)).collect()
}
