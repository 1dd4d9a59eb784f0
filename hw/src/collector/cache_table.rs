//! Cache table (CT) of the caching collector unit: W §3.2, F §III-C.
//!
//! Fully associative. Each entry: valid, tag (register number), lock, near, its place in the LRU order, and data.
//!
//! Timing: look-ups see the table as it is at the start of the cycle (after `flush`, which empties it
//! before anything else); all changes show in the next cycle. In one cycle, in this order: flush,
//! invalidations, source slots (tag, valid, lock, near), results. A result at the second port D yields to a
//! source or a first result that takes its entry in the same cycle.
//!
//! With `allocate_on_arrival` a value on port S brings its register's number and takes the entry then: tag, valid, lock and
//! near are written with the data. Results yield to it, and to sources that hit. If an instruction is issued in the same
//! cycle, which it is only under `dispatch_on_arrival`, its look-ups find the arriving value, and no longer what makes room
//! for it.
//!
//! Entries are named by the one bit set. Data is kept when an entry is invalidated; only the valid bit counts. Storage:
//! `entries × (width + 11)` bits, and the LRU order.

use rust_hdl::prelude::*;

use crate::cells::LruOrder;
use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `W`: data width in bits; `I`: bits of an entry's number.
#[block(
    title = "Cache table",
    paper = "W §3.2, F §III-C",
    parameters(width, entries, slots, banks, accesses, d_ports, lru_order, dispatch_on_arrival, allocate_on_arrival),
    sizes(
        seconds = accesses - 1,
        at_issue = if parameters.allocate_on_arrival { 0 } else { slots },
        arrivals = if parameters.allocate_on_arrival { 1 } else { 0 },
        meeting = if parameters.allocate_on_arrival && parameters.dispatch_on_arrival { 1 } else { 0 }
    )
)]
pub struct CacheTable<const W: usize, const I: usize> {
    /// The table changes hands: nothing in it is valid from this cycle's look-ups on.
    pub flush: In<Bit>,
    /// Registers to look up, and whether the slot is used by an instruction issued in this cycle.
    pub source_valid: In<[Bit; slots]>,
    /// Register to look up.
    pub source_register: In<[Bits<8>; slots]>,
    /// The operand's next reuse is near.
    pub source_near: In<[Bit; slots]>,
    /// Entry of each used slot: where it was found, or the one allocated. Zero for a slot that has none.
    pub source_entry: In<[Bits<16>; slots]>,
    /// Unlock all entries: the instruction is dispatched.
    pub unlock: In<Bit>,
    /// Port S: a value fills an entry.
    pub s_valid: In<Bit>,
    /// That entry.
    pub s_entry: In<Bits<16>>,
    /// The value.
    pub s_data: In<Bits<W>>,
    /// With two accesses per cycle: another value fills an entry.
    pub second_s_valid: In<[Bit; seconds]>,
    /// That entry.
    pub second_s_entry: In<[Bits<16>; seconds]>,
    /// The value.
    pub second_s_data: In<[Bits<W>; seconds]>,
    /// Its register, which the entry does not have yet.
    pub s_register: In<[Bits<8>; arrivals]>,
    /// Its next reuse is near.
    pub s_near: In<[Bit; arrivals]>,
    /// Ports D: a result is put into an entry.
    pub d_valid: In<[Bit; d_ports]>,
    /// Register of the result; it is looked up in any case.
    pub d_register: In<[Bits<8>; d_ports]>,
    /// Its next reuse is near.
    pub d_near: In<[Bit; d_ports]>,
    /// The entry it goes to; zero if there is none.
    pub d_entry: In<[Bits<16>; d_ports]>,
    /// The value.
    pub d_data: In<[Bits<W>; d_ports]>,
    /// Registers whose value changes elsewhere: an entry that holds one is no longer valid.
    pub kill: In<[Bit; banks]>,
    /// That register.
    pub kill_register: In<[Bits<8>; banks]>,

