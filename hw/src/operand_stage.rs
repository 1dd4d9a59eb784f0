// SPDX-License-Identifier: Apache-2.0
//! Operand stage of one sub-core: collectors, crossbar, arbiter, banks and dispatch selection.
//!
//! `ocu_stage` has [operand collector units](ocu.md) (F §II and Fig. 3), `ccu_stage` has [caching collector
//! units](ccu.md) (W §3.1, F §III-B and Fig. 4), and `boc_stage` has [bypassing operand collectors](boc.md)
//! (F §VI-B). All have the same ports, so each fits into the [sub-core](sub_core.md). Ports that a kind of
//! collector has no use for are zero, except for arrays of destinations, which are not there.
//!
//! # Timing
//!
//! For an instruction issued in cycle t that waits for nothing:
//!
//! | cycle | what happens |
//! |---|---|
//! | t | it enters its collector; sources are looked up; what is missing is read, or joins its bank's queue |
//! | g | the read is granted, if an access of the bank and port S are free: g = t with `grant_at_issue`, else t + 1 |
//! | g + 1 | the value crosses from the bank to the collector |
//! | d | with all sources present it is dispatched: d = g + 1 with `dispatch_on_arrival`, else g + 2; t + 1 if none was missing |
//! | f | the collector takes the next instruction: f = d with `issue_on_dispatch`, else d + 1 |
//!
//! With the defaults (`grant_at_issue`, `issue_on_dispatch`, no `dispatch_on_arrival`):
//!
//! ```text
//! cycle                 0     1     2     3
//! issue_0               R3    -     R5    -
//! bank_read_0           1     0     1     0
//! collector_occupied_0  0     1     0     1
//! dispatch_0            0     0     1     0
//! operand_data_0        0     0     R3    0
//! ```
//!
//! A register that leaves (`transfer_ports`) is read in a cycle in which its bank's first access does nothing
//! else. It takes neither an issue slot nor a collector. Its value stands on `transfer_data` in the next
//! cycle.
//!
//! # Hold time
//!
//! An instruction with one missing source holds its collector for f - t cycles: 4 if all waits, 2 by default,
//! 1 at the fastest. Port S takes one value a cycle, so each further missing source adds a cycle. With two
//! accesses every second one does. The `collector` stalls of the [SM](sm.md) come from here.
//!
//! The papers fix no hold time. **The default is the fastest that F §II allows.**
//!
//! - `grant_at_issue`: "conflicting reads are stored in a FIFO queue", so others need not be.
//! - `issue_on_dispatch`: once an instruction is dispatched, "the OCU will be released and reallocated later
//!   to another instruction". A free one is selected "as soon as the issue scheduler selects a new
//!   instruction". "Later" sets no least distance.
//! - No `dispatch_on_arrival`: "the ready bit is set once the fetched data from the banks is delivered to the
//!   OCU and stored in the data field". Only then is the instruction a candidate for dispatch.
//!
//! # Two accesses per cycle (`accesses=2`)
//!
//! A bank reads two registers in a cycle, or writes one and reads one. Port S of a collector takes two
//! values, of one bank or of two. It is no default: in F §II each bank has one port and "serves one request
//! per cycle". [The arbiter](arbiter.md#two-accesses-per-cycle-accesses2) decides which reads are second
//! accesses. Accel-Sim steps its collectors and banks twice a core cycle.
//!
//! - A value of a second access crosses to the collector on wires of its own: a second crossbar, and a second
//!   write port of the collector's data.
//! - Two values that arrive in one cycle are of different registers: each register is requested once. Both
//!   count under `dispatch_on_arrival`.
//! - Results enter as with one access: one write per bank and cycle, and as many ports D as there are.
//! - A register that leaves uses first accesses alone: one a cycle at most.
//! - `bank_read` and `second_read` are events of their own; hits and reads are all operands.
//! - `allocate_on_arrival` chooses one entry a cycle and is refused with two accesses.
//!
//! # Decisions
//!
//! - **Dispatch order.** Collectors that are ready, and whose unit takes an instruction, are dispatched in
//!   turn, one per cycle. The papers speak of a dispatch scheduler and not of its order.
//! - **The near bits come with each instruction.** The papers encode them in the instruction. Here they are
//!   ports, and the SM takes them from the [reuse profile](traces.md#reuse-distance).
//! - **One write port per bank, results always taken.** Results that want the same bank wait outside.
//! - **Issue** is not decided here. For `ccu_stage` a warp must have values in one collector only; the
//!   scoreboard must keep the register of a result out of waiting instructions.
//! - **Caching collectors** get results on ports D, through the arbiter's write filter. One shift register
//!   gives the random choices of replacement. `flush` comes with the first instruction of a warp that takes a
//!   slot in which another warp was.
//! - **Bypassing collectors**: warp w has collector w and no other. All results of a cycle reach it, near and
//!   far ones. `write_cached` tells a result that also enters a window, `write_filtered` one that goes to the
//!   bank alone.

