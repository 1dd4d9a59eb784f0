// SPDX-License-Identifier: Apache-2.0
//! The instruction streams of the built-in workloads: whole, the same however they are made, and the
//! same again when read from a trace.

#[allow(dead_code)]
use std::collections::BTreeSet;

use crate::support::Frame;
use gpurf_trace::{
    open, write, Addresses, Control, DependenceLimit, Instruction, Kernel, Program, RegisterId, Registers,
    StaticInstruction, ThreadBlock, Workload,
};
use gpurf_workloads::listing::{
    Address, Instruction as Listed, Kernel as ListedKernel, Operand, Register, RegisterFile,
};
use gpurf_workloads::suite::{Benchmark, Size, SUITE};
use gpurf_workloads::{Argument, Device, Module, Options};

/// Runs a workload on so many host threads.
fn run(benchmark: &Benchmark, threads: usize, keep_bytes: usize) -> Workload {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut device = Device::new(Options { keep_bytes, ..Options::default() });
        (benchmark.run)(&mut device, Size::Small)
            .unwrap_or_else(|error| panic!("{}: {error}", benchmark.name));
        device.into_workload(benchmark.name)
    })
}

/// An instruction as executed: what a trace says of it.
type Line<'a> = (u32, &'a str, u32, Addresses);

fn lines<'a>(program: &'a Program, block: &'a ThreadBlock) -> impl Iterator<Item = Line<'a>> {
    block.warps.iter().flat_map(|warp| &warp.instructions).map(|instruction| {
        let place = &program[instruction.static_index];
        (place.pc, &*place.opcode, instruction.mask, block.addresses(instruction))
    })
}

/// Fails unless both kernels have the same blocks and the same instructions: all of the kernel's in
/// the same order, or those executed with the operands that their names widen to.
fn expect_same(name: &str, kernel: &Kernel, copy: &Kernel, by_index: bool) {
    assert_eq!(kernel.header(), copy.header(), "{name}");
    let (mut reader, mut copy_reader) = (kernel.open().unwrap(), copy.open().unwrap());
    let mut blocks = 0;
    while let Some(block) = reader.next_block().unwrap() {
        let copied =
            copy_reader.next_block().unwrap().unwrap_or_else(|| panic!("{name}: a block is missing"));
        let (program, copied_program) = (reader.program(), copy_reader.program());
        if by_index {
            assert!(block == copied, "{name}: block {:?} differs", block.id);
            assert!(program.instructions() == copied_program.instructions(), "{name}");
        } else {
            assert_eq!(block.id, copied.id, "{name}");
            let ids = |block: &ThreadBlock| block.warps.iter().map(|warp| warp.id).collect::<Vec<_>>();
            assert_eq!(ids(&block), ids(&copied), "{name}");
            assert!(
                lines(program, &block).eq(lines(copied_program, &copied)),
                "{name}: block {:?} differs",
                block.id
            );
        }
        blocks += 1;
    }
    assert!(copy_reader.next_block().unwrap().is_none(), "{name}");
    assert_eq!(blocks, kernel.header().block_count(), "{name}");
    if !by_index {
        for copied in copy_reader.program().instructions() {
            let places = reader.program().instructions();
            let original = places.iter().find(|place| place.pc == copied.pc).unwrap();
            assert_eq!(*copied, widened(original), "{name}");
        }
    }
}

/// The instruction that widening makes of another's named operands.
fn widened(instruction: &StaticInstruction) -> StaticInstruction {
    let mut program = Program::default();
    let named = Instruction {
        pc: instruction.pc,
        opcode: &instruction.opcode,
        destination: instruction.named_destination,
        sources: &instruction.named_sources,
        width: instruction.width,
        immediates: instruction.immediates,
    };
    let index = program.intern(&named).unwrap();
    program[index].clone()
}

