// SPDX-License-Identifier: Apache-2.0
//! Arbiter of a sub-core's register file: F §II, §III-B, §IV-A2.
//!
//! * A register lives in bank `(register + 1 + warp) mod banks`, row `base + register / banks`.
//! * Every read request of an issued instruction joins the queue of its bank.
//! * A bank makes one access per cycle, and a write goes first: it is always granted.
//! * The oldest read of each queue is granted if its bank and the collector's port S are free. Banks
//!   that want the same collector take turns.
//! * With two accesses per cycle (`accesses`) each bank has a second one, decided after the first: of the
//!   same read, if a write or another bank's value was in the way, or of the one behind it. A write is a
//!   first access. Port S of a collector takes a value of a first access and one of a second, for which banks
//!   take turns apart. So a queue keeps its order, and a write leaves one read.
//! * A register that leaves without an instruction read while its bank's first access has nothing else to do
//!   (`transfer_ports`).
//! * With caching collectors, the write filter: of the writes that belong to a collector's warp the
//!   first near one goes to its port D (of the lowest-numbered bank), the first two if it has two; the others
//!   are kept out of it.
//!
//! Timing: a grant in cycle t is an access in t. Under `grant_at_issue` a bank without a queue grants the
//! first of the reads that an instruction issued in t asks of it, in t, and with two accesses the second
//! where no other is before it; the others, and all reads without it, join the queues and can be granted from
//! t + 1.

use rust_hdl::prelude::*;

use super::RequestQueue;
use crate::bundles::{Transfer, Write};
use crate::cells::RoundRobin;
use crate::dialect::{block, rtl};
use crate::{monitor, watch};

/// `C`: bits of a collector's number.
#[block(
    title = "Register-file arbiter",
    paper = "F §II, III-B, IV-A2",
    parameters(collectors, slots, banks, accesses, grant_at_issue, transfer_ports, cache_far, d_ports)
)]
pub struct Arbiter<const C: usize> {
    /// An instruction enters this collector. At most one is high.
    pub issue: In<[Bit; collectors]>,
    /// Warp of the instruction.
    pub warp: In<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    /// The source has to be read.
    pub request: In<[Bit; slots]>,
    /// Register of the source.
    pub source_register: In<[Bits<8>; slots]>,
    /// Results, one per bank; the register must live in that bank.
    pub write: [Write<In>; banks],
    /// A register that is to leave; it stands until it is read.
    pub transfer: [Transfer<In>; transfer_ports],
    /// Port R: the collector belongs to a warp (caching ones only).
    #[when(d_ports > 0)]
    pub owned: In<[Bit; collectors]>,
    /// Port R: warp of the present or last instruction in the collector.
    #[when(d_ports > 0)]
    pub held_warp: In<[Bits<4>; collectors]>,

    /// Access of each bank; a write is simply `write_valid`.
    pub bank_read: Out<[Bit; banks]>,
    /// Row of the access.
    pub bank_row: Out<[Bits<8>; banks]>,
    /// Collector that the read is for.
    pub bank_collector: Out<[Bits<C>; banks]>,
    /// Slot that the read is for.
    pub bank_slot: Out<[Bits<3>; banks]>,
    /// With two accesses per cycle, the second of each bank, a read.
    #[when(accesses == 2)]
    pub second_read: Out<[Bit; banks]>,
    /// Row of the second access.
    #[when(accesses == 2)]
    pub second_row: Out<[Bits<8>; banks]>,
    /// Collector that the second access is for.
    #[when(accesses == 2)]
    pub second_collector: Out<[Bits<C>; banks]>,
    /// Slot that the second access is for.
    #[when(accesses == 2)]
    pub second_slot: Out<[Bits<3>; banks]>,
    /// Bit b: bank b reads the register that leaves, in this cycle.
    pub transfer_bank: Out<[Bits<4>; transfer_ports]>,
    /// Event: a read could be granted except for a write, or for another bank's value for its collector.
    pub bank_conflict: Out<[Bit; banks]>,
    /// Write filter, for each collector: bit b, bank b's write goes to a port D, or is kept out. At most as
    /// many bits of `d_bank` are high as there are ports D.
    #[when(d_ports > 0)]
    pub d_bank: Out<[Bits<4>; collectors]>,
    /// Write filter, for each collector: bit b, bank b's write is kept out.
    #[when(d_ports > 0)]
    pub filtered_bank: Out<[Bits<4>; collectors]>,
    /// Event: the write goes to a collector's port D.
    pub write_cached: Out<[Bit; banks]>,
    /// Event: a collector belongs to the write's warp, and the write is kept out of it.
    pub write_filtered: Out<[Bit; banks]>,

