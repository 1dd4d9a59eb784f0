// SPDX-License-Identifier: Apache-2.0
//! Compared designs: which collectors a sub-core has, and the policies around them.
//!
//! A design is a value for each of [some choices](Design), which do not depend on each other. The papers'
//! designs are [presets](PRESETS), which make some of the choices and leave the others open, so that several
//! can be put together ([`Design::from_str`](std::str::FromStr)). Two that make a choice differently cannot,
//! nor can what makes no sense in hardware.

mod choices;
mod collectors;
mod composition;
mod hardware;
mod presets;
mod residency;
mod values;

use gpurf_blocks::{
    Allocation, CacheAllocation, CacheReplacement, CacheWrite, Data, DestinationMapping, IssueLatch,
    Parameters, BOC_WARPS, CACHED_WARPS, INTERVAL_REGISTERS, MAX_D_PORTS, MAX_WARPS,
};

use crate::config::Config;

pub use choices::{Choices, Design};
pub use collectors::{CollectorKind, KeptOperands, OperandBuffer};
pub use composition::DesignError;
pub use hardware::HardwarePart;
pub use presets::{Family, Preset, PRESETS};
pub use residency::{Residency, Store};
pub use values::{Caching, Dependences, SharedLoads, TwoLevel};

impl Design {
    /// All presets.
    pub fn every() -> impl Iterator<Item = Design> {
        PRESETS.iter().map(|preset| preset.choices.design())
    }

    /// The presets of an evaluation.
    pub fn family(family: Family) -> impl Iterator<Item = Design> {
        PRESETS.iter().filter(move |preset| preset.family == family).map(|preset| preset.choices.design())
    }

    /// The treatment of loads from shared memory that warps perform alike.
    pub fn shared_loads(&self) -> SharedLoads {
        SharedLoads { multicast: self.multicast, rename: self.rename }
    }

    /// Collectors keep operands beyond their instruction.
    pub fn has_caching_collectors(&self) -> bool {
        self.collector.keeps != KeptOperands::Nothing
    }

    /// Operands are read in a window of fixed length, without collectors.
    pub fn reads_in_window(&self) -> bool {
        matches!(self.collector.holds, OperandBuffer::InWindow)
    }

    /// Instructions pass latches on their way to a collector, whatever the machine has.
    pub fn has_latches(&self) -> bool {
        self.issue_latch != IssueLatch::None
    }

    /// The same design with the latches of this machine, unless it has its own.
    pub fn on(&self, config: &Config) -> Design {
        match self.issue_latch {
            IssueLatch::None => Design { issue_latch: config.hardware.issue_latch, ..*self },
            _ => *self,
        }
    }

    /// More CTAs are resident than are active, and take each other's place.
    pub fn switches(&self) -> bool {
        self.residency.switches
    }

    /// Registers are fetched into a register cache, interval by interval.
    pub fn fetches_intervals(&self) -> bool {
        self.register_cache == Some(Caching::Intervals)
    }

    /// A warp that skips a load reads the leader's registers. Its own are written instead where operands are
    /// not read through the arbiter, or registers leave for other places. So they are where what collectors
    /// keep of a warp cannot be dropped at once, and where latches would have to name rows.
    pub fn renames_registers(&self, config: &Config) -> bool {
        let keeps_apart =
            self.collector.keeps == KeptOperands::Values && self.allocation == Allocation::AnyFree;
        self.rename
            && !self.reads_in_window()
            && self.register_cache.is_none()
            && !self.switches()
            && !self.on(config).has_latches()
            && !keeps_apart
    }

    /// Collectors of a sub-core.
    pub fn collectors(&self, config: &Config) -> usize {
        match self.allocation {
            Allocation::Private => BOC_WARPS,
            _ => config.hardware.collectors,
        }
    }

    /// Warps of a sub-core that its hardware has room for, at most.
    pub fn most_warps(&self) -> usize {
        match (self.allocation, self.register_cache) {
            (Allocation::Private, _) => BOC_WARPS,
            (_, Some(_)) => CACHED_WARPS,
            _ => MAX_WARPS,
        }
    }

    /// Rows of a bank. The registers that a warp takes from the shared pool of vt-regmutex keep rows of their
    /// own here: where in the pool they lie is not modelled, only how many there are.
    pub(crate) fn rows(&self, config: &Config) -> usize {
        match self.residency.pool {
            true => config.regmutex_rows(),
            false => config.rows(),
        }
    }

    /// Parameters of the hardware that this design needs in each sub-core. It has eight bits of seed.
    pub fn parameters(&self, config: &Config, seed: u64) -> Parameters {
        let hardware = match self.register_cache {
            None | Some(Caching::AllWarps) => config.hardware,
            Some(Caching::Intervals) => Parameters {
                rc_entries: INTERVAL_REGISTERS,
                rc_ways: 8,
                rc_mapping: DestinationMapping::Interleaving,
                rc_allocation: CacheAllocation::Write,
                rc_replacement: CacheReplacement::Lru,
                rc_write: CacheWrite::Back,
                ..config.hardware
            },
            // Of one set, as far as a set can have all entries.
            Some(Caching::ActiveWarps | Caching::Strands) => Parameters {
                rc_ways: config.hardware.rc_entries.min(8),
                rc_allocation: CacheAllocation::Write,
                rc_replacement: CacheReplacement::Fifo,
                rc_write: CacheWrite::Back,
                ..config.hardware
            },
        };
        Parameters {
            width: <u32 as Data>::WIDTH,
            warps: config.warps().min(self.most_warps()),
            collectors: self.collectors(config),
            rows: self.rows(config),
            transfer_ports: usize::from(self.residency.moves_registers() && config.finereg.transfer_port),
            lenders: usize::from(self.renames_registers(config)),
            replacement: self.replacement,
            cache_far: self.cache_far,
            scheduling: self.scheduling,
            allocation: self.allocation,
            issue_latch: self.on(config).issue_latch,
            d_ports: if self.all_results { MAX_D_PORTS } else { hardware.d_ports },
            seed: usize::from(seed as u8),
            ..hardware
        }
    }

    /// Parameters of its skip table. It has [`SKIP_ENTRIES`](gpurf_blocks::SKIP_ENTRIES) whatever the banks
    /// are: one for every four registers of the default banks.
    pub fn skip_table_parameters(&self, config: &Config) -> Parameters {
        let Parameters { rows, banks, .. } = Parameters::default();
        Parameters { rows, banks, ..self.parameters(config, 0) }
    }
}
