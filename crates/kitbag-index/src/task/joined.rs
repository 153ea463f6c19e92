//! Names that a text means without writing them: "client certificate" for `clientCertificate` and
//! `client_certificate`, and one way of writing a name for the other.

use super::Term;
use super::lines::{Line, Part};
use crate::terms::word_id;
use kitbag_text::{for_each_word, identifiers, is_common};
use rustc_hash::FxHashSet;

/// Only so many are looked for.
const MOST: usize = 400;

/// The names that the words of some lines would make.
pub(super) fn joined(lines: &[Line]) -> Vec<Term> {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut terms: Vec<Term> = Vec::new();
    let mut add = |word: String, part: Part| {
        let id = word_id(&word);
        if terms.len() < MOST && seen.insert(id) {
            let weigh = |is: bool, weight: f32| if is { weight } else { 0.0 };
            terms.push(Term {
                id,
                word,
                all: if part == Part::Title { 2.0 } else { 0.7 },
                title: weigh(part == Part::Title, 1.0),
                prose: weigh(part == Part::Prose, 1.0),
                code: weigh(part == Part::Code, 1.0),
                is_name: true,
            });
        }
    };
    for line in lines {
        if matches!(line.part, Part::Title | Part::Prose) {
            pairs(&line.text, |pair| add(pair, line.part));
        }
        if line.part != Part::Noise {
            other_ways(&line.text, |name| add(name, line.part));
        }
    }
    terms
}

/// Two and three words that follow each other, written as one.
fn pairs(text: &str, mut found: impl FnMut(String)) {
    for phrase in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))) {
        let words: Vec<String> = phrase
            .split([' ', '-'])
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        for count in [2, 3] {
            for run in words.windows(count) {
                let short = run.iter().any(|word| word.len() < 2);
                let ends = [&run[0], &run[count - 1]];
                if short || ends.iter().any(|word| is_common(word)) {
                    continue;
                }
                found(run.concat());
                found(run.join("_"));
            }
        }
    }
}

/// For each name made of several words, its words written together and with underscores.
fn other_ways(text: &str, mut found: impl FnMut(String)) {
    for identifier in identifiers(text) {
        let mut words: Vec<String> = Vec::new();
        for_each_word(identifier, |word| words.push(word.to_owned()));
        if words.len() > 2 {
            let whole = words.remove(0);
            for other in [words.concat(), words.join("_")] {
                if other != whole {
                    found(other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::task::Task;

    #[test]
    fn words_that_follow_each_other_make_names() {
        let task = Task::new("the client certificate is lost\n\nsee verifyPeer");
        let has = |name: &str| task.joined.iter().any(|term| term.word == name);
        assert!(has("client_certificate") && has("clientcertificate") && has("verify_peer"));
        assert!(!has("the_client") && !has("certificate_is"));
    }
}
