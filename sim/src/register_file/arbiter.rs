//! Reference model of the arbiter and its write filter: F §II, §III-B, §IV-A2; W §4.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ArbiterIn, ArbiterOut};
use gpurf_blocks::{BankId, Clocked, CollectorId, Parameters, Row, WarpId, MAX_BANKS, MAX_SLOTS};
use gpurf_trace::RegisterId;

use super::{home, Request, RequestQueue};
use crate::bits::{all, mask, members};
use crate::cells::RoundRobin;

/// A queue of reads per bank, and whose turn it is at each collector's port S.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Arbiter {
    parameters: Parameters,
    caching: bool,
    /// Of each bank.
    queues: Vec<RequestQueue>,
    /// Banks whose queue is not empty, a bit each.
    waiting: u8,
    turns: Vec<RoundRobin>,
    /// Of second accesses.
    second_turns: Vec<RoundRobin>,
    asked: Asked,
    grants: Grants,
}

/// Reads that the instruction issued in a cycle asks of the banks, in the order of its slots, each with its bank.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Asked {
    reads: [(u8, Request); MAX_SLOTS],
    count: usize,
}

impl Asked {
    /// Nothing is asked.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    fn iter(&self) -> impl Iterator<Item = (usize, Request)> + '_ {
        self.reads[..self.count].iter().map(|&(bank, request)| (bank.into(), request))
    }
}

/// Reads that go to their banks in a cycle.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Grants {
    /// A bit per bank: a read goes to it; one waits for it.
    pub banks: u8,
    /// A bit per bank: a read waits for it.
    pub conflicts: u8,
    /// What goes or waits.
    pub reads: [Request; MAX_BANKS],
    /// With two accesses per cycle, of the second ones: a bit per bank.
    pub second_banks: u8,
    /// What goes or waits.
    pub second_reads: [Request; MAX_BANKS],
}

/// What the collectors' ports S take of what banks offer, one value each; a bit per bank.
#[inline]
fn share(turns: &[RoundRobin], offered: u8, reads: &[Request; MAX_BANKS]) -> u8 {
    if offered & offered.wrapping_sub(1) == 0 {
        return offered;
    }
    let (mut rest, mut granted) = (offered, 0);
    while rest != 0 {
        let collector = reads[rest.trailing_zeros() as usize].collector;
        let wants = |&bank: &usize| reads[bank].collector == collector;
        let wanted = members(rest).filter(wants).fold(0u8, |wanted, bank| wanted | 1 << bank);
        if let Some(bank) = turns[collector.index()].grant(wanted.into()) {
            granted |= 1 << bank;
        }
        rest &= !wanted;
    }
    granted
}

impl Arbiter {
    /// `caching`: the collectors are caching ones, with a write filter and ports D.
    pub fn new(parameters: &Parameters, caching: bool) -> Self {
        let Parameters { collectors, banks, .. } = *parameters;
        let turns: Vec<_> = (0..collectors).map(|_| RoundRobin::new(banks)).collect();
        Arbiter {
            parameters: *parameters,
            caching,
            queues: (0..banks).map(|_| RequestQueue::new(parameters)).collect(),
            waiting: 0,
            second_turns: turns.clone(),
            turns,
            asked: Asked::default(),
            grants: Grants::default(),
        }
    }

    /// Where a register of a warp lives: see [`home`].
    pub fn home(&self, warp: WarpId, base: Row, register: RegisterId) -> (BankId, Row) {
        home(self.parameters.banks, warp, base, register)
    }

    /// "Generates the source operand read requests" (F §II) of an instruction that enters a collector; `slots`: a bit
    /// for each that has to be read, `register`: its register.
    #[inline]
    pub fn ask(
        &self,
        collector: CollectorId,
        (warp, base): (WarpId, Row),
        slots: u8,
        register: impl Fn(usize) -> RegisterId,
        asked: &mut Asked,
    ) {
        asked.count = 0;
        for slot in members(slots) {
            let (bank, row) = self.home(warp, base, register(slot));
            let request = Request { row, collector, slot: slot as u8 };
            asked.reads[asked.count] = (bank.0, request);
            asked.count += 1;
        }
    }

