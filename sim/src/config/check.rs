// SPDX-License-Identifier: Apache-2.0
//! Which values are possible.

use gpurf_blocks::{LANES, MAX_WARPS, SUB_CORES};
use gpurf_trace::MOST_SHARED_MEMORY;

use super::{Config, ConfigError, Sthld, SthldCounter};

/// The longest wait that a collector allocator counts by itself.
pub const OWN_STHLD: u32 = 31;

/// Registers of a warp that a sub-core's banks hold together, 1024 bits each: 128 KB, twice a GPU's (R Fig.
/// 2).
const SUB_CORE_REGISTERS: usize = 1024;

impl Config {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.hardware.check()?;
        if self.hardware.release_age == 0 {
            let reason =
                "a load without a partner would keep its warp waiting for ever; give a number of cycles";
            return Err(impossible("release_age", 0, reason.into()));
        }
        between("sm.warps", self.sm.warps as u64, SUB_CORES as u64, (SUB_CORES * MAX_WARPS) as u64)?;
        between("sm.threads", self.sm.threads as u64, LANES as u64, 2048)?;
        between("sm.block_shared_memory", self.sm.block_shared_memory, 0, MOST_SHARED_MEMORY.into())?;
        between("sm.blocks", self.sm.blocks as u64, 1, 32)?;
        let most = (SUB_CORES * LANES * SUB_CORE_REGISTERS) as u64;
        between("sm.registers", self.sm.registers as u64, 16384, most)?;
        if self.sm.registers % (SUB_CORES * LANES * self.hardware.banks) != 0 {
            let reason = format!("it must be a multiple of {}", SUB_CORES * LANES * self.hardware.banks);
            return Err(impossible("sm.registers", self.sm.registers, reason));
        }
        between("sm.register_granularity", self.sm.register_granularity as u64, 1, 64)?;
        if let Sthld::Fixed(sthld) = self.sthld {
            let most = if self.sthld_counter == SthldCounter::Sm { 255 } else { OWN_STHLD };
            between("sthld", sthld.into(), 0, most.into())?;
        }
        between("rthld", self.rthld.into(), 0, 1 << 20)?;
        between("sms", self.sms as u64, 1, 128)?;
        between("finereg.context_cycles", self.finereg.context_cycles, 0, MAX_LATENCY)?;
        between("finereg.dram_ctas", self.finereg.dram_ctas as u64, 0, 128)?;
        between("finereg.srp", self.finereg.srp as u64, 1, 90)?;
        between("finereg.window", self.finereg.window, 1, 1 << 30)?;
        between("finereg.brs", self.finereg.brs as u64, 10, 100)?;
        between("load_store.queue", self.load_store.queue as u64, 1, 64)?;
        let units = [
            ("int", &self.int),
            ("fp32", &self.fp32),
            ("half", &self.half),
            ("fp64", &self.fp64),
            ("sfu", &self.sfu),
            ("tensor", &self.tensor),
            ("branch", &self.branch),
            ("uniform", &self.uniform),
        ];
        for (name, unit) in units {
            between(&format!("{name}.latency"), unit.latency, 1, MAX_LATENCY)?;
            between(&format!("{name}.initiation"), unit.initiation, 1, MAX_LATENCY)?;
        }
        let fixed = [
            ("int", self.fixed.int),
            ("fp32", self.fixed.fp32),
            ("half", self.fixed.half),
            ("uniform", self.fixed.uniform),
            ("branch", self.fixed.branch),
        ];
        for (name, latency) in fixed {
            between(&format!("fixed.{name}"), latency, 1, MAX_LATENCY)?;
        }
        between("control.latency", self.control.latency, 1, MAX_LATENCY)?;
        between("control.initiation", self.control.initiation, 1, MAX_LATENCY)?;
        self.check_memory()?;
        let front = &self.front;
        between("front.buffer", front.buffer as u64, 2, MAX_BUFFER as u64)?;
        between("front.l0_sets", front.l0_sets as u64, 1, 1024)?;
        between("front.l0_ways", front.l0_ways as u64, 1, 64)?;
        between("front.stream_buffer", front.stream_buffer as u64, 0, 64)?;
        between("front.l1_latency", front.l1_latency, 1, MAX_LATENCY)?;
        between("front.branch", front.branch, 1, MAX_LATENCY)?;
        between("front.constant_sets", front.constant_sets as u64, 1, 1024)?;
        between("front.constant_ways", front.constant_ways as u64, 0, 64)?;
        between("front.constant_latency", front.constant_latency, 1, MAX_LATENCY)?;
        between("shared.latency", self.shared.latency, 1, MAX_LATENCY)?;
        one_of("shared.banks", self.shared.banks, &[1, 2, 4, 8, 16, 32, 64])?;
        between("mlds.transfers", self.mlds.transfers, 1, 2)?;
        between("l1.latency", self.l1.latency, 1, MAX_LATENCY)?;
        one_of("l1.banks", self.l1.banks, &[1, 2, 4, 8])?;
        between("l1.kept_stores", self.l1.kept_stores as u64, 0, 100)?;
        between("l1.outstanding", self.l1.outstanding as u64, 1, 1 << 20)?;
        let largest = self.l1.carve_outs.iter().copied().max().unwrap_or(0);
        if self.l1.carve_outs.is_empty() || largest >= self.l1.unified || largest < self.sm.shared_memory {
            let reason = format!(
                "the largest must hold sm.shared_memory = {} and leave some of l1.unified = {} to the cache",
                self.sm.shared_memory, self.l1.unified
            );
            return Err(impossible("l1.carve_outs", format!("{:?}", self.l1.carve_outs), reason));
        }
        for carve_out in [0].iter().chain(&self.l1.carve_outs) {
            let size = self.l1.unified - carve_out;
            cache_shape("l1", size, self.l1.ways_of(size))?;
        }
        cache_shape("l2", self.l2.size, self.l2.ways)?;
        between("l2.latency", self.l2.latency, self.l1.latency, MAX_LATENCY)?;
        between("l2.cycles_per_sector", self.l2.cycles_per_sector, 0, MAX_LATENCY)?;
        between("l2.slices", self.l2.slices as u64, 1, 128)?;
        between("dram.channels", self.dram.channels as u64, 1, 128)?;
        between("dram.latency", self.dram.latency, self.l2.latency, MAX_LATENCY)?;
        between("dram.cycles_per_sector", self.dram.cycles_per_sector, 0, MAX_LATENCY)
    }
}

