// SPDX-License-Identifier: Apache-2.0
//! Loads, stores and addresses of every space and width.

use gpurf_workloads::{Argument, Device};

use crate::support::{device, Frame, Trial};

/// Stores of a width, then loads of it as signed and unsigned, in each space.
#[test]
fn widths_and_signs_round_trip_in_every_space() {
    let mut random = fastrand::Rng::with_seed(61);
    let words: [Vec<u32>; 4] = std::array::from_fn(|_| (0..64).map(|_| random.u32(..)).collect());
    let shared = "IMAD.SHL.U32 R30, R241, 0x10, RZ";
    let local = "MOV R30, 0x10";
    // The inputs have been read and make room.
    let global = "IMAD.WIDE.U32 R30, R240, 0x10, c[0x0][0x160]";
    for (store, load, address, setup, suffix) in [
        ("STS", "LDS.U", "[R30]", shared, ""),
        ("STL", "LDL", "[R30]", local, ""),
        ("ST.E", "LD.E", "[R30]", global, ".SYS"),
        ("STG.E", "LDG.E", "[R30]", global, ".SYS"),
    ] {
        let at = |offset: u32| address.replace(']', &format!("+{offset:#x}]"));
        let code = format!(
            "{setup}
             {store}.128{suffix} {whole}, R4
             {load}.64{suffix} R20, {upper}
             {load}.U8{suffix} R10, {byte}
             {load}.S8{suffix} R11, {byte}
             {load}.U16{suffix} R12, {half}
             {load}.S16{suffix} R13, {half}
             {store}.U8{suffix} {byte}, R7
             {store}.U16{suffix} {half}, R7
             {store}.64{suffix} {upper}, R6
             {load}.128{suffix} R24, {whole}",
            whole = at(0),
            upper = at(8),
            byte = at(3),
            half = at(6),
        );
        let mut trial = Trial::new(code);
        for (place, words) in ["R4", "R5", "R6", "R7"].into_iter().zip(&words) {
            trial = trial.input(place, words);
        }
        let places = ["R20", "R21", "R10", "R11", "R12", "R13", "R24", "R25", "R26", "R27"];
        let found = trial.outputs(places);
        for i in 0..64 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|word| words[word][i]);
            let expected = [
                c,
                d,
                a >> 24,
                (a as i32 >> 24) as u32,
                b >> 16,
                (b as i32 >> 16) as u32,
                a & 0x00ff_ffff | d << 24,
                b & 0xffff | d << 16,
                c,
                d,
            ];
            assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|place| found[place][i]), expected, "{store}");
        }
    }
}

fn run(device: &mut Device, code: &str, arguments: &[Argument]) {
    let frame = Frame { parameters: vec![8; arguments.len()], shared: 4096, stack: 32, ..Frame::default() };
    device.launch(&frame.module(code), "k", 1, 32, 0, arguments).unwrap();
}

#[test]
fn addresses_are_sums_of_their_parts() {
    let table: Vec<u32> = (0..256).map(|word| word * 3 + 7).collect();
    type Loaded = fn(u32) -> u32;
    let loads: [(&str, Loaded); 8] = [
        ("LDG.E.SYS R10, [R2]", |lane| lane),
        ("LDG.E.SYS R10, [R2.64]", |lane| lane),
        ("LDG.E.SYS R10, [R2+0x10]", |lane| lane + 4),
        ("LDG.E.SYS R10, [R2.64+-0x8]", |lane| lane.wrapping_sub(2)),
        ("LDG.E.SYS R10, [R2.64+UR4+0x4]", |lane| lane + 33),
        ("LDG.E.SYS R10, [UR6+0x20]", |_| 8),
        ("LDG.E.SYS R10, [R5.U32+UR6]", |lane| lane),
        ("LDG.E.SYS R10, [R5+UR6+0x8]", |lane| lane + 2),
    ];
    for (load, word) in loads {
        let mut device = device();
        let input = device.upload(&table);
        let out = device.allocate(128);
        let code = format!(
            "S2R R0, SR_LANEID
             IADD3 R1, R0, 0x8, RZ
             IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]
             IMAD.SHL.U32 R5, R0, 0x4, RZ
             UMOV UR4, 0x80
             UMOV UR5, 0x0
             ULDC.64 UR6, c[0x0][0x160]
             ISETP.GE.AND P0, PT, R0, 0x2, PT
             @P0 {load}
             IMAD.WIDE.U32 R8, R0, 0x4, c[0x0][0x168]
             @P0 STG.E.SYS [R8.64], R10
             EXIT"
        );
        run(&mut device, &code, &[input.into(), out.into()]);
        for (lane, found) in device.read::<u32>(out, 32).unwrap().into_iter().enumerate().skip(2) {
            assert_eq!(found, table[word(lane as u32) as usize], "{load} in lane {lane}");
        }
    }
}

