//! Arbiter of a sub-core's register file: F §II, §III-B, §IV-A2.
//!
//! * A register lives in bank `(register + 1 + warp) mod banks`, row `base + register / banks`.
//! * Every read request of an issued instruction joins the queue of its bank.
//! * A bank makes one access per cycle, and a write goes first: it is always granted.
//! * The oldest read of each queue is granted if its bank and the collector's port S are free. Banks
//!   that want the same collector take turns.
//! * With two accesses per cycle (`accesses`) each bank has a second one, decided after the first: of the same read, if a
//!   write or another bank's value was in the way, or of the one behind it. A write is a first access. Port S of a
//!   collector takes a value of a first access and one of a second, for which banks take turns apart. So a queue keeps its
//!   order, and a write leaves one read.
//! * A register that leaves without an instruction read while its bank's first access has nothing else to do
//!   (`transfer_ports`).
//! * With caching collectors, the write filter: of the writes that belong to a collector's warp the
//!   first near one goes to its port D (of the lowest-numbered bank), the first two if it has two; the others
//!   are kept out of it.
//!
//! Timing: a grant in cycle t is an access in t. Under `grant_at_issue` a bank without a queue grants the first of the
//! reads that an instruction issued in t asks of it, in t, and with two accesses the second where no other is before it; the others, and all reads without it, join the queues and
//! can be granted from t + 1.

use rust_hdl::prelude::*;

use super::RequestQueue;
use crate::bundles::{Transfer, Write};
use crate::cells::RoundRobin;
use crate::dialect::{block, rtl};
use crate::watch;

/// `C`: bits of a collector's number.
#[block(
    title = "Register-file arbiter",
    paper = "F §II, III-B, IV-A2",
    parameters(collectors, slots, banks, accesses, grant_at_issue, transfer_ports, cache_far, d_ports),
    sizes(
        caching = if d_ports == 0 { 0 } else { collectors },
        seconds = accesses - 1,
        second_banks = if accesses == 1 { 0 } else { banks },
        second_collectors = if accesses == 1 { 0 } else { collectors }
    )
)]
pub struct Arbiter<const C: usize> {
    /// An instruction enters this collector. At most one is high.
    pub issue: In<[Bit; collectors]>,
    /// Its warp.
    pub warp: In<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    /// Its sources that have to be read.
    pub request: In<[Bit; slots]>,
    /// Their registers.
    pub source_register: In<[Bits<8>; slots]>,
    /// Results, one per bank; the register must live in that bank.
    pub write: [Write<In>; banks],
    /// A register that is to leave; it stands until it is read.
    pub transfer: [Transfer<In>; transfer_ports],
    /// Port R of the collectors (caching ones only).
    pub owned: In<[Bit; caching]>,
    /// Warp of the present or last instruction in it.
    pub held_warp: In<[Bits<4>; caching]>,

    /// Access of each bank; a write is simply `write_valid`.
    pub bank_read: Out<[Bit; banks]>,
    /// Row of the access.
    pub bank_row: Out<[Bits<8>; banks]>,
    /// Collector that the read is for.
    pub bank_collector: Out<[Bits<C>; banks]>,
    /// Its slot.
    pub bank_slot: Out<[Bits<3>; banks]>,
    /// With two accesses per cycle, the second of each bank, a read.
    pub second_read: Out<[Bit; second_banks]>,
    /// Its row.
    pub second_row: Out<[Bits<8>; second_banks]>,
    /// Collector that it is for.
    pub second_collector: Out<[Bits<C>; second_banks]>,
    /// Its slot.
    pub second_slot: Out<[Bits<3>; second_banks]>,
    /// Bit b: bank b reads the register that leaves, in this cycle.
    pub transfer_bank: Out<[Bits<4>; transfer_ports]>,
    /// Event: a read could be granted but for a write, or for another bank's value for its collector.
    pub bank_conflict: Out<[Bit; banks]>,
    /// Write filter, for each collector: bit b, bank b's write goes to a port D, or is kept out. At most as many
    /// bits of `d_bank` are high as there are ports D.
    pub d_bank: Out<[Bits<4>; caching]>,
    /// Writes that are kept out, in the same way.
    pub filtered_bank: Out<[Bits<4>; caching]>,
    /// Event: the write goes to a collector's port D.
    pub write_cached: Out<[Bit; banks]>,
    /// Event: a collector belongs to the write's warp, and the write is kept out of it.
    pub write_filtered: Out<[Bit; banks]>,

