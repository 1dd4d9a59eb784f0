// SPDX-License-Identifier: Apache-2.0
//! Faults of a kernel stop it, and the error says where.

use crate::support::{device, Frame};
#[allow(dead_code)]
use gpurf_workloads::{Argument, Device, Error, Module};

/// The error of a kernel with one block of 64 threads; parameter 0 is a buffer of 256 bytes.
#[track_caller]
fn error(code: &str) -> Error {
    let mut device = device();
    let buffer = device.allocate(256);
    let frame = Frame { shared: 256, stack: 32, registers: 32, ..Frame::default() };
    device.launch(&frame.module(code), "k", 1, 64, 0, &[buffer.into()]).expect_err(code)
}

/// The error names the kernel, the instruction by its place and text, block, warp and lane.
#[track_caller]
fn expect_fault(code: &str, pc: u32, warp: u32, lane: Option<u32>, says: &str) {
    let error = error(code);
    let Error::Fault { place, message, .. } = &error else { panic!("{error}") };
    assert_eq!((place.kernel.as_str(), place.pc), ("k", pc), "{error}");
    assert_eq!((place.block, place.warp, place.lane), (Some([0, 0, 0]), Some(warp), lane), "{error}");
    assert!(message.contains(says), "{error}");
    let line = code.lines().map(str::trim).filter(|line| !line.ends_with(':')).nth(pc as usize / 16);
    if let Some(line) = line {
        assert_eq!(place.instruction, line, "{error}");
    }
    let text = error.to_string();
    let lane = lane.map_or(String::new(), |lane| format!(", lane {lane}"));
    assert!(
        text.starts_with("kernel k, PC ") && text.contains(&format!("block (0, 0, 0), warp {warp}{lane}: ")),
        "{text}"
    );
}

/// An instruction that is not known stops the launch before anything is executed.
#[track_caller]
fn expect_unknown(instruction: &str, says: &str) {
    let error = error(&format!("NOP\n{instruction}\nEXIT"));
    let Error::Fault { place, message, .. } = &error else { panic!("{error}") };
    assert_eq!((place.kernel.as_str(), place.pc, place.instruction.as_str()), ("k", 16, instruction));
    assert_eq!((place.block, place.warp, place.lane), (None, None, None));
    assert!(message.contains(says), "{error}");
}

#[test]
fn unknown_instructions_are_named() {
    expect_unknown("FROB R1, R2", "opcode `FROB`");
    expect_unknown("IADD3.FROB R1, R2, R3, R4", "modifier `.FROB` of `IADD3`");
    expect_unknown("FADD.X R1, R2, R3", "modifier `.X` of `FADD`");
    expect_unknown("FADD R1, R2", "lacks operand 3");
    expect_unknown("FADD R1, R2, R3, R4", "operand 4 of `FADD`");
    expect_unknown("FADD R1, ~R2, R3", "operand 2 of `FADD`");
    expect_unknown("MUFU.FROB R1, R2", "names no function");
    expect_unknown("S2R R1, SR_FROB", "SR_FROB");
    expect_unknown("MOV R32, RZ", "R32 is beyond the 32 registers");
    expect_unknown("LDG.E.128.SYS R29, [R2]", "R32 is beyond the 32 registers");
    expect_unknown("UIADD3.X UR1, UR2, UR3, UR4, P0, R1", "operand");
    expect_unknown("HMMA.884.F32 R0, R2, R4, R6", "names no types and step");
    expect_unknown("HMMA.16816.F32 R0, R2, R4, R6", "1688 and 884");
    expect_unknown("IMMA.8816.S8 R0, R2, R4, R6", "two types");
    expect_unknown("ISETP.AND P0, PT, R1, R2, PT", "names no comparison");
    expect_unknown("LOP3.LUT R1, R2, R3, R4, 0x100, !PT", "operand 5");
}

#[test]
fn accesses_outside_memory_name_their_lane() {
    let address = "S2R R0, SR_TID.X\nIMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]\n";
    expect_fault(
        &format!("{address}LDG.E.SYS R4, [R2+0x84]\nEXIT"),
        0x20,
        0,
        Some(31),
        "load of 4 bytes at global",
    );
    expect_fault(&format!("{address}STG.E.SYS [R2+0x4], R0\nEXIT"), 0x20, 1, Some(31), "out of bounds");
    expect_fault(&format!("{address}LDG.E.SYS R4, [R2+-0x4]\nEXIT"), 0x20, 0, Some(0), "out of bounds");
    expect_fault(&format!("{address}LDG.E.64.SYS R4, [R2]\nEXIT"), 0x20, 0, Some(1), "misaligned");
    expect_fault("LDG.E.SYS R4, [RZ]\nEXIT", 0, 0, Some(0), "global address 0x0 is out of bounds");
    expect_fault("S2R R0, SR_TID.X\nSTS [R0.X8], R0\nEXIT", 0x10, 1, Some(0), "store of 4 bytes at shared");
    expect_fault("MOV R0, 0xfe\nLDS.U.U16 R1, [R0+0x3]\nEXIT", 0x10, 0, Some(0), "misaligned");
    expect_fault(
        "MOV R0, 0xfe\nLDS.U R1, [R0+0x100]\nEXIT",
        0x10,
        0,
        Some(0),
        "shared address 0x1fe is misaligned",
    );
    expect_fault("MOV R0, 0x20\nSTL [R0], R0\nEXIT", 0x10, 0, Some(0), "local address 0x20 is out of bounds");
    expect_fault("MOV R0, RZ\nSTL [R0+-0x4], R0\nEXIT", 0x10, 0, Some(0), "out of bounds");
    let skip = "S2R R0, SR_TID.X\nISETP.EQ.AND P0, PT, R0, 0x2b, PT\n";
    expect_fault(&format!("{skip}@P0 ATOMS.ADD R1, [0x400], R0\nEXIT"), 0x20, 1, Some(11), "out of bounds");
    expect_fault(
        &format!("{skip}@P0 ATOMG.E.ADD.STRONG.GPU PT, R1, [R4], R0\nEXIT"),
        0x20,
        1,
        Some(11),
        "global",
    );
    expect_fault("MOV R0, 0xf8\nLDSM.16.M88.2 R4, [R0]\nEXIT", 0x10, 0, Some(0), "misaligned");
}