#[test]
fn streams_are_the_same_however_they_are_made_and_read_back_equal() {
    for benchmark in SUITE {
        let name = benchmark.name;
        let kept = run(benchmark, 1, usize::MAX);
        let emulated_again = run(benchmark, 3, 0);
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace");
        write(&kept, &trace).unwrap();
        let copy = open(&trace).unwrap();
        let commands = |workload: &Workload| {
            let texts = workload.commands.iter().map(|command| format!("{command:?}"));
            texts.collect::<Vec<_>>()
        };
        assert_eq!(commands(&kept), commands(&emulated_again), "{name}");
        assert_eq!(commands(&kept), commands(&copy), "{name}");
        for (kernel, again) in kept.kernels().zip(emulated_again.kernels()) {
            expect_same(name, kernel, again, true);
        }
        for (kernel, copied) in kept.kernels().zip(copy.kernels()) {
            expect_same(name, kernel, copied, false);
        }
    }
}

/// The kernels of a listing, as read and as programs. Their first instruction is made an `EXIT`, so
/// that they can be launched with any arguments.
pub fn programs(file: &str, text: &str) -> Vec<(ListedKernel, Program)> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut starts = vec![];
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(".text.") {
            starts.push(number + 1);
        }
    }
    for start in starts {
        let first = lines[start..].iter().position(|line| line.trim_start().starts_with("/*0000*/")).unwrap();
        lines[start + first] = "/*0000*/ EXIT ;".into();
    }
    let module = Module::parse(file, &lines.join("\n")).unwrap();
    // A kernel that launches kernels is refused, and has no stream.
    let streamed = module.kernels.iter().filter(|kernel| {
        let launches =
            |operand: &Operand| matches!(operand, Operand::Label(name) if name.starts_with("__cudaCDP"));
        !kernel.instructions.iter().any(|instruction| instruction.operands.iter().any(launches))
    });
    let programs = streamed.map(|kernel| {
        let mut device = Device::default();
        let parameters = kernel.parameters.clone().unwrap();
        let arguments: Vec<Argument> =
            parameters.iter().map(|place| Argument(vec![0; place.size as usize])).collect();
        device
            .launch(&module, &kernel.name, 1, 32, 0, &arguments)
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let workload = device.into_workload(file);
        let mut reader = workload.kernels().next().unwrap().open().unwrap();
        reader.next_block().unwrap();
        (kernel.clone(), reader.program().clone())
    });
    programs.collect()
}

/// Why widening cannot tell all registers of an instruction, if it cannot.
fn ambiguity(instruction: &Listed) -> Option<&'static str> {
    let wide = instruction.opcode.starts_with("IMAD.WIDE");
    match instruction.operands[..] {
        // The compiler's idiom for indexing an array has its base in the constant, and is taken for granted.
        [_, _, Operand::Constant(_) | Operand::Register(Register { file: RegisterFile::Uniform, .. }), Operand::Register(addend)]
            if wide && !addend.is_zero() =>
        {
            Some("a multiplier that is not named looks like an addend that is not, beside a multiplier of one register")
        }
        [Operand::Memory(Address { register: Some(_), wide: false, uniform: Some(_), .. }), ..]
        | [_, Operand::Memory(Address { register: Some(_), wide: false, uniform: Some(_), .. }), ..] => {
            Some("a 32-bit offset to a uniform base looks like a 64-bit address")
        }
        [_, _, Operand::Memory(Address { register: None, uniform: Some(_), .. }), ..]
            if instruction.opcode.starts_with("ATOM") =>
        {
            Some("the data of an atomic at a uniform address look like its address")
        }
        _ => None,
    }
}

