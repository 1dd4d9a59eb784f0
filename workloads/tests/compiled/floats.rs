// SPDX-License-Identifier: Apache-2.0
//! Division, roots, elementary functions, conversions, half precision.

use half::f16;
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{binary, unary, FLOATS};

const ROUNDS: usize = 1000;

/// Numbers of all magnitudes, some of them special, and near ones.
fn singles(seed: u64) -> Vec<f32> {
    let edges = [
        0.0,
        1.0,
        3.0,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        1e-40,
        f32::INFINITY,
        f32::NAN,
        0.1,
        16777216.0,
        1e30,
    ];
    let mut random = fastrand::Rng::with_seed(seed);
    let value = |_| match random.u8(..4) {
        0 => edges[random.usize(..edges.len())] * if random.bool() { 1.0 } else { -1.0 },
        1 => f32::from_bits(random.u32(..)),
        _ => (random.f32() - 0.5) * 2f32.powi(random.i32(-10..10)),
    };
    (0..ROUNDS).map(value).collect()
}

fn doubles(seed: u64) -> Vec<f64> {
    let edges =
        [0.0, 1.0, 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e-310, f64::INFINITY, f64::NAN, 0.1, 1e300];
    let mut random = fastrand::Rng::with_seed(seed);
    let value = |_| match random.u8(..4) {
        0 => edges[random.usize(..edges.len())] * if random.bool() { 1.0 } else { -1.0 },
        1 => f64::from_bits(random.u64(..)),
        _ => (random.f64() - 0.5) * 2f64.powi(random.i32(-30..30)),
    };
    (0..ROUNDS).map(value).collect()
}

/// `f` of one value per thread, exact to the bit; a NaN is a NaN.
#[track_caller]
fn exact_f32(kernel: &str, lists: &[&[f32]], f: impl Fn(f32, f32) -> f32) {
    let found: Vec<f32> = if lists.len() == 1 {
        unary(&FLOATS, kernel, lists[0])
    } else {
        binary(&FLOATS, kernel, lists[0], lists[1])
    };
    for (i, found) in found.into_iter().enumerate() {
        let (a, b) = (lists[0][i], lists[lists.len() - 1][i]);
        let expected = f(a, b);
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{kernel} of {a:e}, {b:e}: {found:e}, expected {expected:e}");
    }
}

#[track_caller]
fn exact_f64(kernel: &str, lists: &[&[f64]], f: impl Fn(f64, f64) -> f64) {
    let found: Vec<f64> = if lists.len() == 1 {
        unary(&FLOATS, kernel, lists[0])
    } else {
        binary(&FLOATS, kernel, lists[0], lists[1])
    };
    for (i, found) in found.into_iter().enumerate() {
        let (a, b) = (lists[0][i], lists[lists.len() - 1][i]);
        let expected = f(a, b);
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{kernel} of {a:e}, {b:e}: {found:e}, expected {expected:e}");
    }
}

/// Within so many units in the last place of a function computed in double precision.
#[track_caller]
fn close_f32(kernel: &str, ulps: f64, lists: &[&[f32]], f: impl Fn(f64, f64) -> f64) {
    let found: Vec<f32> = if lists.len() == 1 {
        unary(&FLOATS, kernel, lists[0])
    } else {
        binary(&FLOATS, kernel, lists[0], lists[1])
    };
    for (i, found) in found.into_iter().enumerate() {
        let (a, b) = (lists[0][i], lists[lists.len() - 1][i]);
        let expected = f(a.into(), b.into());
        let rounded = expected as f32;
        // The distance of floats of this exponent; that of the greatest ones for what overflows.
        let unit = f64::from(rounded.abs().min(f32::MAX).to_bits().max(0x0080_0000)).max(1.0);
        let exponent = (unit as u32 >> 23) as i32 - 127 - 23;
        let distance = (f64::from(found) - expected).abs() / 2f64.powi(exponent);
        let same = found.is_nan() && expected.is_nan() || found == rounded || distance <= ulps;
        assert!(same, "{kernel} of {a:e}, {b:e}: {found:e}, expected {expected:e}, {distance} ulp off");
    }
}

