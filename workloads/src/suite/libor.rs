// SPDX-License-Identifier: Apache-2.0
//! LIB of GPGPU-Sim's benchmarks: the value of a portfolio of swaptions in the LIBOR market model, by
//! simulation.
//!
//! 15 swaptions; large is what the benchmark has. The reference simulates in double precision, and takes the
//! derivative as the difference of two simulations with different rates.

use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const LIBOR: Benchmark = Benchmark {
    name: "libor",
    stands_for: "GPGPU-Sim, LI",
    about: "a portfolio of swaptions in the LIBOR market model, and its derivative",
    size: |size| {
        let (paths, model) = input(size);
        format!("{}, {}", counted(paths, "path"), counted(model.rates, "rate"))
    },
    run,
};

const THREADS: u32 = 64;
const ACCRUAL: f64 = 0.25;
const INITIAL_RATE: f64 = 0.05;
const VOLATILITY: f64 = 0.2;
/// The maturities of the rates beyond the last step, in tenths.
const MATURITIES: [usize; 15] = [1, 1, 1, 2, 2, 2, 5, 5, 5, 7, 7, 7, 10, 10, 10];
const STRIKES: [f64; 3] = [0.045, 0.05, 0.055];

fn input(size: Size) -> (usize, Model) {
    size.pick((100, Model::new(16, 6)), (16_384, Model::new(20, 6)), (4096, Model::new(80, 40)))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (paths, model) = input(size);
    let mut random = fastrand::Rng::with_seed(17);
    // Sums of twelve evenly distributed numbers are as good as normally distributed here.
    let samples: Vec<f32> =
        (0..model.steps * paths).map(|_| (0..12).map(|_| random.f32()).sum::<f32>() - 6.0).collect();

    let module = Module::parse("libor.sass", include_str!("../../kernels/libor.sass"))?;
    let mut set = |symbol, value: i32| device.write_symbol(&module, symbol, &[value]);
    set("rates", model.rates as i32)?;
    set("steps", model.steps as i32)?;
    set("swaptions", MATURITIES.len() as i32)?;
    let single = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
    device.write_symbol(&module, "accrual", &single(&[ACCRUAL]))?;
    device.write_symbol(&module, "initial_rate", &single(&[INITIAL_RATE]))?;
    device.write_symbol(&module, "volatilities", &vec![VOLATILITY as f32; model.rates])?;
    let maturities: Vec<i32> = model.swaptions().map(|(maturity, _)| maturity as i32).collect();
    device.write_symbol(&module, "maturities", &maturities)?;
    let strikes: Vec<f64> = model.swaptions().map(|(_, strike)| strike).collect();
    device.write_symbol(&module, "strikes", &single(&strikes))?;

    let device_samples = device.upload(&samples);
    let [values, values_again, derivatives] = [(); 3].map(|()| device.allocate(4 * paths as u64));
    let blocks = (paths as u32).div_ceil(THREADS);
    let count = (paths as i32).into();
    device.launch(
        &module,
        "libor_value",
        blocks,
        THREADS,
        0,
        &[device_samples.into(), values.into(), count],
    )?;
    let arguments = [device_samples.into(), values_again.into(), derivatives.into(), (paths as i32).into()];
    device.launch(&module, "libor_derivative", blocks, THREADS, 0, &arguments)?;

    let mut expected = (vec![], vec![]);
    for path in 0..paths {
        let shocks: Vec<f64> = (0..model.steps).map(|step| f64::from(samples[step * paths + path])).collect();
        let (value, derivative) = model.value_and_derivative(&shocks);
        expected.0.push(value);
        expected.1.push(derivative);
    }
    let read = |place| -> Result<Vec<f64>> {
        Ok(device.read::<f32>(place, paths)?.into_iter().map(f64::from).collect())
    };
    // A swap's value is the difference of numbers near 1, and counts a hundredfold, fifteen times.
    let tolerance = Tolerance { relative: 1e-4, absolute: 5e-3 };
    expect_close("value", &read(values)?, &expected.0, tolerance)?;
    expect_close("value beside derivative", &read(values_again)?, &expected.0, tolerance)?;
    expect_close("derivative", &read(derivatives)?, &expected.1, Tolerance { relative: 1e-3, absolute: 0.05 })
}

/// Forward rates, and the steps that they are simulated over.
struct Model {
    rates: usize,
    steps: usize,
}

impl Model {
    fn new(rates: usize, steps: usize) -> Model {
        Model { rates, steps }
    }

    /// Maturities in rates behind the last step, and strikes.
    fn swaptions(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let maturity = |tenths: usize| (tenths * (self.rates - self.steps) / 10).max(1);
        MATURITIES
            .iter()
            .zip(STRIKES.iter().cycle())
            .map(move |(&tenths, &strike)| (maturity(tenths), strike))
    }

    /// The derivative is that with respect to the last initial rate.
    fn value_and_derivative(&self, shocks: &[f64]) -> (f64, f64) {
        let with_last = |change: f64| {
            let mut rates = vec![INITIAL_RATE; self.rates];
            rates[self.rates - 1] += change;
            self.value(rates, shocks)
        };
        let step = 1e-6;
        (with_last(0.0), (with_last(step) - with_last(-step)) / (2.0 * step))
    }

    fn value(&self, mut rates: Vec<f64>, shocks: &[f64]) -> f64 {
        let accrued = ACCRUAL * VOLATILITY;
        for (step, shock) in shocks.iter().enumerate() {
            let mut drift = 0.0;
            for rate in &mut rates[step + 1..] {
                drift += accrued * *rate / (1.0 + ACCRUAL * *rate);
                *rate *= (accrued * drift + VOLATILITY * (ACCRUAL.sqrt() * shock - 0.5 * accrued)).exp();
            }
        }
        let discount = |rates: &[f64]| rates.iter().map(|rate| 1.0 / (1.0 + ACCRUAL * rate)).product::<f64>();
        let forward = &rates[self.steps..];
        let payoff = |(maturity, strike): (usize, f64)| {
            let bonds = (1..=maturity).map(|periods| discount(&forward[..periods]));
            let annuity = ACCRUAL * bonds.sum::<f64>();
            let swap = discount(&forward[..maturity]) + strike * annuity - 1.0;
            (-100.0 * swap).max(0.0)
        };
        self.swaptions().map(payoff).sum::<f64>() * discount(&rates[..self.steps])
    }
}
