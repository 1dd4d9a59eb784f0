// SPDX-License-Identifier: Apache-2.0
//! The CUDA SDK's MonteCarlo: prices of European call options by simulation.
//!
//! The reference is the closed formula of Black and Scholes, which the simulation comes near to as paths
//! become many; beside it, the same paths in double precision, with normal samples found by bisection of the
//! distribution function.

use bytemuck::NoUninit;

use super::{counted, expect_close, Benchmark, Size, Tolerance};
use crate::{Device, Module, Result};

pub(super) const MONTE_CARLO: Benchmark = Benchmark {
    name: "MonteCarlo",
    stands_for: "SDK, MC",
    about: "prices of European options by simulation, a block per option",
    size: |size| {
        let (options, paths) = input(size);
        format!("{}, {}", counted(options, "option"), counted(paths, "path"))
    },
    run,
};

const THREADS: u32 = 256;

/// Options and paths.
fn input(size: Size) -> (usize, usize) {
    size.pick((8, 1024), (128, 16_384), (512, 65_536))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (options, paths) = input(size);
    let mut random = fastrand::Rng::with_seed(9);
    let options: Vec<Option> = (0..options).map(|_| Option::random(&mut random)).collect();

    let module = Module::parse("monte_carlo.sass", include_str!("../../kernels/monte_carlo.sass"))?;
    let samples = device.allocate(4 * paths as u64);
    let device_options = device.upload(&options.iter().map(Option::simulated).collect::<Vec<_>>());
    let sums = device.allocate(8 * options.len() as u64);
    let count = (paths as i32).into();
    let blocks = (paths as u32).div_ceil(THREADS);
    device.launch(&module, "normal_samples", blocks, THREADS, 0, &[samples.into(), count])?;
    let arguments = [samples.into(), (paths as i32).into(), device_options.into(), sums.into()];
    device.launch(&module, "price_options", options.len() as u32, THREADS, 0, &arguments)?;

    let expected: Vec<f64> = (0..paths as u32).map(sample).collect();
    let actual = device.read::<f32>(samples, paths)?.into_iter().map(f64::from).collect::<Vec<_>>();
    // What Moro's formula promises, and single precision.
    expect_close("sample", &actual, &expected, Tolerance { relative: 3e-6, absolute: 3e-6 })?;

    let sums = device.read::<[f32; 2]>(sums, options.len())?;
    let mean = |sum: f32| f64::from(sum) / paths as f64;
    let (mut values, mut squares) = (vec![], vec![]);
    for option in &options {
        let at_expiry = expected.iter().map(|&sample| option.value_at_expiry(sample));
        let (sum, square_sum) =
            at_expiry.fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
        values.push(sum / paths as f64);
        squares.push(square_sum / paths as f64);
    }
    // Samples are off by a few millionths, prices by that times the spot.
    let tolerance = Tolerance { relative: 2e-5, absolute: 1e-3 };
    let actual: Vec<f64> = sums.iter().map(|&[sum, _]| mean(sum)).collect();
    expect_close("mean value", &actual, &values, tolerance)?;
    let actual: Vec<f64> = sums.iter().map(|&[_, squares]| mean(squares)).collect();
    expect_close("mean square", &actual, &squares, Tolerance { relative: 1e-4, absolute: 1e-2 })?;

    // Van der Corput's sequence leaves errors of the order of 1 / paths times the largest values.
    let prices: Vec<f64> =
        sums.iter().zip(&options).map(|(&[sum, _], option)| option.discount() * mean(sum)).collect();
    let exact: Vec<f64> = options.iter().map(Option::price).collect();
    expect_close("price", &prices, &exact, Tolerance { relative: 0.0, absolute: 500.0 / paths as f64 })
}

/// A call, years before its expiry.
struct Option {
    spot: f64,
    strike: f64,
    years: f64,
    /// A year's interest without risk.
    interest: f64,
    /// Standard deviation of the logarithm of the price, in a year.
    volatility: f64,
}

/// As the kernel has it.
#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Simulated {
    spot: f32,
    strike: f32,
    drift: f32,
    deviation: f32,
}

impl Option {
    fn random(random: &mut fastrand::Rng) -> Option {
        let mut between = |least: f64, most: f64| least + (most - least) * random.f64();
        Option {
            spot: between(5.0, 50.0),
            strike: between(10.0, 25.0),
            years: between(1.0, 5.0),
            interest: 0.06,
            volatility: 0.1,
        }
    }

    fn drift(&self) -> f64 {
        (self.interest - 0.5 * self.volatility.powi(2)) * self.years
    }

    fn deviation(&self) -> f64 {
        self.volatility * self.years.sqrt()
    }

    fn discount(&self) -> f64 {
        (-self.interest * self.years).exp()
    }

    fn simulated(&self) -> Simulated {
        let [spot, strike, drift, deviation] =
            [self.spot, self.strike, self.drift(), self.deviation()].map(|value| value as f32);
        Simulated { spot, strike, drift, deviation }
    }

    fn value_at_expiry(&self, sample: f64) -> f64 {
        (self.spot * (self.drift() + self.deviation() * sample).exp() - self.strike).max(0.0)
    }

    /// By Black and Scholes.
    fn price(&self) -> f64 {
        let below = ((self.spot / self.strike).ln() + self.drift()) / self.deviation();
        self.spot * normal(below + self.deviation()) - self.strike * self.discount() * normal(below)
    }
}

/// The normally distributed sample of a path: the inverse of [`normal`] of the path's bits in reverse order.
fn sample(path: u32) -> f64 {
    let probability = (f64::from(path.reverse_bits() >> 9) + 0.5) / f64::from(1 << 23);
    let (mut low, mut high) = (-6.0, 6.0);
    while high - low > 1e-9 {
        let middle = 0.5 * (low + high);
        match normal(middle) < probability {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

/// The normal distribution function, as Marsaglia's series around 0.
fn normal(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}
