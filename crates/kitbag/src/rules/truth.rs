//! The three answers that a condition has, combined as in Kleene's strong logic of three values.

use serde::Serialize;
use std::ops::Not;

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// It does not hold.
    Fails,
    /// Nobody can tell, or nobody was asked.
    Undecided,
    /// It holds.
    Holds,
}

impl Truth {
    /// Both: what fails on either side fails, whatever the other side is.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// Either: what holds on one side holds, whatever the other side is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }
}

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Fails => Self::Holds,
            Self::Undecided => Self::Undecided,
            Self::Holds => Self::Fails,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, Fails, Holds, Undecided};

    const ALL: [Truth; 3] = [Fails, Undecided, Holds];

    #[test]
    fn and_or_and_not_are_kleenes() {
        let table = |combine: fn(Truth, Truth) -> Truth| ALL.map(|a| ALL.map(|b| combine(a, b)));
        let and = [[Fails; 3], [Fails, Undecided, Undecided], [Fails, Undecided, Holds]];
        let or = [[Fails, Undecided, Holds], [Undecided, Undecided, Holds], [Holds; 3]];
        assert_eq!(table(Truth::and), and);
        assert_eq!(table(Truth::or), or);
        assert_eq!(ALL.map(|it| !it), [Holds, Undecided, Fails]);
    }

    #[test]
    fn the_laws_of_de_morgan_hold() {
        for a in ALL {
            for b in ALL {
                assert_eq!(!a.and(b), (!a).or(!b));
            }
        }
    }
}
