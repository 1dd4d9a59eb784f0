// SPDX-License-Identifier: Apache-2.0
//! Hardware that a design has in an SM beside the banks of its register file.

use gpurf_blocks::{Allocation, IssueLatch, Parameters, CACHED_WARPS, LANES, SUB_CORES};

use super::choices::Design;

/// A kind of module with its parameters, and the number of such modules.
#[derive(Clone, Debug)]
pub struct HardwarePart {
    /// The module's name in the catalogue.
    pub module: &'static str,
    /// The module's parameters.
    pub parameters: Parameters,
    /// The number of such modules.
    pub count: usize,
}

impl Design {
    /// The collectors of a sub-core, and the tags and the buffer of a register cache with the bits of its
    /// values. The cache's control is left out: it is next to nothing beside them.
    pub fn storage(&self, parameters: Parameters) -> (Vec<HardwarePart>, u64) {
        let part = |module, count| HardwarePart { module, parameters, count };
        let mut parts = vec![part(self.collector.module, parameters.collectors)];
        if self.register_cache.is_none() {
            return (parts, 0);
        }
        parts.push(part("tag_array", LANES / parameters.rc_tag_lanes));
        parts.push(part("writeback_buffer", 1));
        (parts, (CACHED_WARPS * parameters.rc_entries * parameters.width) as u64)
    }

    /// Everything in an SM but its banks, and bits of memory beside those that modules have. `None` if a part
    /// of it has no RTL.
    pub fn hardware(&self, parameters: Parameters) -> Option<(Vec<HardwarePart>, u64)> {
        if self.reads_in_window() || !self.residency.is_built() {
            return None;
        }
        let part = |module, count| HardwarePart { module, parameters, count };
        let (mut of_sub_core, bits) = self.storage(parameters);
        of_sub_core
            .extend(["arbiter", "warp_scheduler", "collector_allocator"].map(|module| part(module, 1)));
        let has_latches = parameters.issue_latch != IssueLatch::None;
        of_sub_core.extend(has_latches.then(|| part("issue_latches", 1)));
        of_sub_core.extend(self.two_level.map(|_| part("active_set", 1)));
        of_sub_core.extend(self.fetches_intervals().then(|| part("interval_prefetcher", 1)));
        of_sub_core.extend(self.rename.then(|| part("skip_table", 1)));
        of_sub_core.extend((parameters.lenders > 0).then(|| part("renaming_table", 1)));
        of_sub_core.extend(self.residency.pool.then(|| part("shared_register_pool", 1)));
        let of_sub_core =
            of_sub_core.into_iter().map(|one| HardwarePart { count: SUB_CORES * one.count, ..one });
        let of_sm = [
            ("sthld_controller", self.allocation == Allocation::Malekeh),
            ("iwmu", self.multicast),
            ("rmu", self.residency.has_rmu()),
            ("cta_status_monitor", self.switches()),
            ("context_mover", self.switches()),
        ];
        let of_sm = of_sm.into_iter().filter(|(_, has)| *has).map(|(module, _)| part(module, 1));
        Some((of_sub_core.chain(of_sm).collect(), SUB_CORES as u64 * bits))
    }
}