#[track_caller]
fn close_f64(kernel: &str, ulps: i64, lists: &[&[f64]], f: impl Fn(f64, f64) -> f64) {
    let found: Vec<f64> = if lists.len() == 1 {
        unary(&FLOATS, kernel, lists[0])
    } else {
        binary(&FLOATS, kernel, lists[0], lists[1])
    };
    for (i, found) in found.into_iter().enumerate() {
        let (a, b) = (lists[0][i], lists[lists.len() - 1][i]);
        let expected = f(a, b);
        let distance = (found.to_bits() as i64).wrapping_sub(expected.to_bits() as i64).unsigned_abs();
        let same = found.is_nan() && expected.is_nan() || found == expected || distance <= ulps as u64;
        assert!(same, "{kernel} of {a:e}, {b:e}: {found:e}, expected {expected:e}, {distance} ulp off");
    }
}

fn divided(a: f32, b: f32, round: Round) -> f32 {
    let [a, b] = [a, b].map(|value| Single::from_bits(value.to_bits().into()));
    f32::from_bits(a.div_r(b, round).value.to_bits() as u32)
}

#[test]
fn divisions_and_roots_are_rounded_correctly() {
    let (a, b) = (singles(1), singles(2));
    exact_f32("divide_f32", &[&a, &b], |a, b| a / b);
    exact_f32("divide_rz_f32", &[&a, &b], |a, b| divided(a, b, Round::TowardZero));
    exact_f32("divide_ru_f32", &[&a, &b], |a, b| divided(a, b, Round::TowardPositive));
    exact_f32("divide_rd_f32", &[&a, &b], |a, b| divided(a, b, Round::TowardNegative));
    exact_f32("reciprocal_f32", &[&b], |b, _| 1.0 / b);
    let magnitudes: Vec<f32> = a.iter().map(|a| if a % 3.0 == 0.0 { *a } else { a.abs() }).collect();
    exact_f32("sqrt_f32", &[&magnitudes], |a, _| a.sqrt());
    exact_f32("sqrt_rd_f32", &[&magnitudes], |a, _| {
        let near = a.sqrt();
        // The square of a single is exact in double precision.
        let above = f64::from(near) * f64::from(near) > f64::from(a);
        if above && near.is_finite() {
            near.next_down()
        } else {
            near
        }
    });

    let (a, b) = (doubles(3), doubles(4));
    exact_f64("divide_f64", &[&a, &b], |a, b| a / b);
    exact_f64("divide_ru_f64", &[&a, &b], |a, b| {
        let [a, b] = [a, b].map(|value| Double::from_bits(value.to_bits().into()));
        f64::from_bits(a.div_r(b, Round::TowardPositive).value.to_bits() as u64)
    });
    exact_f64("reciprocal_f64", &[&b], |b, _| 1.0 / b);
    let magnitudes: Vec<f64> = a.iter().map(|a| if a % 3.0 == 0.0 { *a } else { a.abs() }).collect();
    exact_f64("sqrt_f64", &[&magnitudes], |a, _| a.sqrt());
}

