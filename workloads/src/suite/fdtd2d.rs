// SPDX-License-Identifier: Apache-2.0
//! PolyBench's FDTD-2D: an electromagnetic wave in two dimensions.
//!
//! From random fields; a time step is three launches. The reference does the same in double precision.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Pointer, Result};

pub(super) const FDTD2D: Benchmark = Benchmark {
    name: "fdtd2d",
    stands_for: "PolyBench, FD",
    about: "an electromagnetic wave by finite differences in time and space",
    size: |size| extent(input(size).0),
    run,
};

const BLOCK: (u32, u32) = (32, 8);

/// Rows and columns of cells, and steps in time.
fn input(size: Size) -> ([usize; 2], usize) {
    size.pick(([64, 48], 2), ([256, 256], 8), ([1024, 1024], 8))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let ([rows, columns], steps) = input(size);
    let mut random = fastrand::Rng::with_seed(8);
    let mut values = |count: usize| -> Vec<f32> { (0..count).map(|_| random.f32()).collect() };
    let source = values(steps);
    let (ex, ey) = (values(rows * (columns + 1)), values((rows + 1) * columns));
    let hz = values(rows * columns);

    let module = Module::parse("fdtd2d.sass", include_str!("../../kernels/fdtd2d.sass"))?;
    let device_source = device.upload(&source);
    let [device_ex, device_ey, device_hz] = [&ex, &ey, &hz].map(|field| device.upload(field));
    let extent = [(rows as i32).into(), (columns as i32).into()];
    let grid = ((columns as u32).div_ceil(BLOCK.0), (rows as u32).div_ceil(BLOCK.1));
    let mut launch = |kernel, places: &[Pointer], step: Option<i32>| {
        let mut arguments: Vec<_> = places.iter().map(|&place| place.into()).collect();
        arguments.extend(step.map(Into::into));
        arguments.extend(extent.clone());
        device.launch(&module, kernel, grid, BLOCK, 0, &arguments)
    };
    for step in 0..steps {
        launch("update_ey", &[device_source, device_ey, device_hz], Some(step as i32))?;
        launch("update_ex", &[device_ex, device_hz], None)?;
        launch("update_hz", &[device_ex, device_ey, device_hz], None)?;
    }

    let double = |values: Vec<f32>| values.into_iter().map(f64::from).collect();
    let mut fields = Fields { rows, columns, ex: double(ex), ey: double(ey), hz: double(hz) };
    for drive in source {
        fields.advance(f64::from(drive));
    }
    // Values stay near 1; each step rounds a few times.
    let tolerance = Tolerance { relative: 0.0, absolute: 1e-5 };
    for (what, place, expected) in
        [("ex", device_ex, fields.ex), ("ey", device_ey, fields.ey), ("hz", device_hz, fields.hz)]
    {
        let actual: Vec<f64> =
            device.read::<f32>(place, expected.len())?.into_iter().map(f64::from).collect();
        expect_close(what, &actual, &expected, tolerance)?;
    }
    Ok(())
}

/// For Yee's grid: `ex` lies between columns, `ey` between rows.
struct Fields {
    rows: usize,
    columns: usize,
    ex: Vec<f64>,
    ey: Vec<f64>,
    hz: Vec<f64>,
}

impl Fields {
    /// One time step. The first row of `ey` is driven; the first column of `ex` and what lies behind the last
    /// ones stay.
    fn advance(&mut self, drive: f64) {
        let (rows, columns) = (self.rows, self.columns);
        self.ey[..columns].fill(drive);
        for (ey, hz) in self.ey[columns..].iter_mut().zip(self.hz.windows(columns + 1)) {
            *ey -= 0.5 * (hz[columns] - hz[0]);
        }
        for (ex, hz) in self.ex.chunks_mut(columns + 1).zip(self.hz.chunks(columns)) {
            for (ex, hz) in ex[1..].iter_mut().zip(hz.windows(2)) {
                *ex -= 0.5 * (hz[1] - hz[0]);
            }
        }
        for y in 0..rows {
            for x in 0..columns {
                let curl = self.ex[y * (columns + 1) + x + 1] - self.ex[y * (columns + 1) + x]
                    + self.ey[(y + 1) * columns + x]
                    - self.ey[y * columns + x];
                self.hz[y * columns + x] -= 0.7 * curl;
            }
        }
    }
}