    home: Local<[Bits<8>; slots]>,
    source_row: Local<[Bits<8>; slots]>,
    issued_collector: Local<Bits<C>>,
    /// `wants[b][s]`: slot s of the instruction issued now has to be read from bank b.
    wants: Local<[[Bit; slots]; banks]>,
    /// The read that comes next at the bank: the head of its queue, or the first of the instruction issued
    /// now.
    next_valid: Local<[Bit; banks]>,
    next_row: Local<[Bits<8>; banks]>,
    next_collector: Local<[Bits<C>; banks]>,
    next_slot: Local<[Bits<3>; banks]>,
    /// Slot of that read, if it is of the instruction issued now.
    direct: Local<[[Bit; slots]; banks]>,
    granted: Local<[Bit; banks]>,
    /// The read that comes after that: the one behind the head, or the next of the instruction issued now.
    #[when(accesses == 2)]
    after_valid: Local<[Bit; banks]>,
    #[when(accesses == 2)]
    after_row: Local<[Bits<8>; banks]>,
    #[when(accesses == 2)]
    after_collector: Local<[Bits<C>; banks]>,
    #[when(accesses == 2)]
    after_slot: Local<[Bits<3>; banks]>,
    /// Slot of the read that comes after that, if it is of the instruction issued now.
    #[when(accesses == 2)]
    after_direct: Local<[[Bit; slots]; banks]>,
    /// The read that comes at the bank's second access: the one that the first has left, or the one after it.
    #[when(accesses == 2)]
    offered_valid: Local<[Bit; banks]>,
    #[when(accesses == 2)]
    offered_collector: Local<[Bits<C>; banks]>,
    #[when(accesses == 2)]
    second_granted: Local<[Bit; banks]>,
    #[when(accesses == 2)]
    second_s_used: Local<[Bit; collectors]>,
    s_used: Local<[Bit; collectors]>,
    #[when(d_ports > 0)]
    d_used: Local<[Bit; collectors]>,
    #[when(d_ports > 0)]
    d_full: Local<[Bit; collectors]>,
    queues: [RequestQueue<C>; banks],
    #[with(banks)]
    s_arbiters: [RoundRobin; collectors],
    #[with(banks)]
    #[when(accesses == 2)]
    second_s_arbiters: [RoundRobin; collectors],
    #[value(banks - 1)]
    bank_mask: Constant<Bits<8>>,
    #[value(clog2(banks))]
    bank_shift: Constant<Bits<8>>,
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

monitor!(Arbiter<C>: "arbiter_monitor.v");

#[rtl]
impl<const C: usize> Arbiter<C> {
    /// The number that says by its last bits which bank holds a register.
    fn home_of(register: Bits<8>, warp: Bits<4>) -> Bits<8> {
        (register + bit_cast::<8, 4>(warp)) + 1
    }

    /// The row of a register in its bank.
    fn row_of(base: Bits<8>, register: Bits<8>, shift: Bits<8>) -> Bits<8> {
        base + (register >> shift)
    }

    /// Which bank each request is for.
    fn map_requests() {
        issued_collector = 0;
        for c in 0..collectors {
            if issue[c] {
                issued_collector = c;
            }
        }
        for s in 0..slots {
            home[s] = home_of(source_register[s], warp);
            source_row[s] = row_of(base, source_register[s], bank_shift);
        }
        for b in 0..banks {
            next_valid[b] = queues[b].head_valid;
            next_row[b] = queues[b].head_row;
            next_collector[b] = queues[b].head_collector;
            next_slot[b] = queues[b].head_slot;
            for s in 0..slots {
                wants[b][s] = request[s] & ((home[s] & bank_mask) == b);
                direct[b][s] = (wants[b][s] & grants_at_issue) & !next_valid[b];
                if direct[b][s] {
                    next_valid[b] = true;
                    next_row[b] = source_row[s];
                    next_collector[b] = issued_collector;
                    next_slot[b] = s;
                }
            }
        }
    }

    /// It goes to its bank if neither a write nor another bank is in the way.
    fn first_accesses() {
        for b in 0..banks {
            granted[b] = false;
        }
        for c in 0..collectors {
            s_used[c] = false;
            for b in 0..banks {
                s_arbiters[c].request[b] =
                    (next_valid[b] & !write[b].valid) & (next_collector[b] == c);
                if s_arbiters[c].grant[b] {
                    granted[b] = true;
                    s_used[c] = true;
                }
            }
            s_arbiters[c].advance = s_used[c];
        }
        for b in 0..banks {
            bank_read[b] = granted[b];
            bank_collector[b] = next_collector[b];
            bank_slot[b] = next_slot[b];
            bank_conflict[b] = next_valid[b] & !granted[b];
            bank_row[b] =
                if write[b].valid { row_of(write[b].base, write[b].register, bank_shift) } else { next_row[b] };
        }
    }