#[test]
fn shared_addresses_are_scaled_and_wrap() {
    let lanes: Vec<u32> = (0..32).collect();
    let minus: Vec<u32> = (0..32u32).map(|lane| (4 * lane).wrapping_sub(0x200)).collect();
    let code = "
        UMOV UR4, 0x40
        IMAD R10, R4, 0x5, 0x9
        STS [R4.X4+0x100], R10
        STS [R4.X8+UR4+0x400], R10
        STS.128 [R4.X16+0x800], R12
        LDS.U R20, [R4.X4+0x104]
        LDS.U R21, [R4.X8+0x440]
        LDS.U R22, [R5+0x300]
        LDS.U R23, [RZ+0x108]
        LDS.U R24, [0x10c]
        LDS.U R25, [UR4+0xd0]
        LDS.U R26, [R4.X16+0x808]
        LDS.U R27, [R4.X4+UR4+0xc0]";
    let places = ["R20", "R21", "R22", "R23", "R24", "R25", "R26", "R27"];
    let trial = Trial::new(code).input("R4", &lanes).input("R5", &minus).input("R14", &lanes);
    let found = trial.outputs(places);
    let value = |lane: u32| if lane < 32 { lane * 5 + 9 } else { 0 };
    for lane in 0..32 {
        let expected =
            [value(lane + 1), value(lane), value(lane), value(2), value(3), value(4), lane, value(lane)];
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(|place| found[place][lane as usize]),
            expected,
            "lane {lane}"
        );
    }
}

#[test]
fn rz_is_stored_as_zero_and_swallows_loads() {
    let values: Vec<u32> = (1..=32).collect();
    let code = "
        STL.128 [RZ], R4
        STL.64 [0x8], RZ
        LDL.128 RZ, [0x0]
        LDL.64 R10, [0x0]
        LDL.64 R12, [0x8]
        MOV R14, RZ";
    let trial =
        Trial::new(code).input("R4", &values).input("R5", &values).input("R6", &values).input("R7", &values);
    let found = trial.outputs(["R10", "R11", "R12", "R13", "R14"]);
    for i in 0..32 {
        assert_eq!([0, 1, 2, 3, 4].map(|place| found[place][i]), [values[i], values[i], 0, 0, 0]);
    }
}

#[test]
fn lanes_that_do_not_execute_touch_no_memory() {
    // Addresses that no lane may touch, behind a guard that never or sometimes holds.
    let good: Vec<u32> = (0..32).map(|lane| u32::from(lane % 3 == 0)).collect();
    let addresses: Vec<u32> = good.iter().map(|&good| if good != 0 { 0x20 } else { 0xffff_fff1 }).collect();
    let code = "
        MOV R10, 0x5
        STS [R4], R10
        @P0 LDS.U R10, [R5]
        @!PT LDG.E.SYS R11, [R4]
        @!PT LDSM.16.M88.4 R12, [R5]
        @!PT STG.E.128.SYS [R4], R12
        @!PT ATOMG.E.ADD.STRONG.GPU PT, R11, [R4], R10
        @!PT LDC R11, c[0x3][R5]
        @!PT MOV R11, c[0x3][0x0]";
    let trial = Trial::new(code).input("P0", &good).input("R5", &addresses).input("R4", &[0x20; 32]);
    assert_eq!(trial.output("R10"), [5; 32]);
}