    home: Local<[Bits<8>; slots]>,
    transfer_home: Local<[Bits<8>; transfer_ports]>,
    source_row: Local<[Bits<8>; slots]>,
    issued_collector: Local<Bits<C>>,
    /// `wants[b][s]`: slot s of the instruction issued now has to be read from bank b.
    wants: Local<[[Bit; slots]; banks]>,
    /// What the bank would read: the head of its queue, or the first read of the instruction issued now.
    next_valid: Local<[Bit; banks]>,
    next_row: Local<[Bits<8>; banks]>,
    next_collector: Local<[Bits<C>; banks]>,
    next_slot: Local<[Bits<3>; banks]>,
    /// That slot of the instruction issued now.
    direct: Local<[[Bit; slots]; banks]>,
    granted: Local<[Bit; banks]>,
    /// What the bank would read after that: the read behind the head, or the next of the instruction issued now.
    after_valid: Local<[Bit; second_banks]>,
    after_row: Local<[Bits<8>; second_banks]>,
    after_collector: Local<[Bits<C>; second_banks]>,
    after_slot: Local<[Bits<3>; second_banks]>,
    /// That slot of the instruction issued now.
    after_direct: Local<[[Bit; slots]; second_banks]>,
    /// What its second access would read: what the first has left, or what comes after it.
    offered_valid: Local<[Bit; second_banks]>,
    offered_collector: Local<[Bits<C>; second_banks]>,
    second_granted: Local<[Bit; second_banks]>,
    second_s_used: Local<[Bit; second_collectors]>,
    s_used: Local<[Bit; collectors]>,
    belongs: Local<[[Bit; banks]; caching]>,
    d_used: Local<[Bit; caching]>,
    d_full: Local<[Bit; caching]>,
    queues: [RequestQueue<C>; banks],
    #[with(banks)]
    s_arbiters: [RoundRobin; collectors],
    #[with(banks)]
    second_s_arbiters: [RoundRobin; second_collectors],
    #[value(|bank| bank)]
    bank_number: Constant<[Bits<8>; banks]>,
    #[value(banks - 1)]
    bank_mask: Constant<Bits<8>>,
    #[value(clog2(banks))]
    bank_shift: Constant<Bits<8>>,
    #[value(|collector| collector)]
    collector_number: Constant<[Bits<C>; collectors]>,
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
    #[value(grant_at_issue)]
    grants_at_issue: Constant<Bit>,
    #[value(d_ports > 0 && cache_far)]
    cache_far: Constant<Bit>,
    #[value(d_ports == 1)]
    single: Constant<Bit>,
}

watch!(Arbiter<C>: [
    "conflict(bank = b) for b in bank_conflict if bank_conflict[b]: conflict in bank {bank}",
]);

