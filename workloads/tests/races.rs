// SPDX-License-Identifier: Apache-2.0
//! Races of the threads of a block with no barrier between, and of blocks with no atomic operation between.

use gpurf_workloads::{Options, Scope};

use crate::support::{Device, Frame};

/// The lines that say so, of a kernel on two warps.
fn races(code: &str) -> Vec<String> {
    let frame = Frame { parameters: vec![], shared: 1024, ..Frame::default() };
    let start = "S2R R0, SR_TID.X\nSHF.R.U32.HI R1, RZ, 0x5, R0\nISETP.EQ.AND P0, PT, R1, RZ, PT\nSHL4\n";
    let code = start.replace("SHL4", "IMAD.SHL.U32 R2, R0, 0x4, RZ") + code + "\nEXIT";
    let mut device =
        Device::new(Options { stream: false, hazards: Some(Scope::Block), ..Options::default() });
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

/// The lines that name races of blocks, of a kernel on two blocks of a warp, launched so many times.
fn races_of_blocks(code: &str, launches: usize) -> Vec<String> {
    let start = "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nISETP.EQ.AND P0, PT, R1, RZ, PT\n\
                 IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]\n";
    let module = Frame::default().module(&format!("{start}{code}\nEXIT"));
    let mut device = Device::new(Options { stream: false, hazards: Some(Scope::Grid), ..Options::default() });
    let values = device.allocate(4096);
    device.name(values, "values");
    for _ in 0..launches {
        device.launch(&module, "k", 2, 32, 0, &[values.into()]).unwrap_or_else(|error| panic!("{error}"));
    }
    device.take_hazards()
}

#[test]
fn accesses_of_two_blocks_are_named() {
    let lines = races_of_blocks("@P0 STG.E.SYS [R2], R0\n@!P0 LDG.E.SYS R4, [R2]", 1);
    let expected = "kernel k, PC 0x0050 `@!P0 LDG.E.SYS R4, [R2]` reads global address 0x7f2000000000 \
                    (byte 0 of buffer values), which PC 0x0040 `@P0 STG.E.SYS [R2], R0` writes with no \
                    atomic operation between; block (1, 0, 0), warp 0, lane 0, and block (0, 0, 0), warp 0";
    assert_eq!(lines, [expected]);
    let lines = races_of_blocks("@P0 LDG.E.SYS R4, [R2]\n@!P0 STG.E.SYS [R2], R0", 1);
    assert!(lines.len() == 1 && lines[0].contains("0x0040 `@P0 LDG.E.SYS R4, [R2]` reads"), "{lines:?}");
    assert_eq!(races_of_blocks("STG.E.SYS [R2], R0", 1).len(), 1);
    // Once for each pair of places, however often it is launched.
    assert_eq!(races_of_blocks("STG.E.SYS [R2], R0", 2).len(), 1);
    // Reads only, and other words.
    assert_eq!(races_of_blocks("LDG.E.SYS R4, [R2]", 1), [""; 0]);
    assert_eq!(races_of_blocks("@P0 STG.E.SYS [R2], R0\n@!P0 STG.E.SYS [R2+0x80], R0", 1), [""; 0]);
    // The upper half of a wide access.
    let wide =
        "IMAD.WIDE.U32 R6, R0, 0x8, c[0x0][0x160]\n@P0 STG.E.64.SYS [R6], R0\n@!P0 LDG.E.SYS R4, [R6+0x4]";
    let lines = races_of_blocks(wide, 1);
    assert!(lines.len() == 1 && lines[0].contains("0x7f2000000004 (byte 4 of buffer values)"), "{lines:?}");
}

#[test]
fn blocks_may_write_bytes_of_the_same_word() {
    let address = "IMAD.WIDE.U32 R6, R1, SCALE, c[0x0][0x160]\nSTG.E.U8.SYS [R6], R0";
    assert_eq!(races_of_blocks(&address.replace("SCALE", "0x1"), 1), [""; 0]);
    assert_eq!(races_of_blocks(&address.replace("SCALE", "0x0"), 1).len(), 1);
}

#[test]
fn the_end_of_a_launch_orders_blocks() {
    // What a block reads, the other one wrote in the launch before.
    let own = "IMAD.WIDE.U32 R6, R1, 0x80, R2\nSTG.E.SYS [R6], R0";
    assert_eq!(races_of_blocks(own, 2), [""; 0]);
    let other = "LOP3.LUT R5, R1, 0x1, RZ, 0x3c, !PT\nIMAD.WIDE.U32 R6, R1, 0x80, R2\n\
                 IMAD.WIDE.U32 R8, R5, 0x80, R2\nLDG.E.SYS R4, [R8]\nSTG.E.SYS [R6], R0";
    assert_eq!(races_of_blocks(other, 1).len(), 2);
}

#[test]
fn atomic_operations_and_strong_accesses_order_blocks() {
    assert_eq!(races_of_blocks("RED.E.ADD.STRONG.GPU [R2], R0", 1), [""; 0]);
    // Block 1 adds after block 0 has read.
    let lines = races_of_blocks("RED.E.ADD.STRONG.GPU [R2], R0\nLDG.E.SYS R4, [R2]", 1);
    assert!(
        lines.len() == 1 && lines[0].contains("0x0040 `RED.E.ADD.STRONG.GPU [R2], R0` writes"),
        "{lines:?}"
    );
    // Who takes a word that another one gave knows what that did before.
    let handed = "@P0 STG.E.SYS [R2+0x100], R0\nMOV R8, c[0x0][0x160]\nMOV R9, c[0x0][0x164]\n\
                  GIVE\n@!P0 LDG.E.SYS R5, [R2+0x100]";
    let give = |with: &str| races_of_blocks(&handed.replace("GIVE", with), 1);
    assert_eq!(give("ATOMG.E.EXCH.STRONG.GPU PT, R4, [R8], R0"), [""; 0]);
    assert_eq!(give("@P0 STG.E.STRONG.GPU [R8], R0\n@!P0 LDG.E.STRONG.GPU R4, [R8]"), [""; 0]);
    assert_eq!(give("NOP").len(), 1);
    // By another word, or for the block alone.
    assert_eq!(give("IMAD.WIDE.U32 R8, R1, 0x4, R8\nATOMG.E.EXCH.STRONG.GPU PT, R4, [R8+0x10], R0").len(), 1);
    assert_eq!(give("ATOMG.E.EXCH.STRONG.CTA PT, R4, [R8], R0").len(), 2);
}