#[test]
fn constants_outside_their_bank_are_refused() {
    expect_fault("MOV R0, c[0x0][0x168]\nEXIT", 0, 0, None, "constant c[0x0][0x168] is out of bounds");
    expect_fault("FADD R0, RZ, -c[0x2][0x0]\nEXIT", 0, 0, None, "bank has 0 bytes");
    expect_fault("MOV R0, c[0x0][0xfffffffc]\nEXIT", 0, 0, None, "out of bounds");
    expect_fault("DADD R0, RZ, c[0x0][0xfffffffc]\nEXIT", 0, 0, None, "out of bounds");
    expect_fault("S2R R0, SR_TID.X\nLDC R1, c[0x0][R0.X4+0xec]\nEXIT", 0x10, 0, Some(31), "out of bounds");
    expect_fault("MOV R0, 0x2\nLDC R1, c[0x0][R0]\nEXIT", 0x10, 0, Some(0), "misaligned");
    expect_fault("LDC R1, c[0x5][RZ]\nEXIT", 0, 0, Some(0), "c[0x5][0x0] is out of bounds");
}

#[test]
fn threads_that_wait_for_ever_are_reported() {
    // Warp 1 waits at another barrier.
    expect_fault(
        "S2R R0, SR_TID.X
         ISETP.GE.AND P0, PT, R0, 0x20, PT
         @P0 BRA `(other)
         BAR.SYNC 0x0
         EXIT
         other:
         BAR.SYNC 0x1
         EXIT",
        0x30,
        0,
        Some(0),
        "warp 1, lane 0 waits at 0x0050 instead",
    );
    // Half a warp waits for the other, which waits for the block.
    expect_fault(
        "S2R R0, SR_TID.X
         LOP3.LUT P0, RZ, R0, 0x10, RZ, 0xc0, !PT
         BSSY B0, `(after)
         @P0 BRA `(other)
         BSYNC B0
         after:
         EXIT
         other:
         BAR.SYNC 0x0
         BSYNC B0
         EXIT",
        0x40,
        0,
        Some(0),
        "threads that never come",
    );
    // A named barrier that wants more threads than come.
    expect_fault("BAR.SYNC 0x2, 0x60\nEXIT", 0, 0, Some(0), "threads that never come");
}

#[test]
fn execution_stays_within_the_kernel() {
    expect_fault("NOP\nNOP", 0x20, 0, Some(0), "left the kernel");
    expect_fault("MOV R4, 0x1000\nMOV R5, RZ\nBRX R4 -0x30\nEXIT", 0x1000, 0, Some(0), "left the kernel");
    expect_fault("MOV R4, 0x8\nMOV R5, RZ\nBRX R4 -0x30\nEXIT", 0x20, 0, Some(0), "jumps to 0x8");
    expect_fault("MOV R4, RZ\nMOV R5, 0x1\nBRX R4 -0x30\nEXIT", 0x20, 0, Some(0), "jumps to 0x100000000");
    expect_fault("BPT.TRAP 0x1\nEXIT", 0, 0, Some(0), "trapped");
    expect_fault("MOV R0, 0x10\nBAR.SYNC R0\nEXIT", 0x10, 0, None, "no barrier 16");
}

#[test]
fn launches_are_checked() {
    let frame = Frame { parameters: vec![8, 4], shared: 1000, ..Frame::default() };
    let module = frame.module("EXIT");
    let good: [Argument; 2] = [1u64.into(), 2u32.into()];
    let launch =
        |kernel: &str, grid: (u32, u32, u32), block: (u32, u32, u32), shared: u32, arguments: &[Argument]| {
            device().launch(&module, kernel, grid, block, shared, arguments)
        };
    launch("k", (1, 1, 1), (1, 1, 1), 0, &good).unwrap();
    let refused = |result: gpurf_workloads::Result<()>, says: &str| {
        let error = result.unwrap_err();
        let Error::Launch { kernel, message } = &error else { panic!("{error}") };
        assert!(message.contains(says), "{error}");
        assert!(error.to_string().starts_with(&format!("launch of {kernel}: ")));
    };
    let one = (1, 1, 1);
    refused(launch("f", one, one, 0, &good), "no such kernel; it has k");
    refused(launch("k", (0, 1, 1), one, 0, &good), "grid of [0, 1, 1]");
    refused(launch("k", (1, 0x10000, 1), one, 0, &good), "grid");
    refused(launch("k", one, (1025, 1, 1), 0, &good), "block of [1025, 1, 1]");
    refused(launch("k", one, (32, 0, 1), 0, &good), "block");
    refused(launch("k", one, (1, 1, 65), 0, &good), "at most 64 in z");
    refused(launch("k", one, (1 << 31, 1 << 31, 4), 0, &good), "block");
    refused(launch("k", one, one, 64 << 10, &good), "shared memory");
    refused(launch("k", one, one, u32::MAX, &good), "shared memory");
    refused(launch("k", one, one, 0, &good[..1]), "1 arguments given, the kernel takes 2");
    refused(
        launch("k", one, one, 0, &[1u32.into(), 2u32.into()]),
        "argument 1 has 4 bytes, the kernel takes 8",
    );
    refused(
        launch("k", one, one, 0, &[1u64.into(), 2u64.into()]),
        "argument 2 has 8 bytes, the kernel takes 4",
    );
}

#[test]
fn copies_stay_within_allocations() {
    let mut device = Device::default();
    let buffer = device.upload(&[1u32, 2, 3]);
    assert_eq!(device.read::<u32>(buffer.offset(4), 2).unwrap(), [2, 3]);
    for error in [
        device.read::<u32>(buffer, 4).unwrap_err(),
        device.read::<u8>(buffer.offset(12), 1).unwrap_err(),
        device.write(buffer.offset(8), &[1u64]).unwrap_err(),
        device.write(gpurf_workloads::Pointer(0), &[1u8]).unwrap_err(),
        device.write(gpurf_workloads::Pointer(u64::MAX), &[1u64]).unwrap_err(),
    ] {
        assert!(
            matches!(error, Error::Copy { .. }) && error.to_string().contains("out of bounds"),
            "{error}"
        );
    }
    let module = Frame::default().module("EXIT");
    let error = device.write_symbol(&module, "missing", &[1u8]).unwrap_err();
    assert!(error.to_string().contains("no variable missing"), "{error}");
}

#[test]
fn listings_are_refused_by_file_and_line() {
    let good = Frame::default().listing("NOP\nEXIT");
    Module::parse("k.sass", &good).unwrap();
    let refused = |text: &str, says: &str| {
        // What is wrong with a line of code concerns its kernel, and stops its launch.
        let launched = |module: Module| device().launch(&module, "k", 1, 1, 0, &[0u64.into()]);
        let error = Module::parse("k.sass", text).and_then(launched).unwrap_err();
        let Error::Listing { file, line, message } = &error else { panic!("{error}") };
        assert_eq!(file, "k.sass");
        assert!(message.contains(says), "{error}");
        assert_eq!(error.to_string(), format!("k.sass:{line}: {message}"));
        *line
    };
    let line_of = |text: &str, part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    let damaged = |from: &str, to: &str, says: &str| {
        let text = good.replace(from, to);
        assert_ne!(text, good);
        assert_eq!(refused(&text, says), line_of(&text, to.lines().last().unwrap()), "{from} as {to}");
    };
    damaged("sm_75", "sm_80", "only Turing's is executed: compile with -arch=sm_75");
    damaged("sm_75", "sm_x", "target `sm_x`");
    damaged("NOP ;", "NOP", "no `;`");
    damaged("/*0010*/ EXIT", "/*0020*/ EXIT", "address 0x20 does not follow");
    damaged("/*0010*/ EXIT", "/*00x0*/ EXIT", "no address");
    damaged("/*0010*/ EXIT", "/*0010 EXIT", "unclosed comment");
    damaged("NOP", "NOP R1 R2", "operand `R1 R2`");
    damaged("NOP", "@P9 NOP", "not understood");
    damaged("NOP", "NOP [R1", "operand `[R1`");
    damaged("NOP", "IADD3 R1, r2, RZ, RZ", "operand `r2`");
    let lost = Frame::default().module("BRA `(nowhere)\nEXIT");
    let error = device().launch(&lost, "k", 1, 1, 0, &[0u64.into()]).unwrap_err().to_string();
    assert!(error.contains("there is no label or variable `nowhere` in this listing"), "{error}");
    damaged("SHI_REGISTERS=255", "SHI_REGISTERS=many", "register count");
    damaged(".zero 0", ".zero all", "not a number");
    damaged("NOP ;", "NOP ;\nwhat is this", "not understood");
    refused("", "no kernel");
    refused("not a listing at all", "no kernel");
    let lost = good.replace("/*0008*/ .short 0x0, 0x0", "");
    refused(&lost, "EIATTR_KPARAM_INFO is not understood");
}
