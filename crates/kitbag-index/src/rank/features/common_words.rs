//! The words of a task against their use in general: a word that is common here and rare elsewhere, such as
//! the name of the project, is evidence that the task is about this repository.

use super::Features;
use crate::common_words::{RARE_SHARE, common_share};
use crate::rank::evidence::Occurrence;
use crate::task::TaskTerm;

/// Bounds of a word's excess.
const EXCESS_RANGE: (f32, f32) = (-4.0, 6.0);

/// Excess from which a word is telling: it is seven times as common here as elsewhere.
const MIN_TELLING_EXCESS: f32 = 2.0;

/// Features of a task that compare its words with their use elsewhere; docs/factors.md describes them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordExcess {
    pub title: f32,
    pub task: f32,
    pub names: f32,
    pub best: f32,
    pub best_title: f32,
    pub telling_words: f32,
    pub unknown_rare: f32,
    pub unknown_common: f32,
    pub rare_known: f32,
    pub rare_defined: f32,
}

/// A word of the task.
struct WordUse {
    weight: f32,
    title: f32,
    is_name: bool,
    is_rare: bool,
    occurrence: Occurrence,
    /// Logarithm of how much more common it is here than elsewhere.
    excess: f32,
}

impl Features<'_> {
    pub(super) fn word_excess(&self) -> WordExcess {
        let uses = self.word_uses();
        if uses.is_empty() {
            return WordExcess::default();
        }
        let is_unknown = |it: &WordUse| it.occurrence == Occurrence::None;
        let has = |holds: bool| f32::from(u8::from(holds));
        let rare_weight = |it: &WordUse| it.weight * has(it.is_rare);
        let telling = uses.iter().filter(|it| it.excess > MIN_TELLING_EXCESS).count() as f32;
        let in_title = |it: &WordUse| if it.title > 0.0 { it.excess } else { EXCESS_RANGE.0 };
        WordExcess {
            title: mean(&uses, |it| it.title, |it| it.excess),
            task: mean(&uses, |it| it.weight, |it| it.excess),
            names: mean(&uses, |it| it.weight * has(it.is_name), |it| it.excess),
            best: mean_of_best(uses.iter().map(|it| it.excess).collect(), 3),
            best_title: mean_of_best(uses.iter().map(in_title).collect(), 2),
            telling_words: telling / (uses.len() as f32).sqrt(),
            unknown_rare: mean(&uses, |it| it.weight, |it| has(is_unknown(it) && it.is_rare)),
            unknown_common: mean(&uses, |it| it.weight, |it| has(is_unknown(it) && !it.is_rare)),
            rare_known: mean(&uses, rare_weight, |it| has(!is_unknown(it))),
            rare_defined: mean(&uses, rare_weight, |it| has(it.occurrence == Occurrence::Defined)),
        }
    }

    /// Returns whether a word accepted by `filter` is much more common here than elsewhere.
    pub(super) fn has_telling_word(&self, filter: impl Fn(&TaskTerm) -> bool) -> bool {
        let is_telling =
            |it: &WordUse| it.occurrence != Occurrence::None && it.excess > MIN_TELLING_EXCESS;
        let uses = self.task.terms.iter().zip(self.word_uses());
        uses.filter(|(term, _)| filter(term)).any(|(_, it)| is_telling(&it))
    }

    fn word_uses(&self) -> Vec<WordUse> {
        let files = self.view.files().len() as f32;
        let found = self.evidence.files_with.iter().zip(&self.evidence.occurrence);
        let word = |(term, (&with, &occurrence)): (&TaskTerm, (&u32, &Occurrence))| {
            let share = common_share(term.id);
            let here = (with as f32 + 0.3) / (files + 1.0);
            let (low, high) = EXCESS_RANGE;
            WordUse {
                weight: term.weight,
                title: term.title,
                is_name: term.is_name,
                is_rare: share <= RARE_SHARE,
                occurrence,
                excess: (here / share).ln().clamp(low, high),
            }
        };
        self.task.terms.iter().zip(found).map(word).collect()
    }
}

/// Returns the weighted mean of a value, 0 if no word has a weight.
fn mean(
    uses: &[WordUse],
    weight: impl Fn(&WordUse) -> f32,
    value: impl Fn(&WordUse) -> f32,
) -> f32 {
    let sum: f32 = uses.iter().map(|it| weight(it) * value(it)).sum();
    sum / uses.iter().map(weight).sum::<f32>().max(1e-6)
}

/// Returns the mean of the highest values.
fn mean_of_best(mut values: Vec<f32>, count: usize) -> f32 {
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    values.truncate(count);
    values.iter().sum::<f32>() / values.len().max(1) as f32
}