/// The bounds are those of the CUDA C++ Programming Guide's appendix on mathematical functions.
#[test]
fn functions_are_as_close_as_cuda_says() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut list =
        |low: f32, high: f32| (0..ROUNDS).map(|_| low + (high - low) * random.f32()).collect::<Vec<f32>>();
    let (near, angles, large, unit, exponents) =
        (list(-1.0, 1.0), list(-400.0, 400.0), list(-3e7, 3e7), list(0.0, 1.0), list(-110.0, 95.0));
    let (bases, powers) = (list(0.0, 50.0), list(-30.0, 20.0));
    let wide: Vec<f32> = singles(6);
    for list in [&near, &angles, &large, &wide] {
        close_f32("sin_f32", 2.0, &[list], |a, _| a.sin());
        close_f32("cos_f32", 2.0, &[list], |a, _| a.cos());
        close_f32("atan_f32", 2.0, &[list], |a, _| a.atan());
        close_f32("cbrt_f32", 1.0, &[list], |a, _| a.cbrt());
        close_f32("tanh_f32", 2.0, &[list], |a, _| a.tanh());
    }
    for list in [&near, &exponents, &wide] {
        close_f32("exp_f32", 2.0, &[list], |a, _| a.exp());
    }
    for list in [&unit, &bases, &wide] {
        close_f32("log_f32", 1.0, &[list], |a, _| a.ln());
        close_f32("rsqrt_f32", 2.0, &[list], |a, _| 1.0 / a.sqrt());
    }
    close_f32("pow_f32", 4.0, &[&bases, &powers], f64::powf);
    exact_f32("fmod_f32", &[&large, &angles], |a, b| a % b);
    exact_f32("fmod_f32", &[&wide, &singles(7)], |a, b| a % b);

    let double =
        |list: &[f32]| list.iter().map(|&value| f64::from(value) * 1.000_000_1).collect::<Vec<f64>>();
    // Rust's functions may be off by one themselves.
    for list in [&near, &angles, &large] {
        close_f64("sin_f64", 2 + 1, &[&double(list)], |a, _| a.sin());
    }
    close_f64("exp_f64", 1 + 1, &[&double(&exponents)], |a, _| a.exp());
    close_f64("log_f64", 1 + 1, &[&double(&bases)], |a, _| a.ln());
    close_f64("pow_f64", 2 + 1, &[&double(&bases), &double(&powers)], f64::powf);
    close_f64("rsqrt_f64", 1 + 1, &[&double(&bases)], |a, _| 1.0 / a.sqrt());

    // Intrinsics: bounds are absolute, or grow with the argument.
    let turns = list(-3.1, 3.1);
    for (found, a) in unary::<f32, f32>(&FLOATS, "fast_sin_f32", &turns).into_iter().zip(&turns) {
        assert!((f64::from(found) - f64::from(*a).sin()).abs() <= 2f64.powf(-21.41), "{a}: {found}");
    }
    close_f32("fast_exp_f32", 2.0 + 1.173, &[&near], |a, _| a.exp());
    close_f32("fast_log_f32", 3.0, &[&list(2.0, 1e6)], |a, _| a.ln());
    close_f32("fast_divide_f32", 2.0, &[&angles, &bases], |a, b| a / b);
}

#[test]
fn special_arguments_give_special_results() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let values = [0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 200.0, -200.0];
    for (kernel, f) in [
        ("sin_f32", f32::sin as fn(f32) -> f32),
        ("exp_f32", f32::exp),
        ("log_f32", f32::ln),
        ("tanh_f32", f32::tanh),
        ("cbrt_f32", f32::cbrt),
    ] {
        let found: Vec<f32> = unary(&FLOATS, kernel, &values);
        for (&value, found) in values.iter().zip(found) {
            let expected = f(value);
            let same = found.is_nan() && expected.is_nan()
                || (found - expected).abs() <= 1e-6 * expected.abs()
                || found.to_bits() == expected.to_bits();
            assert!(same, "{kernel} of {value}: {found}, expected {expected}");
        }
    }
    let bases = [0.0, -0.0, 1.0, -1.0, -2.0, inf, -inf, nan, 2.0, 0.5];
    let pairs: Vec<(f32, f32)> =
        bases.iter().flat_map(|&a| [0.0, 1.0, -1.0, 3.0, 0.5, inf, -inf, nan].map(|b| (a, b))).collect();
    let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
    for (i, found) in binary::<f32, f32>(&FLOATS, "pow_f32", &a, &b).into_iter().enumerate() {
        let expected = a[i].powf(b[i]);
        let same = found.is_nan() && expected.is_nan() || found.to_bits() == expected.to_bits();
        assert!(
            same || (found - expected).abs() <= 1e-6,
            "{} to the {}: {found}, expected {expected}",
            a[i],
            b[i]
        );
    }
}