#[test]
fn constants_are_loaded_by_index_and_width() {
    let literals: Vec<u8> = (0..=255u8).map(|byte| byte.wrapping_mul(167)).collect();
    let frame = Frame { literals: literals.clone(), ..Frame::default() };
    let code = "
        S2R R0, SR_LANEID
        IMAD.SHL.U32 R1, R0, 0x4, RZ
        IMAD.WIDE.U32 R2, R0, 0x20, c[0x0][0x160]
        LDC R10, c[0x2][R1+0x8]
        LDC.U8 R11, c[0x2][R0+0x3]
        LDC.S8 R12, c[0x2][R0+0x3]
        LDC.S16 R13, c[0x2][R1+0x2]
        ULDC.64 UR4, c[0x2][0x18]
        MOV R14, UR4
        MOV R15, UR5
        LDC.64 R16, c[0x2][0x8]
        STG.E.128.SYS [R2], R10
        STG.E.128.SYS [R2+0x10], R14
        EXIT";
    let mut device = device();
    let out = device.allocate(32 * 32);
    device.launch(&frame.module(code), "k", 1, 32, 0, &[out.into()]).unwrap();
    let word = |at: usize| u32::from_le_bytes(literals[at..at + 4].try_into().unwrap());
    for (lane, found) in device.read::<[u32; 8]>(out, 32).unwrap().into_iter().enumerate() {
        let byte = literals[lane + 3];
        let half = i16::from_le_bytes([literals[4 * lane + 2], literals[4 * lane + 3]]);
        let expected = [
            word(4 * lane + 8),
            byte.into(),
            byte as i8 as u32,
            half as u32,
            word(0x18),
            word(0x1c),
            word(8),
            word(12),
        ];
        assert_eq!(found, expected, "lane {lane}");
    }
}

#[test]
fn atomics_return_what_was_there() {
    // Lanes take their turns in order: each sees what those before it left.
    let values: Vec<u32> = (0..32u32).map(|lane| lane.wrapping_mul(0x9e37_79b9) >> 20).collect();
    type Step = fn(u32, u32) -> u32;
    let kinds: [(&str, Step); 11] = [
        ("ADD", |before, value| before.wrapping_add(value)),
        ("MIN", |before, value| before.min(value)),
        ("MAX", |before, value| before.max(value)),
        ("MIN.S32", |before, value| (before as i32).min(value as i32) as u32),
        ("MAX.S32", |before, value| (before as i32).max(value as i32) as u32),
        ("AND", |before, value| before & value),
        ("OR", |before, value| before | value),
        ("XOR", |before, value| before ^ value),
        ("EXCH", |_, value| value),
        ("INC", |before, value| if before >= value { 0 } else { before + 1 }),
        ("DEC", |before, value| if before == 0 || before > value { value } else { before - 1 }),
    ];
    for (name, step) in kinds {
        let code = format!(
            "STS [0x40], R6
             STS [0x44], R6
             @P0 ATOMS.{name} R10, [0x40], R4
             ATOMS.CAS R12, [0x44], R6, R4
             LDS.U R11, [0x40]
             LDS.U R13, [0x44]"
        );
        let executing: Vec<u32> = (0..32).map(|lane| u32::from(lane % 5 != 2)).collect();
        let trial = Trial::new(code).input("R4", &values).input("P0", &executing).input("R6", &[0x900; 32]);
        let [before, last, swapped, kept] = trial.outputs(["R10", "R11", "R12", "R13"]);
        let mut cell = 0x900;
        for lane in 0..32 {
            if executing[lane] != 0 {
                assert_eq!(before[lane], cell, "{name} in lane {lane}");
                cell = step(cell, values[lane]);
            }
        }
        assert!(last.iter().all(|&found| found == cell), "{name}");
        // Only the first lane finds what it compares with.
        assert_eq!((swapped[0], kept[0]), (0x900, values[0]));
        assert!(swapped[1..].iter().all(|&found| found == values[0]));
    }
}

#[test]
fn offsets_of_32_kb_and_more_are_printed_as_negative_ones() {
    let words: Vec<u32> = (0..0x2800).map(|word| word * 0x1_0001 + 7).collect();
    let literals = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let frame = Frame { literals, ..Frame::default() };
    let code = "
        MOV R2, c[0x0][0x160]
        MOV R3, c[0x0][0x164]
        MOV R4, c[0x2][-0x6880]
        MOV R5, 0x10
        LDC R6, c[0x2][R5+-0x7000]
        LDC.64 R8, c[0x2][R5+-0x8]
        STG.E.SYS [R2], R4
        STG.E.SYS [R2+0x4], R6
        STG.E.SYS [R2+0x8], R8
        EXIT";
    let mut device = device();
    let found = device.allocate(12);
    device.launch(&frame.module(code), "k", 1, 1, 0, &[found.into()]).unwrap();
    let expected = [0x9780, 0x9010, 0x8].map(|place| words[place / 4]);
    assert_eq!(device.read::<u32>(found, 3).unwrap(), expected);
    // Behind the end it is an error as elsewhere.
    let error = device.launch(&frame.module("MOV R4, c[0x2][-0x10]\nEXIT"), "k", 1, 1, 0, &[found.into()]);
    assert!(error.unwrap_err().to_string().contains("c[0x2][0xfff0] is out of bounds"));
}