    /// The slot's register is there.
    pub hit: Out<[Bit; slots]>,
    /// In this entry.
    pub hit_entry: Out<[Bits<16>; slots]>,
    /// The entry is hit by a used source slot.
    pub entry_hit: Out<[Bit; entries]>,
    /// The result's register is there.
    pub d_hit: Out<[Bit; d_ports]>,
    /// In this entry.
    pub d_hit_entry: Out<[Bits<16>; d_ports]>,
    /// The entry holds a value, before the flush.
    pub was_valid: Out<[Bit; entries]>,
    /// The table, after the flush.
    pub valid: Out<[Bit; entries]>,
    /// An instruction waits with it.
    pub lock: Out<[Bit; entries]>,
    /// Its next reuse is near.
    pub near: Out<[Bit; entries]>,
    /// Bit t: entry t was used more recently than this one.
    pub newer: Out<[Bits<16>; entries]>,
    /// Its value.
    pub data: Out<[Bits<W>; entries]>,
    /// Some valid entry is near; as of the start of the cycle.
    pub any_near: Out<Bit>,

    /// The entry can be found: it does not make room for the value on port S.
    visible: Local<[Bit; entries]>,
    killed: Local<[Bit; entries]>,
    used: Local<[Bit; entries]>,
    near_source: Local<[Bit; entries]>,
    /// `taken[e]`: a source or an earlier port D takes entry e. `d_here[p][e]`: port p does.
    taken: Local<[Bit; entries]>,
    d_here: Local<[[Bit; entries]; d_ports]>,
    d_some: Local<[Bit; entries]>,
    d_makes_near: Local<[Bit; entries]>,
    /// The value on port S goes into the entry, and takes it only now.
    s_here: Local<[Bit; entries]>,
    second_s_here: Local<[[Bit; entries]; seconds]>,
    filled: Local<[Bit; entries]>,
    near_filled: Local<[Bit; entries]>,
    entry_valid: Register<[Bit; entries]>,
    entry_tag: Register<[Bits<8>; entries]>,
    entry_lock: Register<[Bit; entries]>,
    entry_near: Register<[Bit; entries]>,
    entry_data: Register<[Bits<W>; entries]>,
    order: LruOrder<I>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    /// There is more than one port D.
    #[value(d_ports > 1)]
    several: Constant<Bit>,
    #[value(allocate_on_arrival)]
    allocates: Constant<Bit>,
    /// Look-ups may meet a value that arrives.
    #[value(allocate_on_arrival && dispatch_on_arrival)]
    meets: Constant<Bit>,
}

watch!(CacheTable<W, I>: ["valid entry_tag entry_near entry_data if entry_valid[i]"]);

