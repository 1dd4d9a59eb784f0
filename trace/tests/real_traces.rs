// SPDX-License-Identifier: Apache-2.0
//! The reader on traces of real GPUs, where they are at hand, and on one of our own.

use gpurf_fixtures::{traces, OWN_TRACE};
use gpurf_trace::reuse::Histogram;
use gpurf_trace::{open, Command, Register, RegisterId, Reuse, ReuseMode, Unit, Workload};

/// Folder, kernels, warp instructions.
const TRACES: [(&str, usize, u64); 6] = [
    ("rodinia-bfs-sm80", 16, 159_509),
    ("rodinia-b+tree-sm90", 1, 21_832),
    ("vectoradd-sm75", 1, 30_720),
    ("minerva-nn-training-sm90", 4, 9_812),
    ("simtune-ffma-1-32-40-sm90", 1, 5_288),
    ("atax-v6-sm90", 1, 60),
];

#[derive(Debug, Default, PartialEq)]
struct Counts {
    kernels: usize,
    instructions: u64,
    named_sources: u64,
}

fn count(workload: &Workload) -> Counts {
    let mut counts = Counts::default();
    for kernel in workload.kernels() {
        counts.kernels += 1;
        let mut reader = kernel.open().unwrap();
        while let Some(block) = reader.next_block().unwrap() {
            for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
                let place = &reader.program()[instruction.static_index];
                counts.instructions += 1;
                counts.named_sources += u64::from(place.named_source_count);
                if place.width > 0 {
                    let lanes = instruction.mask.count_ones() as usize;
                    assert_eq!(block.addresses(instruction).len(), lanes);
                }
            }
        }
    }
    counts
}

#[test]
fn our_own_trace_reads_wholly() {
    let counts = count(&open(OWN_TRACE).unwrap());
    assert_eq!(counts, Counts { kernels: 2, instructions: 1_594, named_sources: 1_958 });
}

#[test]
fn every_trace_reads_wholly() {
    let Some(folder) = traces() else { return };
    for (name, kernels, instructions) in TRACES {
        let workload = open(folder.join(name)).unwrap();
        assert_eq!(workload.name, name);
        let counts = count(&workload);
        assert_eq!((counts.kernels, counts.instructions), (kernels, instructions), "{name}");
    }
}

#[test]
fn bfs_names_the_known_number_of_sources() {
    let Some(folder) = traces() else { return };
    let workload = open(folder.join("rodinia-bfs-sm80")).unwrap();
    let expected = Counts { kernels: 16, instructions: 159_509, named_sources: 162_053 };
    assert_eq!(count(&workload), expected);
    let copies = workload.commands.iter().filter(|command| matches!(command, Command::MemcpyHtoD { .. }));
    assert_eq!(copies.count(), 14);
}

#[test]
fn widened_registers_exist_and_pairs_are_aligned() {
    let Some(folder) = traces() else { return };
    for (name, ..) in TRACES {
        for kernel in open(folder.join(name)).unwrap().kernels() {
            let mut reader = kernel.open().unwrap();
            while reader.next_block().unwrap().is_some() {}
            for place in reader.program().instructions() {
                for &register in place.destinations.iter().chain(&place.sources) {
                    assert!(u32::from(register) < kernel.header().nregs, "{name}: {place:?}");
                }
                if let (2, Some(Register::Vector(first))) =
                    (place.destinations.len(), place.named_destination)
                {
                    assert_eq!(first.0 % 2, 0, "{name}: {place:?}");
                }
            }
        }
    }
}

#[test]
fn operands_of_known_instructions() {
    let Some(folder) = traces() else { return };
    let kernel_of = |name: &str| open(folder.join(name)).unwrap().kernels().next().unwrap().clone();
    let mut reader = kernel_of("rodinia-b+tree-sm90").open().unwrap();
    reader.next_block().unwrap();
    let at = |pc: u32| {
        let instructions = reader.program().instructions();
        instructions.iter().find(|place| place.pc == pc).unwrap()
    };
    // LDC.64 R28, then LDG.E R4, [R28.64], then STL.64 [R1], R4.
    assert_eq!(at(0x90).destinations[..], [28, 29].map(RegisterId));
    assert_eq!(at(0xc0).sources[..], [28, 29].map(RegisterId));
    assert_eq!(at(0x220).sources[..], [1, 4, 5].map(RegisterId));
    assert_eq!(at(0x220).unit, Unit::LoadStore);
    assert!(at(0x80).exit);

    // Version 6 names uniform registers: UR4 is remembered, but is no vector register.
    let mut reader = kernel_of("atax-v6-sm90").open().unwrap();
    reader.next_block().unwrap();
    let place = &reader.program()[5];
    assert_eq!(place.sources[..], [10, 3].map(RegisterId));
    assert_eq!(place.named_sources[1], Register::Uniform(4));
}

#[test]
fn traces_read_back_equal_after_writing() {
    let Some(folder) = traces() else { return };
    let scratch = tempfile::tempdir().unwrap();
    for (name, ..) in TRACES {
        let original = open(folder.join(name)).unwrap();
        let copy_folder = scratch.path().join(name);
        gpurf_trace::write(&original, &copy_folder).unwrap();
        let copy = open(&copy_folder).unwrap();
        assert_eq!(original.commands.len(), copy.commands.len());
        for (original, copy) in original.kernels().zip(copy.kernels()) {
            let (mut original, mut copy) = (original.open().unwrap(), copy.open().unwrap());
            loop {
                let block = original.next_block().unwrap();
                assert_eq!(block, copy.next_block().unwrap(), "{name}");
                if block.is_none() {
                    break;
                }
            }
            // A trace before version 5 has no immediates, and the copy says 0: the same.
            assert_eq!(original.program().instructions(), copy.program().instructions());
        }
    }
}

#[test]
fn most_reuses_of_bfs_are_near_and_a_profile_agrees_with_the_oracle() {
    let Some(folder) = traces() else { return };
    let workload = open(folder.join("rodinia-bfs-sm80")).unwrap();
    let kernel = workload.kernels().nth(7).unwrap();
    let histogram = Histogram::of(kernel).unwrap();
    let operands: u64 = histogram.reuses.values().sum::<u64>() + histogram.without_reuse;

    let near = |mode| {
        let reuse = Reuse { threshold: 12, mode };
        let mut reader = kernel.open_annotated(&reuse).unwrap();
        let (mut near, mut total, mut masks) = (0, 0, Vec::new());
        while let Some(block) = reader.next_block().unwrap() {
            for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
                let place = &reader.program()[instruction.static_index];
                total += (place.sources.len() + place.destinations.len()) as u64;
                near += u64::from(
                    instruction.near_sources.count_ones() + instruction.near_destinations.count_ones(),
                );
                masks.push((instruction.near_sources, instruction.near_destinations));
            }
        }
        assert_eq!(total, operands);
        (near, masks)
    };
    let (exact, exact_masks) = near(ReuseMode::Exact);
    let within: u64 = histogram.reuses.range(..=12).map(|(_, count)| count).sum();
    assert_eq!(exact, within);

    let (_, profiled) = near(ReuseMode::Profile { warps: usize::MAX });
    let same = exact_masks.iter().zip(&profiled).filter(|(a, b)| a == b).count();
    assert!(same * 10 > exact_masks.len() * 8, "{same} of {}", exact_masks.len());
}
