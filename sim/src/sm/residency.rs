//! Thread blocks on the SM: how many fit, and how far each one is.

use gpurf_trace::{KernelHeader, ThreadBlock};

use crate::config::{Config, LANES, SUB_CORES, SUB_CORE_WARPS};

use super::error::SmError;

/// How the thread blocks of a kernel lie on the SM.
///
/// Block slot s has the warp slots from s × `warps` on; warp slot w is local warp w / 4 of sub-core
/// w mod 4. In every bank, local warp l has the rows from l × `rows` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occupancy {
    /// Blocks resident at a time.
    pub blocks: usize,
    /// Warps of a block.
    pub warps: usize,
    /// Registers per thread, as allocated.
    pub registers: usize,
    /// Bank rows of a warp.
    pub rows: usize,
    /// Shared memory of all resident blocks, in bytes.
    pub shared_memory: u64,
}

impl Occupancy {
    pub fn new(header: &KernelHeader, config: &Config) -> Result<Occupancy, SmError> {
        let limits = &config.sm;
        let warps = (header.threads_per_block() as usize).div_ceil(LANES).max(1);
        let registers = (header.nregs as usize).max(1).next_multiple_of(limits.register_granularity);
        let rows = registers.div_ceil(config.banks);
        let local_warps = (config.rows() / rows).min(SUB_CORE_WARPS);
        let by_registers = local_warps * SUB_CORES / warps;
        let by_warps = limits.warps / warps;
        let by_threads = limits.threads / (warps * LANES);
        let shared = u64::from(header.shared_memory);
        let by_shared =
            limits.shared_memory.checked_div(shared).map_or(limits.blocks, |blocks| blocks as usize);
        let too_large = |resource, needed: usize, available: usize, key| SmError::BlockTooLarge {
            kernel: header.name.clone(),
            resource,
            needed: needed as u64,
            available: available as u64,
            key,
        };
        if by_warps == 0 {
            return Err(too_large("warps", warps, limits.warps, "sm.warps"));
        }
        if by_threads == 0 {
            return Err(too_large("threads", warps * LANES, limits.threads, "sm.threads"));
        }
        if by_registers == 0 {
            return Err(too_large("registers", warps * LANES * registers, limits.registers, "sm.registers"));
        }
        if by_shared == 0 {
            let available = limits.shared_memory as usize;
            return Err(too_large("bytes of shared memory", shared as usize, available, "sm.shared_memory"));
        }
        let blocks = limits.blocks.min(by_registers).min(by_warps).min(by_threads).min(by_shared);
        Ok(Occupancy { blocks, warps, registers, rows, shared_memory: shared * blocks as u64 })
    }
}

/// A resident thread block.
pub(super) struct Resident {
    /// Holds the addresses; the instructions have moved to the warps.
    pub block: ThreadBlock,
    /// Warps with instructions still to issue.
    live: usize,
    /// Warps waiting at the barrier.
    waiting: usize,
    /// Warps with anything still to complete.
    incomplete: usize,
}

impl Resident {
    /// `warps`: those of the block that have any instruction.
    pub fn new(block: ThreadBlock, warps: usize) -> Self {
        Resident { block, live: warps, waiting: 0, incomplete: warps }
    }

    /// A warp has come to the barrier; whether it opens.
    pub fn arrive(&mut self) -> bool {
        self.waiting += 1;
        self.opens()
    }

    /// A warp has issued its last instruction, and counts at the barrier no longer; whether it opens.
    pub fn finish_warp(&mut self) -> bool {
        self.live -= 1;
        self.opens()
    }

    /// Everything a warp did is completed; whether that is so of the whole block.
    pub fn complete_warp(&mut self) -> bool {
        self.incomplete -= 1;
        self.incomplete == 0
    }

    fn opens(&mut self) -> bool {
        let opens = self.waiting > 0 && self.waiting == self.live;
        if opens {
            self.waiting = 0;
        }
        opens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(threads: u32, nregs: u32, shared_memory: u32) -> KernelHeader {
        KernelHeader { block: [threads, 1, 1], nregs, shared_memory, ..KernelHeader::default() }
    }

    fn blocks(threads: u32, nregs: u32, shared_memory: u32) -> usize {
        Occupancy::new(&kernel(threads, nregs, shared_memory), &Config::default()).unwrap().blocks
    }

    #[test]
    fn each_resource_limits_the_resident_blocks() {
        assert_eq!(blocks(512, 21, 0), 2, "threads");
        assert_eq!(blocks(32, 16, 0), 16, "block slots");
        assert_eq!(blocks(256, 128, 0), 2, "registers");
        assert_eq!(blocks(64, 16, 20_000), 3, "shared memory");
        assert_eq!(blocks(1, 8, 0), 16, "a part of a warp takes a whole one");
    }

    #[test]
    fn registers_are_limited_in_each_sub_core() {
        // 512 registers of a sub-core hold 3 warps of 136, although 65536 hold 15 of the SM.
        assert_eq!(blocks(32, 136, 0), 12);
        let occupancy = Occupancy::new(&kernel(96, 133, 0), &Config::default()).unwrap();
        assert_eq!((occupancy.registers, occupancy.rows, occupancy.blocks), (136, 68, 4));
    }

    #[test]
    fn a_block_that_never_fits_is_refused() {
        let refuse =
            |header: &KernelHeader| Occupancy::new(header, &Config::default()).unwrap_err().to_string();
        assert!(refuse(&kernel(1024, 72, 0)).contains("73728 registers"));
        assert!(refuse(&kernel(32, 8, 70_000)).contains("70000 bytes of shared memory"));
        assert!(refuse(&kernel(2048, 8, 0)).contains("64 warps"));
    }

    #[test]
    fn a_barrier_waits_for_live_warps_only() {
        let mut resident = Resident::new(ThreadBlock::new([0; 3]), 3);
        assert!(!resident.arrive());
        assert!(!resident.arrive());
        assert!(resident.arrive());
        assert!(!resident.arrive());
        assert!(!resident.finish_warp(), "one waits, two live");
        assert!(resident.finish_warp(), "the last live warp waits alone");
        assert!(!resident.complete_warp() && !resident.complete_warp() && resident.complete_warp());
    }
}
