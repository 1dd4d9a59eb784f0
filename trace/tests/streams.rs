// SPDX-License-Identifier: Apache-2.0
//! Random instruction streams: written and read back, and annotated against a plain oracle.

use gpurf_trace::reuse::{distances, Histogram, Operand};
use gpurf_trace::{
    open, write, Command, Error, Instruction, Kernel, KernelHeader, KernelReader, Program, Register, Reuse,
    ReuseMode, ThreadBlock, Workload,
};
use proptest::prelude::*;

/// Opcode, whether it writes a register, sources, bytes per thread.
const OPCODES: [(&str, bool, usize, u16); 13] = [
    ("FFMA", true, 3, 0),
    ("IADD3.X", true, 2, 0),
    ("IMAD.WIDE", true, 3, 0),
    ("DFMA", true, 2, 0),
    ("HMMA.1688.F32", true, 3, 0),
    ("HGMMA.64x48x16.F32", true, 2, 0),
    ("MOV", true, 1, 0),
    ("CS2R", true, 0, 0),
    ("LDG.E.128.SYS", true, 1, 16),
    ("STS.64", false, 2, 8),
    ("ATOMG.E.ADD.STRONG.GPU", false, 3, 4),
    ("BAR.SYNC", false, 0, 0),
    ("EXIT", false, 0, 0),
];

/// Opcode, registers, immediate, mask, first address and stride.
type Choice = (usize, [u8; 4], i64, u32, u64, i64);

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    // Few registers, so that they are reused; RZ among them.
    let register = prop_oneof![9 => 0u8..12, 1 => Just(255u8)];
    let mask = prop_oneof![Just(u32::MAX), Just(0), any::<u32>()];
    let choice = (
        0..OPCODES.len(),
        prop::array::uniform4(register),
        prop_oneof![Just(0), any::<i64>()],
        mask,
        any::<u64>(),
        -64i64..64,
    );
    prop::collection::vec(choice, 0..60)
}

fn push(choice: &Choice, pc: u32, program: &mut Program, block: &mut ThreadBlock) {
    let &(opcode, registers, immediate, mask, base, stride) = choice;
    let (opcode, writes, source_count, width) = OPCODES[opcode];
    let [destination, sources @ ..] = registers.map(Register::vector);
    let instruction = Instruction {
        pc,
        opcode,
        destination: writes.then_some(destination),
        sources: &sources[..source_count],
        width,
        immediates: [immediate, 0],
    };
    let index = program.intern(&instruction).unwrap();
    let lanes = if width > 0 { mask.count_ones() } else { 0 };
    // Now evenly spaced, now not.
    let addresses: Vec<u64> = (0..u64::from(lanes))
        .map(|lane| base.wrapping_add_signed(stride * (lane * lane % 7) as i64))
        .collect();
    block.push(index, mask, &addresses);
}

/// A kernel of one block, a warp per list; equal lists share their code.
fn kernel(warps: &[Vec<Choice>]) -> Kernel {
    let mut program = Program::default();
    let mut block = ThreadBlock::new([0, 0, 0]);
    for (id, warp) in warps.iter().enumerate() {
        block.begin_warp(id as u32);
        for (position, choice) in warp.iter().enumerate() {
            push(choice, 16 * (position % 20) as u32, &mut program, &mut block);
        }
    }
    let header = KernelHeader {
        name: "random".into(),
        id: 7,
        grid: [1, 1, 1],
        block: [32 * warps.len() as u32, 1, 1],
        nregs: 16,
        binary_version: 75,
        tracer_version: 5,
        ..KernelHeader::default()
    };
    Kernel::in_memory(header, program, vec![block])
}

fn workload(kernels: Vec<Kernel>) -> Workload {
    let copy = Command::MemcpyHtoD { address: 0x7fc8_4150_0000, bytes: 4096 };
    let kernels = kernels.into_iter().map(Command::Kernel);
    Workload { name: "random".into(), commands: std::iter::once(copy).chain(kernels).collect() }
}

fn only_block(reader: &mut KernelReader) -> ThreadBlock {
    reader.next_block().unwrap().expect("one block")
}

/// The definition, word for word, looking forward from each operand.
fn oracle(program: &Program, code: &[u32], position: usize, operand: Operand) -> Option<u32> {
    let place = &program[code[position]];
    let register = match operand {
        Operand::Source(i) => place.sources[i],
        Operand::Destination(i) => place.destinations[i],
    };
    if matches!(operand, Operand::Source(_)) && place.destinations.contains(&register) {
        return None;
    }
    for (later, &index) in code.iter().enumerate().skip(position + 1) {
        if program[index].sources.contains(&register) {
            return Some((later - position) as u32);
        }
        if program[index].destinations.contains(&register) {
            return None;
        }
    }
    None
}

