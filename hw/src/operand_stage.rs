//! Operand stage of one sub-core: collectors, crossbar, arbiter, banks and dispatch selection.
//!
//! F §II and Fig. 3 with operand collector units; W §3.1, F §III-B and Fig. 4 with caching collector units; F §VI-B
//! with bypassing operand collectors. All have the same ports, so that one takes another's place.
//!
//! Timing, for an instruction issued in cycle t, that waits for nothing:
//!
//! | cycle | what happens |
//! |---|---|
//! | t | it enters its collector; sources are looked up; what is missing is read, or joins its bank's queue |
//! | g | the read is granted, if bank and port S are free: g = t with `grant_at_issue`, else t + 1 |
//! | g + 1 | the value crosses from the bank to the collector |
//! | d | with all sources present it is dispatched: d = g + 1 with `dispatch_on_arrival`, else g + 2; t + 1 if none was missing |
//! | f | the collector takes the next instruction: f = d with `issue_on_dispatch`, else d + 1 |
//!
//! An instruction holds its collector for f - t cycles: with one missing source 1 to 4. A collector takes one value per
//! cycle (port S), so that each further missing source adds a cycle. Two collectors that are held for two cycles
//! each keep up with one instruction a cycle.
//!
//! The papers fix no such latencies. **The default is the fastest that F §II allows.** "Conflicting reads are stored in a
//! FIFO queue", so that others need not be: `grant_at_issue`. "Once the dispatch scheduler dispatches the instruction of an
//! OCU, the OCU will be released", and a free one is selected "as soon as the issue scheduler selects a new instruction":
//! `issue_on_dispatch`. But "the ready bit is set once the fetched data [...] is delivered to the OCU and stored in the
//! data field", and makes it a candidate for dispatch: no `dispatch_on_arrival`.
//!
//! With two accesses per cycle (`accesses`) a bank reads two registers, or writes one and reads one, and port S takes two
//! values, of one bank or of two: two missing sources take no longer than one. Accel-Sim clocks banks and collectors twice a
//! cycle.
//!
//! A register that leaves (`transfer_ports`) is read in a cycle in which its bank's first access does nothing else, without an issue slot or
//! a collector: its value stands on `transfer_data` in the next.
//!
//! Collectors that are ready, and whose execution unit takes an instruction, are dispatched in turn,
//! one per cycle (the papers speak of a dispatch scheduler and not of its order).
//!
//! * Caching collectors: results also reach their ports D, through the arbiter's write filter. One shift register per
//!   sub-core gives the random choices of replacement. The SM sets `flush` with the first instruction of a warp that has
//!   come back to a warp slot, where another warp was meanwhile.
//! * Bypassing collectors: warp w has collector w to itself, and issues to no other. All results of a cycle reach the
//!   collector of their warp, near and far ones alike: the crossbar for writes has as many lanes to each collector as
//!   there are banks. `write_cached` tells a result that also enters a window; `write_filtered` one that goes to the
//!   bank alone, as its instruction has slid out or has more destinations than are kept. The SM sets `flush` with the
//!   first instruction of a warp, and when a branch has left the window, as [`crate::collector::Boc`] says.
//!
//! Ports that a kind of collector has no use for are there all the same, and zero, but for arrays of destinations.

use gpurf_blocks::Choice;
use rust_hdl::prelude::*;

use crate::bundles::{Dispatched, Instruction, StageEvents, Transfer, Write};
use crate::cells::{Lfsr, RoundRobin};
use crate::collector::Collector;
use crate::dialect::{block, rtl};
use crate::register_file::{Arbiter, Bank};

/// `K`: the kind of collector; `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[block(
    naming = K::STAGE,
    sizes(
        slots,
        caching = if d_ports == 0 { 0 } else { collectors },
        randoms = if d_ports == 0 { 0 } else { 1 },
        bypassing = if destinations == 0 { 0 } else { collectors },
        seconds = accesses - 1,
        second_banks = if accesses == 1 { 0 } else { banks }
    )
)]
pub struct OperandStage<K: Collector<W>, const W: usize, const C: usize> {
    /// Issue: an instruction enters this collector, which must not be occupied. At most one is high.
    pub issue: In<[Bit; collectors]>,
    /// Warp of the issued instruction, within the sub-core.
    pub warp: In<Bits<4>>,
    /// That instruction.
    #[flat]
    pub instruction: Instruction<In>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    /// With `issue`: the collector is emptied before (caching and bypassing collectors only).
    pub flush: In<Bit>,

    /// Write-back: one result register per bank, always taken. The register must live in that bank.
    pub write: [Write<In>; banks],
    /// Its value.
    pub write_data: In<[Bits<W>; banks]>,

    /// A register that is to leave the banks; it stands until it is read.
    pub transfer: [Transfer<In>; transfer_ports],

    /// Bit u: execution unit u takes an instruction this cycle.
    pub unit_ready: In<Bits<8>>,

