// SPDX-License-Identifier: Apache-2.0
//! Arbiter of a sub-core's register file: F §II, §III-B, §IV-A2, W §4.2.
//!
//! The arbiter sends read requests to the banks' queues, grants accesses, and filters the results that reach
//! the collectors.
//!
//! - A register lives in bank `(register + 1 + warp) mod banks`, row `base + register / banks`.
//! - Every read request of an issued instruction joins the [queue](request_queue.md) of its bank.
//! - A bank makes one access per cycle, or two (`accesses`). A write goes first: it is always granted.
//! - The oldest read of each queue is granted if its bank and the collector's port S are free.
//! - With two accesses per cycle each bank decides on a second one after the first
//!   ([below](#two-accesses-per-cycle-accesses2)).
//! - A register that leaves with its block ([finereg](finereg.md#in-the-sm)) comes last: it is read in a
//!   cycle in which its bank's first access is idle (`transfer_ports`). R sends "register indices [...] to
//!   the ACRF through arbitrator", and does not say in which order.
//! - An operand that lies with another warp (`lenders`) is read from that warp's bank and row.
//! - Caching collectors have a write filter. Of the writes that belong to a collector's warp, the first near
//!   one, by bank number, goes to its port D. The others are kept out of it, and reported to it.
//!
//! # Timing
//!
//! A grant in cycle t is an access in t. Under `grant_at_issue` (the default) a bank without a queue grants
//! one read in t: the first that an instruction issued in t asks of it. The others join the queues and can be
//! granted from t + 1 on. Without the parameter all reads do. The write filter answers in the same cycle.
//! With `grant_at_issue`:
//!
//! ```text
//! cycle                 0          1         2         3
//! issue_0               R1 R3      -         -         -       (both in bank 0, warp 0, 2 banks)
//! write_valid_0         0          1         0         0
//! bank_read_0           1          0         1         0
//! bank_slot_0           0          1         1         0
//! bank_conflict_0       0          1         0         0
//! ```
//!
//! # Two accesses per cycle (`accesses=2`)
//!
//! With `accesses=2` a cycle is decided as two cycles would be, one after the other:
//!
//! 1. First accesses are as above: a write, else the head of the queue, or of a bank without a queue the
//!    first read of the instruction that is issued. Each port S takes one value of them.
//! 2. Second accesses are reads: the read that the first access could not do, because of a write or of
//!    another bank's value, else the one behind it. Each port S takes one value of these too.
//!
//! So a bank reads two registers, for one collector or for two, or writes one and reads one. A collector
//! takes two values, of one bank or of two. A queue keeps its order. Second accesses have a round robin of
//! their own per collector. A register that leaves uses a first access alone. `bank_read` and `second_read`
//! count apart: their sum is the reads of a cycle. `bank_conflict` says that a read waits for the next cycle
//! though the second access could have been its own. With `grant_at_issue`:
//!
//! ```text
//! cycle                 0          1         2         3
//! issue_0               R1 R3 R5   -         -         -       (all in bank 0, warp 0, 2 banks)
//! write_valid_0         0          1         0         0
//! bank_read_0           1          0         0         0
//! bank_slot_0           0          -         -         -
//! second_read_0         1          1         0         0
//! second_slot_0         1          2         -         -
//! ```
//!
//! # Decisions
//!
//! - **Bank mapping** `(register + 1 + warp) mod banks`, as in Accel-Sim's public model. The papers give
//!   none. Warps start in different banks, so equal registers of neighbouring warps do not collide.
//! - **Several banks that want one collector's port S** take turns, a [round_robin](round_robin.md) per
//!   collector. The papers say "available" and not who is first.
//! - **A far result, and one that loses the D port, is reported to the collector** (`filtered_bank`), which
//!   invalidates the register's entry. See [ccu](ccu.md#decisions).
//! - "First" among several near results (W §4.2) is the lowest bank. F §IV-A2 says "one of".
//! - Writes are never refused, so each bank takes at most one result per cycle; who writes must queue.
//! - The row adder wraps at 256 rows. The SM places warps so that it never does.
//!
//! # Storage
//!
//! It keeps `banks × collectors × slots × (12 + c)` bits of queues and `collectors × banks` bits of turns:
//! 368 by default. The width of a collector's number is c. With two accesses per cycle the turns are twice as
//! many.

use rust_hdl::prelude::*;

use super::RequestQueue;
use crate::bundles::{Lenders, Transfer, Write};
use crate::cells::RoundRobin;
use crate::dialect::{block, rtl};
use crate::{monitor, watch};

/// `C`: bits of a collector's number.
#[block(
    title = "Register-file arbiter",
    paper = "F §II, III-B, IV-A2",
    parameters(
        collectors,
        slots,
        banks,
        accesses,
        grant_at_issue,
        transfer_ports,
        lenders,
        cache_far,
        d_ports
    )
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
    /// Where sources lie that do not lie with the instruction's warp.
    pub lender: [Lenders<In>; lenders],
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
        for l in 0..lenders {
            for s in 0..slots {
                if lender[l].valid[s] {
                    home[s] = home_of(source_register[s], lender[l].warp[s]);
                    source_row[s] = row_of(lender[l].base[s], source_register[s], bank_shift);
                }
            }
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
                s_arbiters[c].request[b] = (next_valid[b] & !write[b].valid) & (next_collector[b] == c);
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
            bank_row[b] = if write[b].valid {
                row_of(write[b].base, write[b].register, bank_shift)
            } else {
                next_row[b]
            };
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
                    second_s_arbiters[c].request[b] = offered_valid[b] & (offered_collector[b] == c);
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
                if (transfer[t].valid & !(granted[b] | write[b].valid)) & ((transfer_home & bank_mask) == b) {
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
