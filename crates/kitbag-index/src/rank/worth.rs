//! What a chunk is worth: the chance of its file, times its chance within the file, over its size.
//! Its score is the logarithm of that, so each of these adds to it.

use super::model::{Contribution, by_weight};

/// What adds to a chunk's score beside its features.
pub const WORTH_FACTORS: &[&str] = &["file", "among", "size", "first", "lead"];

/// What a chunk is worth, and how that came about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worth {
    /// All of it.
    pub worth: f32,
    /// The chance of its file.
    pub chance: f32,
    /// Its own chance within the file.
    pub within: f32,
    /// What it gains as the best of its file, as a share of the file's chance.
    pub bonus: f32,
    /// Its size, and what that costs.
    pub tokens: f32,
    pub cost: f32,
    /// What its score gained so that it comes first of all.
    pub lead: f32,
}

impl Worth {
    /// The score that it makes, before the lead.
    pub fn score(&self) -> f32 {
        self.worth.max(f32::MIN_POSITIVE).ln()
    }

    /// Adds to what its features add to `score` what else does, so that all of it is told.
    pub fn explain(&self, score: f32, mut all: Vec<Contribution>) -> Vec<Contribution> {
        let ln = |number: f32| number.max(f32::MIN_POSITIVE).ln();
        let plain = self.within.powf(super::CHUNK_TRUST);
        let factor = |feature, value, adds| Contribution { feature, value, adds };
        let has_bonus = self.bonus > 0.0;
        let first = if has_bonus { ln(plain + self.bonus) - ln(plain) } else { 0.0 };
        all.extend([
            factor("file", self.chance, ln(self.chance)),
            factor("size", self.tokens, -ln(self.cost)),
            factor("first", f32::from(has_bonus), first),
            factor("lead", f32::from(self.lead != 0.0), self.lead),
        ]);
        // Features say how chunks differ; what is left makes a chance among those of the file of it.
        let told: f32 = all.iter().map(|it| it.adds).sum();
        all.push(factor("among", self.within, score - told));
        all.retain(|it| it.adds != 0.0);
        all.sort_by(by_weight);
        all
    }
}