impl<const W: usize, const I: usize> Logic for CacheTable<W, I> {
    #[rtl]
    fn update(&mut self) {
        // Look-up.
        self.any_near.next = false;
        for e in 0..entries {
            self.s_here[e].next = self.s_valid.val() & self.s_entry.val().get_bit(e);
            self.was_valid[e].next = self.entry_valid[e].val();
            self.valid[e].next = self.entry_valid[e].val() & !self.flush.val();
            self.lock[e].next = self.entry_lock[e].val();
            self.near[e].next = self.entry_near[e].val();
            self.newer[e].next = self.order.newer[e].val();
            self.data[e].next = self.entry_data[e].val();
            self.any_near.next = self.any_near.val() | (self.entry_valid[e].val() & self.entry_near[e].val());
            self.entry_hit[e].next = false;
            self.visible[e].next = self.valid[e].val();
            if self.meets.val() {
                self.visible[e].next = self.valid[e].val() & !self.s_here[e].val();
            }
        }
        for s in 0..slots {
            self.hit[s].next = false;
            self.hit_entry[s].next = 0.into();
            if self.source_valid[s].val() {
                for e in 0..entries {
                    if self.visible[e].val() & (self.entry_tag[e].val() == self.source_register[s].val()) {
                        self.hit[s].next = true;
                        self.hit_entry[s].next = self.hit_entry[s].val() | self.alone[e].val();
                        self.entry_hit[e].next = true;
                    }
                }
                for m in 0..meeting {
                    if self.s_valid.val() & (self.s_register[m].val() == self.source_register[s].val()) {
                        self.hit[s].next = true;
                        self.hit_entry[s].next = self.s_entry.val();
                        for e in 0..entries {
                            if self.s_here[e].val() {
                                self.entry_hit[e].next = true;
                            }
                        }
                    }
                }
            }
        }
        for p in 0..d_ports {
            self.d_hit[p].next = false;
            self.d_hit_entry[p].next = 0.into();
            for e in 0..entries {
                if self.valid[e].val() & (self.entry_tag[e].val() == self.d_register[p].val()) {
                    self.d_hit[p].next = true;
                    self.d_hit_entry[p].next = self.d_hit_entry[p].val() | self.alone[e].val();
                }
            }
        }

        // Update.
        for e in 0..entries {
            self.killed[e].next = false;
            for b in 0..banks {
                if self.kill[b].val() & (self.entry_tag[e].val() == self.kill_register[b].val()) {
                    self.killed[e].next = true;
                }
            }
            self.used[e].next = false;
            self.near_source[e].next = false;
            self.entry_tag[e].d.next = self.d_register[0].val();
            for s in 0..slots {
                if self.source_entry[s].val().get_bit(e) {
                    self.used[e].next = true;
                    self.near_source[e].next = self.near_source[e].val() | self.source_near[s].val();
                }
            }
            for s in 0..at_issue {
                if self.source_entry[s].val().get_bit(e) {
                    self.entry_tag[e].d.next = self.source_register[s].val();
                }
            }
            self.filled[e].next = false;
            self.near_filled[e].next = false;
            for a in 0..arrivals {
                self.filled[e].next = self.s_here[e].val();
                self.near_filled[e].next = self.s_near[a].val();
            }
            // Data needs no reset: it is read only after it was written.
            self.entry_data[e].reset.next = false;
            self.entry_data[e].d.next = self.s_data.val();
            for k in 0..seconds {
                self.second_s_here[k][e].next =
                    self.second_s_valid[k].val() & self.second_s_entry[k].val().get_bit(e);
                if self.second_s_here[k][e].val() {
                    self.entry_data[e].d.next = self.second_s_data[k].val();
                }
            }
            self.taken[e].next = (self.used[e].val() | self.filled[e].val()) & self.allocates.val();
            self.d_some[e].next = false;
            self.d_makes_near[e].next = false;
            for p in 0..d_ports {
                self.d_here[p][e].next =
                    (self.d_valid[p].val() & self.d_entry[p].val().get_bit(e)) & !self.taken[e].val();
                if self.d_here[p][e].val() {
                    self.d_some[e].next = true;
                    self.d_makes_near[e].next = self.d_near[p].val();
                    self.entry_data[e].d.next = self.d_data[p].val();
                }
                self.taken[e].next = ((self.used[e].val() | self.filled[e].val()) | self.d_here[p][e].val())
                    & self.several.val();
            }
            for p in 0..d_ports {
                if self.d_here[p][e].val() & self.several.val() {
                    self.entry_tag[e].d.next = self.d_register[p].val();
                }
            }
            for a in 0..arrivals {
                if self.s_here[e].val() {
                    self.entry_tag[e].d.next = self.s_register[a].val();
                }
            }
            self.order.touch[e].next = (self.used[e].val() | self.filled[e].val()) | self.d_some[e].val();

            self.entry_valid[e].load(
                true,
                ((self.used[e].val() | self.filled[e].val()) | self.d_some[e].val())
                    | (self.valid[e].val() & !self.killed[e].val()),
            );

            self.entry_tag[e].enable.next =
                ((self.used[e].val() & !self.allocates.val()) | self.filled[e].val()) | self.d_some[e].val();

            self.entry_lock[e].load(
                (self.used[e].val() | self.filled[e].val()) | self.unlock.val(),
                self.used[e].val() | (self.filled[e].val() & !self.unlock.val()),
            );

            self.entry_near[e].load(
                (self.used[e].val() | self.filled[e].val()) | self.d_some[e].val(),
                (self.near_source[e].val()
                    | ((self.filled[e].val() & self.near_filled[e].val()) & !self.used[e].val()))
                    | self.d_makes_near[e].val(),
            );

            self.entry_data[e].enable.next = self.s_here[e].val() | self.d_some[e].val();
            for k in 0..seconds {
                if self.second_s_here[k][e].val() {
                    self.entry_data[e].enable.next = true;
                }
            }
        }
    }
}
