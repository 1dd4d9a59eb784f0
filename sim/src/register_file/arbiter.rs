// SPDX-License-Identifier: Apache-2.0
//! Reference model of the arbiter and its write filter: F §II, §III-B, §IV-A2; W §4.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ArbiterIn, ArbiterOut};
use gpurf_blocks::{BankId, Clocked, CollectorId, Parameters, Row, WarpId, MAX_BANKS, MAX_COLLECTORS};
use gpurf_trace::RegisterId;

use super::{home, ReadRequest, RequestQueue};
use crate::bits::{all, mask, members};
use crate::cells::RoundRobin;

/// A queue of reads per bank, and whose turn it is at each collector's port S.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Arbiter {
    parameters: Parameters,
    caching: bool,
    /// The queues of each bank.
    queues: [RequestQueue; MAX_BANKS],
    /// Banks whose queue is not empty, a bit each.
    waiting: u8,
    /// Reads that their queues offer to collectors.
    heads: Offers,
    turns: [RoundRobin; MAX_COLLECTORS],
    /// The turns of second accesses.
    second_turns: [RoundRobin; MAX_COLLECTORS],
    asked: Asked,
    grants: Grants,
}

/// Reads that the instruction issued in a cycle asks of the banks. They lie in their queues, behind those
/// that wait, until the clock edge makes them wait, too.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Asked {
    /// A bit per bank: any is asked of it; and how many are.
    banks: u8,
    counts: [u8; MAX_BANKS],
    /// The collector that the instruction enters.
    collector: CollectorId,
}

impl Asked {
    /// Nothing is asked.
    #[inline]
    pub fn clear(&mut self) {
        (self.banks, self.counts) = (0, [0; MAX_BANKS]);
    }
}

/// Reads that go to their banks in a cycle.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Grants {
    /// A bit per bank: a read goes to it.
    pub banks: u8,
    /// A bit per bank: a read waits for it.
    pub conflicts: u8,
    /// The read that goes to each bank.
    pub reads: [ReadRequest; MAX_BANKS],
    /// With two accesses per cycle, of the second ones: a bit per bank.
    pub second_banks: u8,
    /// The second read of each bank that goes or waits.
    pub second_reads: [ReadRequest; MAX_BANKS],
}

/// Which banks offer a read to which collectors: byte c is of collector c, a bit per bank.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Offers(u64);

impl Offers {
    /// Bit 0 of every byte.
    const BANK: u64 = 0x0101_0101_0101_0101;

    /// These banks offer a collector a read.
    #[inline]
    fn add(&mut self, collector: CollectorId, banks: u8) {
        self.0 |= u64::from(banks) << (8 * collector.0);
    }

    /// These banks no longer offer any.
    #[inline]
    fn withdraw(&mut self, banks: u8) {
        self.0 &= !(u64::from(banks) * Self::BANK);
    }

    /// The banks whose offers the collectors' ports S take, one value each.
    #[inline]
    fn share(self, turns: &[RoundRobin; MAX_COLLECTORS]) -> u8 {
        let (mut rest, mut granted) = (self.0, 0);
        while rest != 0 {
            let collector = rest.trailing_zeros() as usize / 8;
            let banks = (rest >> (8 * collector)) as u8;
            granted |= turns[collector].grant(banks.into()).map_or(0, |bank| 1 << bank);
            rest &= !(0xff << (8 * collector));
        }
        granted
    }
}