#[test]
fn extremes_and_integral_parts() {
    let (a, b) = (singles(8), singles(9));
    let choose = |a: f32, b: f32, least: bool| match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => {
            if a.total_cmp(&b).is_lt() == least {
                a
            } else {
                b
            }
        }
    };
    exact_f32("minimum_f32", &[&a, &b], |a, b| choose(a, b, true));
    exact_f32("maximum_f32", &[&a, &b], |a, b| choose(a, b, false));
    exact_f32("floor_f32", &[&a], |a, _| a.floor());
    exact_f32("ceil_f32", &[&a], |a, _| a.ceil());
    exact_f32("trunc_f32", &[&a], |a, _| a.trunc());
    exact_f32("rint_f32", &[&a], |a, _| a.round_ties_even());
    exact_f32("saturate_f32", &[&a], |a, _| if a > 0.0 { (2.0 * a).min(1.0) } else { 0.0 });
    let (x, y) = (doubles(10), doubles(11));
    let choose = |a: f64, b: f64, least: bool| match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => {
            if (a < b) == least {
                a
            } else {
                b
            }
        }
    };
    let different: (Vec<f64>, Vec<f64>) =
        x.iter().zip(&y).filter(|(x, y)| x != y).map(|(x, y)| (*x, *y)).unzip();
    exact_f64("minimum_f64", &[&different.0, &different.1], |a, b| choose(a, b, true));
    exact_f64("maximum_f64", &[&different.0, &different.1], |a, b| choose(a, b, false));
    exact_f64("floor_f64", &[&x], |a, _| a.floor());
    exact_f64("rint_f64", &[&x], |a, _| a.round_ties_even());

    let flags = |less, less_or_equal, greater, greater_or_equal, equal, unequal, nan, infinite: bool| {
        [less, less_or_equal, greater, greater_or_equal, equal, unequal, nan, infinite]
            .into_iter()
            .enumerate()
            .fold(0, |all, (bit, flag)| all | u32::from(flag) << bit)
    };
    for (i, found) in binary::<f32, u32>(&FLOATS, "classify_f32", &a, &b).into_iter().enumerate() {
        let (a, b) = (a[i], b[i]);
        let expected = flags(a < b, a <= b, a > b, a >= b, a == b, a != b, a.is_nan(), b.is_infinite());
        assert_eq!(found, expected, "{a:e} {b:e}");
    }
    for (i, found) in binary::<f64, u32>(&FLOATS, "classify_f64", &x, &y).into_iter().enumerate() {
        let (a, b) = (x[i], y[i]);
        let expected = flags(a < b, a <= b, a > b, a >= b, a == b, a != b, a.is_nan(), b.is_infinite());
        assert_eq!(found, expected, "{a:e} {b:e}");
    }
}

#[track_caller]
fn converts<T, R>(kernel: &str, values: &[T], f: impl Fn(T) -> R)
where
    T: bytemuck::NoUninit + std::fmt::Debug,
    R: bytemuck::AnyBitPattern + bytemuck::NoUninit + PartialEq + std::fmt::Debug,
{
    for (&value, found) in values.iter().zip(unary::<T, R>(&FLOATS, kernel, values)) {
        assert_eq!(found, f(value), "{kernel} of {value:?}");
    }
}

