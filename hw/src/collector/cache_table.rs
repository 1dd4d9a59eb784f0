//! Cache table (CT) of the caching collector unit: W §3.2, F §III-C.
//!
//! Fully associative. Each entry: valid, tag (register number), lock, near, its LRU rank, and data.
//!
//! Timing: look-ups see the table as it is at the start of the cycle (after `flush`, which empties it
//! before anything else); all changes show in the next cycle. In one cycle, in this order: flush,
//! invalidations, source slots (tag, valid, lock, near), results. A result at the second port D yields to a
//! source or a first result that takes its entry in the same cycle.
//!
//! Data is kept when an entry is invalidated; only the valid bit counts. Storage:
//! `entries × (width + 11 + log2 entries)` bits.

use gpurf_blocks::{Parameters, MAX_BANKS, MAX_D_PORTS, MAX_ENTRIES, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::cells::LruOrder;
use crate::dialect::{array, rtl, Identity, Module, Register};

/// `W`: data width in bits; `I`: bits of an entry's number.
#[derive(LogicBlock, Module)]
pub struct CacheTable<const W: usize, const I: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// The table changes hands: nothing in it is valid from this cycle's look-ups on.
    pub flush: Signal<In, Bit>,
    /// Registers to look up, and whether the slot is used by an instruction issued in this cycle.
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_SLOTS)]
    pub source_near: Vec<Signal<In, Bit>>,
    /// Entry of each used slot: where it was found, or the one allocated.
    #[port(max = MAX_SLOTS)]
    pub source_index: Vec<Signal<In, Bits<I>>>,
    /// Unlock all entries: the instruction is dispatched.
    pub unlock: Signal<In, Bit>,
    /// Port S: a value fills an entry.
    pub s_valid: Signal<In, Bit>,
    pub s_index: Signal<In, Bits<I>>,
    pub s_data: Signal<In, Bits<W>>,
    /// Ports D: a result is put into an entry.
    #[port(max = MAX_D_PORTS)]
    pub d_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_D_PORTS)]
    pub d_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_D_PORTS)]
    pub d_near: Vec<Signal<In, Bit>>,
    #[port(max = MAX_D_PORTS)]
    pub d_index: Vec<Signal<In, Bits<I>>>,
    #[port(max = MAX_D_PORTS)]
    pub d_data: Vec<Signal<In, Bits<W>>>,
    /// Registers whose value changes elsewhere: an entry that holds one is no longer valid.
    #[port(max = MAX_BANKS)]
    pub kill: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub kill_register: Vec<Signal<In, Bits<8>>>,

    #[port(max = MAX_SLOTS)]
    pub hit: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub hit_index: Vec<Signal<Out, Bits<I>>>,
    /// The entry is hit by a used source slot.
    #[port(max = MAX_ENTRIES)]
    pub entry_hit: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_D_PORTS)]
    pub d_hit: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_D_PORTS)]
    pub d_hit_index: Vec<Signal<Out, Bits<I>>>,
    /// The table, after the flush.
    #[port(max = MAX_ENTRIES)]
    pub valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub lock: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub near: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub rank: Vec<Signal<Out, Bits<I>>>,
    #[port(max = MAX_ENTRIES)]
    pub data: Vec<Signal<Out, Bits<W>>>,
    /// Some valid entry is near; as of the start of the cycle.
    pub any_near: Signal<Out, Bit>,

    killed: Vec<Signal<Local, Bit>>,
    used: Vec<Signal<Local, Bit>>,
    near_source: Vec<Signal<Local, Bit>>,
    /// `taken[e]`: a source or an earlier port D takes entry e. `d_here[p][e]`: port p does.
    taken: Vec<Signal<Local, Bit>>,
    d_here: Vec<Vec<Signal<Local, Bit>>>,
    d_some: Vec<Signal<Local, Bit>>,
    d_makes_near: Vec<Signal<Local, Bit>>,
    s_here: Vec<Signal<Local, Bit>>,
    entry_valid: Vec<Register<Bit>>,
    entry_tag: Vec<Register<Bits<8>>>,
    entry_lock: Vec<Register<Bit>>,
    entry_near: Vec<Register<Bit>>,
    entry_data: Vec<Register<Bits<W>>>,
    order: LruOrder<I>,
    number: Vec<Constant<Bits<I>>>,
    /// There is more than one port D.
    several: Constant<Bit>,
    identity: Identity,
    _entries: usize,
    _slots: usize,
    _banks: usize,
    _d_ports: usize,
}

impl<const W: usize, const I: usize> CacheTable<W, I> {
    /// `slots`: source slots, fewer than the 2^I entries; `banks`: results per cycle, of which up to `d_ports`,
    /// 1 or 2, enter the table.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, banks, d_ports, .. } = *parameters;
        let entries = 1 << I;
        let named = [("w", W), ("entries", entries), ("slots", slots), ("banks", banks), ("dports", d_ports)];
        CacheTable {
            clock: Signal::default(),
            reset: Signal::default(),
            flush: Signal::default(),
            source_valid: array(slots),
            source_register: array(slots),
            source_near: array(slots),
            source_index: array(slots),
            unlock: Signal::default(),
            s_valid: Signal::default(),
            s_index: Signal::default(),
            s_data: Signal::default(),
            d_valid: array(d_ports),
            d_register: array(d_ports),
            d_near: array(d_ports),
            d_index: array(d_ports),
            d_data: array(d_ports),
            kill: array(banks),
            kill_register: array(banks),
            hit: array(slots),
            hit_index: array(slots),
            entry_hit: array(entries),
            d_hit: array(d_ports),
            d_hit_index: array(d_ports),
            valid: array(entries),
            lock: array(entries),
            near: array(entries),
            rank: array(entries),
            data: array(entries),
            any_near: Signal::default(),
            killed: array(entries),
            used: array(entries),
            near_source: array(entries),
            taken: array(entries),
            d_here: (0..d_ports).map(|_| array(entries)).collect(),
            d_some: array(entries),
            d_makes_near: array(entries),
            s_here: array(entries),
            entry_valid: array(entries),
            entry_tag: array(entries),
            entry_lock: array(entries),
            entry_near: array(entries),
            entry_data: array(entries),
            order: LruOrder::default(),
            number: (0..entries).map(|entry| Constant::new((entry as u64).into())).collect(),
            several: Constant::new(d_ports > 1),
            identity: Identity::new("cache_table", "Cache table (W 3.2, F III-C)", &named),
            _entries: entries,
            _slots: slots,
            _banks: banks,
            _d_ports: d_ports,
        }
    }
}

