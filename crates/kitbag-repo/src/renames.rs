//! Which new texts are old ones under another name.

use rustc_hash::FxHashMap;

/// So much of the larger text must stand in the other one, as git has it.
const LEAST_SHARED: f64 = 0.5;

/// For each new text the place of the old one that it was before, if there is one: first those that
/// are the same, then those that are most alike. No old text is given twice.
pub(crate) fn renamed(new: &[&str], old: &[&str]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; new.len()];
    let mut taken = vec![false; old.len()];
    let mut pair = |alike: &dyn Fn(&str, &str) -> f64| {
        for (text, pair) in new.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let mut best = (0.0, None);
            for (place, other) in old.iter().enumerate().filter(|&(place, _)| !taken[place]) {
                let shared = alike(text, other);
                if shared > best.0 {
                    best = (shared, Some(place));
                }
            }
            if let (LEAST_SHARED.., Some(place)) = best {
                (*pair, taken[place]) = (Some(place), true);
            }
        }
    };
    pair(&|a, b| if a == b && !a.is_empty() { 1.0 } else { 0.0 });
    pair(&shared);
    pairs
}

/// How much of the larger of two texts is lines that stand in both.
fn shared(a: &str, b: &str) -> f64 {
    let larger = a.len().max(b.len());
    if larger == 0 || a.len().min(b.len()) as f64 / (larger as f64) < LEAST_SHARED {
        return 0.0;
    }
    let mut lines: FxHashMap<&str, usize> = FxHashMap::default();
    for line in a.split_inclusive('\n') {
        *lines.entry(line).or_default() += 1;
    }
    let mut bytes = 0;
    for line in b.split_inclusive('\n') {
        if let Some(count) = lines.get_mut(line).filter(|count| **count > 0) {
            (*count, bytes) = (*count - 1, bytes + line.len());
        }
    }
    bytes as f64 / larger as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_comes_before_what_is_alike_and_nothing_is_given_twice() {
        let text = "one\ntwo\nthree\nfour\n";
        let edited = "one\ntwo\nthree\nfive\n";
        assert_eq!(renamed(&[edited, text], &[text]), [None, Some(0)]);
        assert_eq!(renamed(&[edited, text], &["zero\n", text, edited]), [Some(2), Some(1)]);
        assert_eq!(renamed(&[edited], &["one\n", text]), [Some(1)]);
        assert_eq!(renamed(&[text, text], &[text]), [Some(0), None]);
    }

    #[test]
    fn what_is_less_than_half_the_same_is_new() {
        assert_eq!(renamed(&["a\nb\nx\ny\n"], &["a\nb\nc\nd\n"]), [Some(0)]);
        assert_eq!(renamed(&["a\nw\nx\ny\n"], &["a\nb\nc\nd\n"]), [None]);
        assert_eq!(renamed(&["a\na\na\na\n"], &["a\nb\nc\nd\n"]), [None], "each line counts once");
        assert_eq!(renamed(&[""], &[""]), [None], "empty files are not told apart");
        assert_eq!(renamed(&[], &["a\n"]), [None; 0]);
    }
}
