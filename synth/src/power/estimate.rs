// SPDX-License-Identifier: Apache-2.0
//! The mean over a run of what was measured in windows of it.
//!
//! How often an instruction was dispatched, a bank read or written, and how many bits of data changed, is
//! known of every window and of the whole run. What an energy in a window has to do with these counts is
//! fitted by least squares, and the fit is taken at the counts of the whole run: the regression estimator of
//! survey sampling. What remains as an error is what the counts do not explain.

use serde::{Deserialize, Serialize};

/// Windows that each count asks for.
const WINDOWS_EACH: usize = 5;
/// A count that the others leave so little of says nothing more.
const LEFT: f64 = 1e-6;

/// A mean over windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean itself.
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

    /// The mean of values that are `factor` times as large.
    pub fn scaled(self, factor: f64) -> Mean {
        Mean { mean: factor * self.mean, error: factor * self.error }
    }
}

impl std::ops::Add for Mean {
    type Output = Mean;

    fn add(self, other: Mean) -> Mean {
        Mean { mean: self.mean + other.mean, error: self.error.hypot(other.error) }
    }
}

/// Orthonormal columns: of each, what the ones before it leave of it, if that is anything.
#[derive(Default)]
struct Basis {
    columns: Vec<Vec<f64>>,
    /// The value of each column at the place that is asked for.
    at: Vec<f64>,
}

impl Basis {
    /// The part of these values that the columns leave, with the value at the place asked for.
    fn rest(&self, values: &[f64], at: f64) -> (Vec<f64>, f64) {
        let (mut rest, mut at_rest) = (values.to_vec(), at);
        for (column, at) in self.columns.iter().zip(&self.at) {
            let along = product(&rest, column);
            rest.iter_mut().zip(column).for_each(|(value, of_column)| *value -= along * of_column);
            at_rest -= along * at;
        }
        (rest, at_rest)
    }

    /// Adds a column; the length of what is new in it, or nothing if that is not worth a column.
    fn add(&mut self, values: &[f64], at: f64) -> Option<f64> {
        let (mut rest, at) = self.rest(values, at);
        let left = length(&rest);
        if left <= LEFT * length(values) {
            return None;
        }
        rest.iter_mut().for_each(|value| *value /= left);
        self.columns.push(rest);
        self.at.push(at / left);
        Some(left)
    }

    /// Variance of what the columns leave.
    fn variance(&self, values: &[f64]) -> f64 {
        let (rest, _) = self.rest(values, 0.0);
        product(&rest, &rest) / values.len().saturating_sub(self.columns.len()) as f64
    }
}

/// Means over a run from values in its windows.
pub struct Estimator(Basis);

impl Estimator {
    /// `counts`: of each window, those of a cycle in it; `of_run`: the same of the run. The first ones are
    /// taken, one for every five windows.
    pub fn new(counts: &[Vec<f64>], of_run: &[f64]) -> Estimator {
        let mut basis = Basis::default();
        basis.add(&vec![1.0; counts.len()], 1.0);
        for (count, at) in of_run.iter().enumerate().take(counts.len() / WINDOWS_EACH) {
            basis.add(&counts.iter().map(|window| window[count]).collect::<Vec<_>>(), *at);
        }
        Estimator(basis)
    }

    /// The mean of what each window had in a cycle.
    pub fn mean(&self, values: &[f64]) -> Mean {
        let Basis { columns, at } = &self.0;
        let mean = columns.iter().zip(at).map(|(column, at)| product(values, column) * at).sum();
        Mean { mean, error: (self.0.variance(values) * product(at, at)).sqrt() }
    }
}

/// The amount that one of each term adds to a value, by least squares: `terms` has each term in all
/// windows. A term adds nothing if the others say as much without it, or if it would add less than its
/// standard error.
pub fn fitted(terms: &[Vec<f64>], values: &[f64]) -> Vec<Mean> {
    let mut found = vec![Mean::default(); terms.len()];
    let mut taken: Vec<usize> = (0..terms.len()).collect();
    loop {
        taken.iter().for_each(|term| found[*term] = slope(terms, &taken, *term, values));
        let certainty = |term: &usize| found[*term].mean / found[*term].error;
        let worst = taken.iter().copied().min_by(|a, b| certainty(a).total_cmp(&certainty(b)));
        match worst.filter(|term| certainty(term) < 1.0) {
            Some(worst) => {
                taken.retain(|term| *term != worst);
                found[worst] = Mean::default();
            }
            None => return found,
        }
    }
}

/// The amount that one more of a term adds with the others as they are.
fn slope(terms: &[Vec<f64>], taken: &[usize], term: usize, values: &[f64]) -> Mean {
    let mut basis = Basis::default();
    for other in taken.iter().filter(|other| **other != term) {
        basis.add(&terms[*other], 0.0);
    }
    let Some(left) = basis.add(&terms[term], 0.0) else { return Mean { mean: 0.0, error: f64::INFINITY } };
    let along = product(values, basis.columns.last().expect("one was added"));
    Mean { mean: along / left, error: basis.variance(values).sqrt() / left }
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
        assert!((mean - 17.0).abs() < 1e-9 && error < 1e-6, "{mean} {error}");
    }

    #[test]
    fn terms_are_told_apart() {
        let number = |window: u32| f64::from(window);
        let of = |term: fn(f64) -> f64| -> Vec<f64> { (0..40).map(|window| term(number(window))).collect() };
        let terms =
            [of(|_| 1.0), of(|window| window % 7.0), of(|window| window % 5.0), of(|window| window % 3.0)];
        // A small disturbance that has to do with none of them.
        let values = of(|window| 2.0 + 3.0 * (window % 7.0) + 0.5 * (window % 5.0) + 1e-3 * (window % 2.0));
        let found = fitted(&terms, &values);
        for (found, expected) in found.iter().zip([2.0, 3.0, 0.5, 0.0]) {
            assert!((found.mean - expected).abs() < 1e-3, "{found:?}, and not {expected}");
        }
        assert_eq!(
            fitted(&[terms[0].clone(), of(|_| 0.0)], &values)[1],
            Mean::default(),
            "a term that never is"
        );
    }
}