#[test]
fn floats_become_integers() {
    let mut a = singles(12);
    a.extend([
        2147483520.0,
        2147483648.0,
        -2147483648.0,
        4294967040.0,
        0.5,
        1.5,
        2.5,
        -0.5,
        -1.5,
        9.2e18,
        1.9e19,
    ]);
    converts("f32_to_i32_rn", &a, |a| a.round_ties_even() as i32);
    converts("f32_to_i32_rz", &a, |a| a as i32);
    converts("f32_to_i32_ru", &a, |a| a.ceil() as i32);
    converts("f32_to_i32_rd", &a, |a| a.floor() as i32);
    converts("f32_to_u32_rz", &a, |a| a as u32);
    converts("f32_to_u32_ru", &a, |a| a.ceil() as u32);
    // A NaN becomes the integer with only the highest bit set.
    converts("f32_to_i64_rn", &a, |a| if a.is_nan() { i64::MIN } else { a.round_ties_even() as i64 });
    converts("f32_to_u64_rz", &a, |a| if a.is_nan() { 1 << 63 } else { a as u64 });
    let mut d = doubles(13);
    d.extend([
        2147483647.5,
        2147483646.5,
        -2147483648.5,
        4294967295.9,
        0.5,
        1.5,
        9.3e18,
        1.8446744073709552e19,
    ]);
    converts("f64_to_i32_rn", &d, |d| if d.is_nan() { i32::MIN } else { d.round_ties_even() as i32 });
    converts("f64_to_u32_rd", &d, |d| if d.is_nan() { 1 << 31 } else { d.floor() as u32 });
    converts("f64_to_i64_rz", &d, |d| if d.is_nan() { i64::MIN } else { d as i64 });
    converts("f64_to_u64_ru", &d, |d| if d.is_nan() { 1 << 63 } else { d.ceil() as u64 });
    let numbers: Vec<f64> = d.into_iter().filter(|d| !d.is_nan()).collect();
    converts("f64_to_f32_rn", &numbers, |d| d as f32);
    converts("f64_to_f32_ru", &numbers, |d| {
        let near = d as f32;
        if f64::from(near) < d {
            near.next_up()
        } else {
            near
        }
    });
    let numbers: Vec<f32> = a.into_iter().filter(|a| !a.is_nan()).collect();
    converts("f32_to_f64", &numbers, f64::from);
    let small: Vec<f32> = numbers.iter().copied().filter(|a| a.abs() < 128.0).collect();
    converts("f32_to_i8", &small, |a| a as i8);
    converts("f32_to_u16", &small, |a| a.max(0.0) as u16);
}

#[test]
fn integers_become_floats() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut long: Vec<u64> = (0..ROUNDS).map(|_| random.u64(..) >> random.u32(..64)).collect();
    long.extend([0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1, 0x0100_0001, 0x01ff_ffff]);
    let signed: Vec<i64> = long.iter().map(|&value| value as i64).collect();
    let int: Vec<i32> = long.iter().map(|&value| value as i32).collect();
    let unsigned: Vec<u32> = long.iter().map(|&value| value as u32).collect();
    // Rounded by `rustc_apfloat`, which takes 128 bits.
    let single =
        |value: i128, round: Round| f32::from_bits(Single::from_i128_r(value, round).value.to_bits() as u32);
    let double =
        |value: i128, round: Round| f64::from_bits(Double::from_i128_r(value, round).value.to_bits() as u64);
    converts("i32_to_f32_rn", &int, |a| a as f32);
    converts("i32_to_f32_rd", &int, |a| single(a.into(), Round::TowardNegative));
    converts("u32_to_f32_ru", &unsigned, |a| single(a.into(), Round::TowardPositive));
    converts("i64_to_f32_rn", &signed, |a| a as f32);
    converts("u64_to_f32_rz", &long, |a| single(a.into(), Round::TowardZero));
    converts("i32_to_f64", &int, f64::from);
    converts("u64_to_f64_rn", &long, |a| a as f64);
    converts("i64_to_f64_ru", &signed, |a| double(a.into(), Round::TowardPositive));
    converts("bytes_to_f32", &unsigned, |a| {
        let [x, y, z, w] = a.to_le_bytes();
        f32::from(x) + 3.0 * f32::from(y) - f32::from(z) + f32::from(w as i8)
    });
    converts("halves_to_f32", &unsigned, |a| f32::from(a as i16) + 3.0 * f32::from((a >> 16) as u16));
}

fn half_bits(value: Half) -> u16 {
    if value.is_nan() {
        0x7fff
    } else {
        value.to_bits() as u16
    }
}

