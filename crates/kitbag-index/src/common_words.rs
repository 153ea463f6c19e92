//! How common words are in code in general, to tell the words that characterize a repository.

use crate::terms::word_id;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Mean share of the files of a project that have a word, for words that are not on the list.
pub(crate) const RARE_SHARE: f32 = 0.003;

/// Mean shares by word id. `scripts/learn/background.py` writes the list: a share and its words per line.
static SHARES: LazyLock<FxHashMap<u32, f32>> = LazyLock::new(|| {
    let mut shares = FxHashMap::default();
    for line in include_str!("common_words.txt").lines() {
        let (share, words) = line.split_once(' ').unwrap_or((line, ""));
        let share = share.parse().unwrap_or(RARE_SHARE);
        shares.extend(words.split(' ').map(|word| (word_id(word), share)));
    }
    shares
});

/// Returns the mean share of the files of a project that have a word.
pub(crate) fn common_share(word: u32) -> f32 {
    SHARES.get(&word).copied().unwrap_or(RARE_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_have_their_shares() {
        let share = |word: &str| common_share(word_id(word));
        assert!(share("returns") > share("condition"), "{:?}", share("returns"));
        assert!(share("condition") > RARE_SHARE);
        assert_eq!(share("frobnicator"), RARE_SHARE);
        assert!(SHARES.len() > 2_000);
    }
}
