//! Operand collector table (OCT) of the caching collector unit: W §3.2, F §III-C.
//!
//! One slot per source operand: valid, ready, and the index of the cache-table entry that holds the
//! value, so that a value is stored once however many slots name it.
//!
//! Timing: `issue` fills all slots at the end of its cycle; a value arriving for a slot makes ready
//! every slot that points to the same entry, so that a register named twice is read once. They are ready from the next
//! cycle on, or under `dispatch_on_arrival` in this one. A value that arrives with an issue is the leaving instruction's.
//!
//! With `allocate_on_arrival` a source that is not in the cache table has no entry before its value arrives. Until then its
//! index is the number of the slot that asked for the value, and the slot keeps the register's number and near bit. Then one
//! value arrives in a cycle (`accesses: 1`).

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `I`: bits of an index.
#[block(
    title = "Operand collector table",
    paper = "W §3.2, F §III-C",
    parameters(entries, slots, accesses, dispatch_on_arrival, allocate_on_arrival),
    sizes(
        seconds = accesses - 1,
        second_slots = if accesses == 1 { 0 } else { slots },
        waiting = if parameters.allocate_on_arrival { slots } else { 0 },
        arrivals = if parameters.allocate_on_arrival { 1 } else { 0 }
    )
)]
pub struct OperandCollectorTable<const I: usize> {
    /// An instruction enters: all slots are filled.
    pub issue: In<Bit>,
    /// The slot is used.
    pub source_valid: In<[Bit; slots]>,
    /// Entry that holds, or will hold, its value; or the slot that has asked for it.
    pub source_index: In<[Bits<I>; slots]>,
    /// The source is in the cache table already.
    pub source_hit: In<[Bit; slots]>,
    /// Its register, while it has no entry.
    pub source_register: In<[Bits<8>; waiting]>,
    /// The next reuse of its value is near.
    pub source_near: In<[Bit; waiting]>,
    /// A value arrives on port S.
    pub s_valid: In<Bit>,
    /// The slot that asked for it.
    pub s_slot: In<Bits<3>>,
    /// With two accesses per cycle: another value arrives.
    pub second_s_valid: In<[Bit; seconds]>,
    /// The slot that asked for it.
    pub second_s_slot: In<[Bits<3>; seconds]>,
    /// The entry that is chosen for it.
    pub s_entry: In<[Bits<I>; arrivals]>,

    /// What the slot that asked for the arriving value points to: the entry that it fills, if it has one.
    pub s_index: Out<Bits<I>>,
    /// The same of the other arriving value.
    pub second_s_index: Out<[Bits<I>; seconds]>,
    /// Register of the arriving value.
    pub s_register: Out<[Bits<8>; arrivals]>,
    /// Its next reuse is near.
    pub s_near: Out<[Bit; arrivals]>,
    /// The slot is used.
    pub valid: Out<[Bit; slots]>,
    /// Its entry.
    pub index: Out<[Bits<I>; slots]>,
    /// It has an entry.
    pub placed: Out<[Bit; slots]>,
    /// The value on port S fills its entry, and can leave in the same cycle.
    pub passes: Out<[Bit; slots]>,
    /// With `passes`: it is the other arriving value.
    pub second_passes: Out<[Bit; second_slots]>,
    /// Every valid slot is ready.
    pub all_ready: Out<Bit>,

    asked: Local<Bits<I>>,
    arrives: Local<[Bit; slots]>,
    second_arrives: Local<[Bit; second_slots]>,
    next_index: Local<[Bits<I>; slots]>,
    slot_valid: Register<[Bit; slots]>,
    slot_ready: Register<[Bit; slots]>,
    slot_index: Register<[Bits<I>; slots]>,
    register_held: Register<[Bits<8>; waiting]>,
    near_held: Register<[Bit; waiting]>,
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
    #[value(allocate_on_arrival)]
    allocates: Constant<Bit>,
}

impl<const I: usize> Logic for OperandCollectorTable<I> {
    #[rtl]
    fn update(&mut self) {
        self.s_index.next = 0.into();
        self.all_ready.next = true;
        for s in 0..slots {
            if self.s_slot.val() == self.slot_number[s].val() {
                self.s_index.next = self.slot_index[s].val();
            }
        }
        // What the slots that wait for the value point to: its entry, or the slot that asked for it.
        self.asked.next = self.s_index.val();
        if self.allocates.val() {
            self.asked.next = bit_cast::<I, 3>(self.s_slot.val());
        }
        for k in 0..seconds {
            self.second_s_index[k].next = 0.into();
            for s in 0..slots {
                if self.second_s_slot[k].val() == self.slot_number[s].val() {
                    self.second_s_index[k].next = self.slot_index[s].val();
                }
            }
            for s in 0..second_slots {
                self.second_arrives[s].next =
                    self.second_s_valid[k].val() & (self.slot_index[s].val() == self.second_s_index[k].val());
                self.second_passes[s].next = self.second_arrives[s].val() & self.can_pass.val();
            }
        }
        for s in 0..slots {
            self.arrives[s].next = (self.s_valid.val() & (self.slot_index[s].val() == self.asked.val()))
                & (!self.allocates.val() | (self.slot_valid[s].val() & !self.slot_ready[s].val()));
            for k in 0..seconds {
                if self.second_s_valid[k].val() & (self.slot_index[s].val() == self.second_s_index[k].val()) {
                    self.arrives[s].next = true;
                }
            }
            self.passes[s].next = self.arrives[s].val() & self.can_pass.val();

            self.slot_valid[s].load(self.issue.val(), self.source_valid[s].val());

            self.slot_ready[s]
                .load(self.issue.val() | self.arrives[s].val(), !self.issue.val() | self.source_hit[s].val());

            self.next_index[s].next = self.source_index[s].val();
            for a in 0..arrivals {
                if !self.issue.val() {
                    self.next_index[s].next = self.s_entry[a].val();
                }
            }
            self.slot_index[s].load(
                self.issue.val() | (self.arrives[s].val() & self.allocates.val()),
                self.next_index[s].val(),
            );

            if self.slot_valid[s].val() & (!self.slot_ready[s].val() & !self.passes[s].val()) {
                self.all_ready.next = false;
            }
            self.valid[s].next = self.slot_valid[s].val();
            self.index[s].next = self.slot_index[s].val();
            self.placed[s].next =
                (self.slot_valid[s].val() & self.slot_ready[s].val()) | !self.allocates.val();
        }

        // What is not known of an arriving value without an entry.
        for s in 0..waiting {
            self.register_held[s].load(self.issue.val(), self.source_register[s].val());
            self.near_held[s].load(self.issue.val(), self.source_near[s].val());
        }
        for a in 0..arrivals {
            self.s_register[a].next = 0.into();
            self.s_near[a].next = false;
            for s in 0..waiting {
                if self.s_slot.val() == self.slot_number[s].val() {
                    self.s_register[a].next = self.s_register[a].val() | self.register_held[s].val();
                }
                if self.arrives[s].val() & self.near_held[s].val() {
                    self.s_near[a].next = true;
                }
            }
        }
    }
}
