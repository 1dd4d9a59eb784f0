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

use gpurf_blocks::{
    Allocation, Parameters, HEAD_DESTINATIONS, HEAD_SLOTS, MAX_COLLECTORS, MAX_DESTINATIONS, MAX_SLOTS, WARPS,
};
use rust_hdl::prelude::*;

use super::{CollectorAllocator, WarpScheduler};
use crate::dialect::{array, rtl, Identity, Module};

/// `C`: bits of a collector's number, at least one.
#[derive(LogicBlock, Module)]
pub struct IssueStage<const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp has an instruction that depends on nothing under way.
    #[port(max = WARPS)]
    pub ready: Vec<Signal<In, Bit>>,
    /// A new warp starts here; it is not ready yet.
    #[port(max = WARPS)]
    pub launch: Vec<Signal<In, Bit>>,
    /// The next instruction of each warp: execution unit, a name for it, first register row of the warp.
    #[port(max = WARPS)]
    pub head_unit: Vec<Signal<In, Bits<3>>>,
    #[port(max = WARPS)]
    pub head_payload: Vec<Signal<In, Bits<32>>>,
    #[port(max = WARPS)]
    pub head_base: Vec<Signal<In, Bits<8>>>,
    /// Its sources: slot s of warp w at 8 s + w.
    #[port(max = HEAD_SLOTS)]
    pub head_source_valid: Vec<Signal<In, Bit>>,
    #[port(max = HEAD_SLOTS)]
    pub head_source_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = HEAD_SLOTS)]
    pub head_source_near: Vec<Signal<In, Bit>>,
    /// Its destinations, destination d of warp w at 8 d + w, and whether a branch has left the window
    /// before it, for bypassing operand collectors.
    #[port(max = HEAD_DESTINATIONS)]
    pub head_destination_valid: Vec<Signal<In, Bit>>,
    #[port(max = HEAD_DESTINATIONS)]
    pub head_destination_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = WARPS)]
    pub head_flush: Vec<Signal<In, Bit>>,
    pub sthld: Signal<In, Bits<5>>,
    /// The collector holds an instruction.
    #[port(max = MAX_COLLECTORS)]
    pub occupied: Vec<Signal<In, Bit>>,
    /// Port R of the collectors: whether each belongs to a warp, to which, and whether it holds a near value.
    #[port(max = MAX_COLLECTORS)]
    pub owned: Vec<Signal<In, Bit>>,
    #[port(max = MAX_COLLECTORS)]
    pub held_warp: Vec<Signal<In, Bits<3>>>,
    #[port(max = MAX_COLLECTORS)]
    pub near: Vec<Signal<In, Bit>>,
    /// The instruction enters this collector. At most one is high.
    #[port(max = MAX_COLLECTORS)]
    pub issue: Vec<Signal<Out, Bit>>,
    /// One is.
    pub issued: Signal<Out, Bit>,
    /// Event: a collector is free, and the warp waits for it.
    pub waiting: Signal<Out, Bit>,
    /// The instruction; all zero if none issues.
    pub warp: Signal<Out, Bits<3>>,
    pub unit: Signal<Out, Bits<3>>,
    pub payload: Signal<Out, Bits<32>>,
    pub base: Signal<Out, Bits<8>>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<Out, Bits<8>>>,
    #[port(max = MAX_SLOTS)]
    pub source_near: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_register: Vec<Signal<Out, Bits<8>>>,
    pub flush: Signal<Out, Bit>,

    scheduler: WarpScheduler,
    allocator: CollectorAllocator<C>,
    goes: Vec<Signal<Local, Bit>>,
    number: Vec<Constant<Bits<3>>>,
    /// A warp may have to wait for a collector of its own.
    keeps_own: Constant<Bit>,
    identity: Identity,
    _collectors: usize,
    _slots: usize,
    _destinations: usize,
    _flushed: usize,
}

impl<const C: usize> IssueStage<C> {
    /// In front of an operand stage of these parameters. One that keeps no destinations is never told to
    /// flush either.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, destinations, allocation, .. } = *parameters;
        let flushed = if destinations == 0 { 0 } else { WARPS };
        IssueStage {
            clock: Signal::default(),
            reset: Signal::default(),
            ready: array(WARPS),
            launch: array(WARPS),
            head_unit: array(WARPS),
            head_payload: array(WARPS),
            head_base: array(WARPS),
            head_source_valid: array(WARPS * slots),
            head_source_register: array(WARPS * slots),
            head_source_near: array(WARPS * slots),
            head_destination_valid: array(WARPS * destinations),
            head_destination_register: array(WARPS * destinations),
            head_flush: array(flushed),
            sthld: Signal::default(),
            occupied: array(collectors),
            owned: array(collectors),
            held_warp: array(collectors),
            near: array(collectors),
            issue: array(collectors),
            issued: Signal::default(),
            waiting: Signal::default(),
            warp: Signal::default(),
            unit: Signal::default(),
            payload: Signal::default(),
            base: Signal::default(),
            source_valid: array(slots),
            source_register: array(slots),
            source_near: array(slots),
            destination_valid: array(destinations),
            destination_register: array(destinations),
            flush: Signal::default(),
            scheduler: WarpScheduler::new(parameters),
            allocator: CollectorAllocator::new(parameters),
            goes: array(WARPS),
            number: (0..WARPS as u64).map(|number| Constant::new(number.into())).collect(),
            keeps_own: Constant::new(allocation != Allocation::AnyFree),
            identity: Identity::new(
                "issue_stage",
                "Issue stage (W 5, 6, F IV-B)",
                &[
                    &[("collectors", collectors), ("slots", slots), ("destinations", destinations)],
                    &super::POLICIES.map(|name| parameters.in_verilog(name))[..],
                ]
                .concat(),
            ),
            _collectors: collectors,
            _slots: slots,
            _destinations: destinations,
            _flushed: flushed,
        }
    }
}

impl<const C: usize> Logic for IssueStage<C> {
    #[rtl]
    fn update(&mut self) {
        self.scheduler.clock.next = self.clock.val();
        self.scheduler.reset.next = self.reset.val();
        self.allocator.clock.next = self.clock.val();
        self.allocator.reset.next = self.reset.val();
        for w in 0..8 {
            self.scheduler.ready[w].next = self.ready[w].val();
            self.scheduler.launch[w].next = self.launch[w].val();
        }
        for c in 0..self._collectors {
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
        for s in 0..self._slots {
            self.source_valid[s].next = false;
            self.source_register[s].next = 0.into();
            self.source_near[s].next = false;
        }
        for d in 0..self._destinations {
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
                for s in 0..self._slots {
                    self.source_valid[s].next = self.head_source_valid[s * 8 + w].val();
                    self.source_register[s].next = self.head_source_register[s * 8 + w].val();
                    self.source_near[s].next = self.head_source_near[s * 8 + w].val();
                }
                for d in 0..self._destinations {
                    self.destination_valid[d].next = self.head_destination_valid[d * 8 + w].val();
                    self.destination_register[d].next = self.head_destination_register[d * 8 + w].val();
                }
            }
        }
        for w in 0..self._flushed {
            if self.goes[w].val() {
                self.flush.next = self.head_flush[w].val();
            }
        }
    }
}