use gpurf_blocks::Choice;
use rust_hdl::prelude::*;

use crate::bundles::{Dispatched, Instruction, Lenders, StageEvents, Transfer, Write};
use crate::cells::{Lfsr, RoundRobin};
use crate::collector::Collector;
use crate::dialect::{block, rtl};
use crate::register_file::{Arbiter, Bank};

/// `K`: the kind of collector; `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[block(
    naming = K::STAGE,
    sizes(slots, accesses, d_ports, destinations)
)]
pub struct OperandStage<K: Collector<W>, const W: usize, const C: usize> {
    /// Issue: an instruction enters this collector, which must not be occupied. At most one is high.
    pub issue: In<[Bit; collectors]>,
    /// Warp of the issued instruction, within the sub-core.
    pub warp: In<Bits<4>>,
    /// The issued instruction.
    #[flat]
    pub instruction: Instruction<In>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    /// Where sources lie that do not lie with the issued instruction's warp.
    pub lender: [Lenders<In>; lenders],
    /// With `issue`: the collector is emptied before (caching and bypassing collectors only).
    pub flush: In<Bit>,

    /// Write-back: one result register per bank, always taken. The register must live in that bank.
    pub write: [Write<In>; banks],
    /// Value of the result.
    pub write_data: In<[Bits<W>; banks]>,

    /// A register that is to leave the banks; it stands until it is read.
    pub transfer: [Transfer<In>; transfer_ports],

    /// Bit u: execution unit u takes an instruction this cycle.
    pub unit_ready: In<Bits<8>>,

    /// The register that is to leave is read in this cycle.
    pub transfer_taken: Out<[Bit; transfer_ports]>,
    /// The register that was read in the last cycle is there.
    pub transfer_arrives: Out<[Bit; transfer_ports]>,
    /// Value of the register that was read in the last cycle; zero while none is there.
    pub transfer_data: Out<[Bits<W>; transfer_ports]>,

    /// Dispatch: the instruction in this collector goes to its unit this cycle. At most one is high.
    pub dispatch: Out<[Bit; collectors]>,
    /// The instruction that leaves.
    #[flat]
    pub dispatched: Dispatched<Out, W>,

    /// Port R of each collector: it can take no instruction in this cycle.
    pub collector_occupied: Out<[Bit; collectors]>,
    /// Warp of the collector's present or last instruction.
    pub collector_warp: Out<[Bits<4>; collectors]>,
    /// The collector belongs to `collector_warp`: an instruction has been issued to it (caching collectors
    /// only).
    pub collector_owned: Out<[Bit; collectors]>,
    /// The collector holds a value whose reuse is near (caching collectors only).
    pub collector_near: Out<[Bit; collectors]>,

    /// Events of this operand stage.
    #[flat]
    pub events: StageEvents<Out>,

