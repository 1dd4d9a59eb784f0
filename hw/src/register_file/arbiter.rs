//! Arbiter of a sub-core's register file: F §II, §III-B, §IV-A2.
//!
//! * A register lives in bank `(register + 1 + warp) mod banks`, row `base + register / banks`.
//! * Every read request of an issued instruction joins the queue of its bank.
//! * A bank makes one access per cycle, and a write goes first: it is always granted.
//! * The oldest read of each queue is granted if its bank and the collector's port S are free. Banks
//!   that want the same collector take turns.
//! * With caching collectors, the write filter: of the writes that belong to a collector's warp the
//!   first near one goes to its port D (of the lowest-numbered bank), the first two if it has two; the others
//!   are kept out of it.
//!
//! Timing: requests of cycle t can be granted from t + 1; a grant in t is an access in t.

use gpurf_blocks::{Parameters, MAX_BANKS, MAX_COLLECTORS, MAX_SLOTS};
use rust_hdl::prelude::*;

use super::RequestQueue;
use crate::cells::RoundRobin;
use crate::dialect::{array, rtl, Identity, Module};

/// `C`: bits of a collector's number.
#[derive(LogicBlock, Module)]
pub struct Arbiter<const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// An instruction enters this collector. At most one is high.
    #[port(max = MAX_COLLECTORS)]
    pub issue: Vec<Signal<In, Bit>>,
    pub warp: Signal<In, Bits<3>>,
    pub base: Signal<In, Bits<8>>,
    /// Its sources that have to be read.
    #[port(max = MAX_SLOTS)]
    pub request: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    /// Results, one per bank; the register must live in that bank.
    #[port(max = MAX_BANKS)]
    pub write_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_warp: Vec<Signal<In, Bits<3>>>,
    #[port(max = MAX_BANKS)]
    pub write_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_base: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_near: Vec<Signal<In, Bit>>,
    /// Port R of the collectors (caching ones only).
    #[port(max = MAX_COLLECTORS)]
    pub owned: Vec<Signal<In, Bit>>,
    #[port(max = MAX_COLLECTORS)]
    pub held_warp: Vec<Signal<In, Bits<3>>>,

    /// Access of each bank; a write is simply `write_valid`.
    #[port(max = MAX_BANKS)]
    pub bank_read: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_BANKS)]
    pub bank_row: Vec<Signal<Out, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub bank_collector: Vec<Signal<Out, Bits<C>>>,
    #[port(max = MAX_BANKS)]
    pub bank_slot: Vec<Signal<Out, Bits<3>>>,
    /// Event: a read waits and is not granted.
    #[port(max = MAX_BANKS)]
    pub bank_conflict: Vec<Signal<Out, Bit>>,
    /// Write filter, for each collector: bit b, bank b's write goes to a port D, or is kept out. At most as many
    /// bits of `d_bank` are high as there are ports D.
    #[port(max = MAX_COLLECTORS)]
    pub d_bank: Vec<Signal<Out, Bits<4>>>,
    #[port(max = MAX_COLLECTORS)]
    pub filtered_bank: Vec<Signal<Out, Bits<4>>>,
    /// Event: the write goes to a collector's port D.
    #[port(max = MAX_BANKS)]
    pub write_cached: Vec<Signal<Out, Bit>>,
    /// Event: a collector belongs to the write's warp, and the write is kept out of it.
    #[port(max = MAX_BANKS)]
    pub write_filtered: Vec<Signal<Out, Bit>>,

    home: Vec<Signal<Local, Bits<8>>>,
    source_row: Vec<Signal<Local, Bits<8>>>,
    issued_collector: Signal<Local, Bits<C>>,
    granted: Vec<Signal<Local, Bit>>,
    s_used: Vec<Signal<Local, Bit>>,
    belongs: Vec<Vec<Signal<Local, Bit>>>,
    d_used: Vec<Signal<Local, Bit>>,
    d_full: Vec<Signal<Local, Bit>>,
    queues: Vec<RequestQueue<C>>,
    s_arbiters: Vec<RoundRobin>,
    bank_number: Vec<Constant<Bits<8>>>,
    bank_mask: Constant<Bits<8>>,
    bank_shift: Constant<Bits<8>>,
    collector_number: Vec<Constant<Bits<C>>>,
    cache_far: Constant<Bit>,
    single: Constant<Bit>,
    identity: Identity,
    _collectors: usize,
    /// Collectors with a port D: all or none.
    _caching: usize,
    _banks: usize,
    _slots: usize,
}

