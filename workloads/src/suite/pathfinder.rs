// SPDX-License-Identifier: Apache-2.0
//! pathfinder: the cheapest way through a grid from its top to its bottom, one row down and at most one
//! column sideways a step.
//!
//! The grid holds random costs from 0 to 9. Each launch of `advance` moves the row of cheapest sums 20
//! rows down; source and result swap roles between launches. The reference is the same recurrence, row
//! after row.

use super::{expect_equal, extent, Benchmark, Size};
use crate::{Device, Module, Result};

pub(super) const PATHFINDER: Benchmark = Benchmark {
    name: "pathfinder",
    stands_for: "Rodinia pathfinder",
    about: "cheapest paths down a grid of random costs, dynamic programming blocked as a pyramid",
    size: |size| extent(grid(size)),
    run,
};

/// Columns that a thread block reads.
const BLOCK: usize = 256;
/// Rows that a launch advances.
const PYRAMID_HEIGHT: usize = 20;

/// Columns and rows of the grid.
fn grid(size: Size) -> [usize; 2] {
    size.pick([1300, 41], [20_000, 81], [100_000, 161])
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("pathfinder.sass", include_str!("../../kernels/pathfinder.sass"))?;
    let [columns, rows] = grid(size);
    let mut random = fastrand::Rng::with_seed(7);
    let costs: Vec<i32> = (0..rows * columns).map(|_| random.i32(0..10)).collect();

    // The first row is where paths start; the kernel sees the others.
    let expected = cheapest_sums(&costs, columns);
    let (start, walls) = costs.split_at(columns);
    let walls = device.upload(walls);
    let mut source = device.upload(start);
    drop(costs);
    let mut result = device.allocate(4 * columns as u64);

    let blocks = columns.div_ceil(BLOCK - 2 * PYRAMID_HEIGHT) as u32;
    for row in (0..rows - 1).step_by(PYRAMID_HEIGHT) {
        let iterations = PYRAMID_HEIGHT.min(rows - 1 - row);
        device.launch(
            &module,
            "advance",
            blocks,
            BLOCK as u32,
            0,
            &[
                (iterations as i32).into(),
                walls.into(),
                source.into(),
                result.into(),
                (columns as i32).into(),
                (row as i32).into(),
                (PYRAMID_HEIGHT as i32).into(),
            ],
        )?;
        std::mem::swap(&mut source, &mut result);
    }

    expect_equal("cost", &device.read::<i32>(source, columns)?, &expected)
}

/// The cost of the cheapest path to each column of the last row.
fn cheapest_sums(costs: &[i32], columns: usize) -> Vec<i32> {
    let mut sums = costs[..columns].to_vec();
    for row in costs[columns..].chunks(columns) {
        let above = sums.clone();
        for column in 0..columns {
            let nearby = column.saturating_sub(1)..=(column + 1).min(columns - 1);
            sums[column] = row[column] + above[nearby].iter().min().expect("the column itself is nearby");
        }
    }
    sums
}
