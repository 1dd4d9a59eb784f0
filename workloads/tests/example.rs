//! The example kernel against what a matrix product must do.

use std::collections::{BTreeMap, HashSet};

use gpurf_trace::{open, write, Kernel, MemorySpace, Program, StaticInstruction, ThreadBlock, Workload};
use gpurf_workloads::example::{tiled_ffma, Size};

fn only_kernel(workload: &Workload) -> &Kernel {
    workload.kernels().next().expect("one kernel")
}

fn blocks(kernel: &Kernel) -> (Program, Vec<ThreadBlock>) {
    let mut reader = kernel.open().unwrap();
    let mut blocks = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        blocks.push(block);
    }
    (reader.program().clone(), blocks)
}

/// Warp instructions by base opcode.
fn counts(size: &Size) -> BTreeMap<String, u64> {
    let workload = tiled_ffma(size);
    let (program, blocks) = blocks(only_kernel(&workload));
    let mut counts = BTreeMap::new();
    for warp in blocks.iter().flat_map(|block| &block.warps) {
        for instruction in &warp.instructions {
            let base = program[instruction.static_index].base();
            *counts.entry(base.to_owned()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn instruction_counts_follow_from_the_size() {
    for (m, n, k) in [(64, 64, 8), (128, 128, 48), (64, 192, 40)] {
        let counts = counts(&Size::new(m, n, k).unwrap());
        let [m, n, k] = [m, n, k].map(u64::from);
        let warps = m / 64 * (n / 64) * 8;
        let steps = k / 8;
        // One multiply-add per lane and element product.
        assert_eq!(counts["FFMA"], m * n * k / 32);
        // Each tile of A and of B is loaded once by its block, 8 bytes a lane.
        let tile_bytes = (64 + 64) * k * 4;
        assert_eq!(counts["LDG"], m / 64 * (n / 64) * tile_bytes / (32 * 8));
        // C is stored once, 16 bytes a lane.
        assert_eq!(counts["STG"], m * n * 4 / (32 * 16));
        assert_eq!(counts["LDS"], warps * steps * 8 * 2);
        assert_eq!(counts["STS"], warps * steps * 3);
        assert_eq!(counts["BAR"], warps * steps * 2);
        assert_eq!(counts["BRA"], warps * steps);
        assert_eq!(counts["EXIT"], warps);
        let total: u64 = counts.values().sum();
        assert_eq!(total, warps * (34 + 158 * steps + 17));
    }
}

#[test]
fn the_default_is_of_moderate_size() {
    let total: u64 = counts(&Size::default()).values().sum();
    assert!((20_000..40_000).contains(&total), "{total}");
}

#[test]
fn warps_of_a_block_meet_at_equally_many_barriers_and_exit_once() {
    let (program, blocks) = blocks(only_kernel(&tiled_ffma(&Size::default())));
    for block in &blocks {
        let of = |matches: fn(&StaticInstruction) -> bool| -> HashSet<usize> {
            let per_warp = block.warps.iter().map(|warp| {
                let places = warp.instructions.iter().map(|i| &program[i.static_index]);
                places.filter(|place| matches(place)).count()
            });
            per_warp.collect()
        };
        assert_eq!(of(|place| place.barrier), HashSet::from([12]));
        assert_eq!(of(|place| place.exit), HashSet::from([1]));
        for warp in &block.warps {
            let last = warp.instructions.last().unwrap();
            assert!(program[last.static_index].exit);
        }
    }
}

#[test]
fn the_loop_branch_is_taken_all_times_but_the_last() {
    let (program, blocks) = blocks(only_kernel(&tiled_ffma(&Size::new(64, 64, 24).unwrap())));
    for warp in &blocks[0].warps {
        let branches =
            warp.instructions.iter().filter(|instruction| program[instruction.static_index].branch);
        let masks: Vec<u32> = branches.map(|instruction| instruction.mask).collect();
        assert_eq!(masks, [u32::MAX, u32::MAX, 0]);
    }
}

#[test]
fn no_register_is_read_before_it_is_written_and_none_is_undeclared() {
    let workload = tiled_ffma(&Size::default());
    let kernel = only_kernel(&workload);
    let (program, blocks) = blocks(kernel);
    for warp in blocks.iter().flat_map(|block| &block.warps) {
        let mut written = HashSet::new();
        for instruction in &warp.instructions {
            let place = &program[instruction.static_index];
            for source in &place.sources {
                assert!(written.contains(source), "R{source} in {place:?}");
            }
            written.extend(place.destinations.iter().copied());
        }
        let highest = written.iter().max().copied().unwrap();
        assert_eq!(u32::from(highest) + 1, kernel.header().nregs);
    }
    assert!(kernel.header().nregs <= 64);
}

/// Byte ranges an opcode touches, by first byte.
fn touched(program: &Program, block: &ThreadBlock, base: &str, space: MemorySpace) -> BTreeMap<u64, u64> {
    let mut ranges = BTreeMap::new();
    for instruction in block.warps.iter().flat_map(|warp| &warp.instructions) {
        let place = &program[instruction.static_index];
        if place.base() == base {
            assert_eq!(place.memory.unwrap().space, space);
            for &address in block.addresses(instruction) {
                ranges.insert(address, u64::from(place.width));
            }
        }
    }
    ranges
}

#[test]
fn blocks_touch_their_tiles_completely_and_nothing_else() {
    let (m, n, k) = (128, 192, 16);
    let (program, blocks) = blocks(only_kernel(&tiled_ffma(&Size::new(m, n, k).unwrap())));
    let [m, n, k] = [m, n, k].map(u64::from);
    assert_eq!(blocks.len() as u64, m / 64 * (n / 64));

    // All elements of A and B are read, all of C written, each C byte by one block.
    let mut read = BTreeMap::new();
    let mut written = BTreeMap::new();
    for block in &blocks {
        read.extend(touched(&program, block, "LDG", MemorySpace::Global));
        for (address, width) in touched(&program, block, "STG", MemorySpace::Global) {
            assert_eq!(written.insert(address, width), None);
        }
        // Shared memory is written without gap or overlap, and all of it is read.
        let stored = touched(&program, block, "STS", MemorySpace::Shared);
        assert_eq!(contiguous(&stored), [(0, 4096)]);
        assert_eq!(contiguous(&touched(&program, block, "LDS", MemorySpace::Shared)), [(0, 4096)]);
    }
    let sizes = |ranges: &BTreeMap<u64, u64>| -> Vec<u64> {
        contiguous(ranges).iter().map(|&(_, bytes)| bytes).collect()
    };
    assert_eq!(sizes(&read), [m * k * 4, k * n * 4]);
    assert_eq!(sizes(&written), [m * n * 4]);
}

/// Merges adjoining ranges; overlapping ones fail.
fn contiguous(ranges: &BTreeMap<u64, u64>) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (&start, &bytes) in ranges {
        match merged.last_mut() {
            Some((first, length)) if *first + *length == start => *length += bytes,
            Some((first, length)) => {
                assert!(*first + *length < start, "overlap at {start:#x}");
                merged.push((start, bytes));
            }
            None => merged.push((start, bytes)),
        }
    }
    merged
}

#[test]
fn it_reads_back_equal_from_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("tiled_ffma");
    let workload = tiled_ffma(&Size::new(64, 128, 16).unwrap());
    write(&workload, &trace).unwrap();
    let copy = open(&trace).unwrap();
    assert_eq!(copy.name, workload.name);
    assert_eq!(only_kernel(&copy).header(), only_kernel(&workload).header());
    let (copy_program, copy_blocks) = blocks(only_kernel(&copy));
    let (program, blocks) = blocks(only_kernel(&workload));
    assert_eq!(copy_program.instructions(), program.instructions());
    assert_eq!(copy_blocks, blocks);
}

#[test]
fn sizes_that_cannot_be_tiled_are_refused() {
    for (m, n, k) in [(0, 64, 8), (65, 64, 8), (64, 32, 8), (64, 64, 4), (32768, 64, 8)] {
        let error = Size::new(m, n, k).unwrap_err();
        assert!(error.to_string().contains("multiples of 64"), "{error}");
    }
    let size = Size::new(64, 128, 8).unwrap();
    assert_eq!((size.m(), size.n(), size.k()), (64, 128, 8));
}
