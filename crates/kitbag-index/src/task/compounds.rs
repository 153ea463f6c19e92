//! Compound identifiers that a text implies: "client certificate" for `clientCertificate` and
//! `client_certificate`, and `verifyPeer` for `verify_peer`.

use super::TaskTerm;
use super::lines::{LineKind, TaskLine};
use crate::terms::word_id;
use kitbag_text::{for_each_word, identifiers, is_stop_word};
use rustc_hash::FxHashSet;

const MAX_COMPOUNDS: usize = 400;

/// Returns the compound names that the words of some lines imply, in the order of the text.
pub(super) fn compound_names(lines: &[TaskLine]) -> Vec<TaskTerm> {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut terms: Vec<TaskTerm> = Vec::new();
    let mut add = |word: String, kind: LineKind| {
        let id = word_id(&word);
        if terms.len() < MAX_COMPOUNDS && seen.insert(id) {
            let weight_if = |is_kind: LineKind| f32::from(u8::from(kind == is_kind));
            terms.push(TaskTerm {
                id,
                word,
                weight: if kind == LineKind::Title { 2.0 } else { 0.7 },
                title: weight_if(LineKind::Title),
                prose: weight_if(LineKind::Prose),
                code: weight_if(LineKind::Code),
                is_name: true,
            });
        }
    };
    for line in lines {
        if matches!(line.kind, LineKind::Title | LineKind::Prose) {
            for_each_run(&line.text, |name| add(name, line.kind));
        }
        if line.kind != LineKind::Noise {
            for_each_spelling(&line.text, |name| add(name, line.kind));
        }
    }
    terms
}

/// Calls `visit` with two and three consecutive words, written as one name.
fn for_each_run(text: &str, mut visit: impl FnMut(String)) {
    for phrase in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))) {
        let words: Vec<String> = phrase
            .split([' ', '-'])
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        for count in [2, 3] {
            for run in words.windows(count) {
                let has_letter = run.iter().any(|word| word.len() < 2);
                let ends = [&run[0], &run[count - 1]];
                if has_letter || ends.iter().any(|word| is_stop_word(word)) {
                    continue;
                }
                visit(run.concat());
                visit(run.join("_"));
            }
        }
    }
}

/// Calls `visit` with the other spellings of each compound identifier: without separators and with
/// underscores.
fn for_each_spelling(text: &str, mut visit: impl FnMut(String)) {
    for identifier in identifiers(text) {
        let mut words: Vec<String> = Vec::new();
        for_each_word(identifier, |word| words.push(word.to_owned()));
        if words.len() > 2 {
            let whole = words.remove(0);
            for other in [words.concat(), words.join("_")] {
                if other != whole {
                    visit(other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::task::ParsedTask;

    #[test]
    fn consecutive_words_imply_compound_names() {
        let task = ParsedTask::new("the client certificate is lost\n\nsee verifyPeer");
        let has = |name: &str| task.compound_names.iter().any(|term| term.word == name);
        assert!(has("client_certificate") && has("clientcertificate") && has("verify_peer"));
        assert!(!has("the_client") && !has("certificate_is"));
    }
}
