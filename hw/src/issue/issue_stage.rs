//! Issue stage of a sub-core: F §IV-B and Fig. 6, W §5 and §6. Warp scheduler, collector allocator, and
//! the choice of the selected warp's instruction.
//!
//! At the head of each warp's instruction buffer stands its next instruction, decoded. The scheduler
//! selects a warp, the allocator grants it a collector or not, and the instruction goes to the operand
//! stage in the same cycle. If the warp gets no collector nothing issues: the warps that come after it in
//! the scheduler's order would be told the same, or are passed over by [`super::Occupied::Skip`].
//!
//! Timing: from `ready` to `issue` within a cycle. What the scheduler and the allocator remember changes
//! in the next.

use gpurf_blocks::{Allocation, WARPS};
use rust_hdl::prelude::*;

use super::{CollectorAllocator, WarpScheduler};
use crate::dialect::{block, rtl};

/// `C`: bits of a collector's number, at least one.
#[block(title = "Issue stage", paper = "W §5, 6, F §IV-B", parameters(collectors, slots, destinations, scheduling, occupied, allocation, waiting, choice, seed), sizes(flushed = if destinations == 0 { 0 } else { WARPS }))]
pub struct IssueStage<const C: usize> {
    /// The warp has an instruction that depends on nothing under way.
    pub ready: In<[Bit; WARPS]>,
    /// A new warp starts here; it is not ready yet.
    pub launch: In<[Bit; WARPS]>,
    /// The next instruction of each warp: execution unit, a name for it, first register row of the warp.
    pub head_unit: In<[Bits<3>; WARPS]>,
    /// What later stages need of it.
    pub head_payload: In<[Bits<32>; WARPS]>,
    /// First row of the warp's registers in every bank.
    pub head_base: In<[Bits<8>; WARPS]>,
    /// Its sources: slot s of warp w at 8 s + w.
    pub head_source_valid: In<[Bit; WARPS * slots]>,
    /// Their registers.
    pub head_source_register: In<[Bits<8>; WARPS * slots]>,
    /// Their next reuse is near (caching collectors only).
    pub head_source_near: In<[Bit; WARPS * slots]>,
    /// Its destinations, destination d of warp w at 8 d + w, and whether a branch has left the window
    /// before it, for bypassing operand collectors.
    pub head_destination_valid: In<[Bit; WARPS * destinations]>,
    /// Their registers.
    pub head_destination_register: In<[Bits<8>; WARPS * destinations]>,
    /// A branch has left the window (bypassing collectors only).
    pub head_flush: In<[Bit; flushed]>,
    /// STHLD: cycles that a warp waits at most before it takes a collector with near values. F §IV-B2.
    pub sthld: In<Bits<5>>,
    /// The collector holds an instruction.
    pub occupied: In<[Bit; collectors]>,
    /// Port R of the collectors: whether each belongs to a warp, to which, and whether it holds a near value.
    pub owned: In<[Bit; collectors]>,
    /// Warp of the present or last instruction in it.
    pub held_warp: In<[Bits<3>; collectors]>,
    /// Port R: some value in it has a near reuse.
    pub near: In<[Bit; collectors]>,
    /// The instruction enters this collector. At most one is high.
    pub issue: Out<[Bit; collectors]>,
    /// One is.
    pub issued: Out<Bit>,
    /// Event: a collector is free, and the warp waits for it.
    pub waiting: Out<Bit>,
    /// The instruction; all zero if none issues.
    pub warp: Out<Bits<3>>,
    /// Execution unit that the instruction needs.
    pub unit: Out<Bits<3>>,
    /// What later stages need of it.
    pub payload: Out<Bits<32>>,
    /// First row of the warp's registers in every bank.
    pub base: Out<Bits<8>>,
    /// The instruction's sources.
    pub source_valid: Out<[Bit; slots]>,
    /// Their registers.
    pub source_register: Out<[Bits<8>; slots]>,
    /// Their next reuse is near.
    pub source_near: Out<[Bit; slots]>,
    /// Destinations of a new instruction.
    pub destination_valid: Out<[Bit; destinations]>,
    /// Their registers.
    pub destination_register: Out<[Bits<8>; destinations]>,
    /// A branch has left the window (bypassing collectors only).
    pub flush: Out<Bit>,

    scheduler: WarpScheduler,
    allocator: CollectorAllocator<C>,
    goes: Local<[Bit; WARPS]>,
    #[value(|number| number)]
    number: Constant<[Bits<3>; WARPS]>,
    /// A warp may have to wait for a collector of its own.
    #[value(allocation != Allocation::AnyFree)]
    keeps_own: Constant<Bit>,
}

impl<const C: usize> Logic for IssueStage<C> {
    #[rtl]
    fn update(&mut self) {
        for w in 0..8 {
            self.scheduler.ready[w].next = self.ready[w].val();
            self.scheduler.launch[w].next = self.launch[w].val();
        }
        for c in 0..collectors {
            self.scheduler.occupied[c].next = self.occupied[c].val() & self.keeps_own.val();
            self.scheduler.owned[c].next = self.owned[c].val();
            self.scheduler.held_warp[c].next = self.held_warp[c].val();
            self.allocator.occupied[c].next = self.occupied[c].val();
            self.allocator.owned[c].next = self.owned[c].val();
            self.allocator.held_warp[c].next = self.held_warp[c].val();
            self.allocator.near[c].next = self.near[c].val();
            self.issue[c].next = self.allocator.grant[c].val();
        }
        self.allocator.request.next = self.scheduler.selected.val();
        self.allocator.warp.next = self.scheduler.warp.val();
        self.allocator.sthld.next = self.sthld.val();
        self.scheduler.issue.next = self.allocator.granted.val();
        self.issued.next = self.allocator.granted.val();
        self.waiting.next = self.allocator.waiting.val();

        // The selected warp's instruction.
        self.warp.next = 0.into();
        self.unit.next = 0.into();
        self.payload.next = 0.into();
        self.base.next = 0.into();
        for s in 0..slots {
            self.source_valid[s].next = false;
            self.source_register[s].next = 0.into();
            self.source_near[s].next = false;
        }
        for d in 0..destinations {
            self.destination_valid[d].next = false;
            self.destination_register[d].next = 0.into();
        }
        self.flush.next = false;
        for w in 0..8 {
            self.goes[w].next = self.scheduler.select[w].val() & self.allocator.granted.val();
            if self.goes[w].val() {
                self.warp.next = self.number[w].val();
                self.unit.next = self.head_unit[w].val();
                self.payload.next = self.head_payload[w].val();
                self.base.next = self.head_base[w].val();
                for s in 0..slots {
                    self.source_valid[s].next = self.head_source_valid[s * 8 + w].val();
                    self.source_register[s].next = self.head_source_register[s * 8 + w].val();
                    self.source_near[s].next = self.head_source_near[s * 8 + w].val();
                }
                for d in 0..destinations {
                    self.destination_valid[d].next = self.head_destination_valid[d * 8 + w].val();
                    self.destination_register[d].next = self.head_destination_register[d * 8 + w].val();
                }
            }
        }
        for w in 0..flushed {
            if self.goes[w].val() {
                self.flush.next = self.head_flush[w].val();
            }
        }
    }
}