#[test]
fn widening_finds_the_registers_of_every_instruction() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let mut opcodes = BTreeSet::new();
    let (mut instructions, mut ambiguous, mut constants) = (0, 0, 0);
    for folder in ["../kernels", "listings"].map(|name| format!("{folder}{name}")) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "sass") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let file = path.file_name().unwrap().to_string_lossy();
            for (kernel, program) in programs(&file, &text) {
                for (instruction, exact) in kernel.instructions.iter().zip(program.instructions()) {
                    opcodes.insert(exact.opcode.clone());
                    let limit = DependenceLimit { counter: 5, value: 1, mask: 0 };
                    assert_eq!(exact.limit, (exact.base() == "DEPBAR").then_some(limit), "{file}");
                    constants += u32::from(exact.constant.is_some());
                    let expected = StaticInstruction {
                        control: Control::UNKNOWN,
                        limit: None,
                        constant: None,
                        ..exact.clone()
                    };
                    // A trace does not have which channels of a texture are read.
                    let images = ["TEX", "TLD", "TLD4", "TXD", "TXQ", "SULD", "SUST", "SURED"];
                    if images.contains(&exact.base()) {
                        continue;
                    }
                    let found = StaticInstruction { slots: exact.slots.clone(), ..widened(exact) };
                    match ambiguity(instruction) {
                        None => assert_eq!(found, expected, "{file}: {}: {}", kernel.name, instruction.text),
                        Some(_) => {
                            assert_eq!(found.destinations, expected.destinations);
                            ambiguous += 1;
                        }
                    }
                    instructions += 1;
                }
            }
        }
    }
    assert!(constants * 20 > instructions, "{constants} of {instructions} instructions name constants");
    assert!(opcodes.len() > 300, "{} opcodes", opcodes.len());
    assert!(ambiguous * 50 < instructions, "{ambiguous} of {instructions} instructions are ambiguous");
}

/// An instruction: its place, its lanes and their addresses.
type Executed = (u32, u32, Vec<u64>);

/// Each instruction that a kernel executed: its place, lanes and addresses, warp by warp.
fn executed(code: &str, threads: u32) -> (u64, Vec<Vec<Executed>>) {
    let frame = Frame { shared: 1024, stack: 32, registers: 32, ..Frame::default() };
    let mut device = Device::default();
    let buffer = device.allocate(u64::from(4 * threads));
    device.launch(&frame.module(code), "k", 1, threads, 0, &[buffer.into()]).unwrap();
    let workload = device.into_workload("k");
    let mut reader = workload.kernels().next().unwrap().open().unwrap();
    let block = reader.next_block().unwrap().unwrap();
    let program = reader.program();
    let line = |instruction: &gpurf_trace::DynamicInstruction| {
        let pc = program[instruction.static_index].pc;
        (pc, instruction.mask, block.addresses(instruction).to_vec())
    };
    let warps = block.warps.iter().map(|warp| warp.instructions.iter().map(line).collect());
    (buffer.0, warps.collect())
}

