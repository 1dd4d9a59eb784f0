// SPDX-License-Identifier: Apache-2.0
//! Floating-point arithmetic of all precisions, against `rustc_apfloat`.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, Round};

use gpurf_workloads::{Options, Widening};

use crate::support::{Device, Frame, Trial};

const NAN: u32 = 0x7fff_ffff;
const ROUNDINGS: [(&str, Round); 4] = [
    ("", Round::NearestTiesToEven),
    (".RM", Round::TowardNegative),
    (".RP", Round::TowardPositive),
    (".RZ", Round::TowardZero),
];

/// Singles of all kinds, near and far, `N` to a thread.
fn singles<const N: usize>(seed: u64) -> [Vec<u32>; N] {
    const EDGES: [f32; 12] = [
        0.0,
        1.0,
        -1.0,
        1.5,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.333_333_34,
        16_777_216.0,
    ];
    let mut random = fastrand::Rng::with_seed(seed);
    std::array::from_fn(|_| {
        let list = (0..1024).map(|_| match random.u8(..4) {
            0 => EDGES[random.usize(..EDGES.len())].to_bits() ^ (random.u32(..2) << 31),
            1 => random.u32(..),
            // Exponents so close together that sums cancel and round.
            _ => random.u32(..0x80_0000) | random.u32(115..140) << 23 | random.u32(..2) << 31,
        });
        list.collect()
    })
}

fn flushed(bits: u32, flush: bool) -> u32 {
    if flush && bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    }
}

/// The rest of a result after `.FTZ`, `.SAT` and NVIDIA's only NaN.
fn finished(bits: u32, flush: bool, saturate: bool) -> u32 {
    let bits = flushed(bits, flush);
    let value = f32::from_bits(bits);
    match (saturate, value.is_nan()) {
        (false, true) => NAN,
        (true, true) => 0,
        (true, false) if value <= 0.0 => 0,
        (true, false) if value > 1.0 => 1.0f32.to_bits(),
        _ => bits,
    }
}

#[test]
fn singles_add_multiply_and_fuse_in_every_mode() {
    let [a, b, c] = singles::<3>(31);
    let single = |bits: u32, flush: bool| Single::from_bits(flushed(bits, flush).into());
    for (rounding, round) in ROUNDINGS {
        for (suffix, flush, saturate) in
            [("", false, false), (".FTZ", true, false), (".SAT", false, true), (".FTZ.SAT", true, true)]
        {
            let code = format!(
                "FADD{suffix}{rounding} R10, R4, -R5
                 FMUL{suffix}{rounding} R11, R4, R5
                 FFMA{suffix}{rounding} R12, -R4, R5, R6
                 FFMA{suffix}{rounding} R13, R4, 1.25, -R6
                 FADD{suffix}{rounding} R14, |R4|, -|R5|"
            );
            let trial = Trial::new(code).input("R4", &a).input("R5", &b).input("R6", &c);
            let found = trial.outputs(["R10", "R11", "R12", "R13", "R14"]);
            for i in 0..a.len() {
                let [a, b, c] = [a[i], b[i], c[i]].map(|bits| single(bits, flush));
                let constant = single(1.25f32.to_bits(), flush);
                let exact = [
                    a.add_r(-b, round),
                    a.mul_r(b, round),
                    (-a).mul_add_r(b, c, round),
                    a.mul_add_r(constant, -c, round),
                    a.abs().add_r(-b.abs(), round),
                ];
                for (number, exact) in exact.into_iter().enumerate() {
                    let expected = finished(exact.value.to_bits() as u32, flush, saturate);
                    let found = found[number][i];
                    assert_eq!(
                        found, expected,
                        "{number}{suffix}{rounding}: {a:?} {b:?} {c:?}, found {found:#x}"
                    );
                }
            }
        }
    }
}

#[test]
fn immediates_and_constants_are_exact() {
    let [a] = singles::<1>(32);
    for value in [-12583039.0f32, 1.175_494_4e-38, 0.1, 8_388_608.0, 3e38, f32::INFINITY] {
        let text = if value.is_infinite() { "+INF ".to_string() } else { format!("{value:?}") };
        let found = Trial::new(format!("FADD R10, R4, {text}")).input("R4", &a).output("R10");
        for (&a, found) in a.iter().zip(found) {
            assert_eq!(found, finished((f32::from_bits(a) + value).to_bits(), false, false), "{text}");
        }
    }
}

