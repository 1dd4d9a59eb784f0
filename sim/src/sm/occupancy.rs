// SPDX-License-Identifier: Apache-2.0
//! How many thread blocks of a kernel fit on the SM, and where they lie.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Row, WarpId, LANES, MAX_CTAS, MAX_WARPS, REGISTERS, SUB_CORES};
use gpurf_trace::KernelHeader;

use crate::config::Config;
use crate::design::{Design, Residency, Store};

use super::error::SmError;
use super::names::{Region, Slot};

/// Most warps that may be resident, by the size of the hardware. R §V-F.
const MAX_RESIDENT_WARPS: usize = 512;

/// How the thread blocks of a kernel lie on the SM.
///
/// Block slot s has the warp slots from s × `warps` on; warp slot w is local warp w / 4 of sub-core
/// w mod 4. Their registers lie in regions, and there may be more regions than block slots. Region r is for
/// the registers of the warp slots from r × `warps` on, were there as many. In every bank the l-th of them
/// has the rows from l × `rows` on. A block may be in slot s with its registers in region r if that gives
/// each warp the same sub-core and the same banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Occupancy {
    /// Blocks active at a time.
    pub blocks: usize,
    /// Blocks whose registers the banks hold at a time; without switching, `blocks`.
    pub regions: usize,
    /// Blocks resident at a time, active or pending; without switching, `blocks`.
    pub residents: usize,
    /// Blocks may be switched.
    pub switching: bool,
    /// Warps of a block.
    pub warps: usize,
    /// Registers per thread, as allocated.
    pub registers: usize,
    /// Bank rows of a warp.
    pub rows: usize,
    /// Shared memory of all resident blocks, in bytes.
    pub shared_memory: u64,
    /// Sub-cores times banks.
    period: usize,
    /// The shared pool: registers of a warp that are its own, and warps of a sub-core that can have the
    /// others.
    pub pool: Option<(usize, usize)>,
}

impl Occupancy {
    pub fn new(header: &KernelHeader, config: &Config, design: &Design) -> Result<Occupancy, SmError> {
        let limits = &config.sm;
        let with_latches = Some(design.on(config)).filter(Design::has_latches);
        if let Some(reason) = with_latches.and_then(|design| design.refusal()) {
            return Err(SmError::Refused { design: design.to_string(), reason });
        }
        if config.warps() > design.most_warps() {
            let warps = design.most_warps();
            return Err(SmError::TooManyWarps {
                design: design.to_string(),
                warps,
                of_sm: SUB_CORES * warps,
            });
        }
        let warps = (header.threads_per_block() as usize).div_ceil(LANES).max(1);
        let registers = (header.nregs as usize).max(1).next_multiple_of(limits.register_granularity);
        let rows = registers.div_ceil(config.hardware.banks);
        let local_warps = (config.rows() / rows).min(MAX_WARPS);
        let by_registers = local_warps * SUB_CORES / warps;
        let by_warps = limits.warps / warps;
        let by_threads = limits.threads / (warps * LANES);
        let shared = u64::from(header.shared_memory);
        let by_shared = match limits.shared_memory.checked_div(shared) {
            None => usize::MAX,
            Some(0) => usize::from(shared <= limits.block_shared_memory),
            Some(blocks) => blocks as usize,
        };
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
            let available = limits.shared_memory.max(limits.block_shared_memory) as usize;
            return Err(too_large(
                "bytes of shared memory",
                shared as usize,
                available,
                "sm.block_shared_memory",
            ));
        }
        let scheduling = limits.blocks.min(by_warps).min(by_threads);
        let blocks = scheduling.min(by_registers).min(by_shared);
        let mut occupancy = Occupancy {
            blocks,
            regions: blocks,
            residents: blocks,
            switching: false,
            warps,
            registers,
            rows,
            shared_memory: shared * blocks as u64,
            period: SUB_CORES * config.hardware.banks,
            pool: None,
        };
        if design.switches() {
            occupancy.extend(header, config, design.residency, scheduling, by_shared)?;
        }
        Ok(occupancy)
    }

    /// Makes room for pending blocks. A kernel for which the design has no room is run as under the baseline.
    fn extend(
        &mut self,
        header: &KernelHeader,
        config: &Config,
        residency: &Residency,
        scheduling: usize,
        by_shared: usize,
    ) -> Result<(), SmError> {
        let hardware = MAX_CTAS.min(MAX_RESIDENT_WARPS / self.warps);
        let of_grid = header.block_count().max(1).min(hardware as u64) as usize;
        let most = hardware.min(by_shared).min(of_grid.max(self.blocks));
        let rows = match residency.store {
            Store::Nowhere | Store::Dram => config.rows(),
            Store::Pcrf => active_rows(config)?,
        };
        let regions = match residency {
            Residency { pool: true, .. } => self.share_registers(rows, config),
            // A vector of live registers has no bit for more.
            Residency { store: Store::Pcrf, .. } if self.registers > REGISTERS => 0,
            _ => rows / self.rows * SUB_CORES / self.warps,
        };
        let residents = match residency.store {
            Store::Nowhere => regions,
            Store::Dram => regions + config.finereg.dram_ctas,
            Store::Pcrf => most,
        };
        if regions == 0 {
            self.pool = None;
            return Ok(());
        }
        self.switching = true;
        self.blocks = scheduling.min(regions).min(by_shared);
        self.residents = residents.min(most).max(self.blocks);
        self.regions = regions.min(self.residents);
        Ok(())
    }

    /// Divides these rows of a bank into the warps' own ones and the shared pool's. The blocks that there is
    /// room for.
    fn share_registers(&mut self, rows: usize, config: &Config) -> usize {
        let own = (self.registers * config.finereg.brs).div_ceil(100).max(1);
        let own_rows = own.div_ceil(config.hardware.banks);
        let others = (self.rows - own_rows).max(1);
        let pool = rows * config.finereg.srp / 100;
        self.pool = Some((own, pool / others));
        // In the banks each warp has rows for all its registers: see `Design::rows`.
        let warps = ((rows - pool) / own_rows).min(config.regmutex_rows() / self.rows);
        if pool < others {
            0
        } else {
            warps * SUB_CORES / self.warps
        }
    }

    /// Returns true if a block in this slot can have its registers in this region.
    pub fn suits(&self, slot: Slot, region: Region) -> bool {
        slot.0.abs_diff(region.0) * self.warps % self.period == 0
    }

    /// Sub-core and local number of a warp of the block in slot `slot`.
    pub fn place(&self, slot: Slot, warp: usize) -> (usize, WarpId) {
        let warp_slot = slot.0 * self.warps + warp;
        (warp_slot % SUB_CORES, WarpId((warp_slot / SUB_CORES) as u8))
    }

    /// First bank row of a warp of the block in region `region`.
    pub fn base(&self, region: Region, warp: usize) -> Row {
        Row(((region.0 * self.warps + warp) / SUB_CORES * self.rows) as u32)
    }
}