    collectors: [K; collectors],
    issues: Local<Bit>,
    random: Local<Bits<8>>,
    #[when(d_ports > 0)]
    lfsr: Lfsr,
    /// Port D of the collector has a result.
    #[when(d_ports > 0)]
    d_taken: Local<[Bit; collectors]>,
    dispatches: Local<Bit>,
    arbiter: Arbiter<C>,
    banks: [Bank<W, C>; banks],
    #[with(collectors)]
    dispatch_arbiter: RoundRobin,
    #[value(|collector| collector)]
    stage_number: Constant<[Bits<4>; collectors]>,
    #[value(issue_on_dispatch)]
    issues_on_dispatch: Constant<Bit>,
    #[value(d_ports > 0 && choice == Choice::Random)]
    is_random: Constant<Bit>,
    /// There is more than one port D; the port is not the first.
    #[value(d_ports > 1)]
    several: Constant<Bit>,
    #[value(|port| port > 0)]
    is_second: Constant<[Bit; d_ports]>,
}

#[rtl]
impl<K: Collector<W>, const W: usize, const C: usize> OperandStage<K, W, C> {
    /// Arbiter.
    fn arbitrate() {
        connect!(arbiter { issue, warp, base, lender, write, transfer });
        pass!(instruction => arbiter: source_register[..]);
        for s in 0..slots {
            arbiter.request[s] = false;
            for c in 0..collectors {
                if collectors[c].request[s] {
                    arbiter.request[s] = true;
                }
            }
        }
        pass!(arbiter => events:
            bank_read[..], second_read[..], bank_conflict[..], write_cached[..], write_filtered[..]);
    }

    /// Banks.
    fn access_banks() {
        for b in 0..banks {
            banks[b].read = arbiter.bank_read[b];
            banks[b].write = write[b].valid;
            banks[b].row = arbiter.bank_row[b];
            banks[b].write_data = write_data[b];
            banks[b].collector = arbiter.bank_collector[b];
            banks[b].slot = arbiter.bank_slot[b];
        }

        if accesses == 2 {
            for b in 0..banks {
                banks[b].second_read = arbiter.second_read[b];
                banks[b].second_row = arbiter.second_row[b];
                banks[b].second_collector = arbiter.second_collector[b];
                banks[b].second_slot = arbiter.second_slot[b];
            }
        }
    }

    /// Registers that leave.
    fn leave() {
        for t in 0..transfer_ports {
            transfer_taken[t] = arbiter.transfer_bank[t].any();
            transfer_arrives[t] = false;
            transfer_data[t] = 0;
            for b in 0..banks {
                banks[b].transfer[t] = arbiter.transfer_bank[t].get_bit(b);
                if banks[b].data_transfer[t] {
                    transfer_arrives[t] = true;
                    transfer_data[t] = banks[b].data;
                }
            }
        }
    }

    /// One shift register gives the random choices of all collectors; it steps with each issue.
    fn draw() {
        issues = false;
        for c in 0..collectors {
            issues |= issue[c];
        }
        random = 0;
        if d_ports > 0 {
            lfsr.step = issues & is_random;
            random = lfsr.value;
        }
    }

    /// Collectors, and the crossbar to their ports S.
    fn collect() {
        for c in 0..collectors {
            // From a constant: collectors that are connected alike are a loop in Verilog.
            collectors[c].number = stage_number[c];
            collectors[c].issue = issue[c];
            collectors[c].flush = flush;
            collectors[c].warp = warp;
            connect!(collectors[c] { instruction });
            collectors[c].s_valid = false;
            collectors[c].s_slot = 0;
            collectors[c].s_data = banks[0].data;
            for b in 0..banks {
                if banks[b].data_valid & (banks[b].data_collector == c) {
                    collectors[c].s_valid = true;
                    collectors[c].s_slot = banks[b].data_slot;
                    collectors[c].s_data = banks[b].data;
                }
            }
            if accesses == 2 {
                collectors[c].second_s_valid[0] = false;
                collectors[c].second_s_slot[0] = 0;
                collectors[c].second_s_data[0] = banks[0].second_data;
                for b in 0..banks {
                    if banks[b].second_data_valid & (banks[b].second_data_collector == c) {
                        collectors[c].second_s_valid[0] = true;
                        collectors[c].second_s_slot[0] = banks[b].second_data_slot;
                        collectors[c].second_s_data[0] = banks[b].second_data;
                    }
                }
            }
            collector_warp[c] = collectors[c].held_warp;
            collector_owned[c] = collectors[c].owned;
            collector_near[c] = collectors[c].any_near;
            collectors[c].random = random;
        }
    }

