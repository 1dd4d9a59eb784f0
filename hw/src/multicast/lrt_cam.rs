//! Load request table (LRT), all entries compared at once: I §3.1 to §3.3 read as a content-addressable
//! memory. Operations, rules and ports are those of [`super::LrtScan`].
//!
//! Entries stand in registers, each with its own comparator.
//!
//! Timing: a search takes one cycle. Each entry that leaves takes a cycle before it; entries due by age go
//! first, between the steps of an operation too.

use gpurf_blocks::{Parameters, SCAN_LANES};
use rust_hdl::prelude::*;

use super::{EntryState, LrtIn, LrtOut};
use crate::dialect::{array, rtl, Identity, Module, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[derive(LogicBlock, Module)]
#[ports(LrtIn, LrtOut)]
pub struct LrtCam<const V: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub search: Signal<In, Bit>,
    pub drain: Signal<In, Bit>,
    pub warp: Signal<In, Bits<V>>,
    pub address: Signal<In, Bits<A>>,
    pub source: Signal<In, Bits<8>>,
    pub destination: Signal<In, Bits<8>>,
    pub evict_ready: Signal<In, Bit>,
    pub done_ready: Signal<In, Bit>,
    pub insert: Signal<In, Bit>,
    pub tick: Signal<In, Bit>,

    pub evict: Signal<Out, Bit>,
    pub evict_aged: Signal<Out, Bit>,
    pub evict_warp: Signal<Out, Bits<V>>,
    pub evict_address: Signal<Out, Bits<A>>,
    pub evict_source: Signal<Out, Bits<8>>,
    pub evict_destination: Signal<Out, Bits<8>>,
    pub done: Signal<Out, Bit>,
    pub matched: Signal<Out, Bit>,
    pub matched_warp: Signal<Out, Bits<V>>,
    pub full: Signal<Out, Bit>,
    pub occupancy: Signal<Out, Bits<8>>,

    /// Per row: entries that must leave before the operation.
    leaving: Vec<Signal<Local, Bits<4>>>,
    any_leaving: Signal<Local, Bit>,
    leaving_row: Signal<Local, Bits<6>>,
    leaving_lanes: Signal<Local, Bits<4>>,
    leaving_lane: Signal<Local, Bits<2>>,
    evict_row: Signal<Local, Bits<6>>,
    evict_lane: Signal<Local, Bits<2>>,
    evicts: Signal<Local, Bit>,
    any_partner: Signal<Local, Bit>,
    partner_row: Signal<Local, Bits<6>>,
    partner_lane: Signal<Local, Bits<2>>,
    partner_warp: Signal<Local, Bits<V>>,
    ends: Signal<Local, Bit>,
    pairs: Signal<Local, Bit>,
    removes: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,

    state: EntryState,
    warps: Vec<Register<Bits<V>>>,
    addresses: Vec<Register<Bits<A>>>,
    sources: Vec<Register<Bits<8>>>,
    destinations: Vec<Register<Bits<8>>>,
    row_number: Vec<Constant<Bits<6>>>,
    lane_number: Vec<Constant<Bits<2>>>,
    identity: Identity,
    _rows: usize,
}

impl<const V: usize, const A: usize> LrtCam<V, A> {
    /// `entries`: 16 to 192, a multiple of four.
    pub fn new(parameters: &Parameters) -> Self {
        let entries = parameters.lrt_entries;
        let rows = entries / SCAN_LANES;
        LrtCam {
            clock: Signal::default(),
            reset: Signal::default(),
            search: Signal::default(),
            drain: Signal::default(),
            warp: Signal::default(),
            address: Signal::default(),
            source: Signal::default(),
            destination: Signal::default(),
            evict_ready: Signal::default(),
            done_ready: Signal::default(),
            insert: Signal::default(),
            tick: Signal::default(),
            evict: Signal::default(),
            evict_aged: Signal::default(),
            evict_warp: Signal::default(),
            evict_address: Signal::default(),
            evict_source: Signal::default(),
            evict_destination: Signal::default(),
            done: Signal::default(),
            matched: Signal::default(),
            matched_warp: Signal::default(),
            full: Signal::default(),
            occupancy: Signal::default(),
            leaving: array(rows),
            any_leaving: Signal::default(),
            leaving_row: Signal::default(),
            leaving_lanes: Signal::default(),
            leaving_lane: Signal::default(),
            evict_row: Signal::default(),
            evict_lane: Signal::default(),
            evicts: Signal::default(),
            any_partner: Signal::default(),
            partner_row: Signal::default(),
            partner_lane: Signal::default(),
            partner_warp: Signal::default(),
            ends: Signal::default(),
            pairs: Signal::default(),
            removes: Signal::default(),
            finishes: Signal::default(),
            writes: Signal::default(),
            state: EntryState::new(entries),
            warps: array(entries),
            addresses: array(entries),
            sources: array(entries),
            destinations: array(entries),
            row_number: (0..rows).map(|row| Constant::new((row as u64).into())).collect(),
            lane_number: (0..SCAN_LANES).map(|lane| Constant::new((lane as u64).into())).collect(),
            identity: Identity::new(
                "lrt_cam",
                "Load request table, all entries at once (I 3.1 to 3.3)",
                &[("entries", entries), ("warp", V), ("address", A)],
            ),
            _rows: rows,
        }
    }
}

impl<const V: usize, const A: usize> Logic for LrtCam<V, A> {
    #[rtl]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.state.tick.next = self.tick.val();
        self.full.next = self.state.full.val();
        self.occupancy.next = self.state.occupancy.val();