    /// The second accesses, of what the first ones have left.
    fn second_accesses() {
        if accesses == 2 {
            for b in 0..banks {
                after_valid[b] = queues[b].second_valid;
                after_row[b] = queues[b].second_row;
                after_collector[b] = queues[b].second_collector;
                after_slot[b] = queues[b].second_slot;
                for s in 0..slots {
                    after_direct[b][s] = (wants[b][s] & grants_at_issue) & !(direct[b][s] | after_valid[b]);
                    if after_direct[b][s] {
                        after_valid[b] = true;
                        after_row[b] = source_row[s];
                        after_collector[b] = issued_collector;
                        after_slot[b] = s;
                    }
                }
                offered_valid[b] = next_valid[b];
                second_row[b] = next_row[b];
                offered_collector[b] = next_collector[b];
                second_slot[b] = next_slot[b];
                if granted[b] {
                    offered_valid[b] = after_valid[b];
                    second_row[b] = after_row[b];
                    offered_collector[b] = after_collector[b];
                    second_slot[b] = after_slot[b];
                }
                second_granted[b] = false;
            }
        }
    }

    /// A collector takes one value of the second accesses.
    fn grant_second_accesses() {
        if accesses == 2 {
            for c in 0..collectors {
                second_s_used[c] = false;
                for b in 0..banks {
                    second_s_arbiters[c].request[b] =
                        offered_valid[b] & (offered_collector[b] == c);
                    if second_s_arbiters[c].grant[b] {
                        second_granted[b] = true;
                        second_s_used[c] = true;
                    }
                }
                second_s_arbiters[c].advance = second_s_used[c];
            }
            for b in 0..banks {
                second_read[b] = second_granted[b];
                second_collector[b] = offered_collector[b];
                bank_conflict[b] = offered_valid[b] & !second_granted[b];
            }
        }
    }

    /// A register leaves from a bank whose first access neither reads nor writes.
    fn departures() {
        for t in 0..transfer_ports {
            let transfer_home: Bits<8> = home_of(transfer[t].register, transfer[t].warp);
            transfer_bank[t] = 0;
            for b in 0..banks {
                if (transfer[t].valid & !(granted[b] | write[b].valid))
                    & ((transfer_home & bank_mask) == b)
                {
                    transfer_bank[t] = transfer_bank[t].replace_bit(b, true);
                    bank_row[b] = row_of(transfer[t].base, transfer[t].register, bank_shift);
                }
            }
        }
    }

    /// The others join the queue of their bank.
    fn queue() {
        for b in 0..banks {
            queues[b].pop = granted[b] & queues[b].head_valid;
            queues[b].push_collector = issued_collector;
            for s in 0..slots {
                queues[b].push[s] = wants[b][s] & !(direct[b][s] & granted[b]);
                queues[b].push_row[s] = source_row[s];
            }
        }

        if accesses == 2 {
            for b in 0..banks {
                queues[b].pop = (granted[b] | second_granted[b]) & queues[b].head_valid;
                if accesses == 2 {
                    queues[b].second_pop = (granted[b] & second_granted[b]) & queues[b].second_valid;
                }
                for s in 0..slots {
                    queues[b].push[s] = wants[b][s]
                        & !((direct[b][s] & (granted[b] | second_granted[b]))
                            | (after_direct[b][s] & (granted[b] & second_granted[b])));
                }
            }
        }
    }

    /// Write filter.
    fn filter_writes() {
        for b in 0..banks {
            write_cached[b] = false;
            write_filtered[b] = false;
        }
        if d_ports > 0 {
            for c in 0..collectors {
                d_used[c] = false;
                d_full[c] = false;
                d_bank[c] = 0;
                filtered_bank[c] = 0;
                for b in 0..banks {
                    let belongs: Bit = (write[b].valid & owned[c]) & (write[b].warp == held_warp[c]);
                    if belongs {
                        if (write[b].near | cache_far) & !d_full[c] {
                            d_full[c] = d_used[c] | single;
                            d_used[c] = true;
                            d_bank[c] = d_bank[c].replace_bit(b, true);
                            write_cached[b] = true;
                        } else {
                            filtered_bank[c] = filtered_bank[c].replace_bit(b, true);
                            write_filtered[b] = true;
                        }
                    }
                }
            }
        }
    }
}
