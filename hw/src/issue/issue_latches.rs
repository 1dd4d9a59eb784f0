// SPDX-License-Identifier: Apache-2.0
//! Issue latches: the registers between the warp scheduler and the collectors, one for each execution unit.
//!
//! No paper has them. In Accel-Sim an instruction that issues enters a pipeline register of its unit,
//! `ID_OC`, and leaves it for a collector. The simulator that F's first author published in 2021 has the same
//! in front of its caching collectors. With them the [warp scheduler](warp_scheduler.md) does not look at the
//! collectors. It issues a ready instruction if the latch of its unit has room.
//!
//! One latch offers its instruction to the [collector allocator](collector_allocator.md): the first that
//! holds one, in the order FP32, special functions, load/store, FP64, integer, branch, tensor, uniform. While
//! its instruction gets no collector, those behind it wait. With `issue_latch=passing` an instruction whose
//! warp's own collector is occupied offers nothing, and the next one does.
//!
//! # Timing
//!
//! An instruction that issues in a cycle can enter a collector in the next, at the earliest. A latch whose
//! instruction leaves takes another in the same cycle.
//!
//! ```text
//! cycle        0     1     2     3     4
//! issue        A     B     C     -     -       (A and C for FP32, B for load/store)
//! offers       0     1     1     1     1
//! offered      -     A     B     C     C       (C goes before what load/store might get)
//! taken        0     1     1     0     1       (in cycle 3 the allocator grants no collector)
//! room FP32    1     1     1     0     1
//! ```
//!
//! # Decisions
//!
//! - **Depth: one instruction for each unit of a sub-core.** Accel-Sim's `ID_OC` registers are four wide
//!   because an SM has four schedulers. In its sub-core mode each scheduler has the one of its number.
//! - **The order of the units** is that of Accel-Sim's ports. There it serves an SM; the order among
//!   sub-cores has no counterpart here. Its specialised units are branch, texture and tensor, in this order.
//!   It has no uniform unit: that comes last, by our decision.
//! - **One instruction enters a collector in a cycle**, as without latches. Accel-Sim lets as many enter as
//!   it has ports, eight in an SM, twice a cycle.
//! - **`blocking` or `passing`.** The author's tag `SharedCache_ZeroDesign` blocks, as Accel-Sim does. His
//!   later branch `stallthresh` lets other ports try. F says neither.
//! - **No order of a warp's instructions is kept among units.** A scoreboard keeps their registers apart
//!   until they have left their collectors.
//! - **Registers, not latches.** The author's code calls them latches; here they are flip-flops.
//! - Alone, the module with `issue_latch=none` is that with `blocking`.
//!
//! # Storage
//!
//! It keeps `8 × (49 + slots × 10 + destinations × 9)` bits, 952 for 7 slots and no destination. The 49 are
//! valid 1, warp 4, base 8, flush 1, unit 3, payload 32.

use gpurf_blocks::{IssueLatch, LATCH_ORDER, UNITS};
use rust_hdl::prelude::*;

use crate::bundles::Instruction;
use crate::dialect::{block, rtl, Held, Register};
use crate::{monitor, watch};

#[block(title = "Issue latches", parameters(collectors, slots, destinations, issue_latch))]
pub struct IssueLatches {
    /// An instruction issues: it enters the latch of its unit, which must have room.
    pub issue: In<Bit>,
    /// The instruction that issues.
    #[flat]
    pub instruction: Instruction<In>,
    /// Warp of that instruction.
    pub warp: In<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    /// The collector is emptied before (caching and bypassing collectors only).
    pub flush: In<Bit>,
    /// The collector holds an instruction, and its warp may have to wait for it.
    pub occupied: In<[Bit; collectors]>,
    /// Port R: the collector belongs to a warp.
    pub owned: In<[Bit; collectors]>,
    /// Port R: warp that the collector belongs to.
    pub held_warp: In<[Bits<4>; collectors]>,
    /// The instruction that is offered enters a collector.
    pub taken: In<Bit>,

