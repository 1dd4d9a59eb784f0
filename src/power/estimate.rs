//! The mean over a run of what was measured in windows of it.
//!
//! How often an instruction was dispatched, a bank read or written, and how many bits of data changed, is known of every window
//! and of the whole run. What an energy in a window has to do with these counts is fitted by least squares, and the fit is
//! taken at the counts of the whole run: the regression estimator of survey sampling. What remains as an error is what the
//! counts do not explain.

use serde::{Deserialize, Serialize};

/// Windows that each count asks for.
const WINDOWS_EACH: usize = 5;
/// A count that the others leave so little of says nothing more.
const LEFT: f64 = 1e-6;

/// A mean over windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub mean: f64,
    /// Its standard error, what the counts leave in the windows taken for independent.
    pub error: f64,
}

impl Mean {
    /// A value without an error.
    pub fn exact(mean: f64) -> Mean {
        Mean { mean, error: 0.0 }
    }

    /// The mean of means that do not depend on each other.
    pub fn over(means: &[Mean]) -> Mean {
        let count = means.len() as f64;
        let squares: f64 = means.iter().map(|mean| mean.error * mean.error).sum();
        Mean { mean: means.iter().map(|mean| mean.mean).sum::<f64>() / count, error: squares.sqrt() / count }
    }

    pub fn scaled(self, factor: f64) -> Mean {
        Mean { mean: factor * self.mean, error: factor * self.error }
    }
}

/// Sums of means that do not depend on each other.
impl std::ops::Add for Mean {
    type Output = Mean;

    fn add(self, other: Mean) -> Mean {
        Mean { mean: self.mean + other.mean, error: self.error.hypot(other.error) }
    }
}

/// Means over a run from values in its windows.
pub struct Estimator {
    /// Orthonormal over the windows: a constant, and what each count adds; each with its value at the counts of the run.
    basis: Vec<(Vec<f64>, f64)>,
}

impl Estimator {
    /// `counts`: of each window, those of a cycle in it; `of_run`: the same of the run. The first ones are taken, one for every
    /// five windows.
    pub fn new(counts: &[Vec<f64>], of_run: &[f64]) -> Estimator {
        let windows = counts.len();
        let constant = (vec![1.0; windows], 1.0);
        let controls = (0..of_run.len().min(windows / WINDOWS_EACH))
            .map(|count| (counts.iter().map(|window| window[count]).collect(), of_run[count]));
        let mut basis: Vec<(Vec<f64>, f64)> = vec![];
        for (mut values, mut at) in [constant].into_iter().chain(controls) {
            let before = length(&values);
            for (other, other_at) in &basis {
                let along = product(&values, other);
                values.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
                at -= along * other_at;
            }
            let left = length(&values);
            if left > LEFT * before {
                values.iter_mut().for_each(|value| *value /= left);
                basis.push((values, at / left));
            }
        }
        Estimator { basis }
    }

    /// Of what each window had in a cycle.
    pub fn mean(&self, values: &[f64]) -> Mean {
        let (mut rest, mut mean) = (values.to_vec(), 0.0);
        for (of_windows, at) in &self.basis {
            let along = product(&rest, of_windows);
            rest.iter_mut().zip(of_windows).for_each(|(value, of_window)| *value -= along * of_window);
            mean += along * at;
        }
        let free = values.len().saturating_sub(self.basis.len()) as f64;
        let at = self.basis.iter().map(|(_, at)| at * at).sum::<f64>();
        Mean { mean, error: (product(&rest, &rest) / free * at).sqrt() }
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(values: &[f64]) -> f64 {
    product(values, values).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_counts_it_is_the_mean_and_its_standard_error() {
        let estimator = Estimator::new(&[vec![], vec![], vec![], vec![]], &[]);
        let Mean { mean, error } = estimator.mean(&[1.0, 2.0, 3.0, 6.0]);
        // Squares of 4 + 1 + 0 + 9, over 3, over 4.
        assert!((mean - 3.0).abs() < 1e-12 && (error - f64::sqrt(14.0 / 12.0)).abs() < 1e-12);
    }

    #[test]
    fn what_the_counts_explain_has_no_error() {
        let counts: Vec<Vec<f64>> =
            (0..20).map(|window| vec![f64::from(window % 7), 2.0, f64::from(window)]).collect();
        let values: Vec<f64> = counts.iter().map(|counts| 5.0 + 3.0 * counts[0]).collect();
        let Mean { mean, error } = Estimator::new(&counts, &[4.0, 2.0, 10.0]).mean(&values);
        assert!((mean - 17.0).abs() < 1e-9 && error < 1e-9, "{mean} {error}");
    }
}
