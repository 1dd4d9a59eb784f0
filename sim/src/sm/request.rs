// SPDX-License-Identifier: Apache-2.0
//! Requests of an instruction to memory, in view of its block's addresses.

use gpurf_blocks::LANES;
use gpurf_trace::{Memory, MemoryAccess, MemorySpace};

use super::blocks::Blocks;
use super::code::Code;
use super::executing::Executing;
use super::memory::{Access, LoadStoreUnit, Served, Threads, WaitsForL2};
use super::surroundings::Surroundings;

/// The load/store unit performs the access of an instruction.
///
/// # Errors
/// It waits for replies of a shared L2.
pub(super) fn perform(
    unit: &mut LoadStoreUnit<Executing>,
    executing: &Executing,
    transfers: u64,
    around: &mut Surroundings,
) -> Result<Served, WaitsForL2> {
    let Surroundings { code, blocks, clock, completions, records } = around;
    let addresses = blocks.get(executing.block).block.addresses(&executing.instruction);
    let decoded = code.of(&executing.instruction);
    let access = Access {
        memory: memory_of(code, blocks, executing),
        width: decoded.width,
        uniform: decoded.uniform_address,
        copies: decoded.copies,
        addresses: &addresses,
        transfers,
        threads: threads(code, blocks, executing),
        order: completions.reserve(),
    };
    unit.access(clock.now, access, *executing, &mut records.counters)
}

/// Space and access of a memory instruction. Generic addresses lie where the first one does.
fn memory_of(code: &Code, blocks: &Blocks, executing: &Executing) -> Memory {
    let instruction = &executing.instruction;
    let memory = code.of(instruction).memory.expect("only memory instructions go to the load/store unit");
    match (memory.space, blocks.get(executing.block).block.first_address(instruction)) {
        (MemorySpace::Generic, Some(address)) => Memory { space: code.header.space_of(address), ..memory },
        _ => memory,
    }
}

/// Returns true if it stores to shared memory.
pub(super) fn stores_to_shared(code: &Code, blocks: &Blocks, executing: &Executing) -> bool {
    let memory = memory_of(code, blocks, executing);
    memory.space == MemorySpace::Shared && memory.access != MemoryAccess::Load
}

/// The lanes of an instruction among the threads that the SM has room for.
fn threads(code: &Code, blocks: &Blocks, executing: &Executing) -> Threads {
    let warps = u64::from(code.header.warps_per_block());
    let warp = warps * executing.block.0 as u64 + u64::from(executing.number);
    let lanes = LANES as u64;
    Threads {
        first: warp * lanes,
        mask: executing.instruction.mask,
        count: blocks.room() as u64 * warps * lanes,
    }
}