#[test]
fn minima_choose_numbers_and_negative_zero() {
    let [mut a, mut b] = singles::<2>(33);
    (a[0], b[0]) = (0, 0x8000_0000);
    (a[1], b[1]) = (0x8000_0000, 0);
    let code = "FMNMX R10, R4, R5, PT\nFMNMX R11, R4, R5, !PT\nFMNMX.FTZ R12, -R4, R5, PT";
    let [least, most, flushed_least] =
        Trial::new(code).input("R4", &a).input("R5", &b).outputs(["R10", "R11", "R12"]);
    let expected = |a: u32, b: u32, minimum: bool| {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        match (x.is_nan(), y.is_nan()) {
            (true, true) => NAN,
            (true, false) => b,
            (false, true) => a,
            // The total order puts -0 below +0.
            _ => {
                if x.total_cmp(&y).is_lt() == minimum {
                    a
                } else {
                    b
                }
            }
        }
    };
    for i in 0..a.len() {
        assert_eq!(least[i], expected(a[i], b[i], true), "{:#x} {:#x}", a[i], b[i]);
        assert_eq!(most[i], expected(a[i], b[i], false), "{:#x} {:#x}", a[i], b[i]);
        let (x, y) = (flushed(a[i] ^ 0x8000_0000, true), flushed(b[i], true));
        assert_eq!(flushed_least[i], expected(x, y, true), "{x:#x} {y:#x}");
    }
}

/// Comparisons of floats: name, and whether it holds for less, equal, greater, unordered.
const COMPARISONS: [(&str, [bool; 4]); 14] = [
    ("LT", [true, false, false, false]),
    ("EQ", [false, true, false, false]),
    ("LE", [true, true, false, false]),
    ("GT", [false, false, true, false]),
    ("NE", [true, false, true, false]),
    ("GE", [false, true, true, false]),
    ("NUM", [true, true, true, false]),
    ("NAN", [false, false, false, true]),
    ("LTU", [true, false, false, true]),
    ("EQU", [false, true, false, true]),
    ("LEU", [true, true, false, true]),
    ("GTU", [false, false, true, true]),
    ("NEU", [true, false, true, true]),
    ("GEU", [false, true, true, true]),
];

fn holds<T: PartialOrd>(table: [bool; 4], a: T, b: T) -> bool {
    match a.partial_cmp(&b) {
        Some(order) => table[(order as i8 + 1) as usize],
        None => table[3],
    }
}

#[test]
fn comparisons_hold_as_named() {
    let [a, b] = singles::<2>(34);
    let joined: Vec<u32> = (0..a.len()).map(|i| (i % 2) as u32).collect();
    let doubles =
        |bits: &[u32]| bits.iter().map(|&bits| f64::from(f32::from_bits(bits)).to_bits()).collect::<Vec<_>>();
    for (name, table) in COMPARISONS {
        let code = format!(
            "FSETP.{name}.AND P0, P1, R4, R5, P4
             FSETP.{name}.FTZ.OR P2, PT, R4, |R5|, !P4
             FSET.BF.{name}.AND R10, R4, R5, PT
             FSET.{name}.XOR R11, R4, R5, P4"
        );
        let trial = Trial::new(code).input("R4", &a).input("R5", &b).input("P4", &joined);
        let found = trial.outputs(["P0", "P1", "P2", "R10", "R11"]);
        let code = format!("DSETP.{name}.AND P0, P1, R4, -R6, PT");
        let trial = Trial::new(code).input64("R4", "R5", &doubles(&a)).input64("R6", "R7", &doubles(&b));
        let [double, complement] = trial.outputs(["P0", "P1"]);
        for i in 0..a.len() {
            let [x, y] = [a[i], b[i]].map(f32::from_bits);
            let [flushed_x, flushed_y] =
                [a[i], b[i] & 0x7fff_ffff].map(|bits| f32::from_bits(flushed(bits, true)));
            let (plain, operand) = (holds(table, x, y), joined[i] != 0);
            let expected = [
                u32::from(plain && operand),
                (!plain && operand).into(),
                (holds(table, flushed_x, flushed_y) || !operand).into(),
                if plain { 1.0f32.to_bits() } else { 0 },
                if plain != operand { u32::MAX } else { 0 },
            ];
            assert_eq!([0, 1, 2, 3, 4].map(|place| found[place][i]), expected, "{x} {name} {y}");
            let plain = holds(table, f64::from(x), -f64::from(y));
            assert_eq!((double[i] != 0, complement[i] != 0), (plain, !plain), "{x} {name} -{y}");
        }
    }
}