#[test]
fn halves_are_converted() {
    let mut a: Vec<f32> = singles(15).into_iter().filter(|a| !a.is_nan()).collect();
    a.extend([65504.0, 65519.9, 65520.0, 5.96e-8, 2.98e-8, 2.99e-8, 6.1e-5, 1.0009765, 1.0004883]);
    let rounded = |a: f32, round: Round| {
        let value: Half = Single::from_bits(a.to_bits().into()).convert_r(round, &mut false).value;
        half_bits(value)
    };
    converts("f32_to_f16", &a, |a| rounded(a, Round::NearestTiesToEven));
    converts("f32_to_f16_rz", &a, |a| rounded(a, Round::TowardZero));
    converts("f32_to_f16_ru", &a, |a| rounded(a, Round::TowardPositive));
    // Between two halves and closer to a tie than single precision can tell.
    let close = [1.0 + 2f64.powi(-11) + 2f64.powi(-40), 1.0 + 2f64.powi(-11) - 2f64.powi(-40), 65519.999999];
    let doubles: Vec<f64> = a.iter().map(|&a| f64::from(a)).chain(close).collect();
    converts("f64_to_f16", &doubles, |a| {
        let value: Half = Double::from_bits(a.to_bits().into()).convert(&mut false).value;
        half_bits(value)
    });
    let all: Vec<u16> = (0..=u16::MAX).step_by(7).filter(|&bits| !f16::from_bits(bits).is_nan()).collect();
    let value = |bits: u16| f16::from_bits(bits).to_f32();
    converts("f16_to_f32", &all, value);
    converts("f16_to_i16", &all, |bits| value(bits).round_ties_even() as i16);
    converts("f16_to_i32_rz", &all, |bits| value(bits) as i32);
    converts("f16_to_u64_ru", &all, |bits| value(bits).ceil() as u64);
    let integers: Vec<i32> = (0..1000).map(|i: i32| i.wrapping_mul(i * 7919 - 12345) >> (i % 20)).collect();
    converts("i32_to_f16", &integers, |a| {
        half_bits(Half::from_i128_r(a.into(), Round::NearestTiesToEven).value)
    });
    let words: Vec<u16> = (0..=u16::MAX).step_by(13).chain([65519, 65520, 65535]).collect();
    converts("u16_to_f16_rz", &words, |a| half_bits(Half::from_u128_r(a.into(), Round::TowardZero).value));
}

