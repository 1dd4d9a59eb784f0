// SPDX-License-Identifier: Apache-2.0
//! How the figures of memories grow with rows and width.

use serde::Serialize;

use super::{Memories, MemoryRun, Ports};

/// The figure that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Figure {
    Read,
    Write,
    Leakage,
    Area,
    Access,
}

impl Figure {
    pub const ALL: [Figure; 5] = [Figure::Read, Figure::Write, Figure::Leakage, Figure::Area, Figure::Access];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Read => "energy of a read",
            Figure::Write => "energy of a write",
            Figure::Leakage => "leakage",
            Figure::Area => "area",
            Figure::Access => "access time",
        }
    }

    fn of(self, one: &MemoryRun) -> f64 {
        match self {
            Figure::Read => one.read_fj,
            Figure::Write => one.write_fj,
            Figure::Leakage => one.leakage_nw,
            Figure::Area => one.area_um2,
            Figure::Access => one.access_ns,
        }
    }
}

/// Powers of rows and width with which each figure grows, in the order of [`Figure::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct Growth([(f64, f64); 5]);

/// How far the rule is from CACTI, over all memories with the same ports: each from the others.
#[derive(Clone, Debug, Serialize)]
pub struct RuleError {
    /// Their ports.
    pub ports: Ports,
    /// The figure.
    pub figure: &'static str,
    /// Power of the rows with which it grows.
    pub by_rows: f64,
    /// Power of the width.
    pub by_width: f64,
    /// How many memories there are.
    pub memories: usize,
    /// Mean distance in percent.
    pub mean_percent: f64,
    /// The largest one.
    pub worst_percent: f64,
    /// Rows and width of the memory with that.
    pub worst: (usize, usize),
}

impl Growth {
    /// The powers that fit best, by least squares over the logarithms.
    pub fn of(memories: &[&MemoryRun]) -> Growth {
        let rows = logarithms(memories, |one| one.rows as f64);
        let widths = logarithms(memories, |one| one.width as f64);
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (both, of_rows, of_widths) =
            (product(&rows, &widths), product(&rows, &rows), product(&widths, &widths));
        let determinant = of_rows * of_widths - both * both;
        Growth(Figure::ALL.map(|figure| {
            let figures = logarithms(memories, |one| figure.of(one));
            let (by_rows, by_width) = (product(&rows, &figures), product(&widths, &figures));
            (
                (by_rows * of_widths - by_width * both) / determinant,
                (by_width * of_rows - by_rows * both) / determinant,
            )
        }))
    }

    /// A figure of an array, from that of another.
    pub fn scaled(&self, figure: Figure, from: &MemoryRun, rows: usize, width: usize) -> f64 {
        let (by_rows, by_width) = self.0[figure as usize];
        let ratio = |now: usize, before: usize| now as f64 / before as f64;
        figure.of(from) * ratio(rows, from.rows).powf(by_rows) * ratio(width, from.width).powf(by_width)
    }
}

/// Logarithms, less their mean.
fn logarithms(memories: &[&MemoryRun], value: impl Fn(&MemoryRun) -> f64) -> Vec<f64> {
    let all: Vec<f64> = memories.iter().map(|one| value(one).ln()).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.into_iter().map(|one| one - mean).collect()
}

impl Memories {
    /// How far the rule is from CACTI: every memory that it was run for, as the rule has it from all others.
    pub fn errors(&self) -> Vec<RuleError> {
        let mut ports: Vec<Ports> = vec![];
        for one in self.arrays() {
            if !ports.contains(&one.ports()) {
                ports.push(one.ports());
            }
        }
        ports.into_iter().flat_map(|ports| self.errors_of(ports)).collect()
    }

    fn errors_of(&self, ports: Ports) -> Vec<RuleError> {
        let all: Vec<&MemoryRun> = self.arrays().filter(|one| one.ports() == ports).collect();
        let growth = Growth::of(&all);
        let errors = Figure::ALL.map(|figure| {
            let of_each = all.iter().map(|one| {
                let others = self.runs.iter().filter(|other| other != one).cloned().collect();
                let others = Memories { runs: others, ..self.clone() };
                let (nearest, growth) =
                    others.nearest(one.rows, one.width, ports).expect("the others are near");
                let by_rule = growth.scaled(figure, nearest, one.rows, one.width);
                (100.0 * (by_rule / figure.of(one) - 1.0).abs(), (one.rows, one.width))
            });
            let of_each: Vec<(f64, (usize, usize))> = of_each.collect();
            let worst = of_each.iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there is one");
            let (by_rows, by_width) = growth.0[figure as usize];
            RuleError {
                ports,
                figure: figure.name(),
                by_rows,
                by_width,
                memories: all.len(),
                mean_percent: of_each.iter().map(|(error, _)| error).sum::<f64>() / all.len() as f64,
                worst_percent: worst.0,
                worst: worst.1,
            }
        });
        errors.into()
    }
}
