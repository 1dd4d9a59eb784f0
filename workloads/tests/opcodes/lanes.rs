// SPDX-License-Identifier: Apache-2.0
//! Exchange between lanes: shuffles, votes, matches, and what each lane knows of its place.

use gpurf_workloads::Argument;

use crate::support::{device, Frame, Trial};

/// PTX's definition of `shfl`: the source lane, and whether it is in range.
fn source_lane(mode: &str, lane: u32, operand: u32, limits: u32) -> (u32, bool) {
    let (operand, clamp, segment) = (operand & 31, limits & 31, limits >> 8 & 31);
    let most = lane & segment | clamp & !segment;
    let least = lane & segment;
    let (source, valid) = match mode {
        "UP" => {
            let source = lane as i32 - operand as i32;
            (source as u32, source >= most as i32)
        }
        "DOWN" => (lane + operand, lane + operand <= most),
        "BFLY" => (lane ^ operand, lane ^ operand <= most),
        _ => {
            let source = least | operand & !segment;
            (source, source <= most)
        }
    };
    (if valid { source } else { lane }, valid)
}

#[test]
fn shuffles_stay_within_their_segments() {
    let mut random = fastrand::Rng::with_seed(51);
    let values: Vec<u32> = (0..32).map(|_| random.u32(..)).collect();
    for mode in ["IDX", "UP", "DOWN", "BFLY"] {
        // Segments of 1 to 32 lanes, as the compiler makes them, and clamps in between.
        let limits =
            [0x1f, 0x101f, 0x181f, 0x1c1f, 0x1e1f, 0x1f1f, 0, 0x1000, 0x1800, 0x1c00, 0x0013, 0x1005];
        for limits in limits {
            for operand in [0, 1, 2, 3, 5, 8, 15, 16, 31, 33] {
                let code = format!("SHFL.{mode} P0, R10, R4, {operand:#x}, {limits:#x}");
                let [found, valid] = Trial::new(&*code).input("R4", &values).outputs(["R10", "P0"]);
                for lane in 0..32 {
                    let (source, in_range) = source_lane(mode, lane, operand, limits);
                    assert_eq!(found[lane as usize], values[source as usize], "{code} in lane {lane}");
                    assert_eq!(valid[lane as usize], in_range.into(), "{code} in lane {lane}");
                }
            }
        }
        // Lane by lane another operand.
        for limits in [0x1f, 0x181f, 0x1800] {
            let operands: Vec<u32> = (0..32).map(|_| random.u32(..)).collect();
            let code = format!("SHFL.{mode} PT, R10, R4, R5, R6");
            let trial =
                Trial::new(code).input("R4", &values).input("R5", &operands).input("R6", &[limits; 32]);
            for (lane, found) in trial.output("R10").into_iter().enumerate() {
                let (source, _) = source_lane(mode, lane as u32, operands[lane], limits);
                assert_eq!(found, values[source as usize], "{mode} {limits:#x} in lane {lane}");
            }
        }
    }
}

#[test]
fn shuffles_from_lanes_that_do_not_execute_give_zero() {
    let values: Vec<u32> = (1..=32).collect();
    let executing = 0x0f0f_00ffu32;
    let bits: Vec<u32> = (0..32).map(|lane| executing >> lane & 1).collect();
    for (mode, operand, limits) in [("DOWN", 4, 0x1f), ("UP", 3, 0), ("BFLY", 8, 0x1f), ("IDX", 12, 0x1f)] {
        let code = format!("MOV R10, 0x7\n@P1 SHFL.{mode} P0, R10, R4, {operand:#x}, {limits:#x}");
        let trial = Trial::new(&*code).input("R4", &values).input("P1", &bits);
        let [found, valid] = trial.outputs(["R10", "P0"]);
        for lane in (0..32).filter(|lane| executing >> lane & 1 != 0) {
            let (source, in_range) = source_lane(mode, lane, operand, limits);
            let executes = executing >> source & 1 != 0;
            let expected = if executes { values[source as usize] } else { 0 };
            assert_eq!(
                (found[lane as usize], valid[lane as usize]),
                (expected, in_range.into()),
                "{code} in lane {lane}"
            );
        }
        assert_eq!(found[31], 7);
    }
    // Lanes that have ended do not execute either: the sum of a warp that is not full.
    let code = "
        S2R R0, SR_TID.X
        ISETP.GE.AND P0, PT, R0, 0x5, PT
        @P0 EXIT
        IADD3 R4, R0, 0x1, RZ
        SHFL.DOWN PT, R5, R4, 0x4, 0x1f
        IADD3 R4, R4, R5, RZ
        SHFL.DOWN PT, R5, R4, 0x2, 0x1f
        IADD3 R4, R4, R5, RZ
        SHFL.DOWN PT, R5, R4, 0x1, 0x1f
        IADD3 R4, R4, R5, RZ
        MOV R2, c[0x0][0x160]
        MOV R3, c[0x0][0x164]
        ISETP.EQ.AND P1, PT, R0, RZ, PT
        @P1 STG.E.SYS [R2], R4
        EXIT";
    let mut device = device();
    let sum = device.allocate(4);
    device.launch(&Frame::default().module(code), "k", 1, 32, 0, &[sum.into()]).unwrap();
    assert_eq!(device.read::<u32>(sum, 1).unwrap(), [1 + 2 + 3 + 4 + 5]);
}

