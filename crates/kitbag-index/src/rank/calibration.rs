//! Turns scores into the chance that a chunk matters.
//!
//! The chance is the product of two: that the task is about this repository at all, and that the chunk
//! matters if it is, which depends on its score and on the shape of the task. A curve learned on projects
//! that the models had not seen corrects the product. Every step increases with the score, so the order
//! of the chunks stays that of their scores.

use serde::Deserialize;

/// The learned parameters.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Calibration {
    intercept: f64,
    score: f64,
    /// Weights of the task's brevity, of being a single name and of describing a change, alone and times
    /// the score.
    brevity: f64,
    is_name: f64,
    change: f64,
    score_brevity: f64,
    score_is_name: f64,
    score_change: f64,
    /// Turns the score of the task model into the logit that the task is about the repository.
    fit_slope: f64,
    fit_offset: f64,
    /// Points of the curve, as a logit and its chance, both increasing.
    curve: Vec<(f64, f64)>,
}

/// The shape of a task, which the meaning of a score depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskShape {
    /// Chance that the task is about the repository.
    pub fit: f64,
    pub brevity: f64,
    pub is_name: f64,
    /// Chance that the task describes a change.
    pub change: f64,
}

impl Calibration {
    /// Returns the chance that a task is about the repository, given the score of the task model.
    pub fn fit(&self, score: f32) -> f64 {
        logistic(self.fit_offset + self.fit_slope * f64::from(score))
    }

    /// Returns the chance that a chunk with a score matters.
    pub fn relevance(&self, score: f32, shape: &TaskShape) -> f64 {
        let score = f64::from(score);
        let slope = self.score
            + self.score_brevity * shape.brevity
            + self.score_is_name * shape.is_name
            + self.score_change * shape.change;
        let offset = self.intercept
            + self.brevity * shape.brevity
            + self.is_name * shape.is_name
            + self.change * shape.change;
        let product = shape.fit * logistic(offset + slope * score);
        self.correct((product / (1.0 - product)).ln())
    }

    /// Follows the curve. Beyond its ends the chance approaches 0 and 1.
    fn correct(&self, logit: f64) -> f64 {
        let (Some(&first), Some(&last)) = (self.curve.first(), self.curve.last()) else {
            return logistic(logit);
        };
        if logit <= first.0 {
            return first.1 * (logit - first.0).exp();
        }
        if logit >= last.0 {
            return 1.0 - (1.0 - last.1) * (last.0 - logit).exp();
        }
        let after = self.curve.partition_point(|point| point.0 <= logit);
        let (low, high) = (self.curve[after - 1], self.curve[after]);
        low.1 + (high.1 - low.1) * (logit - low.0) / (high.0 - low.0)
    }
}

/// Returns the probability of a logit.
fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_increases_with_the_score_and_with_the_fit() {
        let calibration = Calibration {
            intercept: 1.0,
            score: 0.8,
            curve: vec![(-6.0, 0.001), (-2.0, 0.1), (1.0, 0.8)],
            ..Calibration::default()
        };
        let at = |score: f32, fit: f64| {
            calibration
                .relevance(score, &TaskShape { fit, brevity: 0.3, is_name: 0.0, change: 1.0 })
        };
        let scores: Vec<f64> = (-400..100).map(|score| at(score as f32 / 10.0, 0.9)).collect();
        assert!(scores.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(scores.iter().all(|chance| (0.0..1.0).contains(chance)));
        assert!(at(0.0, 0.9) > 0.4 && at(0.0, 0.01) < 0.05, "{} {}", at(0.0, 0.9), at(0.0, 0.01));
    }
}
