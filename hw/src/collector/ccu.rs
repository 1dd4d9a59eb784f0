//! Caching collector unit (CCU): W §3.2 and Fig. 2b, F §III-C and Fig. 5.
//!
//! An operand collector unit whose slots are a cache: the cache table holds values, the operand
//! collector table says which of its entries the slots of the present instruction use. Ports: S, a
//! source value from the banks; D, one result per cycle (two with `d_ports: 2`); R, warp and near bit for the scheduler and
//! the allocator.
//!
//! Timing. `issue` does all of this in its cycle, at once for all sources, and the tables show it in
//! the next: flush if the warp differs; metadata; look-up; an entry for every missing source; lock;
//! near bits; LRU; operand collector table; requests for the misses. A value on port S is stored at
//! the end of its cycle. `ready` is high from the cycle after the last value arrived, at the earliest
//! the cycle after issue. `dispatch` unlocks and frees the unit at the end of its cycle, up to which
//! the operands stay locked; the values stay. A result on port D is stored at the end of its cycle.
//!
//! Where the papers are silent, we decided:
//!
//! * All look-ups see the table before replacement, and what a source hits is kept, so no source of
//!   the instruction evicts another.
//! * A register named twice uses one entry and one request.
//! * A result that the filter keeps out of the table (far, or losing port D) invalidates an
//!   entry that holds its register; a later read would otherwise find the old value. With
//!   `invalidate: false` it does not, for showing that this is so.
//! * A result that arrives with an instruction's issue comes after it: it takes no entry that the
//!   instruction uses, and if the instruction is of another warp it is not put into the table at all.
//! * A result's register is never locked: the scoreboard holds it back until the instruction that
//!   reads it is dispatched.
//!
//! The papers have one port D. With two, the first result goes before the second: where a source or the first
//! result takes the entry that holds the second one's register, or nothing is left for it, the second is not put
//! into the table.
//!
//! Storage: cache table, operand collector table (`slots × (2 + log2 entries)`), metadata (40 bits).

use gpurf_blocks::{Parameters, ReplacementPolicy, MAX_BANKS, MAX_D_PORTS, MAX_SLOTS};
use rust_hdl::prelude::*;

use super::{CacheTable, OperandCollectorTable, Replacement};
use crate::dialect::{array, rtl, Identity, Module, Register};

/// `W`: data width in bits; `I`: bits of an entry's number, the table has 2^I entries.
#[derive(LogicBlock, Module)]
pub struct Ccu<const W: usize, const I: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// An instruction enters; the unit must not be occupied.
    pub issue: Signal<In, Bit>,
    pub warp: Signal<In, Bits<3>>,
    pub unit: Signal<In, Bits<3>>,
    pub payload: Signal<In, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    /// The operand's next reuse is near.
    #[port(max = MAX_SLOTS)]
    pub source_near: Vec<Signal<In, Bit>>,
    /// Where the search for a random far entry starts.
    pub random: Signal<In, Bits<I>>,
    /// Port S: the value of a source slot arrives from the banks.
    pub s_valid: Signal<In, Bit>,
    pub s_slot: Signal<In, Bits<3>>,
    pub s_data: Signal<In, Bits<W>>,
    /// Ports D: results of the warp that the unit belongs to, of different registers; the second is used
    /// only together with the first.
    #[port(max = MAX_D_PORTS)]
    pub d_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_D_PORTS)]
    pub d_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_D_PORTS)]
    pub d_near: Vec<Signal<In, Bit>>,
    #[port(max = MAX_D_PORTS)]
    pub d_data: Vec<Signal<In, Bits<W>>>,
    /// Results of that warp which the filter keeps out.
    #[port(max = MAX_BANKS)]
    pub filtered: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub filtered_register: Vec<Signal<In, Bits<8>>>,
    /// The instruction leaves; it must be ready.
    pub dispatch: Signal<In, Bit>,

    /// Read requests of the instruction issued in this cycle.
    #[port(max = MAX_SLOTS)]
    pub request: Vec<Signal<Out, Bit>>,
    /// Sources of the instruction issued in this cycle that were found.
    #[port(max = MAX_SLOTS)]
    pub hit: Vec<Signal<Out, Bit>>,
    pub occupied: Signal<Out, Bit>,
    /// All sources have arrived.
    pub ready: Signal<Out, Bit>,
    /// Port R: the unit belongs to a warp, `held_warp`.
    pub owned: Signal<Out, Bit>,
    pub held_warp: Signal<Out, Bits<3>>,
    /// Port R: some value in the unit has a near reuse.
    pub any_near: Signal<Out, Bit>,
    pub held_unit: Signal<Out, Bits<3>>,
    pub held_payload: Signal<Out, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub operand_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_data: Vec<Signal<Out, Bits<W>>>,

    flush: Signal<Local, Bit>,
    uses: Vec<Signal<Local, Bit>>,
    named: Vec<Signal<Local, Bit>>,
    /// `same[s][t]`: slot t comes before slot s and names the same register.
    same: Vec<Vec<Signal<Local, Bit>>>,
    repeated: Vec<Signal<Local, Bit>>,
    index: Vec<Signal<Local, Bits<I>>>,
    d_index: Vec<Signal<Local, Bits<I>>>,
    d_accepted: Vec<Signal<Local, Bit>>,
    d_updates: Vec<Signal<Local, Bit>>,
    owner: Register<Bit>,
    occupancy: Register<Bit>,
    warp_held: Register<Bits<3>>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    cache_table: CacheTable<W, I>,
    operand_collector_table: OperandCollectorTable<I>,
    replacement: Replacement<I>,
    number: Vec<Constant<Bits<I>>>,
    invalidate: Constant<Bit>,
    identity: Identity,
    _entries: usize,
    _slots: usize,
    _banks: usize,
    _d_ports: usize,
}