#[test]
fn streams_have_the_lanes_and_addresses_that_were_executed() {
    let code = "
        S2R R0, SR_TID.X
        IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]
        ISETP.GE.AND P0, PT, R0, 0x24, PT
        @P0 LDG.E.SYS R4, [R2]
        @!P0 STS.64 [R0.X8+0x10], R4
        @!PT LDG.E.SYS R4, [RZ]
        STL [0x8], R0
        LDC R5, c[0x0][RZ]
        BSSY B0, `(after)
        @P0 BRA `(join)
        IADD3 R5, R5, 0x1, RZ
        join:
        BSYNC B0
        after:
        RED.E.ADD.STRONG.GPU [R2], R0
        @P0 BRA `(barrier)
        barrier:
        BAR.SYNC 0x0
        EXIT";
    let (buffer, warps) = executed(code, 48);
    let local = 0x7f11_0000_0000u64;
    for (warp, lines) in warps.into_iter().enumerate() {
        let all: u32 = if warp == 0 { u32::MAX } else { 0xffff };
        let above: u32 = if warp == 0 { 0 } else { 0xfff0 };
        let below = all & !above;
        let addresses = |mask: u32, f: &dyn Fn(u64) -> u64| {
            (0..32)
                .filter(|lane| mask >> lane & 1 != 0)
                .map(|lane| f(32 * warp as u64 + lane))
                .collect::<Vec<u64>>()
        };
        let global = |mask| addresses(mask, &|thread| buffer + 4 * thread);
        let mut expected = vec![
            (0x00, all, vec![]),
            (0x10, all, vec![]),
            (0x20, all, vec![]),
            (0x30, above, global(above)),
            (0x40, below, addresses(below, &|thread| 0x10 + 8 * thread)),
            (0x50, 0, vec![]),
            // Word 2 of the lanes side by side, behind those of the warps before.
            (0x60, all, addresses(all, &|thread| local + thread / 32 * 32 * 32 + 2 * 128 + thread % 32 * 4)),
            (0x70, all, vec![]),
            (0x80, all, vec![]),
            (0x90, above, vec![]),
            (0xa0, below, vec![]),
        ];
        // Those that fall through are first, wait, and go on together with the others.
        let groups = if warp == 0 { vec![all] } else { vec![below, above] };
        expected.extend(groups.iter().map(|&group| (0xb0, group, vec![])));
        expected.push((0xc0, all, global(all)));
        expected.push((0xd0, above, vec![]));
        // A barrier joins lanes that are apart, and is executed once.
        expected.extend([(0xe0, all, vec![]), (0xf0, all, vec![])]);
        assert_eq!(lines, expected, "warp {warp}");
    }
}

#[test]
fn operands_are_exact_with_their_reuse_flags() {
    type Numbers = &'static [u8];
    let registers = |numbers: &[u8]| numbers.iter().copied().map(RegisterId).collect::<Registers>();
    let lines: [(&str, Numbers, Numbers, u16); 18] = [
        ("IMAD.WIDE R2, R0, R4.reuse, c[0x0][0x160]", &[2, 3], &[0, 4], 0b10),
        ("IMAD.WIDE.U32 R2, R0.reuse, R4, R6.reuse", &[2, 3], &[0, 4, 6, 7], 0b1101),
        ("FADD R5, -R5.reuse, |R6.reuse|", &[5], &[5, 6], 0b11),
        ("FFMA R5, R7, R5, R7.reuse", &[5], &[7, 5], 0b01),
        ("IADD3 RZ, P0, RZ, -R8, UR4", &[], &[8], 0),
        ("HMMA.1688.F32 R8, R4.reuse, R6.reuse, R8", &[8, 9, 10, 11], &[4, 5, 6, 8, 9, 10, 11], 0b111),
        ("IMMA.8816.S8.S8 R8, R4.ROW, R6.reuse.COL, RZ", &[8, 9], &[4, 6], 0b10),
        ("DFMA R4, R8, R10, -R8", &[4, 5], &[8, 9, 10, 11], 0),
        ("F2F.F64.F32 R4, R9", &[4, 5], &[9], 0),
        ("STG.E.128.SYS [R2], R4", &[], &[2, 3, 4, 5, 6, 7], 0),
        ("LDG.E.64.SYS R2, [R2.64+UR4]", &[2, 3], &[2, 3], 0),
        ("LDS.U.128 R4, [R20.X16+0x10]", &[4, 5, 6, 7], &[20], 0),
        ("LDSM.16.M88.2 R4, [R20]", &[4, 5], &[20], 0),
        ("ATOMG.E.CAS.64.STRONG.GPU PT, R8, [R2], R4, R6", &[8, 9], &[2, 3, 4, 5, 6, 7], 0),
        ("SHFL.IDX P0, R5, R4.reuse, R6, R7", &[5], &[4, 6, 7], 0b001),
        ("BMOV.32 B0, R9", &[], &[9], 0),
        ("BAR.SYNC R4, R5", &[], &[4, 5], 0),
        ("RET.REL.NODEC R20 `(k)", &[], &[20, 21], 0),
    ];
    let code: Vec<&str> = lines.iter().map(|(line, ..)| *line).collect();
    let text = Frame::default().listing(&format!("EXIT\nk:\n{}", code.join("\n")));
    let (_, program) = programs("k.sass", &text).remove(0);
    for ((line, destinations, sources, reuse), found) in lines.iter().zip(&program.instructions()[1..]) {
        let flags = (0..found.sources.len()).filter(|&index| found.is_reused(index));
        assert_eq!(
            (
                found.destinations.clone(),
                found.sources.clone(),
                flags.fold(0, |flags, index| flags | 1 << index)
            ),
            (registers(destinations), registers(sources), *reuse),
            "{line}"
        );
    }
}