impl Arbiter {
    /// `caching`: the collectors are caching ones, with a write filter and ports D.
    pub fn new(parameters: &Parameters, caching: bool) -> Self {
        let turns: [_; MAX_COLLECTORS] = std::array::from_fn(|_| RoundRobin::new(parameters.banks));
        Arbiter {
            parameters: *parameters,
            caching,
            queues: std::array::from_fn(|_| RequestQueue::new(parameters)),
            waiting: 0,
            heads: Offers::default(),
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

    /// "Generates the source operand read requests" (F §II) of an instruction that enters a collector;
    /// `slots`: a bit for each that has to be read, `place`: the warp with whose registers its operand lies,
    /// their first row, and the register.
    #[inline(always)]
    pub fn ask(
        &mut self,
        collector: CollectorId,
        slots: u8,
        place: impl Fn(usize) -> ((WarpId, Row), RegisterId),
        asked: &mut Asked,
    ) {
        asked.clear();
        asked.collector = collector;
        for slot in members(slots) {
            let ((warp, base), register) = place(slot);
            let (bank, row) = self.home(warp, base, register);
            let count = &mut asked.counts[bank.index()];
            self.queues[bank.index()].ask(*count, ReadRequest { row, collector, slot: slot as u8 });
            *count += 1;
            asked.banks |= 1 << bank.0;
        }
    }

    /// "The oldest request of each queue is granted access only if the port of the OCU and the bank it
    /// needs are available"; "writes always have priority" (F §II). Under `grant_at_issue` the first request
    /// to a bank without a queue stands for its oldest. `writes`: a bit per bank.
    #[inline]
    pub fn grants(&self, writes: u8, asked: &Asked, grants: &mut Grants) {
        (grants.banks, grants.conflicts, grants.second_banks) = (0, self.waiting, 0);
        if self.waiting | asked.banks != 0 {
            self.grant(writes, asked, grants);
        }
    }

    #[inline(always)]
    fn grant(&self, writes: u8, asked: &Asked, grants: &mut Grants) {
        let mut offers = self.heads;
        if self.parameters.grant_at_issue {
            let direct = asked.banks & !self.waiting;
            offers.add(asked.collector, direct);
            grants.conflicts |= direct;
        }
        offers.withdraw(writes);
        grants.banks = offers.share(&self.turns);
        grants.conflicts &= !grants.banks;
        for bank in members(grants.banks) {
            grants.reads[bank] = self.queues[bank].at(0);
        }
        if self.parameters.accesses > 1 {
            self.second_grants(asked, grants);
        }
    }

    /// The read in a place at a bank, 0 the oldest: one that waits or, under `grant_at_issue`, one that is
    /// asked for now.
    #[inline]
    fn read(&self, bank: usize, place: usize, asked: &Asked) -> Option<ReadRequest> {
        let now = if self.parameters.grant_at_issue { asked.counts[bank].into() } else { 0 };
        let queue = &self.queues[bank];
        (place < queue.count() + now).then(|| queue.at(place))
    }

    /// The second accesses of the cycle, where there are any: of what the first ones have left, or of what
    /// comes after it.
    #[inline(never)]
    fn second_grants(&self, asked: &Asked, grants: &mut Grants) {
        let (mut offers, mut offered) = (Offers::default(), 0);
        for bank in members(grants.banks | grants.conflicts) {
            let read = self.read(bank, (grants.banks >> bank & 1).into(), asked);
            grants.second_reads[bank] = read.unwrap_or_default();
            if let Some(ReadRequest { collector, .. }) = read {
                offers.add(collector, 1 << bank);
                offered |= 1 << bank;
            }
        }
        grants.second_banks = offers.share(&self.second_turns);
        grants.conflicts = offered & !grants.second_banks;
    }

    /// Where a register that leaves is read in this cycle: if neither a write nor a granted read needs the
    /// first access of its bank.
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

    /// The clock edge: granted reads leave their queues, and the turns pass on; what was asked and not
    /// granted is pushed "into the RF bank queues" (F §II).
    #[inline]
    pub fn take(&mut self, grants: &Grants, asked: &Asked) {
        for bank in members(grants.banks) {
            self.turns[grants.reads[bank].collector.index()].advance(bank);
        }
        for bank in members(grants.second_banks) {
            self.second_turns[grants.second_reads[bank].collector.index()].advance(bank);
        }
        for bank in members(asked.banks | grants.banks | grants.second_banks) {
            let leave = (grants.banks >> bank & 1) + (grants.second_banks >> bank & 1);
            let queue = &mut self.queues[bank];
            queue.take(asked.counts[bank], leave);
            self.heads.withdraw(1 << bank);
            match queue.count() {
                0 => self.waiting &= !(1 << bank),
                _ => {
                    self.heads.add(queue.at(0).collector, 1 << bank);
                    self.waiting |= 1 << bank;
                }
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
            let place = |slot: usize| {
                let register = RegisterId(inputs.source_register[slot] as u8);
                let (warp, base) = match inputs.lender_valid[slot] {
                    true => (inputs.lender_warp[slot], inputs.lender_base[slot]),
                    false => (inputs.warp, inputs.base),
                };
                ((WarpId(warp as u8), Row(base)), register)
            };
            self.ask(collector, slots, place, &mut asked);
        }
        self.grants(writes, &asked, &mut grants);
        (self.asked, self.grants) = (asked, grants);
        let mut outputs = ArbiterOut::default();
        for bank in banks.clone() {
            outputs.bank_read[bank] = self.grants.banks >> bank & 1 == 1;
            outputs.bank_conflict[bank] = self.grants.conflicts >> bank & 1 == 1;
            let read = self.read(bank, 0, &asked).unwrap_or_default();
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
