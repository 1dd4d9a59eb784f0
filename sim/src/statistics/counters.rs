// SPDX-License-Identifier: Apache-2.0
//! Counters of an SM.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// Declares counters that a snapshot can be subtracted from.
macro_rules! counters {
    ($(#[$struct_doc:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$struct_doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
        pub struct $name { $($(#[$doc])* pub $field: u64,)* }

        impl $name {
            /// The counts since `earlier`.
            pub fn since(&self, earlier: &$name) -> $name {
                $name { $($field: self.$field - earlier.$field,)* }
            }

            /// Adds what another counted.
            pub fn add(&mut self, other: &$name) {
                $(self.$field += other.$field;)*
            }

            /// Sum of all counters.
            pub fn sum(&self) -> u64 {
                0 $(+ self.$field)*
            }
        }
    };
}

counters! {
    /// Events in the SM and in the operand stages of its sub-cores.
    Counters {
        /// Core cycles, kernel launches included.
        cycles,
        /// Instructions issued, one per warp.
        warp_instructions,
        /// Cycles from the launch of a kernel's first block to that of its last one. Behind it the SM drains.
        fed_cycles,
        /// Instructions issued in them.
        fed_instructions,
        /// Source registers of issued instructions: all registers of each operand, without RZ, a
        /// register named twice in one instruction once.
        operand_reads,
        /// The same before widening: registers that the trace names.
        named_operand_reads,
        /// Operand reads served by the collector.
        hits,
        /// The ones of them that the trace names.
        named_hits,
        /// Operand reads served by the banks.
        bank_reads,
        /// Registers written into the banks.
        bank_writes,
        /// Bank-cycles in which the oldest waiting read was not granted.
        bank_conflicts,
        /// Results also written into a collector.
        cache_writes,
        /// Results kept out of the collector that holds data of their warp.
        cache_writes_filtered,
        /// The ones of them that were near: they lost the single port D to another result of their cycle.
        cache_writes_lost,
        /// Operands compared with program order at dispatch.
        token_checks,
        /// Operands that differed: stale, lost or misrouted values.
        token_errors,
        /// Operands that the warp never wrote, which cannot be compared.
        uninitialised_reads,
        /// Cycles in which an operand stage broke its contract: a wrong occupancy or instruction.
        stage_errors,
        /// 32-byte sectors that loads asked of the L1 cache.
        l1_reads,
        /// The ones of them it held.
        l1_hits,
        /// 32-byte sectors that loads asked of the L2 cache.
        l2_reads,
        /// The ones of them it held.
        l2_hits,
        /// Cycles that accesses to shared memory waited for each other's banks.
        shared_conflicts,
        /// Cycles in which the shared memory-I/O unit, before L1 and shared memory, was busy.
        io_cycles,
        /// Transfers of a warp's data from shared memory.
        shared_loads,
        /// Bytes moved by them to register files.
        shared_load_bytes,
        /// Transfers of a warp's data to shared memory, atomic operations included.
        shared_stores,
        /// Bytes moved by them from register files.
        shared_store_bytes,
        /// Transfers of a warp's data from L1, local memory included.
        global_loads,
        /// Bytes moved by them to register files.
        global_load_bytes,
        /// Transfers of a warp's data to L1 or L2, local memory and atomic operations included.
        global_stores,
        /// Bytes moved by them from register files.
        global_store_bytes,
        /// Loads from shared memory that went to the inter-warp multicasting unit: MLDS.
        multicast_requests,
        /// Accesses to shared memory that served two warps at once.
        multicasts,
        /// Loads from shared memory served from the register file of another warp.
        renamed_loads,
        /// Deliveries of one warp's load to another, compared with what the latter asked for.
        delivery_checks,
        /// Deliveries of wrong data: other values, or, where the stream has none, other addresses, or words
        /// stored to between request and access.
        delivery_errors,
        /// Deliveries to a warp whose lanes named other addresses than the warp's that was served, though
        /// their first lanes agreed. Wrong data unless the values happen to be equal.
        lane_mismatches,
        /// Entries of the load request table, added up over the cycles.
        lrt_entry_cycles,
        /// Loads without a partner that found the load request table full, and went on alone.
        lrt_rejections,
        /// Loads that left the load request table alone because of their age.
        lrt_aged,
        /// Under a two-level scheduler: cycles of a sub-core in which nothing issues and a pending warp is
        /// ready, also where an active one is and finds no collector. Those charged to pending warps are the
        /// ones with no ready active warp.
        #[serde(default, skip_serializing_if = "is_zero")]
        pending_ready_cycles,
        /// The ones with no ready active warp in which a collector is free, so that the pending one could
        /// have issued.
        #[serde(default, skip_serializing_if = "is_zero")]
        pending_issuable_cycles,
        /// Operands read under a register cache, lane by lane.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_lane_reads,
        /// The ones of them that it had.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_lane_read_hits,
        /// Results written under a register cache, lane by lane.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_lane_writes,
        /// The ones of them whose register it had.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_lane_write_hits,
        /// Lanes written into the register file behind a register cache.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_lane_file_writes,
        /// Registers that a register cache wrote back: what was replaced or flushed while dirty.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_write_backs,
        /// Sources taken in by a register cache.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_fills,
        /// Warps whose registers a register cache wrote back because they became pending.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_flushes,
        /// Registers that a flush did not write back, because nothing reads them again.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_dead_values,
        /// Warps whose registers a register cache dropped at their end.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_drops,
        /// Reads that fetched registers of an interval, up to as many as a collector has slots.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_prefetches,
        /// Registers that they read from the banks.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_prefetched,
        /// Issues that failed because a source was on its way from the register cache to the register file.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_conflicts,
        /// Banks of register caches that were read.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_bank_reads,
        /// Banks of register caches that were written.
        #[serde(default, skip_serializing_if = "is_zero")]
        rc_bank_writes,
    }
}

counters! {
    /// Cycles in which a sub-core issued nothing, by cause: four sub-cores, so four a cycle at most.
    /// With several causes, the first in this list counts.
    Stalls {
        /// The selected warp waits for a collector with far values, as STHLD says.
        waiting,
        /// Under a two-level scheduler: a warp is ready, but pending.
        pending,
        /// Under one scheduler for the SM: it issues from another sub-core.
        elsewhere,
        /// A source of the selected warp is on its way from the register cache to the register file, or the
        /// ready warps' parts of the cache are being emptied.
        #[serde(default, skip_serializing_if = "is_zero")]
        register_cache,
        /// A warp fetches registers of an interval, or waits for them.
        #[serde(default, skip_serializing_if = "is_zero")]
        prefetch,
        /// A part of an instruction's sources enters a collector: it has more of them than a collector has
        /// slots, and enters in rounds. The cycle of its last round is that of its issue.
        #[serde(default, skip_serializing_if = "is_zero")]
        rounds,
        /// Without collectors: the instruction in Allocate waits for free cycles of the banks.
        #[serde(default, skip_serializing_if = "is_zero")]
        reads,
        /// Without collectors: the scheduler waits for a constant of the selected warp.
        #[serde(default, skip_serializing_if = "is_zero")]
        constants,
        /// Without collectors: no warp's next instruction has been fetched and decoded.
        #[serde(default, skip_serializing_if = "is_zero")]
        instructions,
        /// Without collectors: a warp could issue, but the input latch of its unit, its queue or the places
        /// for its results are taken.
        #[serde(default, skip_serializing_if = "is_zero")]
        units,
        /// A warp is ready, but the collector it may use is not free.
        collector,
        /// A CTA could run except for room in the PCRF, or a warp except for registers of the shared pool.
        #[serde(default, skip_serializing_if = "is_zero")]
        depletion,
        /// A warp waits for a load.
        memory,
        /// A warp waits as long as its last instruction says: its stall count or yield bit.
        #[serde(default, skip_serializing_if = "is_zero")]
        stall_count,
        /// A warp waits for another result, or for an older instruction to read its operands.
        dependence,
        /// A warp waits at a barrier.
        barrier,
        /// All instructions of the resident warps are issued, not all are completed.
        drain,
        /// The issue slot reads a register that moves out of the banks: see [`crate::sm`], CTA switching.
        #[serde(default, skip_serializing_if = "is_zero")]
        switching,
        /// The sub-core has no warp.
        no_warp,
        /// A kernel is being launched, or the only ready warps are.
        launch,
    }
}

counters! {
    /// Resident CTAs, and what switching between them took. Sums over all SMs.
    ResidentBlocks {
        /// Resident CTAs, active and pending, summed over cycles.
        resident_cycles,
        /// Active CTAs, summed over cycles.
        active_cycles,
        /// CTAs whose warps all stalled on memory for the first time.
        complete_stalls,
        /// Cycles from the first issue of each of them to then.
        cycles_to_stall,
        /// Active CTAs that became pending.
        switched_out,
        /// Cycles from the beginning of each switch until the CTA that leaves could go on.
        #[serde(default, skip_serializing_if = "is_zero")]
        stall_cycles,
        /// The ones that could go on before they had left.
        #[serde(default, skip_serializing_if = "is_zero")]
        left_in_vain,
        /// Pending CTAs that became active, and whose registers were in the ACRF.
        resumed_in_place,
        /// Pending CTAs that became active, and whose registers were not there.
        resumed_from_store,
        /// Switches that were refused for want of room in the PCRF.
        refused_room,
        /// CTAs that were not switched: a warp had diverged, and needed registers beyond those live at its
        /// PC.
        refused_diverged,
        /// Cycles in which registers or contexts were being moved.
        switch_cycles,
        /// Cycles in which the RMU was at work.
        #[serde(default, skip_serializing_if = "is_zero")]
        rmu_cycles,
        /// CTAs whose registers the RMU has stored.
        #[serde(default, skip_serializing_if = "is_zero")]
        stored,
        /// The ones of them with more than 63 live registers, which R's count of six bits does not hold.
        #[serde(default, skip_serializing_if = "is_zero")]
        stored_over_63,
        /// Registers read from the banks to be stored.
        registers_saved,
        /// Registers written into the banks that had been stored.
        registers_restored,
        /// Look-ups of live registers that found them in the RMU's cache.
        vector_hits,
        /// Look-ups of live registers that did not.
        vector_misses,
        /// 32-byte sectors that register contexts took to and from DRAM.
        context_sectors,
        /// Warps that took registers of the shared pool.
        pool_acquired,
        /// Warps that took more than it had, lest nothing ever move.
        pool_overdrawn,
        /// CTAs that a kernel beyond the design's limits ran as under the baseline.
        unswitchable,
        /// Windows of 1,000 instructions.
        windows,
        /// Parts per million of the allocated registers used in each of them, summed.
        window_use,
    }
}

pub(crate) fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