impl<const W: usize, const I: usize> Ccu<W, I> {
    /// # Panics
    /// If there are not more entries than slots: replacement could find nothing to replace.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, banks, d_ports, replacement, invalidate, .. } = *parameters;
        let entries = 1 << I;
        assert!(slots < entries, "{slots} slots need more than {entries} entries");
        Ccu {
            clock: Signal::default(),
            reset: Signal::default(),
            issue: Signal::default(),
            warp: Signal::default(),
            unit: Signal::default(),
            payload: Signal::default(),
            source_valid: array(slots),
            source_register: array(slots),
            source_near: array(slots),
            random: Signal::default(),
            s_valid: Signal::default(),
            s_slot: Signal::default(),
            s_data: Signal::default(),
            d_valid: array(d_ports),
            d_register: array(d_ports),
            d_near: array(d_ports),
            d_data: array(d_ports),
            filtered: array(banks),
            filtered_register: array(banks),
            dispatch: Signal::default(),
            request: array(slots),
            hit: array(slots),
            occupied: Signal::default(),
            ready: Signal::default(),
            owned: Signal::default(),
            held_warp: Signal::default(),
            any_near: Signal::default(),
            held_unit: Signal::default(),
            held_payload: Signal::default(),
            operand_valid: array(slots),
            operand_data: array(slots),
            flush: Signal::default(),
            uses: array(slots),
            named: array(slots),
            same: (0..slots).map(|_| array(slots)).collect(),
            repeated: array(slots),
            index: array(slots),
            d_index: array(d_ports),
            d_accepted: array(d_ports),
            d_updates: array(entries),
            owner: Register::default(),
            occupancy: Register::default(),
            warp_held: Register::default(),
            unit_held: Register::default(),
            payload_held: Register::default(),
            cache_table: CacheTable::new(parameters),
            operand_collector_table: OperandCollectorTable::new(parameters),
            replacement: Replacement::new(parameters),
            number: (0..entries).map(|entry| Constant::new((entry as u64).into())).collect(),
            invalidate: Constant::new(invalidate),
            identity: Identity::new(
                "ccu",
                "Caching collector unit (W 3.2, F III-C)",
                &[
                    ("w", W),
                    ("entries", entries),
                    ("slots", slots),
                    ("banks", banks),
                    ("dports", d_ports),
                    ("lru", (replacement == ReplacementPolicy::Lru) as usize),
                    ("invalidate", invalidate as usize),
                ],
            ),
            _entries: entries,
            _slots: slots,
            _banks: banks,
            _d_ports: d_ports,
        }
    }
}