    /// The register that is to leave is read in this cycle.
    pub transfer_taken: Out<[Bit; transfer_ports]>,
    /// The one read in the last cycle is there.
    pub transfer_arrives: Out<[Bit; transfer_ports]>,
    /// Its value; zero while none is there.
    pub transfer_data: Out<[Bits<W>; transfer_ports]>,

    /// Dispatch: the instruction in this collector goes to its unit this cycle. At most one is high.
    pub dispatch: Out<[Bit; collectors]>,
    /// That instruction.
    #[flat]
    pub dispatched: Dispatched<Out, W>,

    /// Port R of each collector: it can take no instruction in this cycle.
    pub collector_occupied: Out<[Bit; collectors]>,
    /// Warp of its present or last instruction.
    pub collector_warp: Out<[Bits<4>; collectors]>,
    /// It belongs to that warp: one has been issued to it (caching collectors only).
    pub collector_owned: Out<[Bit; collectors]>,
    /// It holds a value whose reuse is near (caching collectors only).
    pub collector_near: Out<[Bit; collectors]>,

    /// What happens here.
    #[flat]
    pub events: StageEvents<Out>,

    collectors: [K; collectors],
    issues: Local<Bit>,
    random: Local<Bits<8>>,
    lfsr: [Lfsr; randoms],
    /// Port D of the collector has a result.
    d_taken: Local<[Bit; caching]>,
    /// A bank's result is of the collector's warp.
    belongs: Local<[[Bit; banks]; bypassing]>,
    can_dispatch: Local<[Bit; collectors]>,
    dispatches: Local<Bit>,
    arbiter: Arbiter<C>,
    banks: [Bank<W, C>; banks],
    #[with(collectors)]
    dispatch_arbiter: RoundRobin,
    #[value(|collector| collector)]
    collector_number: Constant<[Bits<C>; collectors]>,
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

impl<K: Collector<W>, const W: usize, const C: usize> Logic for OperandStage<K, W, C> {
    #[rtl]
    fn update(&mut self) {
        // Arbiter.
        pass!(self => self.arbiter: issue[..], warp, base, write[..], transfer[..]);
        pass!(self.instruction => self.arbiter: source_register[..]);
        for s in 0..slots {
            self.arbiter.request[s].next = false;
            for c in 0..collectors {
                if self.collectors[c].request[s].val() {
                    self.arbiter.request[s].next = true;
                }
            }
        }
        pass!(self.arbiter => self.events: bank_read[..], second_read[..], bank_conflict[..], write_cached[..], write_filtered[..]);

        // Banks.
        for b in 0..banks {
            self.banks[b].read.next = self.arbiter.bank_read[b].val();
            self.banks[b].write.next = self.write[b].valid.val();
            self.banks[b].row.next = self.arbiter.bank_row[b].val();
            self.banks[b].write_data.next = self.write_data[b].val();
            self.banks[b].collector.next = self.arbiter.bank_collector[b].val();
            self.banks[b].slot.next = self.arbiter.bank_slot[b].val();
        }

        for b in 0..second_banks {
            for k in 0..seconds {
                self.banks[b].second_read[k].next = self.arbiter.second_read[b].val();
                self.banks[b].second_row[k].next = self.arbiter.second_row[b].val();
                self.banks[b].second_collector[k].next = self.arbiter.second_collector[b].val();
                self.banks[b].second_slot[k].next = self.arbiter.second_slot[b].val();
            }
        }

        // Registers that leave.
        for t in 0..transfer_ports {
            self.transfer_taken[t].next = self.arbiter.transfer_bank[t].val().any();
            self.transfer_arrives[t].next = false;
            self.transfer_data[t].next = 0.into();
            for b in 0..banks {
                self.banks[b].transfer[t].next = self.arbiter.transfer_bank[t].val().get_bit(b);
                if self.banks[b].data_transfer[t].val() {
                    self.transfer_arrives[t].next = true;
                    self.transfer_data[t].next = self.banks[b].data.val();
                }
            }
        }

        // One shift register gives the random choices of all collectors; it steps with each issue.
        self.issues.next = false;
        for c in 0..collectors {
            self.issues.next = self.issues.val() | self.issue[c].val();
        }
        self.random.next = 0.into();
        for r in 0..randoms {
            self.lfsr[r].step.next = self.issues.val() & self.is_random.val();
            self.random.next = self.lfsr[r].value.val();
        }

        // Collectors, and the crossbar to their ports S.
        for c in 0..collectors {
            self.collectors[c].number.next = self.stage_number[c].val();
            self.collectors[c].issue.next = self.issue[c].val();
            self.collectors[c].flush.next = self.flush.val();
            self.collectors[c].warp.next = self.warp.val();
            pass!(self => self.collectors[c]: instruction);
            self.collectors[c].s_valid.next = false;
            self.collectors[c].s_slot.next = 0.into();
            self.collectors[c].s_data.next = self.banks[0].data.val();
            for b in 0..banks {
                if self.banks[b].data_valid.val()
                    & (self.banks[b].data_collector.val() == self.collector_number[c].val())
                {
                    self.collectors[c].s_valid.next = true;
                    self.collectors[c].s_slot.next = self.banks[b].data_slot.val();
                    self.collectors[c].s_data.next = self.banks[b].data.val();
                }
            }
            for k in 0..seconds {
                self.collectors[c].second_s_valid[k].next = false;
                self.collectors[c].second_s_slot[k].next = 0.into();
                self.collectors[c].second_s_data[k].next = self.banks[0].second_data[k].val();
                for b in 0..banks {
                    if self.banks[b].second_data_valid[k].val()
                        & (self.banks[b].second_data_collector[k].val() == self.collector_number[c].val())
                    {
                        self.collectors[c].second_s_valid[k].next = true;
                        self.collectors[c].second_s_slot[k].next = self.banks[b].second_data_slot[k].val();
                        self.collectors[c].second_s_data[k].next = self.banks[b].second_data[k].val();
                    }
                }
            }
            self.collector_warp[c].next = self.collectors[c].held_warp.val();
            self.collector_owned[c].next = self.collectors[c].owned.val();
            self.collector_near[c].next = self.collectors[c].any_near.val();
            self.collectors[c].random.next = self.random.val();
        }
        for s in 0..slots {
            self.events.hit[s].next = false;
            for c in 0..collectors {
                if self.collectors[c].hit[s].val() {
                    self.events.hit[s].next = true;
                }
            }
        }

        // Caching collectors: the crossbar to the ports D behind the write filter.
        for c in 0..caching {
            self.arbiter.owned[c].next = self.collectors[c].owned.val();
            self.arbiter.held_warp[c].next = self.collectors[c].held_warp.val();
            for p in 0..d_ports {
                self.collectors[c].d_valid[p].next = false;
                self.collectors[c].d_register[p].next = self.write[0].register.val();
                self.collectors[c].d_near[p].next = self.write[0].near.val();
                self.collectors[c].d_data[p].next = self.write_data[0].val();
            }
            self.d_taken[c].next = false;
            for b in 0..banks {
                if self.arbiter.d_bank[c].val().get_bit(b) {
                    for p in 0..d_ports {
                        if self.d_taken[c].val() == self.is_second[p].val() {
                            self.collectors[c].d_valid[p].next = true;
                            self.collectors[c].d_register[p].next = self.write[b].register.val();
                            self.collectors[c].d_near[p].next = self.write[b].near.val();
                            self.collectors[c].d_data[p].next = self.write_data[b].val();
                        }
                    }
                    self.d_taken[c].next = self.several.val();
                }
                self.collectors[c].filtered[b].next = self.arbiter.filtered_bank[c].val().get_bit(b);
                self.collectors[c].filtered_register[b].next = self.write[b].register.val();
            }
        }

        // Bypassing collectors: every result of a warp reaches its collector.
        for c in 0..bypassing {
            for b in 0..banks {
                self.belongs[c][b].next = self.write[b].valid.val()
                    & (self.write[b].warp.val() == self.collectors[c].held_warp.val());
                self.collectors[c].write_valid[b].next = self.belongs[c][b].val();
                self.collectors[c].write_register[b].next = self.write[b].register.val();
                self.collectors[c].write_data[b].next = self.write_data[b].val();
                if self.belongs[c][b].val() {
                    self.events.write_cached[b].next = self.collectors[c].cached[b].val();
                    self.events.write_filtered[b].next = !self.collectors[c].cached[b].val();
                }
            }
        }

        // Dispatch selection.
        self.dispatches.next = false;
        for c in 0..collectors {
            self.can_dispatch[c].next = self.collectors[c].ready.val()
                & self.unit_ready.val().get_bit(self.collectors[c].held_unit.val().index());
            self.dispatch_arbiter.request[c].next = self.can_dispatch[c].val();
            self.dispatches.next = self.dispatches.val() | self.can_dispatch[c].val();
            self.collectors[c].dispatch.next = self.dispatch_arbiter.grant[c].val();
            self.dispatch[c].next = self.dispatch_arbiter.grant[c].val();
            self.collector_occupied[c].next = self.collectors[c].occupied.val()
                & !(self.dispatch_arbiter.grant[c].val() & self.issues_on_dispatch.val());
        }
        self.dispatch_arbiter.advance.next = self.dispatches.val();
        self.dispatched.clear();
        for c in 0..collectors {
            if self.dispatch_arbiter.grant[c].val() {
                self.dispatched.dispatch_warp.next = self.collectors[c].held_warp.val();
                self.dispatched.dispatch_unit.next = self.collectors[c].held_unit.val();
                self.dispatched.dispatch_payload.next = self.collectors[c].held_payload.val();
                for s in 0..slots {
                    self.dispatched.operand_valid[s].next = self.collectors[c].operand_valid[s].val();
                    if self.collectors[c].operand_valid[s].val() {
                        self.dispatched.operand_data[s].next =
                            self.dispatched.operand_data[s].val() | self.collectors[c].operand_data[s].val();
                    }
                }
            }
        }
    }
}