#[test]
fn doubles_add_multiply_and_fuse() {
    let mut random = fastrand::Rng::with_seed(35);
    let mut list = || -> Vec<u64> {
        let edges = [0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NAN, 1.0 / 3.0];
        let value = |_| match random.u8(..4) {
            0 => edges[random.usize(..edges.len())].to_bits() ^ (random.u64(..2) << 63),
            1 => random.u64(..),
            _ => random.u64(..1 << 52) | random.u64(1000..1060) << 52 | random.u64(..2) << 63,
        };
        (0..1024).map(value).collect()
    };
    let [a, b, c] = [list(), list(), list()];
    for (rounding, round) in ROUNDINGS {
        let code = format!(
            "DADD{rounding} R10, R4, -R6
             DMUL{rounding} R12, -R4, |R6|
             DFMA{rounding} R14, R4, R6, -R8
             DFMA{rounding} R16, R4, 1.25, R8
             DADD{rounding} R18, |R4|, -R6"
        );
        let trial = Trial::new(code).input64("R4", "R5", &a).input64("R6", "R7", &b).input64("R8", "R9", &c);
        let found = trial.outputs(["R10", "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19"]);
        for i in 0..a.len() {
            let [a, b, c, constant] =
                [a[i], b[i], c[i], 1.25f64.to_bits()].map(|bits| Double::from_bits(bits.into()));
            let exact = [
                a.add_r(-b, round),
                (-a).mul_r(b.abs(), round),
                a.mul_add_r(b, -c, round),
                a.mul_add_r(constant, c, round),
                a.abs().add_r(-b, round),
            ];
            for (number, exact) in exact.into_iter().enumerate() {
                let found = u64::from(found[2 * number + 1][i]) << 32 | u64::from(found[2 * number][i]);
                let same = found == exact.value.to_bits() as u64
                    || f64::from_bits(found).is_nan() && exact.value.is_nan();
                assert!(same, "{number}{rounding}: {a:?} {b:?} {c:?}, found {found:#x}");
            }
        }
    }
}

/// Halves in pairs.
fn halves<const N: usize>(seed: u64) -> [Vec<u32>; N] {
    const EDGES: [u16; 9] = [0, 0x3c00, 0x7bff, 0x0400, 1, 0x03ff, 0x7c00, 0x7e00, 0x3555];
    let mut random = fastrand::Rng::with_seed(seed);
    std::array::from_fn(|_| {
        let mut half = || match random.u8(..4) {
            0 => u32::from(EDGES[random.usize(..EDGES.len())]) ^ random.u32(..2) << 15,
            1 => random.u32(..0x1_0000),
            _ => random.u32(..0x400) | random.u32(10..20) << 10 | random.u32(..2) << 15,
        };
        (0..1024).map(|_| half() << 16 | half()).collect()
    })
}

#[test]
fn halves_add_multiply_and_fuse() {
    let [a, b, c] = halves::<3>(36);
    for (suffix, flush, saturate) in [("", false, false), (".FTZ", true, false), (".SAT", false, true)] {
        let code = format!(
            "HADD2{suffix} R10, R4, -R5
             HMUL2{suffix} R11, R4.H1_H1, R5
             HFMA2{suffix} R12, R4, -R5.H0_H0, |R6|
             HFMA2.MMA{suffix} R13, R4, 0.5, -3, R6.H1_H1"
        );
        let trial = Trial::new(code).input("R4", &a).input("R5", &b).input("R6", &c);
        let found = trial.outputs(["R10", "R11", "R12", "R13"]);
        for i in 0..a.len() {
            for shift in [0, 16] {
                let half = |bits: u32, shift: u32| {
                    let bits = bits >> shift & 0xffff;
                    Half::from_bits(if flush && bits & 0x7c00 == 0 { bits & 0x8000 } else { bits }.into())
                };
                let [x, y, z] = [a[i], b[i], c[i]].map(|bits| half(bits, shift));
                let constant = Half::from_bits(if shift == 16 { 0x3800 } else { 0xc200 });
                let round = Round::NearestTiesToEven;
                let exact = [
                    x.add_r(-y, round),
                    half(a[i], 16).mul_r(y, round),
                    x.mul_add_r(-half(b[i], 0), z.abs(), round),
                    x.mul_add_r(constant, half(c[i], 16), round),
                ];
                for (number, exact) in exact.into_iter().enumerate() {
                    let exact = exact.value;
                    let bits = exact.to_bits() as u32;
                    let expected = match (saturate, exact.is_nan()) {
                        (true, true) => 0,
                        (false, true) => 0x7fff,
                        (true, _) if exact.is_negative() || exact.is_zero() => 0,
                        (true, _) if bits > 0x3c00 => 0x3c00,
                        _ if flush && bits & 0x7c00 == 0 => bits & 0x8000,
                        _ => bits,
                    };
                    let found = found[number][i] >> shift & 0xffff;
                    assert_eq!(found, expected, "{number}{suffix}: {x:?} {y:?} {z:?}, found {found:#x}");
                }
            }
        }
    }
}