    /// "The oldest request of each queue is granted access only if the port of the OCU and the bank it
    /// needs are available"; "writes always have priority" (F §II). Under `grant_at_issue` the first request to a bank
    /// without a queue stands for its oldest. `writes`: a bit per bank.
    #[inline]
    pub fn grants(&self, writes: u8, asked: &Asked, grants: &mut Grants) {
        (grants.banks, grants.conflicts, grants.second_banks) = (0, self.waiting, 0);
        if self.waiting != 0 || asked.count != 0 {
            self.grant(writes, asked, grants);
        }
    }

    fn grant(&self, writes: u8, asked: &Asked, grants: &mut Grants) {
        for bank in members(self.waiting) {
            grants.reads[bank] = self.queues[bank].head();
        }
        if self.parameters.grant_at_issue {
            for (bank, request) in asked.iter() {
                if grants.conflicts >> bank & 1 == 0 {
                    grants.reads[bank] = request;
                    grants.conflicts |= 1 << bank;
                }
            }
        }
        grants.banks = share(&self.turns, grants.conflicts & !writes, &grants.reads);
        grants.conflicts &= !grants.banks;
        if self.parameters.accesses > 1 {
            self.second_grants(asked, grants);
        }
    }

    /// The second accesses of the cycle: of what the first ones have left, or of what comes after it.
    fn second_grants(&self, asked: &Asked, grants: &mut Grants) {
        grants.second_reads = grants.reads;
        let mut offered = grants.conflicts;
        for bank in members(grants.banks) {
            // Of the instruction issued now, those before it in the queue aside.
            let is_direct = self.waiting >> bank & 1 == 0;
            let direct = || {
                let mut of_bank = asked.iter().filter(|(of, _)| *of == bank).map(|(_, request)| request);
                let read = if is_direct { of_bank.nth(1) } else { of_bank.next() };
                read.filter(|_| self.parameters.grant_at_issue)
            };
            let read = self.queues[bank].second().or_else(direct);
            grants.second_reads[bank] = read.unwrap_or_default();
            offered |= u8::from(read.is_some()) << bank;
        }
        grants.second_banks = share(&self.second_turns, offered, &grants.second_reads);
        grants.conflicts = offered & !grants.second_banks;
    }

    /// Where a register that leaves is read in this cycle: if neither a write nor a granted read needs the first access of
    /// its bank.
    pub fn transfer(
        &self,
        writes: u8,
        grants: &Grants,
        (warp, base): (WarpId, Row),
        register: RegisterId,
    ) -> Option<(BankId, Row)> {
        let (bank, row) = self.home(warp, base, register);
        ((writes | grants.banks) >> bank.0 & 1 == 0).then_some((bank, row))
    }

    /// The clock edge: granted reads leave their queues, and the turns pass on; what was asked and not granted is
    /// pushed "into the RF bank queues" (F §II).
    #[inline]
    pub fn take(&mut self, grants: &Grants, asked: &Asked) {
        if asked.count != 0 || grants.banks | grants.second_banks != 0 {
            self.push_and_pop(grants, asked);
        }
    }

    fn push_and_pop(&mut self, grants: &Grants, asked: &Asked) {
        let mut direct = grants.banks & !self.waiting;
        for bank in members(grants.banks) {
            if self.waiting >> bank & 1 == 1 {
                self.queues[bank].pop();
                self.waiting &= !(u8::from(self.queues[bank].is_empty()) << bank);
            }
            self.turns[grants.reads[bank].collector.index()].advance(bank);
        }
        let mut second_direct = grants.second_banks & !self.waiting;
        for bank in members(grants.second_banks) {
            if self.waiting >> bank & 1 == 1 {
                self.queues[bank].pop();
                self.waiting &= !(u8::from(self.queues[bank].is_empty()) << bank);
            }
            self.second_turns[grants.second_reads[bank].collector.index()].advance(bank);
        }
        for (bank, request) in asked.iter() {
            if direct >> bank & 1 == 1 {
                direct &= !(1 << bank);
            } else if second_direct >> bank & 1 == 1 {
                second_direct &= !(1 << bank);
            } else {
                self.queues[bank].push(request);
                self.waiting |= 1 << bank;
            }
        }
    }

