//! Operand collector table (OCT) of the caching collector unit: W §3.2, F §III-C.
//!
//! One slot per source operand: valid, ready, and the index of the cache-table entry that holds the
//! value, so that a value is stored once however many slots name it.
//!
//! Timing: `issue` fills all slots at the end of its cycle; a value arriving for a slot makes ready
//! every slot that points to the same entry, so that a register named twice is read once. They are ready from the next
//! cycle on, or under `dispatch_on_arrival` in this one. A value that arrives with an issue is the leaving instruction's.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `I`: bits of an index.
#[block(
    title = "Operand collector table",
    paper = "W §3.2, F §III-C",
    parameters(entries, slots, dispatch_on_arrival)
)]
pub struct OperandCollectorTable<const I: usize> {
    /// An instruction enters: all slots are filled.
    pub issue: In<Bit>,
    /// The slot is used.
    pub source_valid: In<[Bit; slots]>,
    /// Entry that holds, or will hold, its value.
    pub source_index: In<[Bits<I>; slots]>,
    /// The source is in the cache table already.
    pub source_hit: In<[Bit; slots]>,
    /// A value arrives on port S.
    pub s_valid: In<Bit>,
    /// The slot that asked for it.
    pub s_slot: In<Bits<3>>,

    /// Entry that the arriving value fills.
    pub s_index: Out<Bits<I>>,
    /// The slot is used.
    pub valid: Out<[Bit; slots]>,
    /// Its entry.
    pub index: Out<[Bits<I>; slots]>,
    /// The value on port S fills its entry, and can leave in the same cycle.
    pub passes: Out<[Bit; slots]>,
    /// Every valid slot is ready.
    pub all_ready: Out<Bit>,

    arrives: Local<[Bit; slots]>,
    slot_valid: Register<[Bit; slots]>,
    slot_ready: Register<[Bit; slots]>,
    slot_index: Register<[Bits<I>; slots]>,
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
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
        for s in 0..slots {
            self.arrives[s].next = self.s_valid.val() & (self.slot_index[s].val() == self.s_index.val());
            self.passes[s].next = self.arrives[s].val() & self.can_pass.val();

            self.slot_valid[s].load(self.issue.val(), self.source_valid[s].val());

            self.slot_ready[s]
                .load(self.issue.val() | self.arrives[s].val(), !self.issue.val() | self.source_hit[s].val());

            self.slot_index[s].load(self.issue.val(), self.source_index[s].val());

            if self.slot_valid[s].val() & (!self.slot_ready[s].val() & !self.passes[s].val()) {
                self.all_ready.next = false;
            }
            self.valid[s].next = self.slot_valid[s].val();
            self.index[s].next = self.slot_index[s].val();
        }
    }
}