/// Rows of a bank that the PCRF leaves.
fn active_rows(config: &Config) -> Result<usize, SmError> {
    let stored = config.hardware.pcrf_entries / (SUB_CORES * config.hardware.banks);
    let rows = config.rows().checked_sub(stored).filter(|&rows| rows > 0);
    rows.ok_or(SmError::NoActiveRegisters {
        pcrf: config.hardware.pcrf_entries,
        registers: config.sm.registers / LANES,
    })
}

/// The limit on the resident blocks of a kernel without switching: R Table II.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Block slots, warps or threads: R's Type-S.
    Scheduling,
    /// R's Type-R, as the next.
    Registers,
    /// Shared memory of the SM.
    SharedMemory,
}

impl Limit {
    /// The tightest limit of a kernel, and the blocks it lets be resident. Of equals, scheduling.
    ///
    /// # Errors
    /// Not even one block fits.
    pub fn of(header: &KernelHeader, config: &Config) -> Result<(Limit, usize), SmError> {
        let occupancy = Occupancy::new(header, config, &Design::BASELINE)?;
        let without =
            |config: Config| Occupancy::new(header, &config, &Design::BASELINE).map(|found| found.blocks);
        let mut unlimited = config.clone();
        unlimited.sm.shared_memory = u64::MAX;
        let few_registers = KernelHeader { nregs: 1, ..header.clone() };
        let blocks = occupancy.blocks;
        let by_scheduling = Occupancy::new(&few_registers, &unlimited, &Design::BASELINE)?.blocks;
        let limit = match without(unlimited)? {
            _ if by_scheduling == blocks => Limit::Scheduling,
            without_shared if without_shared == blocks => Limit::Registers,
            _ => Limit::SharedMemory,
        };
        Ok((limit, blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(threads: u32, nregs: u32, shared_memory: u32) -> KernelHeader {
        KernelHeader { block: [threads, 1, 1], nregs, shared_memory, ..KernelHeader::default() }
    }

    fn blocks(threads: u32, nregs: u32, shared_memory: u32) -> usize {
        Occupancy::new(&kernel(threads, nregs, shared_memory), &Config::default(), &Design::BASELINE)
            .unwrap()
            .blocks
    }

    #[test]
    fn each_resource_limits_the_resident_blocks() {
        assert_eq!(blocks(512, 21, 0), 2, "threads");
        assert_eq!(blocks(32, 16, 0), 16, "block slots");
        assert_eq!(blocks(256, 128, 0), 2, "registers");
        assert_eq!(blocks(64, 16, 20_000), 3, "shared memory");
        assert_eq!(blocks(64, 16, 65_600), 1, "shared memory of a larger GPU");
        assert_eq!(blocks(1, 8, 0), 16, "a part of a warp takes a whole one");
    }

    #[test]
    fn the_tightest_limit_is_named() {
        let limit =
            |threads, nregs, shared| Limit::of(&kernel(threads, nregs, shared), &Config::default()).unwrap();
        assert_eq!(limit(512, 21, 0), (Limit::Scheduling, 2));
        assert_eq!(limit(256, 128, 0), (Limit::Registers, 2));
        assert_eq!(limit(64, 16, 20_000), (Limit::SharedMemory, 3));
    }

    #[test]
    fn registers_are_limited_in_each_sub_core() {
        // 512 registers of a sub-core hold 3 warps of 136, although 65536 hold 15 of the SM.
        assert_eq!(blocks(32, 136, 0), 12);
        let occupancy = Occupancy::new(&kernel(96, 133, 0), &Config::default(), &Design::BASELINE).unwrap();
        assert_eq!((occupancy.registers, occupancy.rows, occupancy.blocks), (136, 68, 4));
    }

    #[test]
    fn a_block_that_never_fits_is_refused() {
        let refuse = |header: &KernelHeader| {
            Occupancy::new(header, &Config::default(), &Design::BASELINE).unwrap_err().to_string()
        };
        assert!(refuse(&kernel(1024, 72, 0)).contains("73728 registers"));
        assert!(refuse(&kernel(32, 8, 140_000)).contains("140000 bytes of shared memory"));
        assert!(refuse(&kernel(2048, 8, 0)).contains("64 warps"));
    }

    fn switched(threads: u32, nregs: u32, shared_memory: u32, design: Design) -> (usize, usize, usize) {
        let header = KernelHeader { grid: [1000, 1, 1], ..kernel(threads, nregs, shared_memory) };
        let occupancy = Occupancy::new(&header, &Config::default(), &design).unwrap();
        assert_eq!(occupancy.switching, occupancy.residents > occupancy.blocks || design == Design::FINEREG);
        (occupancy.blocks, occupancy.regions, occupancy.residents)
    }

    #[test]
    fn pending_blocks_have_what_scheduling_leaves_of_the_registers() {
        // 2048 registers of a warp: 16 warps of 32 are 4 blocks of 8 warps, scheduled 4 at a time.
        assert_eq!(switched(256, 32, 0, Design::VIRTUAL_THREAD), (4, 8, 8));
        assert_eq!(switched(256, 32, 0, Design::REG_DRAM), (4, 8, 16));
        assert_eq!(switched(256, 32, 0, Design::FINEREG), (4, 4, 64), "half of them are the PCRF's");
        assert_eq!(switched(256, 16, 0, Design::FINEREG), (4, 8, 64));
        assert_eq!(switched(256, 16, 10_000, Design::FINEREG), (4, 6, 6), "shared memory is kept");
        assert_eq!(switched(32, 16, 0, Design::FINEREG), (16, 64, 128), "the hardware's own limit");
    }

    #[test]
    fn a_block_keeps_sub_cores_and_banks_in_every_slot_that_suits() {
        for warps in [1, 2, 3, 5, 8] {
            let header = KernelHeader { grid: [1000, 1, 1], ..kernel(32 * warps, 16, 0) };
            let occupancy = Occupancy::new(&header, &Config::default(), &Design::VIRTUAL_THREAD).unwrap();
            for (slot, region) in
                (0..occupancy.blocks).flat_map(|s| (0..occupancy.regions).map(move |r| (s, r)))
            {
                let same = (0..warps as usize).all(|warp| {
                    let ((sub_core, local), (home, l)) =
                        (occupancy.place(Slot(slot), warp), occupancy.place(Slot(region), warp));
                    sub_core == home && (local.0 ^ l.0) & 1 == 0
                });
                assert_eq!(
                    occupancy.suits(Slot(slot), Region(region)),
                    same,
                    "{warps} warps, slot {slot}, region {region}"
                );
            }
        }
    }

    #[test]
    fn what_a_design_has_no_room_for_runs_as_under_the_baseline() {
        let header = KernelHeader { grid: [1000, 1, 1], ..kernel(256, 72, 0) };
        let occupancy = |design| Occupancy::new(&header, &Config::default(), &design).unwrap();
        assert_eq!(occupancy(Design::FINEREG), occupancy(Design::BASELINE), "R64 has no bit in a vector");
        let all = Config::load(None, &["pcrf_entries=2048".into()]).unwrap();
        let error = Occupancy::new(&kernel(32, 8, 0), &all, &Design::FINEREG).unwrap_err().to_string();
        assert!(error.contains("pcrf_entries"), "{error}");
    }
}