    /// The write filter for one collector that belongs to a warp: which of its warp's writes go to its
    /// ports D, and which are kept out; a bit per bank. "Writes with far reuse distance are not cached";
    /// of several "selects the one with near reuse distance, if any" (F §IV-A2), "the first" (W §4.2).
    #[inline]
    pub fn filter(&self, writes_of_warp: u8, near: u8) -> (u8, u8) {
        let near = if self.caching && self.parameters.cache_far { !0 } else { near };
        let candidates = writes_of_warp & near;
        let first = candidates & candidates.wrapping_neg();
        let others = candidates & !first;
        let second = if self.parameters.d_ports > 1 { others & others.wrapping_neg() } else { 0 };
        (first | second, writes_of_warp & !(first | second))
    }
}

impl Clocked for Arbiter {
    type In = ArbiterIn;
    type Out = ArbiterOut;

    fn settle(&mut self, inputs: &ArbiterIn) -> ArbiterOut {
        let banks = 0..self.parameters.banks;
        let writes = mask(&inputs.write_valid) & all(self.parameters.banks);
        let near = mask(&inputs.write_near);
        let collector = CollectorId::first_of(mask(&inputs.issue));
        let (mut asked, mut grants) = (Asked::default(), Grants::default());
        if let Some(collector) = collector {
            let slots = mask(&inputs.request) & all(self.parameters.slots);
            let register = |slot: usize| RegisterId(inputs.source_register[slot] as u8);
            let warp = (WarpId(inputs.warp as u8), Row(inputs.base));
            self.ask(collector, warp, slots, register, &mut asked);
        }
        self.grants(writes, &asked, &mut grants);
        (self.asked, self.grants) = (asked, grants);
        let mut outputs = ArbiterOut::default();
        for bank in banks.clone() {
            outputs.bank_read[bank] = self.grants.banks >> bank & 1 == 1;
            outputs.bank_conflict[bank] = self.grants.conflicts >> bank & 1 == 1;
            let read = self.grants.reads[bank];
            (outputs.bank_row[bank], outputs.bank_collector[bank], outputs.bank_slot[bank]) =
                (read.row.0, read.collector.into(), read.slot.into());
            let second = self.grants.second_reads[bank];
            outputs.second_read[bank] = self.grants.second_banks >> bank & 1 == 1;
            (outputs.second_row[bank], outputs.second_collector[bank], outputs.second_slot[bank]) =
                (second.row.0, second.collector.into(), second.slot.into());
            if inputs.write_valid[bank] {
                let base = Row(inputs.write_base[bank]);
                let (_, row) = self.home(WarpId(0), base, RegisterId(inputs.write_register[bank] as u8));
                outputs.bank_row[bank] = row.0;
            }
        }
        for port in (0..self.parameters.transfer_ports).filter(|port| inputs.transfer_valid[*port]) {
            let warp = (WarpId(inputs.transfer_warp[port] as u8), Row(inputs.transfer_base[port]));
            let register = RegisterId(inputs.transfer_register[port] as u8);
            if let Some((bank, row)) = self.transfer(writes, &self.grants, warp, register) {
                outputs.transfer_bank[port] = 1 << bank.0;
                outputs.bank_row[bank.index()] = row.0;
            }
        }
        for collector in (0..self.parameters.collectors).filter(|_| self.caching) {
            let of_warp = |bank: &usize| inputs.write_warp[*bank] == inputs.held_warp[collector];
            let of_warp: u8 = banks.clone().filter(of_warp).fold(0, |all, bank| all | 1 << bank);
            let of_warp = if inputs.owned[collector] { of_warp & writes } else { 0 };
            let (cached, filtered) = self.filter(of_warp, near);
            outputs.d_bank[collector] = cached as u32;
            outputs.filtered_bank[collector] = filtered as u32;
            for bank in banks.clone() {
                outputs.write_cached[bank] |= cached >> bank & 1 == 1;
                outputs.write_filtered[bank] |= filtered >> bank & 1 == 1;
            }
        }
        outputs
    }

    fn tick(&mut self) {
        self.take(&self.grants.clone(), &self.asked.clone());
    }
}