impl<const C: usize> Arbiter<C> {
    /// `caching`: the collectors are caching ones, with a write filter and ports D.
    pub fn new(parameters: &Parameters, caching: bool) -> Self {
        let Parameters { collectors, banks, slots, d_ports, .. } = *parameters;
        let cache_far = caching && parameters.cache_far;
        let caching_collectors = if caching { collectors } else { 0 };
        Arbiter {
            clock: Signal::default(),
            reset: Signal::default(),
            issue: array(collectors),
            warp: Signal::default(),
            base: Signal::default(),
            request: array(slots),
            source_register: array(slots),
            write_valid: array(banks),
            write_warp: array(banks),
            write_register: array(banks),
            write_base: array(banks),
            write_near: array(banks),
            owned: array(caching_collectors),
            held_warp: array(caching_collectors),
            bank_read: array(banks),
            bank_row: array(banks),
            bank_collector: array(banks),
            bank_slot: array(banks),
            bank_conflict: array(banks),
            d_bank: array(caching_collectors),
            filtered_bank: array(caching_collectors),
            write_cached: array(banks),
            write_filtered: array(banks),
            home: array(slots),
            source_row: array(slots),
            issued_collector: Signal::default(),
            granted: array(banks),
            s_used: array(collectors),
            belongs: (0..caching_collectors).map(|_| array(banks)).collect(),
            d_used: array(caching_collectors),
            d_full: array(caching_collectors),
            queues: (0..banks).map(|_| RequestQueue::new(parameters)).collect(),
            s_arbiters: (0..collectors).map(|_| RoundRobin::new(banks)).collect(),
            bank_number: (0..banks).map(|bank| Constant::new((bank as u64).into())).collect(),
            bank_mask: Constant::new((banks as u64 - 1).into()),
            bank_shift: Constant::new((clog2(banks) as u64).into()),
            collector_number: (0..collectors)
                .map(|collector| Constant::new((collector as u64).into()))
                .collect(),
            cache_far: Constant::new(cache_far),
            single: Constant::new(d_ports == 1),
            identity: Identity::new(
                "arbiter",
                "Register-file arbiter (F II, III-B, IV-A2)",
                &[
                    ("collectors", collectors),
                    ("banks", banks),
                    ("slots", slots),
                    ("caching", caching as usize),
                    ("cachefar", cache_far as usize),
                    ("dports", d_ports),
                ],
            ),
            _collectors: collectors,
            _caching: caching_collectors,
            _banks: banks,
            _slots: slots,
        }
    }
}

impl<const C: usize> Logic for Arbiter<C> {
    #[rtl]
    fn update(&mut self) {
        // Requests join the queue of their bank.
        self.issued_collector.next = 0.into();
        for c in 0..self._collectors {
            if self.issue[c].val() {
                self.issued_collector.next = self.collector_number[c].val();
            }
        }
        for s in 0..self._slots {
            self.home[s].next = (self.source_register[s].val() + bit_cast::<8, 3>(self.warp.val())) + 1;
            self.source_row[s].next =
                self.base.val() + (self.source_register[s].val() >> self.bank_shift.val());
        }
        for b in 0..self._banks {
            self.queues[b].clock.next = self.clock.val();
            self.queues[b].reset.next = self.reset.val();
            self.queues[b].push_collector.next = self.issued_collector.val();
            for s in 0..self._slots {
                self.queues[b].push[s].next = self.request[s].val()
                    & ((self.home[s].val() & self.bank_mask.val()) == self.bank_number[b].val());
                self.queues[b].push_row[s].next = self.source_row[s].val();
            }
        }

        // The head of a queue goes to its bank if neither a write nor another bank is in the way.
        for b in 0..self._banks {
            self.granted[b].next = false;
        }
        for c in 0..self._collectors {
            self.s_arbiters[c].clock.next = self.clock.val();
            self.s_arbiters[c].reset.next = self.reset.val();
            self.s_used[c].next = false;
            for b in 0..self._banks {
                self.s_arbiters[c].request[b].next = (self.queues[b].head_valid.val()
                    & !self.write_valid[b].val())
                    & (self.queues[b].head_collector.val() == self.collector_number[c].val());
                if self.s_arbiters[c].grant[b].val() {
                    self.granted[b].next = true;
                    self.s_used[c].next = true;
                }
            }
            self.s_arbiters[c].advance.next = self.s_used[c].val();
        }
        for b in 0..self._banks {
            self.queues[b].pop.next = self.granted[b].val();
            self.bank_read[b].next = self.granted[b].val();
            self.bank_collector[b].next = self.queues[b].head_collector.val();
            self.bank_slot[b].next = self.queues[b].head_slot.val();
            self.bank_conflict[b].next = self.queues[b].head_valid.val() & !self.granted[b].val();
            self.bank_row[b].next = self.queues[b].head_row.val();
            if self.write_valid[b].val() {
                self.bank_row[b].next =
                    self.write_base[b].val() + (self.write_register[b].val() >> self.bank_shift.val());
            }
        }

        // Write filter.
        for b in 0..self._banks {
            self.write_cached[b].next = false;
            self.write_filtered[b].next = false;
        }
        for c in 0..self._caching {
            self.d_used[c].next = false;
            self.d_full[c].next = false;
            self.d_bank[c].next = 0.into();
            self.filtered_bank[c].next = 0.into();
            for b in 0..self._banks {
                self.belongs[c][b].next = (self.write_valid[b].val() & self.owned[c].val())
                    & (self.write_warp[b].val() == self.held_warp[c].val());
                if self.belongs[c][b].val() {
                    if (self.write_near[b].val() | self.cache_far.val()) & !self.d_full[c].val() {
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