    /// Reports the sources that were found.
    fn hits() {
        for s in 0..slots {
            events.hit[s] = false;
            for c in 0..collectors {
                if collectors[c].hit[s] {
                    events.hit[s] = true;
                }
            }
        }
    }

    /// Caching collectors: the crossbar to the ports D behind the write filter.
    fn write_caches() {
        if d_ports > 0 {
            for c in 0..collectors {
                arbiter.owned[c] = collectors[c].owned;
                arbiter.held_warp[c] = collectors[c].held_warp;
                for p in 0..d_ports {
                    collectors[c].d_valid[p] = false;
                    collectors[c].d_register[p] = write[0].register;
                    collectors[c].d_near[p] = write[0].near;
                    collectors[c].d_data[p] = write_data[0];
                }
                d_taken[c] = false;
                for b in 0..banks {
                    if arbiter.d_bank[c].get_bit(b) {
                        for p in 0..d_ports {
                            if d_taken[c] == is_second[p] {
                                collectors[c].d_valid[p] = true;
                                collectors[c].d_register[p] = write[b].register;
                                collectors[c].d_near[p] = write[b].near;
                                collectors[c].d_data[p] = write_data[b];
                            }
                        }
                        d_taken[c] = several;
                    }
                    collectors[c].filtered[b] = arbiter.filtered_bank[c].get_bit(b);
                    collectors[c].filtered_register[b] = write[b].register;
                }
            }
        }
    }

    /// Bypassing collectors: every result of a warp reaches its collector.
    fn write_windows() {
        if destinations > 0 {
            for c in 0..collectors {
                for b in 0..banks {
                    /// A bank's result is of the collector's warp.
                    let belongs: Bit = write[b].valid & (write[b].warp == collectors[c].held_warp);
                    collectors[c].write_valid[b] = belongs;
                    collectors[c].write_register[b] = write[b].register;
                    collectors[c].write_data[b] = write_data[b];
                    if belongs {
                        events.write_cached[b] = collectors[c].cached[b];
                        events.write_filtered[b] = !collectors[c].cached[b];
                    }
                }
            }
        }
    }

    /// Dispatch selection.
    fn select() {
        dispatches = false;
        for c in 0..collectors {
            let can_dispatch: Bit = collectors[c].ready & unit_ready.get_bit(collectors[c].held_unit);
            dispatch_arbiter.request[c] = can_dispatch;
            dispatches |= can_dispatch;
            collectors[c].dispatch = dispatch_arbiter.grant[c];
            dispatch[c] = dispatch_arbiter.grant[c];
            collector_occupied[c] =
                collectors[c].occupied & !(dispatch_arbiter.grant[c] & issues_on_dispatch);
        }
        dispatch_arbiter.advance = dispatches;
        dispatched.clear();
        for c in 0..collectors {
            if dispatch_arbiter.grant[c] {
                dispatched.dispatch_warp = collectors[c].held_warp;
                dispatched.dispatch_unit = collectors[c].held_unit;
                dispatched.dispatch_payload = collectors[c].held_payload;
                for s in 0..slots {
                    dispatched.operand_valid[s] = collectors[c].operand_valid[s];
                    if collectors[c].operand_valid[s] {
                        dispatched.operand_data[s] |= collectors[c].operand_data[s];
                    }
                }
            }
        }
    }
}
