//! Register-file side of one sub-core: issue stage and operand stage together. F Fig. 4 and 6.
//!
//! Outside stand the instruction buffers and the scoreboard, which say what each warp would issue and
//! whether it may, the execution units, and the STHLD controller, which serves the whole GPU.
//!
//! One module for each kind of collector, with the same ports: [`OcuSubCore`], [`CcuSubCore`] and
//! [`BocSubCore`].
//!
//! Timing: an instruction whose warp is `ready` in cycle t can enter its collector in cycle t; from there
//! on as in [`crate::operand_stage`].

pub use {OcuSubCoreIn as SubCoreIn, OcuSubCoreOut as SubCoreOut};

use gpurf_blocks::{Parameters, HEAD_DESTINATIONS, HEAD_SLOTS, MAX_BANKS, MAX_COLLECTORS, MAX_SLOTS, WARPS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module};
use crate::issue::{IssueStage, POLICIES};
use crate::operand_stage::{BocStage, CcuStage, OcuStage};

/// Defines the sub-core around one kind of operand stage.
macro_rules! sub_core {
    ($(#[$doc:meta])* $name:ident, $stage:ident, [$($parameter:ident),*], bypassing: $bypassing:literal, $verilog:literal, $title:literal, $named:expr, $ports:meta) => {
        $(#[$doc])*
        #[derive(LogicBlock, Module)]
        #[$ports]
        pub struct $name<$(const $parameter: usize),*> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            /// The warp has an instruction that depends on nothing under way.
            #[port(max = WARPS)]
            pub ready: Vec<Signal<In, Bit>>,
            /// A new warp starts here; it is not ready yet.
            #[port(max = WARPS)]
            pub launch: Vec<Signal<In, Bit>>,
            /// The next instruction of each warp, as of [`IssueStage`].
            #[port(max = WARPS)]
            pub head_unit: Vec<Signal<In, Bits<3>>>,
            #[port(max = WARPS)]
            pub head_payload: Vec<Signal<In, Bits<32>>>,
            #[port(max = WARPS)]
            pub head_base: Vec<Signal<In, Bits<8>>>,
            #[port(max = HEAD_SLOTS)]
            pub head_source_valid: Vec<Signal<In, Bit>>,
            #[port(max = HEAD_SLOTS)]
            pub head_source_register: Vec<Signal<In, Bits<8>>>,
            #[port(max = HEAD_SLOTS)]
            pub head_source_near: Vec<Signal<In, Bit>>,
            #[port(max = HEAD_DESTINATIONS)]
            pub head_destination_valid: Vec<Signal<In, Bit>>,
            #[port(max = HEAD_DESTINATIONS)]
            pub head_destination_register: Vec<Signal<In, Bits<8>>>,
            #[port(max = WARPS)]
            pub head_flush: Vec<Signal<In, Bit>>,
            pub sthld: Signal<In, Bits<5>>,
            /// Results, as of the operand stage.
            #[port(max = MAX_BANKS)]
            pub write_valid: Vec<Signal<In, Bit>>,
            #[port(max = MAX_BANKS)]
            pub write_warp: Vec<Signal<In, Bits<3>>>,
            #[port(max = MAX_BANKS)]
            pub write_register: Vec<Signal<In, Bits<8>>>,
            #[port(max = MAX_BANKS)]
            pub write_base: Vec<Signal<In, Bits<8>>>,
            #[port(max = MAX_BANKS)]
            pub write_near: Vec<Signal<In, Bit>>,
            #[port(max = MAX_BANKS)]
            pub write_data: Vec<Signal<In, Bits<W>>>,
            pub unit_ready: Signal<In, Bits<8>>,
            /// An instruction issues; its warp, and the collector that it enters.
            pub issued: Signal<Out, Bit>,
            pub issued_warp: Signal<Out, Bits<3>>,
            #[port(max = MAX_COLLECTORS)]
            pub issue: Vec<Signal<Out, Bit>>,
            /// Event: a collector is free, and the selected warp waits for it.
            pub waiting: Signal<Out, Bit>,
            /// The others are the operand stage's.
            #[port(max = MAX_COLLECTORS)]
            pub dispatch: Vec<Signal<Out, Bit>>,
            pub dispatch_warp: Signal<Out, Bits<3>>,
            pub dispatch_unit: Signal<Out, Bits<3>>,
            pub dispatch_payload: Signal<Out, Bits<32>>,
            #[port(max = MAX_SLOTS)]
            pub operand_valid: Vec<Signal<Out, Bit>>,
            #[port(max = MAX_SLOTS)]
            pub operand_data: Vec<Signal<Out, Bits<W>>>,
            #[port(max = MAX_COLLECTORS)]
            pub collector_occupied: Vec<Signal<Out, Bit>>,
            #[port(max = MAX_SLOTS)]
            pub hit: Vec<Signal<Out, Bit>>,
            #[port(max = MAX_BANKS)]
            pub bank_read: Vec<Signal<Out, Bit>>,
            #[port(max = MAX_BANKS)]
            pub bank_conflict: Vec<Signal<Out, Bit>>,
            #[port(max = MAX_BANKS)]
            pub write_cached: Vec<Signal<Out, Bit>>,
            #[port(max = MAX_BANKS)]
            pub write_filtered: Vec<Signal<Out, Bit>>,

            issue_stage: IssueStage<C>,
            operand_stage: $stage<$($parameter),*>,
            identity: Identity,
            _collectors: usize,
            _slots: usize,
            _banks: usize,
            _head_slots: usize,
            _destinations: usize,
            _head_destinations: usize,
            _flushed: usize,
        }

        impl<$(const $parameter: usize),*> $name<$($parameter),*> {
            pub fn new(parameters: &Parameters) -> Self {
                // Other collectors know nothing of destinations.
                let destinations = if $bypassing { parameters.destinations } else { 0 };
                let flushed = if $bypassing { WARPS } else { 0 };
                let Parameters { collectors, slots, banks, .. } = *parameters;
                $name {
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
                    write_valid: array(banks),
                    write_warp: array(banks),
                    write_register: array(banks),
                    write_base: array(banks),
                    write_near: array(banks),
                    write_data: array(banks),
                    unit_ready: Signal::default(),
                    issued: Signal::default(),
                    issued_warp: Signal::default(),
                    issue: array(collectors),
                    waiting: Signal::default(),
                    dispatch: array(collectors),
                    dispatch_warp: Signal::default(),
                    dispatch_unit: Signal::default(),
                    dispatch_payload: Signal::default(),
                    operand_valid: array(slots),
                    operand_data: array(slots),
                    collector_occupied: array(collectors),
                    hit: array(slots),
                    bank_read: array(banks),
                    bank_conflict: array(banks),
                    write_cached: array(banks),
                    write_filtered: array(banks),
                    issue_stage: IssueStage::new(&Parameters { destinations, ..*parameters }),
                    operand_stage: $stage::new(parameters),
                    identity: Identity::new(
                        $verilog,
                        $title,
                        &named(W, parameters, $named),
                    ),
                    _collectors: collectors,
                    _slots: slots,
                    _banks: banks,
                    _head_slots: WARPS * slots,
                    _destinations: destinations,
                    _head_destinations: WARPS * destinations,
                    _flushed: flushed,
                }
            }
        }

        impl<$(const $parameter: usize),*> Logic for $name<$($parameter),*> {
            #[rtl]
            fn update(&mut self) {
                // What each warp would issue.
                self.issue_stage.clock.next = self.clock.val();
                self.issue_stage.reset.next = self.reset.val();
                for w in 0..8 {
                    self.issue_stage.ready[w].next = self.ready[w].val();
                    self.issue_stage.launch[w].next = self.launch[w].val();
                    self.issue_stage.head_unit[w].next = self.head_unit[w].val();
                    self.issue_stage.head_payload[w].next = self.head_payload[w].val();
                    self.issue_stage.head_base[w].next = self.head_base[w].val();
                }
                for w in 0..self._flushed {
                    self.issue_stage.head_flush[w].next = self.head_flush[w].val();
                }
                for h in 0..self._head_destinations {
                    self.issue_stage.head_destination_valid[h].next = self.head_destination_valid[h].val();
                    self.issue_stage.head_destination_register[h].next =
                        self.head_destination_register[h].val();
                }
                for h in 0..self._head_slots {
                    self.issue_stage.head_source_valid[h].next = self.head_source_valid[h].val();
                    self.issue_stage.head_source_register[h].next = self.head_source_register[h].val();
                    self.issue_stage.head_source_near[h].next = self.head_source_near[h].val();
                }
                self.issue_stage.sthld.next = self.sthld.val();
                self.issued.next = self.issue_stage.issued.val();
                self.issued_warp.next = self.issue_stage.warp.val();
                self.waiting.next = self.issue_stage.waiting.val();

                // Port R of the collectors, and the instruction on its way to one.
                self.operand_stage.clock.next = self.clock.val();
                self.operand_stage.reset.next = self.reset.val();
                for c in 0..self._collectors {
                    self.issue_stage.occupied[c].next = self.operand_stage.collector_occupied[c].val();
                    self.issue_stage.owned[c].next = self.operand_stage.collector_owned[c].val();
                    self.issue_stage.held_warp[c].next = self.operand_stage.collector_warp[c].val();
                    self.issue_stage.near[c].next = self.operand_stage.collector_near[c].val();
                    self.operand_stage.issue[c].next = self.issue_stage.issue[c].val();
                    self.issue[c].next = self.issue_stage.issue[c].val();
                }
                self.operand_stage.warp.next = self.issue_stage.warp.val();
                self.operand_stage.unit.next = self.issue_stage.unit.val();
                self.operand_stage.payload.next = self.issue_stage.payload.val();
                self.operand_stage.base.next = self.issue_stage.base.val();
                for s in 0..self._slots {
                    self.operand_stage.source_valid[s].next = self.issue_stage.source_valid[s].val();
                    self.operand_stage.source_register[s].next = self.issue_stage.source_register[s].val();
                    self.operand_stage.source_near[s].next = self.issue_stage.source_near[s].val();
                }
                for d in 0..self._destinations {
                    self.operand_stage.destination_valid[d].next = self.issue_stage.destination_valid[d].val();
                    self.operand_stage.destination_register[d].next =
                        self.issue_stage.destination_register[d].val();
                }
                self.operand_stage.flush.next = self.issue_stage.flush.val();

                // Results.
                for b in 0..self._banks {
                    self.operand_stage.write_valid[b].next = self.write_valid[b].val();
                    self.operand_stage.write_warp[b].next = self.write_warp[b].val();
                    self.operand_stage.write_register[b].next = self.write_register[b].val();
                    self.operand_stage.write_base[b].next = self.write_base[b].val();
                    self.operand_stage.write_near[b].next = self.write_near[b].val();
                    self.operand_stage.write_data[b].next = self.write_data[b].val();
                    self.bank_read[b].next = self.operand_stage.bank_read[b].val();
                    self.bank_conflict[b].next = self.operand_stage.bank_conflict[b].val();
                    self.write_cached[b].next = self.operand_stage.write_cached[b].val();
                    self.write_filtered[b].next = self.operand_stage.write_filtered[b].val();
                }

                // Dispatch.
                self.operand_stage.unit_ready.next = self.unit_ready.val();
                self.dispatch_warp.next = self.operand_stage.dispatch_warp.val();
                self.dispatch_unit.next = self.operand_stage.dispatch_unit.val();
                self.dispatch_payload.next = self.operand_stage.dispatch_payload.val();
                for c in 0..self._collectors {
                    self.dispatch[c].next = self.operand_stage.dispatch[c].val();
                    self.collector_occupied[c].next = self.operand_stage.collector_occupied[c].val();
                }
                for s in 0..self._slots {
                    self.operand_valid[s].next = self.operand_stage.operand_valid[s].val();
                    self.operand_data[s].next = self.operand_stage.operand_data[s].val();
                    self.hit[s].next = self.operand_stage.hit[s].val();
                }
            }
        }
    };
}

sub_core!(
    /// With operand collector units, the baseline. `W`: data width in bits; `C`: bits of a collector's
    /// number, at least one.
    OcuSubCore, OcuStage, [W, C], bypassing: false, "ocu_sub_core", "Sub-core with operand collector units (F II)", &OCU,
    doc = ""
);
sub_core!(
    /// With caching collector units. `I`: bits of a cache-table entry's number.
    CcuSubCore, CcuStage, [W, I, C], bypassing: false, "ccu_sub_core", "Sub-core with caching collector units (F III, IV)", &CCU,
    ports(SubCoreIn, SubCoreOut)
);
sub_core!(
    /// With bypassing operand collectors, one for each warp.
    BocSubCore, BocStage, [W, C], bypassing: true, "boc_sub_core", "Sub-core with bypassing operand collectors (F VI-B)", &BOC,
    ports(SubCoreIn, SubCoreOut)
);

/// Parameters of an operand stage that a sub-core's name has. Verilator cuts names of more than 127 characters, so
/// each module names only what changes it.
const OCU: [&str; 4] = ["collectors", "slots", "banks", "rows"];
const CCU: [&str; 10] = [
    "entries",
    "collectors",
    "slots",
    "banks",
    "rows",
    "replacement",
    "cache_far",
    "invalidate",
    "choice",
    "d_ports",
];
const BOC: [&str; 6] = ["collectors", "slots", "banks", "rows", "window", "destinations"];

fn named(width: usize, parameters: &Parameters, stage: &[&str]) -> Vec<(&'static str, usize)> {
    let names = POLICIES.iter().chain(stage);
    std::iter::once(("w", width)).chain(names.map(|name| parameters.in_verilog(name))).collect()
}