#[test]
fn halves_are_computed_with_in_pairs() {
    let mut random = fastrand::Rng::with_seed(16);
    let mut list = || -> Vec<u32> {
        let edges = [0, 0x3c00, 0x7bff, 0x0400, 1, 0x03ff, 0x7c00, 0x7e00, 0x3555];
        let mut half = || match random.u8(..4) {
            0 => edges[random.usize(..edges.len())] ^ random.u32(..2) << 15,
            1 => random.u32(..0x1_0000),
            _ => random.u32(..0x400) | random.u32(10..20) << 10 | random.u32(..2) << 15,
        };
        (0..ROUNDS).map(|_| half() << 16 | half()).collect()
    };
    let (a, b) = (list(), list());
    let constant = |value: f32| Half::from_bits(f16::from_f32(value).to_bits().into());
    let wide = |half: u32| f16::from_bits(half as u16).to_f32();
    type Widened<'a> = (&'a str, &'a dyn Fn(u32, u32) -> f32);
    let widened: [Widened; 3] = [
        ("sum_widened", &|a, b| wide(a) + wide(b >> 16)),
        ("product_widened", &|a, b| wide(a) * wide(b >> 16)),
        ("fused_widened", &|a, b| wide(a).mul_add(wide(b), wide(a >> 16))),
    ];
    for (name, formula) in widened {
        let found: Vec<f32> = binary(&FLOATS, name, &a, &b);
        for i in 0..a.len() {
            let expected = formula(a[i], b[i]);
            let same = found[i] == expected || found[i].is_nan() && expected.is_nan();
            assert!(same, "{name} of {:#x}, {:#x}: {}, expected {expected}", a[i], b[i], found[i]);
        }
    }
    // From (own half, other half) of both operands.
    type Formula<'a> = &'a dyn Fn([Half; 2], [Half; 2], bool) -> Half;
    let formulas: [(&str, Formula); 8] = [
        ("add_f16x2", &|a, b, _| (a[0] + b[0]).value),
        ("subtract_f16x2", &|a, b, _| (a[0] - b[0]).value),
        ("multiply_f16x2", &|a, b, _| (a[0] * b[0]).value),
        ("fused_f16x2", &|a, b, _| a[0].mul_add(b[0], constant(0.75)).value),
        ("fused_swapped_f16x2", &|a, b, upper| {
            let (low, high) = if upper { (b[1], b[0]) } else { (b[0], b[1]) };
            a[1].mul_add(high, -low).value
        }),
        ("add_sat_f16x2", &|a, b, _| {
            let sum = (a[0] + b[0]).value;
            match sum {
                _ if sum.is_nan() || sum.is_negative() => Half::from_bits(0),
                _ if sum > constant(1.0) => constant(1.0),
                _ => sum,
            }
        }),
        ("immediates_f16x2", &|a, _, upper| match upper {
            false => a[0].mul_add(constant(2.0), constant(0.5)).value,
            true => a[0].mul_add(constant(-3.0), constant(100.0)).value,
        }),
        ("maximum_f16x2", &|a, b, _| match (a[0].is_nan(), b[0].is_nan()) {
            (true, _) => b[0],
            (_, true) => a[0],
            _ if a[0].is_zero() && b[0].is_zero() => {
                if a[0].is_negative() {
                    b[0]
                } else {
                    a[0]
                }
            }
            _ => {
                if a[0] > b[0] {
                    a[0]
                } else {
                    b[0]
                }
            }
        }),
    ];
    for (kernel, formula) in formulas {
        let found: Vec<u32> = binary(&FLOATS, kernel, &a, &b);
        for i in 0..a.len() {
            for (shift, upper) in [(0, false), (16, true)] {
                let halves = |bits: u32| {
                    let own = Half::from_bits((bits >> shift & 0xffff).into());
                    [own, Half::from_bits((bits >> (16 - shift) & 0xffff).into())]
                };
                let expected = half_bits(formula(halves(a[i]), halves(b[i]), upper));
                let found = (found[i] >> shift) as u16;
                assert_eq!(found, expected, "{kernel}: {:#x} {:#x}, shift {shift}", a[i], b[i]);
            }
        }
    }

    let value = |bits: u32, shift: u32| f16::from_bits((bits >> shift) as u16).to_f32();
    for (i, found) in binary::<u32, u16>(&FLOATS, "multiply_mixed_f16", &a, &b).into_iter().enumerate() {
        let exact = value(a[i], 0) * value(b[i], 16);
        assert!(found == f16::from_f32(exact).to_bits() || exact.is_nan() && found == 0x7fff);
    }
    for (i, found) in binary::<u32, u16>(&FLOATS, "divide_f16", &a, &b).into_iter().enumerate() {
        // Twice the precision and two bits: rounding twice does not matter.
        let (x, y) = (value(a[i], 0), value(b[i], 0));
        let quotient = x / y;
        let same =
            found == f16::from_f32(quotient).to_bits() || quotient.is_nan() && f16::from_bits(found).is_nan();
        assert!(same, "{x:e} / {y:e}: {:e}", f16::from_bits(found));
    }
    for (i, found) in binary::<u32, u32>(&FLOATS, "compare_f16", &a, &b).into_iter().enumerate() {
        let (al, ah, bl, bh) = (value(a[i], 0), value(a[i], 16), value(b[i], 0), value(b[i], 16));
        let unordered = ah.is_nan() || bl.is_nan();
        // A NaN is neither equal nor different here.
        let different = al.partial_cmp(&bh).is_some_and(|order| order.is_ne());
        let expected = u32::from(al < bl)
            | u32::from(ah >= bh) << 1
            | u32::from(different) << 2
            | u32::from(ah > bl || unordered) << 3;
        assert_eq!(found, expected, "{:#x} {:#x}", a[i], b[i]);
    }
    for (i, found) in binary::<u32, u32>(&FLOATS, "compare_f16x2", &a, &b).into_iter().enumerate() {
        let mut expected = 0;
        let mut equal = true;
        for shift in [0, 16] {
            let (x, y) = (value(a[i], shift), value(b[i], shift));
            expected |= (if x < y { 0xffff } else { 0 } ^ if x >= y { 0x3c00 } else { 0 }) << shift;
            equal &= x == y || x.is_nan() || y.is_nan();
        }
        assert_eq!(found, expected ^ if equal { 0x30003 } else { 0 }, "{:#x} {:#x}", a[i], b[i]);
    }
}
