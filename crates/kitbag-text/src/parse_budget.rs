//! The CPU time that expensive texts may cost one piece of work in total.
//!
//! A text is limited on its own, but nothing keeps a repository from having thousands that each take as
//! long as they may. So whatever a text costs beyond the ordinary is charged to a budget. While there is
//! some left, no text is treated differently, and results are the same on every machine.

use crate::language::Language;
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Excess CPU time after which texts get little more than their ordinary cost.
const REDUCED_AFTER: Duration = Duration::from_secs(3);
/// Excess CPU time after which languages with expensive texts are not parsed at all.
const DENIED_AFTER: Duration = Duration::from_secs(6);

/// What a text may cost, given what others have cost before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseAllowance {
    /// The limits of a single text.
    Full,
    /// Little more than its ordinary cost.
    Reduced,
    /// Nothing: the text is split by lines.
    Denied,
}

/// What expensive texts have cost so far. Shared by all tokens of a [`Cancel`](crate::Cancel) family.
#[derive(Debug, Default)]
pub struct ParseBudget {
    spent: Mutex<Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    /// CPU time beyond the ordinary cost of texts.
    excess: Duration,
    /// Names of the languages of expensive texts.
    languages: BTreeSet<&'static str>,
    /// Hashes of the texts that were split by lines because others were expensive.
    denied: HashSet<u64>,
}

impl ParseBudget {
    /// Returns what the next text in `language` may cost.
    pub fn allowance(&self, language: &Language) -> ParseAllowance {
        let spent = self.spent();
        if spent.excess < REDUCED_AFTER {
            ParseAllowance::Full
        } else if spent.excess < DENIED_AFTER || !spent.languages.contains(language.name()) {
            ParseAllowance::Reduced
        } else {
            ParseAllowance::Denied
        }
    }

    /// Charges what a text in `language` has cost beyond the ordinary.
    pub fn charge(&self, language: &Language, excess: Duration) {
        let mut spent = self.spent();
        spent.excess = spent.excess.saturating_add(excess);
        spent.languages.insert(language.name());
    }

    /// Returns the CPU time that texts have cost beyond the ordinary.
    pub fn excess(&self) -> Duration {
        self.spent().excess
    }

    /// Remembers a text that was split by lines because others were expensive.
    pub fn deny(&self, content: &str) {
        self.spent().denied.insert(hash(content));
    }

    /// Whether a text was split by lines because others were expensive.
    pub fn has_denied(&self, content: &str) -> bool {
        let spent = self.spent();
        !spent.denied.is_empty() && spent.denied.contains(&hash(content))
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(content: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_with_expensive_texts_are_denied_last() {
        let [c, go] = ["c", "go"].map(|name| Language::named(name).expect("a known language"));
        let budget = ParseBudget::default();
        assert_eq!(budget.allowance(c), ParseAllowance::Full);
        budget.charge(c, REDUCED_AFTER);
        assert_eq!(budget.allowance(c), ParseAllowance::Reduced);
        budget.charge(c, DENIED_AFTER);
        assert_eq!(budget.allowance(c), ParseAllowance::Denied);
        assert_eq!(budget.allowance(go), ParseAllowance::Reduced);
    }

    #[test]
    fn denied_texts_are_remembered() {
        let budget = ParseBudget::default();
        budget.deny("a");
        assert!(budget.has_denied("a") && !budget.has_denied("b"));
    }
}