        // Comparators. A load has one partner at most, so its place and warp are collected by OR.
        self.any_leaving.next = false;
        self.leaving_row.next = 0.into();
        self.leaving_lanes.next = 0.into();
        self.any_partner.next = false;
        self.partner_row.next = 0.into();
        self.partner_lane.next = 0.into();
        self.partner_warp.next = 0.into();
        for r in 0..self._rows {
            self.leaving[r].next = 0.into();
            for k in 0..4 {
                if self.state.used[r].val().get_bit(k) {
                    if self.warps[r * 4 + k].q.val() == self.warp.val() {
                        self.leaving[r].next = self.leaving[r].val().replace_bit(
                            k,
                            self.drain.val()
                                | (self.destinations[r * 4 + k].q.val() == self.destination.val()),
                        );
                    } else if (!self.drain.val()
                        & (self.destinations[r * 4 + k].q.val() == self.destination.val()))
                        & ((self.sources[r * 4 + k].q.val() == self.source.val())
                            & (self.addresses[r * 4 + k].q.val() == self.address.val()))
                    {
                        self.any_partner.next = true;
                        self.partner_row.next = self.partner_row.val() | self.row_number[r].val();
                        self.partner_lane.next = self.partner_lane.val() | self.lane_number[k].val();
                        self.partner_warp.next = self.partner_warp.val() | self.warps[r * 4 + k].q.val();
                    }
                }
            }
            if !self.any_leaving.val() & self.leaving[r].val().any() {
                self.any_leaving.next = true;
                self.leaving_row.next = self.row_number[r].val();
                self.leaving_lanes.next = self.leaving[r].val();
            }
        }
        self.leaving_lane.next = 0.into();
        for k in 0..4 {
            if self.leaving_lanes.val().get_bit(3 - k) {
                self.leaving_lane.next = self.lane_number[3 - k].val();
            }
        }

        // An entry that leaves: the first due one, else the first that the operation drives out.
        self.evicts.next = self.state.any_due.val() | (self.search.val() & self.any_leaving.val());
        self.evict.next = self.evicts.val();
        self.evict_aged.next = self.state.any_due.val();
        self.evict_row.next = self.leaving_row.val();
        self.evict_lane.next = self.leaving_lane.val();
        if self.state.any_due.val() {
            self.evict_row.next = self.state.due_row.val();
            self.evict_lane.next = self.state.due_lane.val();
        }
        self.evict_warp.next = 0.into();
        self.evict_address.next = 0.into();
        self.evict_source.next = 0.into();
        self.evict_destination.next = 0.into();
        for r in 0..self._rows {
            if self.evicts.val() & (self.evict_row.val() == self.row_number[r].val()) {
                for k in 0..4 {
                    if self.evict_lane.val() == self.lane_number[k].val() {
                        self.evict_warp.next = self.evict_warp.val() | self.warps[r * 4 + k].q.val();
                        self.evict_address.next =
                            self.evict_address.val() | self.addresses[r * 4 + k].q.val();
                        self.evict_source.next = self.evict_source.val() | self.sources[r * 4 + k].q.val();
                        self.evict_destination.next =
                            self.evict_destination.val() | self.destinations[r * 4 + k].q.val();
                    }
                }
            }
        }

        // The end of the search.
        self.ends.next = self.search.val() & !self.evicts.val();
        self.pairs.next = self.ends.val() & self.any_partner.val();
        self.done.next = self.ends.val();
        self.matched.next = self.pairs.val();
        self.matched_warp.next = 0.into();
        if self.pairs.val() {
            self.matched_warp.next = self.partner_warp.val();
        }

        // Which entry changes.
        self.removes.next = self.evicts.val() & self.evict_ready.val();
        self.finishes.next = self.ends.val() & self.done_ready.val();
        self.writes.next =
            (self.finishes.val() & self.insert.val()) & (!self.pairs.val() & !self.state.full.val());
        self.state.insert.next = self.writes.val();
        self.state.clear.next = self.removes.val() | (self.finishes.val() & self.pairs.val());
        self.state.clear_row.next = self.partner_row.val();
        self.state.clear_lane.next = self.partner_lane.val();
        if self.removes.val() {
            self.state.clear_row.next = self.evict_row.val();
            self.state.clear_lane.next = self.evict_lane.val();
        }
        for r in 0..self._rows {
            for k in 0..4 {
                self.warps[r * 4 + k].clock.next = self.clock.val();
                self.warps[r * 4 + k].reset.next = self.reset.val();
                self.warps[r * 4 + k].enable.next = self.writes.val()
                    & ((self.state.free_row.val() == self.row_number[r].val())
                        & (self.state.free_lane.val() == self.lane_number[k].val()));
                self.warps[r * 4 + k].d.next = self.warp.val();
                self.addresses[r * 4 + k].clock.next = self.clock.val();
                self.addresses[r * 4 + k].reset.next = self.reset.val();
                self.addresses[r * 4 + k].enable.next = self.warps[r * 4 + k].enable.val();
                self.addresses[r * 4 + k].d.next = self.address.val();
                self.sources[r * 4 + k].clock.next = self.clock.val();
                self.sources[r * 4 + k].reset.next = self.reset.val();
                self.sources[r * 4 + k].enable.next = self.warps[r * 4 + k].enable.val();
                self.sources[r * 4 + k].d.next = self.source.val();
                self.destinations[r * 4 + k].clock.next = self.clock.val();
                self.destinations[r * 4 + k].reset.next = self.reset.val();
                self.destinations[r * 4 + k].enable.next = self.warps[r * 4 + k].enable.val();
                self.destinations[r * 4 + k].d.next = self.destination.val();
            }
        }
    }
}
