//! Relevance for chunks whose provider does not know one: how much of the query they cover.

use super::{Candidate, Ranking};
use crate::Cancelled;
use kitbag_text::{for_each_word, query_words};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// How often each query word occurs in a text.
type Counts = Vec<u32>;

/// The keyword relevance of every candidate that needs one; 0 for the others.
pub(super) fn relevance(
    candidates: &[Candidate],
    ranking: &Ranking<'_>,
) -> Result<Vec<f64>, Cancelled> {
    if candidates.iter().all(|candidate| candidate.relevance.is_some()) {
        return Ok(vec![0.0; candidates.len()]);
    }
    let words = query_words(ranking.task);
    let places = places(&words);
    let counts = candidates
        .par_iter()
        .map(|candidate| {
            ranking.cancel.check()?;
            if candidate.relevance.is_some() {
                return Ok(None);
            }
            let sheet = &ranking.sheets[candidate.sheet];
            Ok(Some(count(&places, sheet.slice(sheet.rows(candidate.chunk.span)))))
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let rarity = rarity(words.len(), counts.iter().flatten());
    Ok(counts.iter().map(|counts| counts.as_ref().map_or(0.0, |c| score(c, &rarity))).collect())
}

/// The relevance of each text for `query`: 0 where no word of it occurs, 1 where all do, and in
/// between the more the rarer the words that occur, and the more often they do.
pub fn coverage(query: &str, texts: &[&str]) -> Vec<f64> {
    let words = query_words(query);
    let places = places(&words);
    let counts: Vec<Counts> = texts.iter().map(|text| count(&places, text)).collect();
    let rarity = rarity(words.len(), counts.iter());
    counts.iter().map(|counts| score(counts, &rarity)).collect()
}

/// The place of each query word.
fn places(words: &[String]) -> FxHashMap<&str, usize> {
    words.iter().enumerate().map(|(place, word)| (word.as_str(), place)).collect()
}

fn count(places: &FxHashMap<&str, usize>, text: &str) -> Counts {
    let mut counts = vec![0; places.len()];
    for_each_word(text, |word| {
        if let Some(&place) = places.get(word) {
            counts[place] += 1;
        }
    });
    counts
}

/// How telling each query word is: the fewer texts have it, the more.
fn rarity<'a>(words: usize, texts: impl Iterator<Item = &'a Counts>) -> Vec<f64> {
    let mut with = vec![0u32; words];
    let mut all = 0u32;
    for counts in texts {
        all += 1;
        for (with, &count) in with.iter_mut().zip(counts) {
            *with += u32::from(count > 0);
        }
    }
    let idf = |with: u32| (1.0 + (f64::from(all) + 1.0) / (f64::from(with) + 0.5)).ln();
    with.into_iter().map(idf).collect()
}

fn score(counts: &Counts, rarity: &[f64]) -> f64 {
    let all: f64 = rarity.iter().sum();
    let occurring = counts.iter().zip(rarity).filter(|(count, _)| **count > 0);
    let (mut covered, mut repeated) = (0.0, 0.0);
    for (&count, rarity) in occurring {
        covered += rarity;
        repeated += rarity * f64::from(count) / (f64::from(count) + 1.0);
    }
    if covered == 0.0 {
        0.0
    } else if counts.iter().all(|&count| count > 0) {
        1.0
    } else {
        covered / all * (0.75 + 0.25 * repeated / covered)
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