impl Config {
    /// Latencies of H's memory pipeline.
    fn check_memory(&self) -> Result<(), ConfigError> {
        let memory = &self.memory;
        between("memory.address_interval", memory.address_interval, 1, MAX_WAR)?;
        between("memory.shared_interval", memory.shared_interval, 1, MAX_WAR)?;
        between("memory.return_cycles", memory.return_cycles, 1, MAX_WAR)?;
        between("memory.store_cycles", memory.store_cycles, 0, MAX_WAR)?;
        let wars = [
            ("global_load", memory.global_load_war),
            ("global_store", memory.global_store_war),
            ("shared_load", memory.shared_load_war),
            ("shared_store", memory.shared_store_war),
            ("constant", memory.constant_war),
            ("copy", [memory.copy_war; 2]),
        ];
        for (name, latencies) in wars {
            for latency in latencies {
                between(&format!("memory.{name}_war"), latency, READ_IN_WINDOW, MAX_WAR)?;
            }
        }
        let raws = [
            ("global_load", memory.global_load_raw),
            ("shared_load", memory.shared_load_raw),
            ("constant", memory.constant_raw),
            ("copy", [memory.copy_raw; 2]),
        ];
        // To the load/store unit, a cycle in it, and back.
        let least = memory.address_interval + READ_IN_WINDOW + self.sm.result_registers;
        for (name, latencies) in raws {
            for latency in latencies {
                between(&format!("memory.{name}_raw"), latency, least, MAX_LATENCY)?;
            }
        }
        Ok(())
    }
}

/// Cycles from the issue of an instruction without collectors to that of one that may overwrite its sources.
pub const READ_IN_WINDOW: u64 = 8;
/// No instruction buffer has more places.
pub const MAX_BUFFER: usize = 8;
/// No source is kept longer.
const MAX_WAR: u64 = 250;
/// No latency is longer; a bound so that a slip of the keyboard is not simulated for hours.
const MAX_LATENCY: u64 = 100_000;
/// Bytes of a cache line, in both caches.
pub const LINE: u64 = 128;

pub(super) fn impossible(key: &str, value: impl ToString, reason: String) -> ConfigError {
    ConfigError::Impossible { key: key.into(), value: value.to_string(), reason }
}

fn one_of(key: &str, value: usize, allowed: &[usize]) -> Result<(), ConfigError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
    Err(impossible(key, value, format!("allowed are {}", allowed.join(", "))))
}

fn between(key: &str, value: u64, least: u64, most: u64) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(impossible(key, value, format!("it must lie between {least} and {most}")))
}

fn cache_shape(name: &str, size: u64, ways: usize) -> Result<(), ConfigError> {
    if ways > 0 && size >= LINE * ways as u64 && size % (LINE * ways as u64) == 0 {
        return Ok(());
    }
    let reason = format!("{size} bytes of {LINE}-byte lines do not divide into sets of that many ways");
    Err(impossible(&format!("{name}.ways"), ways, reason))
}
