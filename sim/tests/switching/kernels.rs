// SPDX-License-Identifier: Apache-2.0
//! Kernels whose live registers are known.

use std::sync::Arc;

use gpurf_sim::sm::Design;
use gpurf_trace::liveness::{FlowNode, Origin};
use gpurf_trace::{
    Command, Instruction, Kernel, KernelHeader, Liveness, Program, Register, RegisterId, ThreadBlock,
    Workload,
};

use super::{config, residency, run, SMALL};

/// An instruction of a kernel that every warp executes from the first to the last: what it writes and reads,
/// and which threads execute it.
type Line = (&'static str, u8, &'static [u8], u32);

const ALL: u32 = u32::MAX;

/// Blocks of four warps that load from far apart.
fn straight(name: &str, lines: &[Line]) -> Kernel {
    let mut program = Program::default();
    let mut indices = vec![];
    for (place, &(opcode, destination, sources, _)) in (0..).zip(lines) {
        let sources: Vec<_> = sources.iter().map(|&register| Register::vector(register)).collect();
        let instruction = Instruction {
            pc: 16 * place,
            opcode,
            destination: Some(Register::vector(destination)),
            sources: &sources,
            width: if opcode == "LDG.E" { 4 } else { 0 },
            immediates: [0, 0],
        };
        indices.push(program.intern(&instruction).unwrap());
    }
    let mut start = 0;
    let blocks = (0..40).map(|number| {
        let mut block = ThreadBlock::new([number, 0, 0]);
        for warp in 0..4 {
            block.begin_warp(warp);
            for (&index, &(opcode, _, _, mask)) in indices.iter().zip(lines) {
                start += 4096;
                let lanes = if opcode == "LDG.E" { mask.count_ones() } else { 0 };
                let addresses: Vec<u64> = (0..lanes).map(|lane| start + 4 * u64::from(lane)).collect();
                block.push(index, mask, &addresses);
            }
        }
        block
    });
    let (grid, block) = ([40, 1, 1], [128, 1, 1]);
    let header = KernelHeader { name: name.into(), grid, block, nregs: 32, ..KernelHeader::default() };
    let blocks = blocks.collect();
    Kernel::in_memory(header, program, blocks)
}

fn kernels(kernels: impl IntoIterator<Item = Kernel>) -> Workload {
    Workload { name: "test".into(), commands: kernels.into_iter().map(Command::Kernel).collect() }
}

#[test]
fn a_diverged_block_that_needs_more_than_its_counters_tell_stays() {
    // Half of the threads load and wait, before the others have read R2.
    let (low, high) = (0xffff, 0xffff_0000);
    let lines: [Line; 7] = [
        ("IADD3", 1, &[0], ALL),
        ("IADD3", 2, &[1], ALL),
        ("LDG.E", 3, &[], low),
        ("IADD3", 5, &[3], low),
        ("IADD3", 6, &[2], high),
        ("LDG.E", 8, &[], ALL),
        ("IADD3", 7, &[8, 6], ALL),
    ];
    let after: [&[u32]; 7] = [&[1], &[2, 4], &[3], &[5], &[5], &[6], &[]];
    let nodes =
        (0..).zip(&lines).zip(after).map(|((place, &(_, destination, sources, _)), after)| FlowNode {
            pc: 16 * place,
            reads: sources.iter().copied().map(RegisterId).collect(),
            kills: [RegisterId(destination)].into_iter().collect(),
            writes: [RegisterId(destination)].into_iter().collect(),
            successors: after.to_vec(),
        });
    let liveness = Arc::new(Liveness::of(Origin::Listing, nodes.collect()));
    assert!(!liveness.at(48).contains(RegisterId(2)) && liveness.at(64).contains(RegisterId(2)));
    let kernel = straight("k", &lines).with_liveness(move || Arc::clone(&liveness));
    let counted = residency(&run(&kernels([kernel]), Design::FINEREG, &config(&SMALL), false));
    assert!(counted.refused_diverged > 0 && counted.registers_saved > 0, "{counted:?}");
}

#[test]
fn kernels_have_their_own_live_registers() {
    // At the same place, where the load is waited for, R1 is live in one of them and R2 in the other.
    let lines = |kept: u8, reads: &'static [u8]| -> [Line; 4] {
        [
            ("IADD3", kept, &[0], ALL),
            ("LDG.E", 3, &[], ALL),
            ("IADD3", 5, &[3], ALL),
            ("IADD3", 6, reads, ALL),
        ]
    };
    // Of launches of one kernel, too: a trace shows the paths that each of them took.
    for [first, second] in [["a", "b"], ["a", "a"]] {
        let workload = kernels([straight(first, &lines(1, &[1])), straight(second, &lines(2, &[2]))]);
        let counted = residency(&run(&workload, Design::FINEREG, &config(&SMALL), false));
        assert!(counted.registers_restored > 0, "{counted:?}");
    }
}

#[test]
fn what_is_live_longest_needs_no_pool_if_registers_are_renamed() {
    // R31 is live from the first instruction to the last, the others from one to the next.
    let lines: [Line; 6] = [
        ("LDG.E", 0, &[], ALL),
        ("IADD3", 31, &[0, 31], ALL),
        ("LDG.E", 1, &[], ALL),
        ("IADD3", 31, &[1, 31], ALL),
        ("LDG.E", 2, &[], ALL),
        ("IADD3", 31, &[2, 31], ALL),
    ];
    let workload = kernels([straight("k", &lines)]);
    let acquired = |setting: &str| {
        let config = config(&["finereg.brs=50", setting]);
        residency(&run(&workload, Design::VT_REGMUTEX, &config, false)).pool_acquired
    };
    assert_eq!(acquired("finereg.renaming=true"), 0);
    assert_eq!(acquired("finereg.renaming=false"), 160, "every warp needs R31");
}
