//! Detects renamed files by their contents.

use rustc_hash::FxHashMap;

/// The share of the larger text that must be common to both, git's default for `--find-renames`.
const MIN_SIMILARITY: f64 = 0.5;

/// Returns for each new text the index of the old text that it was renamed from: first identical
/// texts, then the most similar. No old text is used twice.
pub(crate) fn match_renames(new: &[&str], old: &[&str]) -> Vec<Option<usize>> {
    let mut matches = vec![None; new.len()];
    let mut is_taken = vec![false; old.len()];
    let mut match_by = |similarity: &dyn Fn(&str, &str) -> f64| {
        for (text, found) in new.iter().zip(&mut matches).filter(|(_, found)| found.is_none()) {
            let mut best = (0.0, None);
            for (index, other) in old.iter().enumerate().filter(|&(index, _)| !is_taken[index]) {
                let similarity = similarity(text, other);
                if similarity > best.0 {
                    best = (similarity, Some(index));
                }
            }
            if let (MIN_SIMILARITY.., Some(index)) = best {
                (*found, is_taken[index]) = (Some(index), true);
            }
        }
    };
    match_by(&|a, b| if a == b && !a.is_empty() { 1.0 } else { 0.0 });
    match_by(&similarity);
    matches
}

/// Returns the share of the larger text that consists of lines of both.
fn similarity(a: &str, b: &str) -> f64 {
    let larger = a.len().max(b.len());
    if larger == 0 || a.len().min(b.len()) as f64 / (larger as f64) < MIN_SIMILARITY {
        return 0.0;
    }
    let mut lines: FxHashMap<&str, usize> = FxHashMap::default();
    for line in a.split_inclusive('\n') {
        *lines.entry(line).or_default() += 1;
    }
    let mut common_bytes = 0;
    for line in b.split_inclusive('\n') {
        if let Some(count) = lines.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common_bytes += line.len();
        }
    }
    common_bytes as f64 / larger as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identical_texts_win_over_similar_ones_and_none_is_used_twice() {
        let text = "one\ntwo\nthree\nfour\n";
        let edited = "one\ntwo\nthree\nfive\n";
        assert_eq!(match_renames(&[edited, text], &[text]), [None, Some(0)]);
        assert_eq!(match_renames(&[edited, text], &["zero\n", text, edited]), [Some(2), Some(1)]);
        assert_eq!(match_renames(&[edited], &["one\n", text]), [Some(1)]);
        assert_eq!(match_renames(&[text, text], &[text]), [Some(0), None]);
    }

    #[test]
    fn texts_with_less_than_half_in_common_do_not_match() {
        assert_eq!(match_renames(&["a\nb\nx\ny\n"], &["a\nb\nc\nd\n"]), [Some(0)]);
        assert_eq!(match_renames(&["a\nw\nx\ny\n"], &["a\nb\nc\nd\n"]), [None]);
        let repeated = match_renames(&["a\na\na\na\n"], &["a\nb\nc\nd\n"]);
        assert_eq!(repeated, [None], "each line counts once");
        assert_eq!(match_renames(&[""], &[""]), [None], "empty files are not renames");
        assert_eq!(match_renames(&[], &["a\n"]), [None; 0]);
    }
}
