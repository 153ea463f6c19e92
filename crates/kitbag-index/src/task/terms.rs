//! Extracts weighted words from the lines of a task.

use super::lines::{LineKind, TaskLine};
use crate::terms::word_id;
use kitbag_text::{for_each_word, identifiers, is_stop_word};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of distinct words; those with the highest weights are kept.
pub(super) const MAX_TERMS: usize = 400;

/// Maximum contribution of program output to a word's weight: a long log must not outweigh the text
/// around it.
const MAX_OUTPUT_WEIGHT: f32 = 2.0;

/// A word of a task, with weights by the kind of its lines.
#[derive(Debug, Clone)]
pub struct TaskTerm {
    /// The word in lower case.
    pub word: String,
    /// Id of the word in records.
    pub id: u32,
    /// Weight in the whole task.
    pub weight: f32,
    /// Weight in the title.
    pub title: f32,
    /// Weight in the prose after the title.
    pub prose: f32,
    /// Weight in code and stack frames.
    pub code: f32,
    /// Whether it is an identifier rather than a plain word.
    pub is_name: bool,
}

/// Weighted occurrences of a word.
#[derive(Default)]
struct TermOccurrences {
    /// In text written by a person.
    written: f32,
    /// In code and program output.
    output: f32,
    title: f32,
    prose: f32,
    code: f32,
    is_name: bool,
}

/// Returns the distinct words of some lines in the order of their first occurrence.
pub(super) fn terms(lines: &[TaskLine]) -> Vec<TaskTerm> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut counts: Vec<(String, TermOccurrences)> = Vec::new();
    for line in lines {
        let names = names(line);
        for_each_word(&line.text, |word| {
            if is_stop_word(word) || word.bytes().all(|byte| byte.is_ascii_digit()) {
                return;
            }
            let place = *places.entry(word.to_owned()).or_insert_with(|| {
                counts.push((word.to_owned(), TermOccurrences::default()));
                counts.len() - 1
            });
            let count = &mut counts[place].1;
            count.is_name |= names.contains(word);
            count.add(line.kind);
        });
    }
    merge_forms(keep_heaviest(counts.into_iter().map(term).collect()))
}

impl TermOccurrences {
    fn add(&mut self, kind: LineKind) {
        match kind {
            LineKind::Title => {
                self.title += 1.0;
                self.written += 5.0;
            }
            LineKind::Prose => {
                self.prose += 1.0;
                self.written += 1.0;
            }
            LineKind::Code | LineKind::Frame => {
                self.code += 1.0;
                self.output += 0.5;
            }
            LineKind::Noise => self.output += 0.1,
        }
    }
}

fn term((word, count): (String, TermOccurrences)) -> TaskTerm {
    // Repetitions add less each time.
    let weight = |count: f32, per_e_fold: f32| {
        if count >= 1.0 { 1.0 + per_e_fold * count.ln() } else { count }
    };
    TaskTerm {
        id: word_id(&word),
        weight: weight(count.written + count.output.min(MAX_OUTPUT_WEIGHT), 2.0),
        title: weight(count.title, 0.5),
        prose: weight(count.prose, 1.0),
        code: weight(count.code, 0.5),
        is_name: count.is_name,
        word,
    }
}

fn keep_heaviest(mut terms: Vec<TaskTerm>) -> Vec<TaskTerm> {
    if terms.len() > MAX_TERMS {
        let mut weights: Vec<f32> = terms.iter().map(|term| term.weight).collect();
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let min = weights[MAX_TERMS - 1];
        terms.retain(|term| term.weight >= min);
        terms.truncate(MAX_TERMS);
    }
    terms
}

/// Merges words with the same id, such as singular and plural.
fn merge_forms(terms: Vec<TaskTerm>) -> Vec<TaskTerm> {
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut merged: Vec<TaskTerm> = Vec::with_capacity(terms.len());
    for term in terms {
        let place = *places.entry(term.id).or_insert(merged.len());
        match merged.get_mut(place) {
            None => merged.push(term),
            Some(first) => {
                first.weight = first.weight.max(term.weight);
                first.title = first.title.max(term.title);
                first.prose = first.prose.max(term.prose);
                first.code = first.code.max(term.code);
                first.is_name |= term.is_name;
            }
        }
    }
    merged
}

/// Returns the names in a line: compound identifiers, words in backticks, and in code every
/// identifier.
fn names(line: &TaskLine) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    let is_code = matches!(line.kind, LineKind::Code | LineKind::Frame);
    for (at, run) in line.text.split('`').enumerate() {
        let is_quoted = at % 2 == 1;
        for identifier in identifiers(run) {
            if is_code || is_quoted || is_compound(identifier) {
                names.insert(identifier.trim_matches('_').to_lowercase());
            }
        }
    }
    names
}

/// Whether an identifier consists of several words, or has underscores around it.
pub(super) fn is_compound(identifier: &str) -> bool {
    let inner = identifier.trim_matches('_');
    let mut was_lowercase = false;
    for c in inner.chars() {
        if c == '_' || (was_lowercase && c.is_uppercase()) {
            return true;
        }
        was_lowercase = c.is_lowercase();
    }
    inner.len() < identifier.len() && inner.len() > 2
}
