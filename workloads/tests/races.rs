// SPDX-License-Identifier: Apache-2.0
//! Races of a block's threads with no barrier between.

use gpurf_workloads::Options;

use crate::support::{Device, Frame};

/// The lines that say so, of a kernel on two warps.
fn races(code: &str) -> Vec<String> {
    let frame = Frame { parameters: vec![], shared: 1024, ..Frame::default() };
    let start = "S2R R0, SR_TID.X\nSHF.R.U32.HI R1, RZ, 0x5, R0\nISETP.EQ.AND P0, PT, R1, RZ, PT\nSHL4\n";
    let code = start.replace("SHL4", "IMAD.SHL.U32 R2, R0, 0x4, RZ") + code + "\nEXIT";
    let mut device = Device::new(Options { stream: false, hazards: true, ..Options::default() });
    device.launch(&frame.module(&code), "k", 2, 64, 0, &[]).unwrap_or_else(|error| panic!("{error}"));
    let lines = device.take_hazards();
    assert!(device.take_hazards().is_empty(), "told once");
    lines
}

#[test]
fn accesses_of_two_warps_are_ordered_by_a_barrier_or_named() {
    let read_first = "LDS R4, [0x8]";
    let write = "@!P0 STS [R2+-0x80], R4";
    let lines = races(&format!("{read_first}\n{write}"));
    let expected = "kernel k, PC 0x0050 `@!P0 STS [R2+-0x80], R4` writes shared address 0x8, which PC 0x0040 \
                    `LDS R4, [0x8]` reads with no barrier between; block (0, 0, 0), warp 1, lane 2, and warp 0";
    assert_eq!(lines, [expected]);
    assert_eq!(races(&format!("{read_first}\nBAR.SYNC 0x0\n{write}")), [""; 0]);
    // Writes of two warps, and a write that is read.
    assert_eq!(races("STS [0x0], R0").len(), 1);
    let lines = races("@P0 STS [R2], R0\n@!P0 LDS R4, [R2+-0x80]");
    assert!(lines.len() == 1 && lines[0].contains("reads shared address 0x0, which PC 0x0040"), "{lines:?}");
    // Their own bytes, though of the same words.
    assert_eq!(races("STS.U8 [R0], R0\nLDS.U8 R4, [R0]"), [""; 0]);
    // The second barrier orders what the first one does not.
    let twice = "@P0 STS [R2], R0\nBAR.SYNC 0x0\n@!P0 LDS R4, [R2+-0x80]\nWAIT\n@P0 STS [R2], R0";
    assert_eq!(races(&twice.replace("WAIT", "BAR.SYNC 0x0")), [""; 0]);
    assert_eq!(races(&twice.replace("WAIT", "NOP")).len(), 1);
}

#[test]
fn barriers_order_those_who_take_part() {
    // The first warp arrives and goes on, the second waits: it may read what was written before, not what
    // comes after.
    let code = "
        @P0 STS [R2], R0
        @P0 BAR.ARV 0x1, 0x40
        @!P0 BAR.SYNC 0x1, 0x40
        @!P0 LDS R4, [R2+-0x80]
        @P0 STS [R2+0x200], R0
        @!P0 LDS R5, [R2+0x180]";
    let lines = races(code);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("0x200"), "{lines:?}");
}

#[test]
fn atomic_operations_are_no_races_among_themselves() {
    assert_eq!(races("ATOMS.ADD R4, [0x0], R0"), [""; 0]);
    let lines = races("ATOMS.ADD R4, [0x0], R0\nLDS R5, [0x0]");
    assert_eq!(lines.len(), 1, "{lines:?}");
    // Who takes a word that another one gave knows what that did before.
    let handed = "@P0 STS [R2+0x100], R0\nATOMS.EXCH R4, [0x0], R0\n@!P0 LDS R5, [R2+0x80]";
    assert_eq!(races(handed), [""; 0]);
}

#[test]
fn shuffles_from_idle_lanes_are_named() {
    let lines = races("ISETP.LT.AND P1, PT, R0, 0x5, PT\n@P1 SHFL.DOWN PT, R5, R0, 0x2, 0x1f");
    let expected =
        "kernel k, PC 0x0050 `@P1 SHFL.DOWN PT, R5, R0, 0x2, 0x1f` reads lane 5, which does not execute; \
                    block (0, 0, 0), warp 0, lane 3";
    assert_eq!(lines, [expected]);
    assert_eq!(races("SHFL.DOWN PT, R5, R0, 0x2, 0x1f"), [""; 0]);
    // Beyond the end of a segment a lane reads itself.
    assert_eq!(races("ISETP.LT.AND P1, PT, R0, 0x8, PT\n@P1 SHFL.DOWN PT, R5, R0, 0x2, 0x1807"), [""; 0]);
}

#[test]
fn nothing_is_looked_for_unless_asked() {
    let frame = Frame { parameters: vec![], shared: 64, ..Frame::default() };
    let mut device = Device::new(Options::default());
    device.launch(&frame.module("STS [0x0], R0\nEXIT"), "k", 1, 64, 0, &[]).unwrap();
    assert!(device.take_hazards().is_empty());
}