#[test]
fn halves_become_singles_as_the_device_is_told() {
    // 1 + 2^-11 and 1.5 × (1 + 2^-10) need more bits than a half has; the latter's fused sum with 1, too.
    let code = "MOV R4, 0x3c003c00\nMOV R5, 0x10001000\nMOV R6, 0x3e003e00\nMOV R7, 0x3c013c01
        HADD2.F32 R10, R4.H0_H0, R5.H0_H0\nHMUL2.F32 R11, R6.H0_H0, R7.H0_H0
        HFMA2.F32 R12, R6.H0_H0, R7.H0_H0, R4.H0_H0
        STG.E.SYS [R2], R10\nSTG.E.SYS [R2+0x4], R11\nSTG.E.SYS [R2+0x8], R12\nEXIT";
    let code = format!("MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n{code}");
    let results = |widening| {
        let mut device = Device::new(Options { stream: false, widening, ..Options::default() });
        let place = device.allocate(12);
        device.launch(&Frame::default().module(&code), "k", 1, 1, 0, &[place.into()]).unwrap();
        device.read::<f32>(place, 3).unwrap()
    };
    let ulp = 2f32.powi(-11);
    assert_eq!(results(Widening::Exact), [1.0 + ulp, 1.5 + 3.0 * ulp, 2.5 + 3.0 * ulp]);
    // Ties go to the even half: its last bit is 2^-10 from 1 on, and 2^-9 from 2 on.
    assert_eq!(results(Widening::Rounded), [1.0, 1.5 + 4.0 * ulp, 2.5 + 4.0 * ulp]);
}

#[test]
fn halves_compare_by_halves() {
    let [a, b] = halves::<2>(37);
    let joined: Vec<u32> = (0..a.len()).map(|i| (i % 2) as u32).collect();
    for (name, table) in COMPARISONS {
        let code = format!(
            "HSETP2.{name}.AND P0, P1, R4, -R5, P4
             HSET2.BF.{name}.AND R10, R4, R5, PT
             HSET2.{name}.OR R11, R4.H0_H0, R5, P4"
        );
        let trial = Trial::new(code).input("R4", &a).input("R5", &b).input("P4", &joined);
        let [low, high, floats, masks] = trial.outputs(["P0", "P1", "R10", "R11"]);
        for i in 0..a.len() {
            let value = |bits: u32, shift: u32| half::f16::from_bits((bits >> shift) as u16).to_f32();
            let operand = joined[i] != 0;
            for (shift, predicate) in [(0, &low), (16, &high)] {
                let (x, y) = (value(a[i], shift), value(b[i], shift));
                assert_eq!(predicate[i] != 0, holds(table, x, -y) && operand, "{x} {name} {}", -y);
                assert_eq!(floats[i] >> shift & 0xffff, if holds(table, x, y) { 0x3c00 } else { 0 });
                let first = holds(table, value(a[i], 0), y) || operand;
                assert_eq!(masks[i] >> shift & 0xffff, if first { 0xffff } else { 0 });
            }
        }
    }
}

#[test]
fn special_functions_are_exact_where_they_can_be() {
    let powers: Vec<u32> = (0..64).map(|i| 2f32.powi(2 * (i - 32)).to_bits()).collect();
    let code = "
        MUFU.RCP R10, R4
        MUFU.RSQ R11, R4
        MUFU.LG2 R12, R4
        MUFU.RCP R13, -R4
        MUFU.SQRT R14, |R4|";
    let found = Trial::new(code).input("R4", &powers).outputs(["R10", "R11", "R12", "R13", "R14"]);
    for i in 0..64 {
        let exponent = 2 * (i as i32 - 32);
        let expected = [
            2f32.powi(-exponent),
            2f32.powi(-exponent / 2),
            exponent as f32,
            -(2f32.powi(-exponent)),
            2f32.powi(exponent / 2),
        ];
        assert_eq!([0, 1, 2, 3, 4].map(|place| f32::from_bits(found[place][i])), expected, "2^{exponent}");
    }
    let edges = [0.0f32, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -1.0, 100.0, -200.0];
    let edges: Vec<u32> = (0..32).map(|i| edges[i % 8].to_bits()).collect();
    let code = "
        MUFU.RCP R10, R4
        MUFU.RSQ R11, R4
        MUFU.LG2 R12, R4
        MUFU.EX2 R13, R4";
    let found = Trial::new(code).input("R4", &edges).outputs(["R10", "R11", "R12", "R13"]);
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let expected = [
        [inf, inf, -inf, 1.0],
        [-inf, -inf, -inf, 1.0],
        [0.0, 0.0, inf, inf],
        [-0.0, nan, nan, 0.0],
        [nan, nan, nan, nan],
        [-1.0, nan, nan, 0.5],
    ];
    for (i, expected) in expected.into_iter().enumerate() {
        for (number, expected) in expected.into_iter().enumerate() {
            let found = f32::from_bits(found[number][i]);
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "function {number} of {}: {found}, expected {expected}", f32::from_bits(edges[i]));
        }
    }
}