proptest! {
    #[test]
    fn written_streams_read_back_equal(warps in prop::collection::vec(choices(), 1..4)) {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace");
        let original = kernel(&warps);
        write(&workload(vec![original.clone()]), &trace).unwrap();

        let read = open(&trace).unwrap();
        let copied = matches!(
            read.commands[..],
            [Command::MemcpyHtoD { address: 0x7fc8_4150_0000, bytes: 4096 }, Command::Kernel(_)]
        );
        prop_assert!(copied);
        let copy = read.kernels().next().unwrap();
        prop_assert_eq!(copy.header(), original.header());
        let (mut copy, mut original) = (copy.open().unwrap(), original.open().unwrap());
        prop_assert_eq!(only_block(&mut copy), only_block(&mut original));
        prop_assert_eq!(copy.program().instructions(), original.program().instructions());
        prop_assert!(copy.next_block().unwrap().is_none());
    }

    #[test]
    fn distances_are_those_of_the_definition(warp in choices(), threshold in 0u32..20) {
        let kernel = kernel(&[warp]);
        let reuse = Reuse { threshold, mode: ReuseMode::Exact };
        let mut reader = kernel.open_annotated(&reuse).unwrap();
        let block = only_block(&mut reader);
        let program = reader.program();
        let instructions = &block.warps[0].instructions;
        let code: Vec<u32> = instructions.iter().map(|i| i.static_index).collect();

        let mut found = Vec::new();
        distances(program, instructions, |position, operand, distance| {
            found.push((position, operand, distance));
        });
        let operands: usize = code
            .iter()
            .map(|&index| program[index].sources.len() + program[index].destinations.len())
            .sum();
        prop_assert_eq!(found.len(), operands);
        let is_near = |distance: Option<u32>| distance.is_some_and(|distance| distance <= threshold);
        // The sixteenth and all behind it are near together.
        let together = |position: usize, operand: Operand| {
            let place = &program[code[position]];
            let near = |operand| is_near(oracle(program, &code, position, operand));
            match operand {
                Operand::Source(15..) => (15..place.sources.len()).all(|i| near(Operand::Source(i))),
                Operand::Destination(15..) => (15..place.destinations.len()).all(|i| near(Operand::Destination(i))),
                single => near(single),
            }
        };
        let mut histogram = Histogram::default();
        for (position, operand, distance) in found {
            prop_assert_eq!(distance, oracle(program, &code, position, operand));
            let instruction = &instructions[position];
            let marked = match operand {
                Operand::Source(i) => instruction.near_sources_from(i) & 1 == 1,
                Operand::Destination(i) => instruction.is_near_destination(i),
            };
            prop_assert_eq!(marked, together(position, operand));
            match distance {
                Some(distance) => *histogram.reuses.entry(distance).or_default() += 1,
                None => histogram.without_reuse += 1,
            }
        }
        prop_assert_eq!(Histogram::of(&kernel).unwrap(), histogram);
    }
}

/// `MOV R0`, then readers of R0 at distances given by padding, as one warp's choices.
fn read_after(padding: usize) -> Vec<Choice> {
    let instruction = |opcode: &str, registers| {
        let opcode = OPCODES.iter().position(|row| row.0 == opcode).unwrap();
        (opcode, registers, 0, u32::MAX, 0, 0)
    };
    let mut warp = vec![instruction("MOV", [0, 1, 255, 255])];
    warp.extend(vec![instruction("BAR.SYNC", [255; 4]); padding]);
    warp.push(instruction("MOV", [2, 0, 255, 255]));
    warp
}

fn first_destination_is_near(kernel: &Kernel, mode: ReuseMode) -> Vec<bool> {
    let reuse = Reuse { threshold: 12, mode };
    let block = only_block(&mut kernel.open_annotated(&reuse).unwrap());
    let first = block.warps.iter().map(|warp| warp.instructions[0]);
    first.map(|instruction| instruction.near_destinations == 1).collect()
}

#[test]
fn the_threshold_itself_is_near() {
    // With 11 instructions in between the distance is 12.
    let kernel = kernel(&[read_after(11), read_after(12)]);
    assert_eq!(first_destination_is_near(&kernel, ReuseMode::Exact), [true, false]);
}

#[test]
fn a_profile_takes_the_majority_and_a_tie_is_far() {
    let kernel = kernel(&[read_after(0), read_after(15), read_after(0)]);
    let profile = |warps| first_destination_is_near(&kernel, ReuseMode::Profile { warps });
    assert_eq!(profile(0), [false; 3]);
    assert_eq!(profile(1), [true; 3]);
    assert_eq!(profile(2), [false; 3]);
    assert_eq!(profile(3), [true; 3]);
}

#[test]
fn a_written_folder_is_complete_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let good = workload(vec![kernel(&[read_after(3)])]);
    write(&good, &trace).unwrap();
    let refused = write(&good, &trace).unwrap_err();
    assert!(matches!(refused, Error::Exists { .. }), "{refused}");

    let failing = Kernel::new(KernelHeader::default(), || Err(Error::Empty { path: "nowhere".into() }));
    let other = folder.path().join("other");
    let kernels = vec![kernel(&[read_after(3)]), failing];
    assert!(write(&workload(kernels), &other).is_err());
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["trace"]);
}

#[test]
fn a_kernel_opens_any_number_of_times() {
    let kernel = kernel(&[read_after(1)]);
    let first = only_block(&mut kernel.open().unwrap());
    assert_eq!(first, only_block(&mut kernel.open().unwrap()));
}

#[test]
fn blocks_that_are_kept_are_dealt_as_the_whole_kernel_deals_them() {
    let blocks = (0..10).map(|x| {
        let mut block = ThreadBlock::new([x, 0, 0]);
        block.begin_warp(0);
        block
    });
    let header = KernelHeader { grid: [10, 1, 1], ..KernelHeader::default() };
    let whole = Kernel::in_memory(header, Program::default(), blocks.collect());
    let dealt = |kernel: &Kernel, own: u64, count: u64| {
        let mut reader = kernel.open().unwrap();
        reader.restrict(own, count);
        let blocks = std::iter::from_fn(|| reader.next_block().unwrap());
        blocks.map(|block| block.id[0]).collect::<Vec<_>>()
    };
    assert_eq!(dealt(&whole, 1, 4), [1, 5, 9]);
    // The first two of four SMs.
    let share = whole.kept(|number| number % 4 < 2).unwrap();
    assert_eq!(dealt(&share, 0, 1), [0, 1, 4, 5, 8, 9]);
    for own in 0..2 {
        assert_eq!(dealt(&share, own, 2), dealt(&whole, own, 4));
    }
}