#[test]
fn votes_ask_executing_lanes_only() {
    let mut random = fastrand::Rng::with_seed(52);
    let bits = |mask: u32| (0..32).map(|lane| mask >> lane & 1).collect::<Vec<_>>();
    for (executing, holding) in [
        (u32::MAX, 0x1234_5678),
        (0x0f0f_0f00, u32::MAX),
        (0x0f0f_0f00, 0x0f0f_0f00),
        (0x0f0f_0f00, 0xf0f0_f0ff),
        (1, 0),
        (random.u32(..), random.u32(..)),
    ] {
        let code = "
            MOV R10, 0x7
            MOV R11, 0x7
            @P1 VOTE.ANY R10, P2, P0
            @P1 VOTE.ALL R11, P3, P0
            @P1 VOTE.EQ RZ, P4, P0
            @P1 VOTE.ANY R12, PT, !P0";
        let trial = Trial::new(code).input("P1", &bits(executing)).input("P0", &bits(holding));
        let found = trial.outputs(["R10", "P2", "R11", "P3", "P4", "R12"]);
        let ballot = executing & holding;
        for lane in 0..32 {
            let expected = match executing >> lane & 1 {
                0 => [7, 0, 7, 0, 0, 0],
                _ => [
                    ballot,
                    (ballot != 0).into(),
                    ballot,
                    (ballot == executing).into(),
                    (ballot == 0 || ballot == executing).into(),
                    executing & !holding,
                ],
            };
            assert_eq!(
                [0, 1, 2, 3, 4, 5].map(|place| found[place][lane]),
                expected,
                "{executing:#x} {holding:#x}"
            );
        }
    }
}

#[test]
fn matches_find_equal_values_among_executing_lanes() {
    let mut random = fastrand::Rng::with_seed(53);
    for values in [1, 2, 5] {
        let keys: Vec<u32> = (0..32).map(|_| random.u32(..values)).collect();
        let upper: Vec<u32> = (0..32).map(|lane| lane / 16).collect();
        let executing: Vec<u32> = (0..32).map(|_| random.u32(..2)).collect();
        let code = "
            @P1 MATCH.ANY R10, R4
            @P1 MATCH.ALL P0, R11, R4
            MATCH.ANY.U64 R12, R4";
        let trial = Trial::new(code).input("P1", &executing).input("R4", &keys).input("R5", &upper);
        let [any, all, holds, pairs] = trial.outputs(["R10", "R11", "P0", "R12"]);
        let lanes = |test: &dyn Fn(usize) -> bool| {
            (0..32).filter(|&lane| test(lane)).fold(0, |mask, lane| mask | 1u32 << lane)
        };
        let mask = lanes(&|lane| executing[lane] != 0);
        for lane in 0..32 {
            assert_eq!(pairs[lane], lanes(&|other| keys[other] == keys[lane] && other / 16 == lane / 16));
            let matching = lanes(&|other| executing[other] != 0 && keys[other] == keys[lane]);
            let expected = match executing[lane] {
                0 => (0, 0, 0),
                _ if matching == mask => (matching, mask, 1),
                _ => (matching, 0, 0),
            };
            assert_eq!((any[lane], all[lane], holds[lane]), expected);
        }
    }
}

#[test]
fn threads_know_their_places() {
    let (grid, block) = ([3, 2, 2], [5, 3, 4]);
    let names = [
        "SR_TID.X",
        "SR_TID.Y",
        "SR_TID.Z",
        "SR_CTAID.X",
        "SR_CTAID.Y",
        "SR_CTAID.Z",
        "SR_LANEID",
        "SR_EQMASK",
        "SR_LTMASK",
        "SR_LEMASK",
        "SR_GTMASK",
        "SR_GEMASK",
    ];
    // Each block writes behind the one before it, each thread behind the one before it.
    let mut code = String::from(
        "S2R R0, SR_CTAID.Z
         S2R R1, SR_CTAID.Y
         S2R R2, SR_CTAID.X
         IMAD R0, R0, c[0x0][0x10], R1
         IMAD R0, R0, c[0x0][0xc], R2
         S2R R1, SR_TID.Z
         IMAD R0, R0, c[0x0][0x8], R1
         S2R R1, SR_TID.Y
         IMAD R0, R0, c[0x0][0x4], R1
         S2R R1, SR_TID.X
         IMAD R0, R0, c[0x0][0x0], R1
         IMAD.WIDE.U32 R2, R0, 0x30, c[0x0][0x160]\n",
    );
    for (number, name) in names.iter().enumerate() {
        code += &format!("S2R R4, {name}\nSTG.E.SYS [R2+{:#x}], R4\n", 4 * number);
    }
    code += "EXIT";
    let mut device = device();
    let threads: u32 = block.iter().product();
    let blocks: u32 = grid.iter().product();
    let out = device.allocate(u64::from(48 * threads * blocks));
    let arguments: [Argument; 1] = [out.into()];
    let [grid_dim, block_dim] = [grid, block].map(|[x, y, z]| (x, y, z));
    device.launch(&Frame::default().module(&code), "k", grid_dim, block_dim, 0, &arguments).unwrap();
    let found: Vec<u32> = device.read(out, (12 * threads * blocks) as usize).unwrap();
    for (i, found) in found.chunks_exact(12).enumerate() {
        let (number, thread) = (i as u32 / threads, i as u32 % threads);
        let lane = thread % 32;
        let expected = [
            thread % 5,
            thread / 5 % 3,
            thread / 15,
            number % 3,
            number / 3 % 2,
            number / 6,
            lane,
            1 << lane,
            (1 << lane) - 1,
            ((1 << lane) - 1) | (1 << lane),
            !(((1 << lane) - 1) | (1 << lane)),
            !((1 << lane) - 1),
        ];
        assert_eq!(found, expected, "block {number}, thread {thread}");
    }
}