impl<const W: usize, const I: usize> Logic for CacheTable<W, I> {
    #[rtl]
    fn update(&mut self) {
        // Look-up.
        self.any_near.next = false;
        for e in 0..self._entries {
            self.valid[e].next = self.entry_valid[e].q.val() & !self.flush.val();
            self.lock[e].next = self.entry_lock[e].q.val();
            self.near[e].next = self.entry_near[e].q.val();
            self.rank[e].next = self.order.rank[e].val();
            self.data[e].next = self.entry_data[e].q.val();
            self.any_near.next =
                self.any_near.val() | (self.entry_valid[e].q.val() & self.entry_near[e].q.val());
            self.entry_hit[e].next = false;
        }
        for s in 0..self._slots {
            self.hit[s].next = false;
            self.hit_index[s].next = 0.into();
            if self.source_valid[s].val() {
                for e in 0..self._entries {
                    if self.valid[e].val() & (self.entry_tag[e].q.val() == self.source_register[s].val()) {
                        self.hit[s].next = true;
                        self.hit_index[s].next = self.number[e].val();
                        self.entry_hit[e].next = true;
                    }
                }
            }
        }
        for p in 0..self._d_ports {
            self.d_hit[p].next = false;
            self.d_hit_index[p].next = 0.into();
            for e in 0..self._entries {
                if self.valid[e].val() & (self.entry_tag[e].q.val() == self.d_register[p].val()) {
                    self.d_hit[p].next = true;
                    self.d_hit_index[p].next = self.number[e].val();
                }
            }
        }

        // Update.
        self.order.clock.next = self.clock.val();
        self.order.reset.next = self.reset.val();
        for e in 0..self._entries {
            self.killed[e].next = false;
            for b in 0..self._banks {
                if self.kill[b].val() & (self.entry_tag[e].q.val() == self.kill_register[b].val()) {
                    self.killed[e].next = true;
                }
            }
            self.used[e].next = false;
            self.near_source[e].next = false;
            self.entry_tag[e].d.next = self.d_register[0].val();
            for s in 0..self._slots {
                if self.source_valid[s].val() & (self.source_index[s].val() == self.number[e].val()) {
                    self.used[e].next = true;
                    self.near_source[e].next = self.near_source[e].val() | self.source_near[s].val();
                    self.entry_tag[e].d.next = self.source_register[s].val();
                }
            }
            self.s_here[e].next = self.s_valid.val() & (self.s_index.val() == self.number[e].val());
            // Data needs no reset: it is read only after it was written.
            self.entry_data[e].clock.next = self.clock.val();
            self.entry_data[e].reset.next = false;
            self.entry_data[e].d.next = self.s_data.val();
            self.taken[e].next = false;
            self.d_some[e].next = false;
            self.d_makes_near[e].next = false;
            for p in 0..self._d_ports {
                self.d_here[p][e].next = (self.d_valid[p].val()
                    & (self.d_index[p].val() == self.number[e].val()))
                    & !self.taken[e].val();
                if self.d_here[p][e].val() {
                    self.d_some[e].next = true;
                    self.d_makes_near[e].next = self.d_near[p].val();
                    self.entry_data[e].d.next = self.d_data[p].val();
                }
                self.taken[e].next = (self.used[e].val() | self.d_here[p][e].val()) & self.several.val();
            }
            for p in 0..self._d_ports {
                if self.d_here[p][e].val() & self.several.val() {
                    self.entry_tag[e].d.next = self.d_register[p].val();
                }
            }
            self.order.touch[e].next = self.used[e].val() | self.d_some[e].val();

            self.entry_valid[e].clock.next = self.clock.val();
            self.entry_valid[e].reset.next = self.reset.val();
            self.entry_valid[e].enable.next = true;
            self.entry_valid[e].d.next =
                (self.used[e].val() | self.d_some[e].val()) | (self.valid[e].val() & !self.killed[e].val());

            self.entry_tag[e].clock.next = self.clock.val();
            self.entry_tag[e].reset.next = self.reset.val();
            self.entry_tag[e].enable.next = self.used[e].val() | self.d_some[e].val();

            self.entry_lock[e].clock.next = self.clock.val();
            self.entry_lock[e].reset.next = self.reset.val();
            self.entry_lock[e].enable.next = self.used[e].val() | self.unlock.val();
            self.entry_lock[e].d.next = self.used[e].val();

            self.entry_near[e].clock.next = self.clock.val();
            self.entry_near[e].reset.next = self.reset.val();
            self.entry_near[e].enable.next = self.used[e].val() | self.d_some[e].val();
            self.entry_near[e].d.next =
                (self.used[e].val() & self.near_source[e].val()) | self.d_makes_near[e].val();

            self.entry_data[e].enable.next = self.s_here[e].val() | self.d_some[e].val();
        }
    }
}