impl<const C: usize> Logic for Arbiter<C> {
    #[rtl]
    fn update(&mut self) {
        // Which bank each request is for.
        self.issued_collector.next = 0.into();
        for c in 0..collectors {
            if self.issue[c].val() {
                self.issued_collector.next = self.collector_number[c].val();
            }
        }
        for s in 0..slots {
            self.home[s].next = (self.source_register[s].val() + bit_cast::<8, 4>(self.warp.val())) + 1;
            self.source_row[s].next =
                self.base.val() + (self.source_register[s].val() >> self.bank_shift.val());
        }
        for b in 0..banks {
            self.next_valid[b].next = self.queues[b].head_valid.val();
            self.next_row[b].next = self.queues[b].head_row.val();
            self.next_collector[b].next = self.queues[b].head_collector.val();
            self.next_slot[b].next = self.queues[b].head_slot.val();
            for s in 0..slots {
                self.wants[b][s].next = self.request[s].val()
                    & ((self.home[s].val() & self.bank_mask.val()) == self.bank_number[b].val());
                self.direct[b][s].next =
                    (self.wants[b][s].val() & self.grants_at_issue.val()) & !self.next_valid[b].val();
                if self.direct[b][s].val() {
                    self.next_valid[b].next = true;
                    self.next_row[b].next = self.source_row[s].val();
                    self.next_collector[b].next = self.issued_collector.val();
                    self.next_slot[b].next = self.slot_number[s].val();
                }
            }
        }

        // It goes to its bank if neither a write nor another bank is in the way.
        for b in 0..banks {
            self.granted[b].next = false;
        }
        for c in 0..collectors {
            self.s_used[c].next = false;
            for b in 0..banks {
                self.s_arbiters[c].request[b].next = (self.next_valid[b].val() & !self.write[b].valid.val())
                    & (self.next_collector[b].val() == self.collector_number[c].val());
                if self.s_arbiters[c].grant[b].val() {
                    self.granted[b].next = true;
                    self.s_used[c].next = true;
                }
            }
            self.s_arbiters[c].advance.next = self.s_used[c].val();
        }
        for b in 0..banks {
            self.bank_read[b].next = self.granted[b].val();
            self.bank_collector[b].next = self.next_collector[b].val();
            self.bank_slot[b].next = self.next_slot[b].val();
            self.bank_conflict[b].next = self.next_valid[b].val() & !self.granted[b].val();
            self.bank_row[b].next = self.next_row[b].val();
            if self.write[b].valid.val() {
                self.bank_row[b].next =
                    self.write[b].base.val() + (self.write[b].register.val() >> self.bank_shift.val());
            }
        }

        // The second accesses, of what the first ones have left.
        for b in 0..second_banks {
            for k in 0..seconds {
                self.after_valid[b].next = self.queues[b].second_valid[k].val();
                self.after_row[b].next = self.queues[b].second_row[k].val();
                self.after_collector[b].next = self.queues[b].second_collector[k].val();
                self.after_slot[b].next = self.queues[b].second_slot[k].val();
            }
            for s in 0..slots {
                self.after_direct[b][s].next = (self.wants[b][s].val() & self.grants_at_issue.val())
                    & !(self.direct[b][s].val() | self.after_valid[b].val());
                if self.after_direct[b][s].val() {
                    self.after_valid[b].next = true;
                    self.after_row[b].next = self.source_row[s].val();
                    self.after_collector[b].next = self.issued_collector.val();
                    self.after_slot[b].next = self.slot_number[s].val();
                }
            }
            self.offered_valid[b].next = self.next_valid[b].val();
            self.second_row[b].next = self.next_row[b].val();
            self.offered_collector[b].next = self.next_collector[b].val();
            self.second_slot[b].next = self.next_slot[b].val();
            if self.granted[b].val() {
                self.offered_valid[b].next = self.after_valid[b].val();
                self.second_row[b].next = self.after_row[b].val();
                self.offered_collector[b].next = self.after_collector[b].val();
                self.second_slot[b].next = self.after_slot[b].val();
            }
            self.second_granted[b].next = false;
        }
        for c in 0..second_collectors {
            self.second_s_used[c].next = false;
            for b in 0..second_banks {
                self.second_s_arbiters[c].request[b].next = self.offered_valid[b].val()
                    & (self.offered_collector[b].val() == self.collector_number[c].val());
                if self.second_s_arbiters[c].grant[b].val() {
                    self.second_granted[b].next = true;
                    self.second_s_used[c].next = true;
                }
            }
            self.second_s_arbiters[c].advance.next = self.second_s_used[c].val();
        }
        for b in 0..second_banks {
            self.second_read[b].next = self.second_granted[b].val();
            self.second_collector[b].next = self.offered_collector[b].val();
            self.bank_conflict[b].next = self.offered_valid[b].val() & !self.second_granted[b].val();
        }

        // A register leaves from a bank whose first access neither reads nor writes.
        for t in 0..transfer_ports {
            self.transfer_home[t].next =
                (self.transfer[t].register.val() + bit_cast::<8, 4>(self.transfer[t].warp.val())) + 1;
            self.transfer_bank[t].next = 0.into();
            for b in 0..banks {
                if (self.transfer[t].valid.val() & !(self.granted[b].val() | self.write[b].valid.val()))
                    & ((self.transfer_home[t].val() & self.bank_mask.val()) == self.bank_number[b].val())
                {
                    self.transfer_bank[t].next = self.transfer_bank[t].val().replace_bit(b, true);
                    self.bank_row[b].next = self.transfer[t].base.val()
                        + (self.transfer[t].register.val() >> self.bank_shift.val());
                }
            }
        }

        // The others join the queue of their bank.
        for b in 0..banks {
            self.queues[b].pop.next = self.granted[b].val() & self.queues[b].head_valid.val();
            self.queues[b].push_collector.next = self.issued_collector.val();
            for s in 0..slots {
                self.queues[b].push[s].next =
                    self.wants[b][s].val() & !(self.direct[b][s].val() & self.granted[b].val());
                self.queues[b].push_row[s].next = self.source_row[s].val();
            }
        }

        for b in 0..second_banks {
            self.queues[b].pop.next =
                (self.granted[b].val() | self.second_granted[b].val()) & self.queues[b].head_valid.val();
            for k in 0..seconds {
                self.queues[b].second_pop[k].next = (self.granted[b].val() & self.second_granted[b].val())
                    & self.queues[b].second_valid[k].val();
            }
            for s in 0..slots {
                self.queues[b].push[s].next = self.wants[b][s].val()
                    & !((self.direct[b][s].val() & (self.granted[b].val() | self.second_granted[b].val()))
                        | (self.after_direct[b][s].val()
                            & (self.granted[b].val() & self.second_granted[b].val())));
            }
        }

        // Write filter.
        for b in 0..banks {
            self.write_cached[b].next = false;
            self.write_filtered[b].next = false;
        }
        for c in 0..caching {
            self.d_used[c].next = false;
            self.d_full[c].next = false;
            self.d_bank[c].next = 0.into();
            self.filtered_bank[c].next = 0.into();
            for b in 0..banks {
                self.belongs[c][b].next = (self.write[b].valid.val() & self.owned[c].val())
                    & (self.write[b].warp.val() == self.held_warp[c].val());
                if self.belongs[c][b].val() {
                    if (self.write[b].near.val() | self.cache_far.val()) & !self.d_full[c].val() {
                        self.d_full[c].next = self.d_used[c].val() | self.single.val();
                        self.d_used[c].next = true;
                        self.d_bank[c].next = self.d_bank[c].val().replace_bit(b, true);
                        self.write_cached[b].next = true;
                    } else {
                        self.filtered_bank[c].next = self.filtered_bank[c].val().replace_bit(b, true);
                        self.write_filtered[b].next = true;
                    }
                }
            }
        }
    }
}