    /// Bit u: the latch of unit u takes an instruction in this cycle.
    pub room: Out<Bits<8>>,
    /// An instruction is offered to the collectors.
    pub offers: Out<Bit>,
    /// Warp of the instruction that is offered; 0 if none is.
    pub offered_warp: Out<Bits<4>>,
    /// The instruction that enters a collector; all zero if none does, as the next ones.
    #[prefix(entering)]
    pub entering: Instruction<Out>,
    /// Warp of the instruction that enters a collector.
    pub entering_warp: Out<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub entering_base: Out<Bits<8>>,
    /// The collector is emptied before (caching and bypassing collectors only).
    pub entering_flush: Out<Bit>,

    /// The warp of the latch has data in a collector, and that one is occupied.
    is_blocked: Local<[Bit; UNITS]>,
    candidate: Local<[Bit; UNITS]>,
    chosen: Local<[Bit; UNITS]>,
    leaves: Local<[Bit; UNITS]>,
    enters: Local<[Bit; UNITS]>,
    /// Latches in the order in which they offer.
    valid: Register<[Bit; UNITS]>,
    latched: [Instruction<Held>; UNITS],
    latched_warp: Register<[Bits<4>; UNITS]>,
    latched_base: Register<[Bits<8>; UNITS]>,
    latched_flush: Register<[Bit; UNITS]>,
    /// Unit of each latch.
    #[value(|place| LATCH_ORDER[place])]
    unit_of: Constant<[Bits<3>; UNITS]>,
    #[value(|place| 1 << LATCH_ORDER[place])]
    alone: Constant<[Bits<8>; UNITS]>,
    #[value(issue_latch == IssueLatch::Passing)]
    passes: Constant<Bit>,
}

watch!(IssueLatches: [
    "enter(warp = entering_warp) if taken: warp {entering_warp} leaves the latch of unit {entering_unit}",
    "misuse if taken && !offers: a collector takes an instruction that nobody offers",
    "misuse if issue && !room[unit]: an instruction issues, and the latch of unit {unit} is full",
    "fault if !taken && entering_payload != 0: fields without an instruction",
]);

monitor!(IssueLatches: "issue_latches_monitor.v");

#[rtl]
impl IssueLatches {
    /// The latch that offers its instruction.
    fn offer() {
        offers = false;
        offered_warp = 0;
        for u in 0..UNITS {
            is_blocked[u] = false;
            for c in 0..collectors {
                is_blocked[u] |= (owned[c] & occupied[c]) & (held_warp[c] == latched_warp[u]);
            }
            candidate[u] = valid[u] & !(is_blocked[u] & passes);
            chosen[u] = candidate[u] & !offers;
            offers |= candidate[u];
            if chosen[u] {
                offered_warp = latched_warp[u];
            }
        }
    }

    /// The instruction that leaves, and the latches that have room then.
    fn leave() {
        room = 0;
        entering.clear();
        entering_warp = 0;
        entering_base = 0;
        entering_flush = false;
        for u in 0..UNITS {
            leaves[u] = chosen[u] & taken;
            if leaves[u] {
                pass!(latched[u] => entering);
                entering_warp = latched_warp[u];
                entering_base = latched_base[u];
                entering_flush = latched_flush[u];
            }
            if !valid[u] | leaves[u] {
                room |= alone[u];
            }
        }
    }

    /// The instruction that issues.
    fn enter() {
        for u in 0..UNITS {
            enters[u] = issue & (instruction.unit == unit_of[u]);
            valid[u].load(enters[u] | leaves[u], enters[u]);
            latched[u].load(enters[u], instruction);
            latched_warp[u].load(enters[u], warp);
            latched_base[u].load(enters[u], base);
            latched_flush[u].load(enters[u], flush);
        }
    }
}
