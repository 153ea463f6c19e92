//! The outcome of a condition: Kleene's strong three-valued logic.

use serde::Serialize;
use std::ops::Not;

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConditionOutcome {
    /// It does not hold.
    Fails,
    /// It was not judged, or the judge could not decide.
    Undecided,
    /// It holds.
    Holds,
}

impl ConditionOutcome {
    /// Conjunction: fails if either fails, even if the other is undecided.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// Disjunction: holds if either holds, even if the other is undecided.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }
}

impl Not for ConditionOutcome {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Fails => Self::Holds,
            Self::Undecided => Self::Undecided,
            Self::Holds => Self::Fails,
        }
    }
}

impl From<bool> for ConditionOutcome {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

#[cfg(test)]
mod tests {
    use super::ConditionOutcome::{self, Fails, Holds, Undecided};

    const ALL: [ConditionOutcome; 3] = [Fails, Undecided, Holds];

    #[test]
    fn operators_follow_kleene() {
        type Operator = fn(ConditionOutcome, ConditionOutcome) -> ConditionOutcome;
        let table = |combine: Operator| ALL.map(|a| ALL.map(|b| combine(a, b)));
        let and = [[Fails; 3], [Fails, Undecided, Undecided], [Fails, Undecided, Holds]];
        let or = [[Fails, Undecided, Holds], [Undecided, Undecided, Holds], [Holds; 3]];
        assert_eq!(table(ConditionOutcome::and), and);
        assert_eq!(table(ConditionOutcome::or), or);
        assert_eq!(ALL.map(|it| !it), [Holds, Undecided, Fails]);
    }

    #[test]
    fn de_morgans_laws_hold() {
        for a in ALL {
            for b in ALL {
                assert_eq!(!a.and(b), (!a).or(!b));
            }
        }
    }
}
