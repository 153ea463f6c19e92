//! Keyword relevance, for chunks whose provider gives none: how much of the query they cover.

use super::{Candidate, RankContext};
use kitbag_text::{Cancel, Cancelled, for_each_word, query_words};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Number of occurrences of each query word in a text.
type WordCounts = Vec<u32>;

/// Returns the keyword relevance of each candidate without its own relevance; 0 for the others.
pub(super) fn relevance(
    candidates: &[Candidate],
    context: &RankContext<'_>,
) -> Result<Vec<f64>, Cancelled> {
    let missing: Vec<usize> =
        (0..candidates.len()).filter(|&index| candidates[index].relevance.is_none()).collect();
    let text = |&index: &usize| {
        let file = &context.files[candidates[index].file];
        file.slice(file.rows(candidates[index].chunk.span))
    };
    let texts: Vec<&str> = missing.iter().map(text).collect();
    let mut relevance = vec![0.0; candidates.len()];
    for (index, score) in missing.into_iter().zip(scores(context.task, &texts, context.cancel)?) {
        relevance[index] = score;
    }
    Ok(relevance)
}

/// Returns the relevance of each text for `query`: 0 if it has none of the words and 1 if it has
/// all. In between, rare words and repeated words score higher.
pub fn coverage(query: &str, texts: &[&str]) -> Vec<f64> {
    scores(query, texts, &Cancel::default()).unwrap_or_default()
}

fn scores(query: &str, texts: &[&str], cancel: &Cancel) -> Result<Vec<f64>, Cancelled> {
    let words = query_words(query);
    let indices = words.iter().enumerate().map(|(index, word)| (word.as_str(), index)).collect();
    let counts = texts
        .par_iter()
        .map(|text| cancel.check().map(|()| count(&indices, text)))
        .collect::<Result<Vec<WordCounts>, Cancelled>>()?;
    let idf = idf(words.len(), &counts);
    Ok(counts.iter().map(|counts| score(counts, &idf)).collect())
}

fn count(indices: &FxHashMap<&str, usize>, text: &str) -> WordCounts {
    let mut counts = vec![0; indices.len()];
    for_each_word(text, |word| {
        if let Some(&index) = indices.get(word) {
            counts[index] += 1;
        }
    });
    counts
}

/// Returns the inverse document frequency of each query word.
fn idf(words: usize, texts: &[WordCounts]) -> Vec<f64> {
    let total = texts.len() as f64;
    let idf = |word: usize| {
        let frequency = texts.iter().filter(|counts| counts[word] > 0).count() as f64;
        (1.0 + (total + 1.0) / (frequency + 0.5)).ln()
    };
    (0..words).map(idf).collect()
}

fn score(counts: &WordCounts, idf: &[f64]) -> f64 {
    let total: f64 = idf.iter().sum();
    let (mut covered, mut repeated) = (0.0, 0.0);
    for (&count, idf) in counts.iter().zip(idf).filter(|(count, _)| **count > 0) {
        covered += idf;
        repeated += idf * f64::from(count) / (f64::from(count) + 1.0);
    }
    if covered == 0.0 {
        0.0
    } else if counts.iter().all(|&count| count > 0) {
        1.0
    } else {
        covered / total * (0.75 + 0.25 * repeated / covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, text: &str) -> f64 {
        coverage(query, &[text, "let unrelated = 1;", "fn oauth() {}"])[0]
    }

    // Shows: AC-070 to AC-073
    #[test]
    fn none_is_zero_and_all_is_one() {
        assert_eq!(check("OAuth login", "nothing of the kind"), 0.0);
        assert_eq!(check("OAuth login", "fn login(oauth: OAuth)"), 1.0);
        assert_eq!(check("oauth callback", "handleOAuthCallback()"), 1.0);
        assert_eq!(check("", "anything"), 0.0);
    }

    // Shows: AC-068
    #[test]
    fn more_matches_score_higher() {
        let once = check("login session token", "login");
        let often = check("login session token", "login login login login login");
        let two = check("login session token", "login session");
        assert!(once > 0.0 && often > once && two > often && two < 1.0, "{once} {often} {two}");
    }

    #[test]
    fn rare_words_weigh_more() {
        let scores = coverage("login oauth", &["login", "oauth", "oauth", "oauth"]);
        assert!(scores[0] > scores[1]);
    }
}