impl<const W: usize, const I: usize> Logic for Ccu<W, I> {
    #[rtl]
    fn update(&mut self) {
        // Metadata.
        self.owner.clock.next = self.clock.val();
        self.owner.reset.next = self.reset.val();
        self.owner.enable.next = self.issue.val();
        self.owner.d.next = true;
        self.occupancy.clock.next = self.clock.val();
        self.occupancy.reset.next = self.reset.val();
        self.occupancy.enable.next = self.issue.val() | self.dispatch.val();
        self.occupancy.d.next = self.issue.val();
        self.warp_held.clock.next = self.clock.val();
        self.warp_held.reset.next = self.reset.val();
        self.warp_held.enable.next = self.issue.val();
        self.warp_held.d.next = self.warp.val();
        self.unit_held.clock.next = self.clock.val();
        self.unit_held.reset.next = self.reset.val();
        self.unit_held.enable.next = self.issue.val();
        self.unit_held.d.next = self.unit.val();
        self.payload_held.clock.next = self.clock.val();
        self.payload_held.reset.next = self.reset.val();
        self.payload_held.enable.next = self.issue.val();
        self.payload_held.d.next = self.payload.val();
        self.owned.next = self.owner.q.val();
        self.occupied.next = self.occupancy.q.val();
        self.held_warp.next = self.warp_held.q.val();
        self.held_unit.next = self.unit_held.q.val();
        self.held_payload.next = self.payload_held.q.val();

        // Look-up.
        self.flush.next =
            self.issue.val() & (!self.owner.q.val() | (self.warp.val() != self.warp_held.q.val()));
        self.cache_table.clock.next = self.clock.val();
        self.cache_table.reset.next = self.reset.val();
        self.cache_table.flush.next = self.flush.val();
        self.cache_table.unlock.next = self.dispatch.val();
        for s in 0..self._slots {
            self.uses[s].next = self.issue.val() & self.source_valid[s].val();
            self.cache_table.source_valid[s].next = self.uses[s].val();
            self.cache_table.source_register[s].next = self.source_register[s].val();
            self.cache_table.source_near[s].next = self.source_near[s].val();
            self.cache_table.source_index[s].next = self.index[s].val();
        }

        // A slot repeats another if an earlier one names the same register.
        for s in 0..self._slots {
            self.named[s].next = false;
        }
        for s in 0..self._slots {
            self.repeated[s].next = false;
            for t in 0..self._slots {
                self.same[s][t].next = (self.uses[s].val() & self.named[t].val())
                    & (self.source_register[t].val() == self.source_register[s].val());
                if self.same[s][t].val() {
                    self.repeated[s].next = true;
                }
            }
            self.named[s].next = self.uses[s].val();
        }

        // Replacement.
        self.replacement.random.next = self.random.val();
        for p in 0..self._d_ports {
            self.d_accepted[p].next = self.d_valid[p].val() & !self.flush.val();
            self.replacement.d_miss[p].next = self.d_accepted[p].val() & !self.cache_table.d_hit[p].val();
        }
        for s in 0..self._slots {
            self.hit[s].next = self.cache_table.hit[s].val();
            self.request[s].next =
                (self.uses[s].val() & !self.cache_table.hit[s].val()) & !self.repeated[s].val();
            self.replacement.miss[s].next = self.request[s].val();
        }
        for e in 0..self._entries {
            self.d_updates[e].next = (self.d_accepted[0].val() & self.cache_table.d_hit[0].val())
                & (self.cache_table.d_hit_index[0].val() == self.number[e].val());
            self.replacement.valid[e].next = self.cache_table.valid[e].val();
            self.replacement.near[e].next = self.cache_table.near[e].val();
            self.replacement.rank[e].next = self.cache_table.rank[e].val();
            self.replacement.keep[e].next = (self.cache_table.lock[e].val()
                | self.cache_table.entry_hit[e].val())
                | self.d_updates[e].val();
        }

        // Entry of each slot: where it hits, or the one allocated to the first slot of its register.
        for s in 0..self._slots {
            self.index[s].next = self.replacement.victim[s].val();
            for t in 0..self._slots {
                if self.same[s][t].val() & !self.repeated[t].val() {
                    self.index[s].next = self.replacement.victim[t].val();
                }
            }
            if self.cache_table.hit[s].val() {
                self.index[s].next = self.cache_table.hit_index[s].val();
            }
        }

        // Ports S and D.
        self.cache_table.s_valid.next = self.s_valid.val();
        self.cache_table.s_index.next = self.operand_collector_table.s_index.val();
        self.cache_table.s_data.next = self.s_data.val();
        for p in 0..self._d_ports {
            self.d_index[p].next = self.replacement.d_victim[p].val();
            if self.cache_table.d_hit[p].val() {
                self.d_index[p].next = self.cache_table.d_hit_index[p].val();
            }
            self.cache_table.d_valid[p].next = self.d_accepted[p].val()
                & (self.cache_table.d_hit[p].val() | self.replacement.d_found[p].val());
            self.cache_table.d_register[p].next = self.d_register[p].val();
            self.cache_table.d_near[p].next = self.d_near[p].val();
            self.cache_table.d_index[p].next = self.d_index[p].val();
            self.cache_table.d_data[p].next = self.d_data[p].val();
        }
        for b in 0..self._banks {
            self.cache_table.kill[b].next = self.filtered[b].val() & self.invalidate.val();
            self.cache_table.kill_register[b].next = self.filtered_register[b].val();
        }

        // Operand collector table.
        self.operand_collector_table.clock.next = self.clock.val();
        self.operand_collector_table.reset.next = self.reset.val();
        self.operand_collector_table.issue.next = self.issue.val();
        self.operand_collector_table.s_valid.next = self.s_valid.val();
        self.operand_collector_table.s_slot.next = self.s_slot.val();
        for s in 0..self._slots {
            self.operand_collector_table.source_valid[s].next = self.source_valid[s].val();
            self.operand_collector_table.source_index[s].next = self.index[s].val();
            self.operand_collector_table.source_hit[s].next = self.cache_table.hit[s].val();
        }
        self.ready.next = self.occupancy.q.val() & self.operand_collector_table.all_ready.val();
        self.any_near.next = self.cache_table.any_near.val();

        // Operand multiplexers.
        for s in 0..self._slots {
            self.operand_valid[s].next = self.operand_collector_table.valid[s].val();
            // As a sum of products, which takes fewer gates than a chain of choices.
            self.operand_data[s].next = 0.into();
            for e in 0..self._entries {
                if self.operand_collector_table.index[s].val() == self.number[e].val() {
                    self.operand_data[s].next = self.operand_data[s].val() | self.cache_table.data[e].val();
                }
            }
        }
    }
}
